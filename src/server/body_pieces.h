// SPDX-License-Identifier: Apache-2.0
#pragma once

// The body of a request that is answered while it arrives.
//
// The connection decodes into `arrived`, the handler takes all of that at once: two buffers change places, so
// nothing is copied and warm nothing is allocated. When the handler is behind by ahead_bytes_max the
// connection reads no further, and the kernel slows the client down. Threads: its loop.

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <quern/buffer.h>
#include <quern/error.h>
#include <quern/http.h>

namespace quern::server {

class Connection;

class BodyPieces final : public http::BodySource {
public:
    // What may have arrived and not be taken; a single read may exceed it.
    static constexpr std::size_t ahead_bytes_max = 256 * 1024;
    // Kept for the next request, of each of the two buffers.
    static constexpr std::size_t kept_bytes_max = 64 * 1024;

    [[nodiscard]] bool wait(std::move_only_function<void()> ready) override;
    [[nodiscard]] Result<std::string_view> take() override;

    // The rest is for the connection.
    void start(Connection& connection) { connection_ = &connection; }
    [[nodiscard]] Buffer& arrived() { return arrived_; }
    void end() { ended_ = true; }
    // Nothing more will come. What has arrived can still be taken.
    void fail(Error error);
    // Calls what waits.
    void deliver() { std::exchange(ready_, nullptr)(); }
    void reset();

    [[nodiscard]] bool is_active() const { return connection_ != nullptr; }
    [[nodiscard]] bool is_complete() const { return ended_; }
    [[nodiscard]] bool is_over() const { return ended_ || error_; }
    [[nodiscard]] bool has_room() const { return !is_over() && arrived_.size() < ahead_bytes_max; }
    [[nodiscard]] bool has_something() const { return is_over() || !arrived_.empty(); }
    [[nodiscard]] bool is_waited_for() const { return ready_ != nullptr; }

private:
    Connection* connection_ = nullptr;  // null: the body comes whole
    Buffer arrived_;
    Buffer taken_;
    bool ended_ = false;
    std::optional<Error> error_;
    std::move_only_function<void()> ready_;
};

}  // namespace quern::server
