// SPDX-License-Identifier: Apache-2.0
#include <quern/body_stream.h>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <string>
#include <thread>

#include <quern/app.h>
#include <quern/multipart.h>
#include "library/test_serving.h"
#include "server/test_server.h"

namespace quern {
namespace {

using http::Method;
using server::testing::eventually;
using server::testing::TestClient;

// What handlers have seen. Threads: any.
struct Seen {
    std::mutex mutex;
    std::string bytes;
    std::atomic<int> ends = 0;
    std::atomic<bool> may_read = true;
    std::string end_error;  // guarded by mutex

    void add(std::string_view piece) {
        std::lock_guard const lock(mutex);
        bytes += piece;
    }
    std::string so_far() {
        std::lock_guard const lock(mutex);
        return bytes;
    }
    std::size_t size() {
        std::lock_guard const lock(mutex);
        return bytes.size();
    }
    std::string error() {
        std::lock_guard const lock(mutex);
        return end_error;
    }
    void note(Result<void> const& end) {
        std::lock_guard const lock(mutex);
        end_error = end ? "" : std::string(name(end.error().code));
        ++ends;
    }
};

class BodyStreamTest : public testing::Test {
protected:
    explicit BodyStreamTest(AppOptions options = {.loops = 1, .stop_on_signals = false}) : app(options) {
        app.post<"/upload">([this](BodyStream body) -> Task<Result<std::string>> {
            while (!seen.may_read) (void)co_await background([] { std::this_thread::yield(); });
            while (auto const piece = co_await body.next()) seen.add(*piece);
            auto const end = body.end();
            seen.note(end);
            if (!end) co_return fail(end.error());
            co_return std::to_string(body.bytes());
        });
        app.post<"/elsewhere">([this](BodyStream body) -> Task<Result<std::string>> {
            while (auto const piece = co_await body.next()) {
                std::string const copy(*piece);
                (void)co_await background([this, &copy] { seen.add(copy); });
            }
            if (auto const end = body.end(); !end) co_return fail(end.error());
            co_return std::to_string(body.bytes());
        });
        app.post<"/refuse">([](BodyStream) -> Task<Result<void>> { co_return fail(ErrorCode::forbidden); });
        app.post<"/partly">([](BodyStream body) -> Task<std::string> {
            (void)co_await body.next();
            co_return body.end() ? "all" : "partly";
        });
        app.post<"/whole">([](Body body) { return std::to_string(body.bytes.size()); });
        app.get<"/">([] { return "here"; });
    }

    Seen seen;
    App<> app;
};

std::string post(std::string_view path, std::string_view rest) {
    return "POST " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(rest);
}
constexpr std::string_view get_root = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

TEST_F(BodyStreamTest, PiecesComeWhileTheClientSends) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send(post("/upload", "Content-Length: 10\r\n\r\n"));
    client.send("hello");
    EXPECT_TRUE(eventually([this] { return seen.so_far() == "hello"; }));
    client.send("world" + std::string(get_root));
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "10");
    EXPECT_EQ(seen.so_far(), "helloworld");
    auto const next = client.receive();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->body, "here") << "the connection goes on behind the body";
}

TEST_F(BodyStreamTest, ChunksMayBeCutAnywhere) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    std::string const request = post("/upload",
                                     "Transfer-Encoding: chunked\r\n\r\n"
                                     "5;a=b\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nT: x\r\n\r\n");
    for (std::size_t piece : {1U, 2U, 7U, 1000U}) {
        std::string_view rest = request;
        for (; !rest.empty(); rest.remove_prefix(std::min(piece, rest.size()))) {
            client.send(rest.substr(0, piece));
            if (piece < 7) std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        auto const answer = client.receive();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->body, "11");
    }
    EXPECT_EQ(seen.so_far(), "hello worldhello worldhello worldhello world");
}

TEST_F(BodyStreamTest, AHandlerMayWorkElsewhereBetweenPieces) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    std::string const body(300'000, 'x');
    client.send(post("/elsewhere", "Content-Length: 300000\r\n\r\n") + body);
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "300000");
    EXPECT_EQ(seen.so_far(), body);
}

TEST_F(BodyStreamTest, AHandlerThatIsBehindSlowsTheClientDown) {
    constexpr std::size_t size = std::size_t{64} << 20;
    // What the kernel may keep on both sides, and more than what the server reads ahead.
    constexpr std::size_t held_max = size / 2;
    seen.may_read = false;
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send(post("/upload", "Content-Length: " + std::to_string(size) + "\r\n\r\n"));
    std::string const piece(std::size_t{1} << 20, 'x');
    std::size_t sent = 0;
    auto const send_some = [&](int timeout_ms) {
        pollfd poll{client.fd(), POLLOUT, 0};
        if (::poll(&poll, 1, timeout_ms) != 1) return false;
        auto const taken = ::send(client.fd(), piece.data(), std::min(piece.size(), size - sent),
                                  MSG_DONTWAIT | MSG_NOSIGNAL);
        if (taken > 0) sent += static_cast<std::size_t>(taken);
        return taken > 0;
    };
    while (sent < size && send_some(300)) {
    }
    EXPECT_LT(sent, held_max);
    seen.may_read = true;
    while (sent < size && send_some(5000)) {
    }
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, std::to_string(size));
    EXPECT_EQ(seen.size(), size);
}

TEST_F(BodyStreamTest, AClientThatIsGoneIsToldByTheEnd) {
    test::Serving const serving(app);
    for (bool const in_order : {true, false}) {
        TestClient client(serving.port());
        client.send(post("/upload", "Content-Length: 10\r\n\r\nhello"));
        int const before = seen.ends;
        std::size_t const bytes = seen.size();
        EXPECT_TRUE(eventually([&] { return seen.size() > bytes || seen.so_far().ends_with("hello"); }));
        if (in_order) {
            client.half_close();
            auto const answer = client.receive();
            ASSERT_TRUE(answer);
            EXPECT_EQ(answer->status, 400);
            EXPECT_NE(answer->body.find("The request is incomplete."), std::string::npos);
            EXPECT_TRUE(client.ended());
        } else {
            client.reset();
        }
        EXPECT_TRUE(eventually([&] { return seen.ends == before + 1; }));
        EXPECT_EQ(seen.error(), "request_incomplete");
    }
}

TEST_F(BodyStreamTest, AMalformedChunkIsToldByTheEnd) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send(post("/upload", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nx\r\n"));
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 400);
    EXPECT_EQ(seen.so_far(), "hello") << "what came in front is given";
    EXPECT_EQ(seen.error(), "body_invalid");
    EXPECT_TRUE(client.ended());
}

TEST_F(BodyStreamTest, AnAnswerInFrontOfTheEndIsTheLast) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send(post("/refuse", "Content-Length: 10\r\n\r\nhello"));
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 403);
    EXPECT_EQ(answer->header("connection"), "close");
    EXPECT_TRUE(client.ended());

    TestClient other(serving.port());
    other.send(post("/partly", "Content-Length: 10\r\n\r\nhello"));
    auto const partly = other.receive();
    ASSERT_TRUE(partly);
    EXPECT_EQ(partly->body, "partly");
    EXPECT_TRUE(other.ended());
}

TEST_F(BodyStreamTest, TheClientIsAskedToGoOnWhenTheHandlerReads) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send(post("/upload", "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"));
    auto const go_on = client.receive();
    ASSERT_TRUE(go_on);
    EXPECT_EQ(go_on->status, 100);
    client.send("hello");
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "5");

    TestClient refused(serving.port());
    refused.send(post("/refuse", "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"));
    auto const refusal = refused.receive();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->status, 403) << "and not 100";
}

TEST_F(BodyStreamTest, ARequestFromWithinHasItsBodyInOnePiece) {
    EXPECT_EQ(app.request(Method::post, "/upload", "hello").body, "5");
    EXPECT_EQ(seen.so_far(), "hello");
    EXPECT_EQ(app.request(Method::post, "/upload").body, "0");
    EXPECT_EQ(app.request(Method::post, "/partly", "hello").body, "partly");
}

TEST_F(BodyStreamTest, ARequestWithoutBodyEndsAtOnce) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    for (std::string_view const head :
         {"Content-Length: 0\r\n\r\n", "\r\n", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"}) {
        client.send(post("/upload", head));
        auto const answer = client.receive();
        ASSERT_TRUE(answer) << head;
        EXPECT_EQ(answer->body, "0");
    }
}

class BodyStreamLimitTest : public BodyStreamTest {
protected:
    BodyStreamLimitTest()
        : BodyStreamTest({.loops = 1,
                          .body_bytes_max = 100,
                          .streamed_body_bytes_max = 1000,
                          .stop_on_signals = false}) {}
    int status(std::string const& request) {
        TestClient client(port);
        client.send(request);
        auto const answer = client.receive();
        return answer ? answer->status : 0;
    }
    std::uint16_t port = 0;
};

TEST_F(BodyStreamLimitTest, EachKindOfBodyHasItsLimit) {
    test::Serving const serving(app);
    port = serving.port();
    EXPECT_EQ(status(post("/upload", "Content-Length: 1000\r\n\r\n" + std::string(1000, 'x'))), 200);
    int const before = seen.ends;
    EXPECT_EQ(status(post("/upload", "Content-Length: 1001\r\n\r\n")), 413);
    EXPECT_EQ(seen.ends, before) << "an announced length is refused in front of the handler";
    EXPECT_EQ(status(post("/upload", "Transfer-Encoding: chunked\r\n\r\n3e9\r\n")), 413);
    EXPECT_EQ(seen.error(), "too_large");
    EXPECT_EQ(status(post("/whole", "Content-Length: 100\r\n\r\n" + std::string(100, 'x'))), 200);
    EXPECT_EQ(status(post("/whole", "Content-Length: 101\r\n\r\n")), 413);
    EXPECT_EQ(status(post("/whole", "Transfer-Encoding: chunked\r\n\r\n65\r\n")), 413);
    EXPECT_EQ(status(post("/nowhere", "Content-Length: 100\r\n\r\n" + std::string(100, 'x'))), 404);
}

TEST(BodyStream, IsDescribed) {
    App app;
    app.post<"/upload">([](BodyStream) -> Task<std::string> { co_return "text"; });
    ASSERT_TRUE(app.openapi({}));
    auto const document = app.request(Method::get, "/openapi.json").body;
    EXPECT_NE(document.find(R"("requestBody":{"required":true,"content":{"*/*":{"schema":{}}}})"),
              std::string::npos);
    EXPECT_NE(document.find(R"("408":)"), std::string::npos);
}

}  // namespace
}  // namespace quern
