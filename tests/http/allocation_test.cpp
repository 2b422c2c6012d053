// SPDX-License-Identifier: Apache-2.0
//
// A warm server allocates nothing for a request: operator new is counted on the loop's thread, in this
// program.

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "server/test_server.h"

namespace {

thread_local bool counted_thread = false;
std::atomic<int> allocations{0};

void* allocate(std::size_t bytes) {
    if (counted_thread) ++allocations;
    void* const place = std::malloc(bytes > 0 ? bytes : 1);
    if (place == nullptr) std::abort();
    return place;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* place) noexcept { std::free(place); }
void operator delete[](void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t) noexcept { std::free(place); }

namespace quern::server {
namespace {

using testing::TestClient;

// How a request is answered is its path's first segment.
class Handler final : public http::Handler {
public:
    void handle(http::Exchange& exchange) override {
        counted_thread = true;
        std::string_view const kind = exchange.request.segments.empty() ? "" : exchange.request.segments[0];
        if (kind == "end") return waiting_.push_back(&exchange);
        if (kind == "thread") {
            other_thread = &exchange;
            other_thread.notify_one();
            return;
        }
        if (kind == "large") fill(exchange.response.body, 100'000);
        if (kind == "headers") exchange.response.add_header("ETag", "\"1\"");
        (void)exchange.arena.array<char>(1000);
        testing::echo(exchange);
    }
    void iteration_end(std::size_t) override {
        for (auto* const exchange : waiting_) testing::echo(*exchange);
        waiting_.clear();
    }
    std::atomic<http::Exchange*> other_thread{nullptr};

private:
    static void fill(Buffer& body, std::size_t bytes) {
        std::memset(body.reserve(bytes), 'x', bytes);
        body.advance(bytes);
    }
    std::vector<http::Exchange*> waiting_;
};

struct Shape {
    std::string name;
    std::vector<std::string> pieces;  // sent one after the other, with pauses
    int answers = 1;
};

std::string request(std::string const& path, std::string const& headers = {}, std::string const& body = {}) {
    return "POST " + path + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + body;
}

std::vector<Shape> shapes() {
    std::string const length = "Content-Length: 500\r\n";
    std::string const body(500, 'b');
    std::string const gzip = "Accept-Encoding: gzip\r\n";
    return {
        {"plain", {request("/a%20b/c?d=e")}},
        {"headers", {request("/headers", "Origin: https://a\r\n")}},
        {"body", {request("/", length, body)}},
        {"chunked", {request("/", "Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n0\r\n\r\n")}},
        {"pipelined", {request("/1") + request("/2") + request("/3")}, 3},
        {"split head", {"POST / HTTP/1.1\r\nHo", "st: a\r\n", "\r\n"}},
        {"split body", {request("/", length, body.substr(0, 100)), body.substr(100)}},
        {"at the iteration's end", {request("/end") + request("/end") + request("/1")}, 3},
        {"large answer", {request("/large")}},
        {"compressed answer", {request("/large", gzip)}},
        {"from another thread", {request("/thread") + request("/1")}, 2},
    };
}

TEST(Allocation, AWarmRequestTakesNone) {
    Handler handler;
    testing::TestServer server(handler);
    std::atomic<bool> done{false};
    std::jthread const answerer([&] {
        while (!done) {
            if (auto* const exchange = handler.other_thread.exchange(nullptr)) testing::echo(*exchange);
            std::this_thread::yield();
        }
    });
    TestClient client(server.port());
    for (auto const& shape : shapes()) {
        auto const round = [&] {
            for (auto const& piece : shape.pieces) {
                client.send(piece);
                if (shape.pieces.size() > 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            }
            for (int i = 0; i < shape.answers; ++i) ASSERT_TRUE(client.receive());
        };
        for (int i = 0; i < 20; ++i) round();
        int const before = allocations.load();
        for (int i = 0; i < 200; ++i) round();
        EXPECT_EQ(allocations.load() - before, 0) << shape.name;
    }
    EXPECT_GT(allocations.load(), 0) << "the counter counts";
    done = true;
}

TEST(Allocation, AWarmConnectionTakesNone) {
    Handler handler;
    testing::TestServer server(handler);
    auto const round = [&] {
        TestClient client(server.port());
        client.send(request("/"));
        ASSERT_TRUE(client.receive());
    };
    for (int i = 0; i < 50; ++i) round();
    int const before = allocations.load();
    for (int i = 0; i < 200; ++i) round();
    // The most connections open at once may grow a little when the closing side is slow.
    EXPECT_LE(allocations.load() - before, 10);
}

}  // namespace
}  // namespace quern::server
