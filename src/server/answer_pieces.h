// SPDX-License-Identifier: Apache-2.0
#pragma once

// An answer that leaves while the handler makes it.
//
// What is written becomes chunks in the connection's output and leaves at the end of the iteration. When the
// client is behind by waiting_bytes_max the handler is asked to wait until everything has been taken.
// Threads: its loop.

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include <quern/http.h>
#include "http/render.h"

namespace quern::server {

class Connection;

class AnswerPieces final : public http::AnswerSink {
public:
    // What may wait for the client; a single write may exceed it.
    static constexpr std::size_t waiting_bytes_max = 256 * 1024;

    [[nodiscard]] bool write(std::string_view bytes, std::move_only_function<void()> ready) override;
    [[nodiscard]] bool is_started() const override { return started_; }
    [[nodiscard]] bool is_gone() const override;

    // The rest is for the connection.
    void set_connection(Connection* connection) { connection_ = connection; }
    void start(http::BodyEnd end, bool has_body) {
        started_ = true;
        end_ = end;
        has_body_ = has_body;
    }
    [[nodiscard]] bool is_waited_for() const { return ready_ != nullptr; }
    // Calls what waits.
    void deliver() { std::exchange(ready_, nullptr)(); }
    [[nodiscard]] http::BodyEnd end() const { return end_; }
    [[nodiscard]] bool has_body() const { return has_body_; }
    void reset();

private:
    Connection* connection_ = nullptr;
    bool started_ = false;
    bool has_body_ = true;  // not for HEAD and 204
    http::BodyEnd end_ = http::BodyEnd::chunks;
    std::move_only_function<void()> ready_;
};

}  // namespace quern::server
