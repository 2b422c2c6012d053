// SPDX-License-Identifier: Apache-2.0
// Bodies in pieces, where the time that clients take counts.
#include "server/body_pieces.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>

#include "server/test_server.h"

namespace quern::server {
namespace {

using namespace std::chrono_literals;
using namespace testing;

// Takes every body in pieces and answers with the number of its bytes, or with the error's name.
class PiecesHandler final : public http::Handler {
public:
    void handle(http::Exchange& exchange) override { step(exchange, 0); }
    [[nodiscard]] bool wants_body_in_pieces(http::Request const&) override { return true; }

    std::atomic<int> answered = 0;
    std::atomic<std::size_t> bytes = 0;
    std::chrono::milliseconds pause{0};  // in front of a piece that is there

private:
    void step(http::Exchange& exchange, std::size_t size) {
        auto const take = [this, &exchange, size] { take_piece(exchange, size); };
        if (!exchange.body_source->wait(take)) return;
        if (pause == 0ms) return take();
        std::thread([this, &exchange, take] {
            std::this_thread::sleep_for(pause);
            exchange.post(take);
        }).detach();
    }
    void take_piece(http::Exchange& exchange, std::size_t size) {
        auto const piece = exchange.body_source->take();
        if (piece && !piece->empty()) {
            bytes += piece->size();
            return step(exchange, size + piece->size());
        }
        exchange.response.body.append(piece ? std::to_string(size) : std::string(name(piece.error().code)));
        ++answered;
        exchange.finish();
    }
};

ServerOptions quick_options() {
    ServerOptions options = test_options();
    options.streamed_body_bytes_max = 1 << 30;
    options.timeouts.body_stall = 150ms;
    options.timeouts.stop = 100ms;
    return options;
}
constexpr std::string_view head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n";

TEST(BodyPieces, AClientThatStallsIsTooSlow) {
    PiecesHandler handler;
    TestServer server(handler, quick_options());
    TestClient client(server.port());
    client.send(head);
    client.send("hello");
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "request_timeout");
    EXPECT_TRUE(client.ended());
}

TEST(BodyPieces, AClientThatDripsIsTooSlow) {
    PiecesHandler handler;
    ServerOptions options = quick_options();
    options.timeouts.body_stall = 10s;
    options.timeouts.body_grace = 150ms;
    TestServer server(handler, options);
    TestClient client(server.port());
    client.send(head);
    int sent = 0;
    while (sent < 9 && handler.answered == 0) {
        client.send("x");
        ++sent;
        std::this_thread::sleep_for(60ms);
    }
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "request_timeout");
    EXPECT_LT(sent, 9);
}

TEST(BodyPieces, TheTimeThatTheHandlerTakesIsNotTheClients) {
    PiecesHandler handler;
    handler.pause = 300ms;
    ServerOptions options = quick_options();
    options.timeouts.body_stall = 10s;
    options.timeouts.body_grace = 500ms;
    TestServer server(handler, options);
    TestClient client(server.port());
    client.send(head);
    client.send("hello");
    EXPECT_TRUE(eventually([&] { return handler.bytes == 5; }));
    client.send("wor");
    EXPECT_TRUE(eventually([&] { return handler.bytes == 8; }));
    std::this_thread::sleep_for(200ms);  // longer than the sweep for deadlines
    client.send("ld");
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->body, "10");
}

TEST(BodyPieces, AServerThatStopsEndsABodyThatNeverComes) {
    PiecesHandler handler;
    ServerOptions options = quick_options();
    options.timeouts.body_stall = 60s;
    TestServer server(handler, options);
    TestClient client(server.port());
    client.send(head);
    client.send("hello");
    EXPECT_TRUE(eventually([&] { return handler.bytes == 5; }));
    server.stop();
    EXPECT_EQ(handler.answered, 1) << "whoever waits is told";
}

}  // namespace
}  // namespace quern::server
