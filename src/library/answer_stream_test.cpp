// SPDX-License-Identifier: Apache-2.0
#include <quern/answer_stream.h>

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include <quern/app.h>
#include "library/test_serving.h"
#include "server/test_server.h"

namespace quern {
namespace {

using http::Method;
using server::testing::eventually;
using server::testing::TestClient;

class AnswerStreamTest : public testing::Test {
protected:
    AnswerStreamTest() : app({.loops = 1, .stop_on_signals = false}) {
        // [write]
        app.get<"/count/{last}">([](int last, AnswerStream answer) -> Task<> {
            answer.content_type("application/x-ndjson");
            answer.header("X-Note", "counted");
            for (int number = 1; number <= last; ++number) {
                if (!co_await answer.write(std::to_string(number) + "\n")) co_return;
            }
        });
        // [write]
        app.get<"/slowly">([](AnswerStream answer) -> Task<> {
            for (std::string_view const piece : {"one ", "", "two ", "three"}) {
                (void)co_await answer.write(piece);
                (void)co_await background([] {});
            }
        });
        app.get<"/large">([this](AnswerStream answer) -> Task<> {
            std::string const piece(64 * 1024, 'x');
            while (made < large_bytes && co_await answer.write(piece)) made += piece.size();
            ++ended;
        });
        app.get<"/fails/{when}">([](int when, AnswerStream answer) -> Task<Result<void>> {
            if (when == 0) co_return fail(ErrorCode::forbidden);
            (void)co_await answer.write("some");
            (void)co_await background([] {});
            if (when == 1) co_return fail(ErrorCode::conflict);
            if (when == 2) throw std::runtime_error("secret");
            co_return Result<void>();
        });
        app.get<"/">([] { return "here"; });
    }

    static constexpr std::size_t large_bytes = std::size_t{64} << 20;
    std::atomic<std::size_t> made = 0;
    std::atomic<int> ended = 0;
    App<> app;
};

std::string get(std::string_view path, std::string_view rest = "") {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n" + std::string(rest) + "\r\n";
}

TEST_F(AnswerStreamTest, PiecesAreChunks) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send(get("/slowly") + get("/"));
    auto const head = client.receive(true);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
    EXPECT_EQ(head->header("transfer-encoding"), "chunked");
    EXPECT_EQ(head->header("content-length"), std::nullopt);
    EXPECT_EQ(head->header("content-type"), "application/octet-stream");
    std::string const body = "4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n";
    EXPECT_EQ(client.take(body.size()), body);
    auto const next = client.receive();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->body, "here") << "the connection goes on";
}

TEST_F(AnswerStreamTest, TheHeadIsTheHandlers) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send(get("/count/2"));
    auto const head = client.receive(true);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->header("content-type"), "application/x-ndjson");
    EXPECT_EQ(head->header("x-note"), "counted");
    EXPECT_EQ(client.take(19), "2\r\n1\n\r\n2\r\n2\n\r\n0\r\n\r\n");
}

TEST_F(AnswerStreamTest, AClientThatIsBehindSlowsTheHandlerDown) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send(get("/large", "Connection: close\r\n"));
    // What the kernel may keep on both sides, and more than what waits in the server.
    std::size_t before = 1;
    EXPECT_TRUE(eventually([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        return std::exchange(before, made.load()) == made;
    }));
    EXPECT_LT(made, large_bytes / 2);
    EXPECT_EQ(ended, 0);
    std::size_t received = 0;
    while (client.receive_some()) received = client.pending().size();
    EXPECT_GT(received, large_bytes);
    EXPECT_EQ(ended, 1);
    EXPECT_TRUE(client.pending().ends_with("\r\n0\r\n\r\n"));
}

TEST_F(AnswerStreamTest, AHandlerLearnsThatTheClientIsGone) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send(get("/large"));
    EXPECT_TRUE(eventually([this] { return made > 0; }));
    client.reset();
    EXPECT_TRUE(eventually([this] { return ended == 1; }));
    EXPECT_LT(made, large_bytes);
}

TEST_F(AnswerStreamTest, AFailureOnTheWayCutsTheConnection) {
    test::Serving const serving(app);
    for (std::string_view const path : {"/fails/1", "/fails/2"}) {
        TestClient client(serving.port());
        client.send(get(path));
        auto const head = client.receive(true);
        ASSERT_TRUE(head);
        EXPECT_EQ(head->status, 200);
        while (client.receive_some()) {
        }
        EXPECT_EQ(client.pending().find("0\r\n\r\n"), std::string::npos) << client.pending();
    }
    TestClient client(serving.port());
    client.send(get("/fails/0") + get("/fails/3"));
    auto const refused = client.receive();
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->status, 403) << "in front of the first piece all is as ever";
    ASSERT_TRUE(client.receive(true));
    EXPECT_EQ(client.take(14), "4\r\nsome\r\n0\r\n\r\n");
}

TEST_F(AnswerStreamTest, OldClientsReadUpToTheEndOfTheConnection) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send("GET /count/3 HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
    auto const head = client.receive(true);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->header("transfer-encoding"), std::nullopt);
    EXPECT_EQ(head->header("connection"), "close");
    while (client.receive_some()) {
    }
    EXPECT_EQ(client.pending(), "1\n2\n3\n");
}

TEST_F(AnswerStreamTest, HeadHasNoBodyAndEndsTheHandler) {
    test::Serving const serving(app);
    TestClient client(serving.port());
    client.send("HEAD /large HTTP/1.1\r\nHost: a\r\n\r\n" + get("/"));
    auto const head = client.receive(true);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
    auto const next = client.receive();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->body, "here");
    EXPECT_EQ(made, 0U);
}

TEST_F(AnswerStreamTest, ARequestFromWithinGetsItWhole) {
    auto const reply = app.request(Method::get, "/count/3");
    EXPECT_EQ(reply.status, 200);
    EXPECT_EQ(reply.body, "1\n2\n3\n");
    EXPECT_EQ(reply.content_type, "application/x-ndjson");
    EXPECT_EQ(app.request(Method::get, "/fails/0").status, 403);
    EXPECT_EQ(app.request(Method::get, "/fails/1").status, 400);
    EXPECT_EQ(app.request(Method::get, "/fails/3").body, "some");
}

}  // namespace
}  // namespace quern
