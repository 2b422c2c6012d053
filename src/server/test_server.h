// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: a real server on a thread of its own, and a client that speaks bytes.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/byte_class.h"
#include "http/render.h"
#include "os/clock.h"
#include "os/socket.h"
#include "server/server.h"

namespace quern::server::testing {

// Sanitizers keep freed memory for a while, so what is resident says nothing there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool resident_is_telling = false;
#else
inline constexpr bool resident_is_telling = true;
#endif

// A handler made of functions.
class FunctionHandler final : public http::Handler {
public:
    explicit FunctionHandler(std::function<void(http::Exchange&)> on_request)
        : on_request_(std::move(on_request)) {}
    void handle(http::Exchange& exchange) override { on_request_(exchange); }
    void iteration_end(std::size_t loop_index) override {
        if (on_iteration_end) on_iteration_end(loop_index);
    }
    std::function<void(std::size_t)> on_iteration_end;

private:
    std::function<void(http::Exchange&)> on_request_;
};

// Answers with what was asked: "GET /path\n" and the body.
inline void echo(http::Exchange& exchange) {
    exchange.response.content_type = http::content_type_text;
    exchange.response.body.append(http::name(exchange.request.method));
    exchange.response.body.append(' ');
    exchange.response.body.append(exchange.request.target);
    exchange.response.body.append('\n');
    exchange.response.body.append(exchange.request.body);
    exchange.finish();
}

inline ServerOptions test_options() {
    ServerOptions options;
    options.port = 0;
    options.loops = 1;
    return options;
}

class TestServer {
public:
    explicit TestServer(http::Handler& handler, ServerOptions options = test_options())
        : server_(Server::open(std::move(options), handler, clock_).value()),
          thread_([this] { server_->run(); }) {}
    ~TestServer() { stop(); }

    void stop() {
        server_->stop();
        if (thread_.joinable()) thread_.join();
    }
    [[nodiscard]] Server& server() { return *server_; }
    [[nodiscard]] std::uint16_t port() const { return server_->port(); }

private:
    os::SystemClock clock_;
    std::unique_ptr<Server> server_;
    std::thread thread_;
};

struct Answer {
    int status = 0;
    std::string head;  // with its status line, without the empty line
    std::string body;

    // The value of a header, given in lower case.
    [[nodiscard]] std::optional<std::string> header(std::string_view lower_name) const {
        std::string_view rest = head;
        while (!rest.empty()) {
            auto const end = std::min(rest.find("\r\n"), rest.size());
            std::string_view const line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 2, rest.size()));
            auto const colon = line.find(':');
            if (colon == std::string_view::npos) continue;
            if (http::equals_ignoring_case(line.substr(0, colon), lower_name)) {
                return std::string(http::trim(line.substr(colon + 1)));
            }
        }
        return std::nullopt;
    }
};

class TestClient {
public:
    explicit TestClient(std::uint16_t port) : socket_(os::connect_tcp("127.0.0.1", port).value()) {}

    // True when all bytes were taken.
    bool send(std::string_view bytes) {
        while (!bytes.empty()) {
            auto const sent = os::send(socket_.get(), bytes);
            if (sent.outcome != os::Transfer::done) return false;
            bytes.remove_prefix(sent.bytes);
        }
        return true;
    }
    void half_close() { os::shutdown_send(socket_.get()); }
    void reset() {
        os::reset_on_close(socket_.get());
        socket_.reset();
    }

    // The next answer; none when the connection ended or nothing came in time. Answers of 1xx are answers
    // here.
    std::optional<Answer> receive(bool head_request = false, int timeout_ms = 5000) {
        std::size_t head_end;
        while ((head_end = received_.find("\r\n\r\n")) == std::string::npos) {
            if (!fill(timeout_ms)) return std::nullopt;
        }
        Answer answer;
        answer.head = received_.substr(0, head_end);
        received_.erase(0, head_end + 4);
        answer.status = std::stoi(answer.head.substr(9, 3));
        std::size_t const length = std::stoul(answer.header("content-length").value_or("0"));
        if (head_request || http::is_bodiless(answer.status)) return answer;
        while (received_.size() < length) {
            if (!fill(timeout_ms)) return std::nullopt;
        }
        answer.body = received_.substr(0, length);
        received_.erase(0, length);
        return answer;
    }

    // Whether the server has ended the connection (in order or by a reset) without another byte.
    bool ended(int timeout_ms = 5000) {
        while (received_.empty() && fill(timeout_ms)) {
        }
        return received_.empty() && !timed_out_;
    }
    // Nothing comes for that long.
    bool silent(int timeout_ms) { return received_.empty() && !fill(timeout_ms) && timed_out_; }
    // Whether another byte came.
    bool receive_some(int timeout_ms = 5000) { return fill(timeout_ms); }
    // So many bytes, or what has come of them in time.
    std::string take(std::size_t count, int timeout_ms = 5000) {
        while (received_.size() < count && fill(timeout_ms)) {
        }
        std::string const bytes = received_.substr(0, count);
        received_.erase(0, bytes.size());
        return bytes;
    }
    // Bytes received and not taken yet.
    [[nodiscard]] std::string const& pending() const { return received_; }
    [[nodiscard]] int fd() const { return socket_.get(); }

private:
    bool fill(int timeout_ms) {
        pollfd poll{socket_.get(), POLLIN, 0};
        timed_out_ = ::poll(&poll, 1, timeout_ms) == 0;
        if (timed_out_) return false;
        char buffer[16384];
        auto const received = os::receive(socket_.get(), buffer);
        if (received.outcome != os::Transfer::done || received.bytes == 0) return false;
        received_.append(buffer, received.bytes);
        return true;
    }

    os::Fd socket_;
    std::string received_;
    bool timed_out_ = false;
};

// Waits until `condition` holds, at most five seconds.
inline bool eventually(std::function<bool()> const& condition) {
    for (int i = 0; i < 1000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return condition();
}

}  // namespace quern::server::testing
