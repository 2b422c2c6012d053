// SPDX-License-Identifier: Apache-2.0
//
// What the server does with clients that are slow, greedy, or wrong. Names with HTTP_nn stand for reports
// from the field about servers that got it wrong.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/resource.h>

#include <gtest/gtest.h>

#include "os/resource.h"
#include "server/server.h"
#include "server/test_server.h"

namespace quern::server {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using testing::FunctionHandler;
using testing::test_options;
using testing::TestClient;
using testing::TestServer;

std::string get(std::string const& target) { return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n"; }
std::string post(std::string const& headers, std::string const& body = {}) {
    return "POST /p HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body;
}

class Limits : public ::testing::Test {
protected:
    void start(ServerOptions options = test_options()) {
        server_ = std::make_unique<TestServer>(handler_, options);
    }
    static ServerOptions quick() {
        auto options = test_options();
        options.timeouts.head = options.timeouts.body_grace = options.timeouts.body_stall = milliseconds(300);
        options.timeouts.idle = options.timeouts.write_stall = options.timeouts.linger = milliseconds(300);
        return options;
    }
    [[nodiscard]] bool empties() const {
        return eventually([this] { return server_->server().stats().connections_open == 0; });
    }

    FunctionHandler handler_{testing::echo};
    std::unique_ptr<TestServer> server_;
};
using FieldReport = Limits;

TEST_F(FieldReport, HTTP_01_AnUnreadBodyIsNeverTheNextRequest) {
    FunctionHandler deaf([](http::Exchange& exchange) {
        exchange.response.status = 404;
        exchange.finish();
    });
    TestServer server(deaf);
    std::string const big(200'000, 'b');
    std::vector<std::string> const requests{
        post("Content-Length: 3\r\n", "abc"), post("Content-Length: 200000\r\n", big),
        post("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n30d40\r\n" + big + "\r\n0\r\n\r\n")};
    for (auto const& request : requests) {
        for (std::size_t const first :
             {request.size(), request.find("\r\n\r\n") + 4, request.find("\r\n\r\n") + 5}) {
            TestClient client(server.port());
            client.send(std::string_view(request).substr(0, first));
            std::this_thread::sleep_for(milliseconds(5));
            client.send(std::string_view(request).substr(first));
            ASSERT_EQ(client.receive()->status, 404);
            client.send(get("/next"));
            ASSERT_EQ(client.receive()->status, 404);
            EXPECT_TRUE(client.silent(5));
        }
    }
}

TEST_F(FieldReport, HTTP_02_AnEarlyRefusalCanBeReadByAClientThatSendsEverythingFirst) {
    auto options = test_options();
    options.body_bytes_max = 1'000'000;
    start(options);
    std::string const part(1'000'000, 'x');
    std::vector<std::string> const heads{post("Content-Length: 50000000\r\n"),
                                         post("Transfer-Encoding: chunked\r\n", "2faf080\r\n"),
                                         post("Content-Length: 50000000\r\nExpect: 100-continue\r\n")};
    for (auto const& head : heads) {
        TestClient client(server_->port());
        ASSERT_TRUE(client.send(head));
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(client.send(part)) << "cut off after " << i << " MB";
        auto const answer = client.receive();
        ASSERT_TRUE(answer);
        EXPECT_EQ(answer->status, 413);
        EXPECT_EQ(answer->header("connection"), "close");
        EXPECT_EQ(answer->body, R"({"status":413,"message":"The request body is too large.","data":{}})");
        EXPECT_TRUE(client.ended());
    }
    EXPECT_TRUE(empties());
}

TEST_F(FieldReport, HTTP_02_LingeringEnds) {
    auto options = quick();
    start(options);
    TestClient client(server_->port());
    client.send("BAD\r\n\r\n");
    EXPECT_EQ(client.receive()->status, 400);
    // The client never closes; the server does not wait for ever.
    EXPECT_TRUE(empties());
}

TEST_F(FieldReport, HTTP_05_ContinueIsSaidOnceAndOnlyWhenItHelps) {
    start();
    std::string const expect = "Expect: 100-continue\r\n";
    TestClient client(server_->port());
    client.send(post(expect + "Content-Length: 0\r\n"));
    EXPECT_EQ(client.receive()->status, 200);

    client.send(post(expect + "Content-Length: 10\r\n"));
    EXPECT_EQ(client.receive()->status, 100);
    client.send("01234");
    EXPECT_TRUE(client.silent(30));
    client.send("56789");
    EXPECT_EQ(client.receive()->body, "POST /p\n0123456789");

    client.send(post(expect + "Transfer-Encoding: chunked\r\n"));
    EXPECT_EQ(client.receive()->status, 100);
    client.send("3\r\nabc\r\n0\r\n\r\n");
    EXPECT_EQ(client.receive()->body, "POST /p\nabc");

    client.send(post(expect + "Content-Length: 3\r\n", "abc"));
    EXPECT_EQ(client.receive()->body, "POST /p\nabc") << "no 100 when the body is there already";

    client.send(post(expect + "Content-Length: 99999999999\r\n"));
    EXPECT_EQ(client.receive()->status, 413);
    EXPECT_TRUE(client.ended());

    TestClient old(server_->port());
    old.send("POST /p HTTP/1.0\r\n" + expect + "Content-Length: 2\r\n\r\n");
    EXPECT_TRUE(old.silent(30));
    old.send("ok");
    EXPECT_EQ(old.receive()->body, "POST /p\nok");

    TestClient strange(server_->port());
    strange.send(post("Expect: nonsense\r\nContent-Length: 2\r\n"));
    EXPECT_EQ(strange.receive()->status, 417);
}

TEST_F(FieldReport, HTTP_06_HeadIsGetWithoutTheBody) {
    FunctionHandler handler([](http::Exchange& exchange) {
        auto const path = exchange.request.raw_path;
        if (path == "/none") exchange.response.status = 204;
        if (path == "/same") exchange.response.status = 304;
        if (path == "/missing") exchange.response.status = 404;
        std::size_t const size = path == "/large" ? 100'000 : 5;
        for (std::size_t i = 0; i < size; ++i) exchange.response.body.append('x');
        exchange.finish();
    });
    TestServer server(handler);
    TestClient client(server.port());
    for (std::string const path : {"/small", "/large", "/missing", "/none", "/same"}) {
        client.send("HEAD " + path + " HTTP/1.1\r\nHost: a\r\n\r\n" + get(path));
        auto const head = client.receive(true);
        auto const full = client.receive();
        ASSERT_TRUE(head && full);
        EXPECT_EQ(head->status, full->status);
        EXPECT_EQ(head->header("content-length"), full->header("content-length"));
        EXPECT_EQ(head->header("content-type"), full->header("content-type"));
        if (http::is_bodiless(full->status))
            EXPECT_EQ(full->header("content-length"), std::nullopt);
        else
            EXPECT_EQ(full->header("content-length"), std::to_string(full->body.size()));
    }
    client.send("HEAD /%00 HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive(true)->status, 400);
    EXPECT_TRUE(client.ended());
}

TEST_F(FieldReport, HTTP_11_LinesWithoutEndAreRefusedAtTheLimit) {
    start();
    std::string const part(100'000, 'a');
    auto const resident_before = os::resident_bytes();
    std::vector<std::pair<std::string, int>> const begins{
        {"", 400}, {"GET /", 414}, {"GET / HTTP/1.1\r\nX: ", 431}};
    for (auto const& [begin, status] : begins) {
        TestClient client(server_->port());
        client.send(begin);
        for (int i = 0; i < 200 && client.send(part); ++i) {
        }
        EXPECT_EQ(client.receive()->status, status);
    }
    TestClient many(server_->port());
    std::string headers = "GET / HTTP/1.1\r\n";
    for (int i = 0; i < 100'000; ++i) headers += "a: b\r\n";
    many.send(headers);
    EXPECT_EQ(many.receive()->status, 431);
    if (!testing::resident_is_telling) return;
    EXPECT_LT(os::resident_bytes() - resident_before, 20'000'000);
}

TEST_F(FieldReport, HTTP_11_SlowClientsAreLetGoAndOthersServed) {
    start(quick());
    TestClient slow_head(server_->port());
    TestClient slow_body(server_->port());
    TestClient idle(server_->port());
    TestClient empty_line(server_->port());
    slow_head.send("GET / HT");
    slow_body.send(post("Content-Length: 1000\r\n", "a"));
    empty_line.send("\r\n");
    std::atomic<bool> stop{false};
    std::jthread const dripping([&] {
        while (!stop) {
            slow_body.send("b");
            slow_head.send("T");
            std::this_thread::sleep_for(milliseconds(40));
        }
    });
    TestClient other(server_->port());
    for (int i = 0; i < 20; ++i) {
        other.send(get("/"));
        EXPECT_EQ(other.receive()->status, 200);
        std::this_thread::sleep_for(milliseconds(20));
    }
    EXPECT_EQ(slow_head.receive()->status, 408);
    EXPECT_EQ(slow_body.receive()->status, 408);
    EXPECT_TRUE(idle.ended()) << "closed without an answer";
    EXPECT_TRUE(empty_line.ended());
    stop = true;
    EXPECT_TRUE(eventually([&] { return server_->server().stats().timeouts >= 4; }));
}

TEST_F(Limits, ABodyThatKeepsTheRateMayTakeLong) {
    auto options = quick();
    options.timeouts.body_rate_min = 10;
    start(options);
    TestClient client(server_->port());
    client.send(post("Content-Length: 100\r\n"));
    for (int i = 0; i < 10; ++i) {
        std::this_thread::sleep_for(milliseconds(60));
        client.send("0123456789");
    }
    EXPECT_EQ(client.receive()->status, 200);
}

TEST_F(FieldReport, HTTP_11_AClientThatNeverReadsIsCut) {
    FunctionHandler handler([](http::Exchange& exchange) {
        constexpr std::size_t size = 100'000'000;
        std::memset(exchange.response.body.reserve(size), 'x', size);
        exchange.response.body.advance(size);
        exchange.response.content_type = "image/png";
        exchange.finish();
    });
    TestServer server(handler, quick());
    auto const resident_before = os::resident_bytes();
    TestClient client(server.port());
    client.send(get("/") + get("/"));
    EXPECT_TRUE(eventually([&] { return server.server().stats().requests == 1; }));
    EXPECT_TRUE(eventually([&] { return server.server().stats().connections_open == 0; }));
    EXPECT_EQ(server.server().stats().requests, 1U) << "no further request while the answer waits";
    if (!testing::resident_is_telling) return;
    EXPECT_LT(os::resident_bytes() - resident_before, 20'000'000) << "the answer's memory is given back";
}

TEST_F(FieldReport, HTTP_11_ASlowButSteadyReaderIsServed) {
    auto options = quick();
    options.timeouts.write_stall = milliseconds(1000);
    options.compress_bytes_min = SIZE_MAX;
    FunctionHandler handler([](http::Exchange& exchange) {
        constexpr std::size_t size = 12'000'000;
        std::memset(exchange.response.body.reserve(size), 'x', size);
        exchange.response.body.advance(size);
        exchange.finish();
    });
    TestServer server(handler, options);
    TestClient client(server.port());
    client.send(get("/"));
    std::size_t received = 0;
    std::vector<char> buffer(500'000);
    while (received < 12'000'000) {
        auto const result = os::receive(client.fd(), buffer);
        ASSERT_EQ(result.outcome, os::Transfer::done);
        ASSERT_GT(result.bytes, 0U);
        received += result.bytes;
        std::this_thread::sleep_for(milliseconds(20));
    }
}

// Lowers the limit of descriptors while it lives.
class FewDescriptors {
public:
    explicit FewDescriptors(rlim_t limit) {
        ::getrlimit(RLIMIT_NOFILE, &before_);
        rlimit lowered = before_;
        lowered.rlim_cur = limit;
        ::setrlimit(RLIMIT_NOFILE, &lowered);
    }
    ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

TEST_F(Limits, WithoutDescriptorsAcceptingPausesAndRecovers) {
    start();
    TestClient first(server_->port());
    first.send(get("/"));
    ASSERT_TRUE(first.receive());
    std::vector<std::unique_ptr<TestClient>> clients;
    {
        int const next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        ::close(next);
        // Room for the client's own end, none for the server's.
        FewDescriptors const limit(static_cast<rlim_t>(next) + 1);
        clients.push_back(std::make_unique<TestClient>(server_->port()));
        clients.back()->send(get("/"));
        EXPECT_TRUE(clients.back()->silent(100));
        EXPECT_EQ(server_->server().stats().accept_pauses, 1U);
        auto const before = os::resource_use();
        std::this_thread::sleep_for(milliseconds(300));
        auto const after = os::resource_use();
        EXPECT_LT(after.user_us + after.system_us - before.user_us - before.system_us, 100'000)
            << "a busy loop";
        first.send(get("/"));
        EXPECT_TRUE(first.receive()) << "others are served meanwhile";
    }
    EXPECT_TRUE(clients.back()->receive());
}

TEST_F(Limits, AnIdleConnectionCostsLittle) {
    start();
    auto const open_many = [&](std::vector<std::unique_ptr<TestClient>>& clients, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            clients.push_back(std::make_unique<TestClient>(server_->port()));
            clients.back()->send(get("/"));
            ASSERT_TRUE(clients.back()->receive());
        }
    };
    std::vector<std::unique_ptr<TestClient>> clients;
    clients.reserve(3000);
    open_many(clients, 100);
    auto const before = os::resident_bytes();
    open_many(clients, 2000);
    // The client's side is in the same process and counted too.
    if (!testing::resident_is_telling) return;
    EXPECT_LT((os::resident_bytes() - before) / 2000, 4096);
}

TEST_F(Limits, GarbageOfEveryKindDoesNoHarm) {
    start(quick());
    std::uint32_t random = 12345;
    for (int i = 0; i < 300; ++i) {
        TestClient client(server_->port());
        std::string garbage = i % 3 == 0   ? get("/")
                              : i % 3 == 1 ? post("Transfer-Encoding: chunked\r\n")
                                           : "";
        for (int j = 0; j < 200; ++j) {
            random = random * 1664525 + 1013904223;
            garbage.push_back(static_cast<char>(random >> 24));
        }
        client.send(garbage);
        if (i % 2 == 0) client.reset();
    }
    EXPECT_TRUE(empties());
    TestClient client(server_->port());
    client.send(get("/"));
    EXPECT_TRUE(client.receive());
}

}  // namespace
}  // namespace quern::server
