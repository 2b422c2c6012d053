// SPDX-License-Identifier: Apache-2.0
#pragma once

// One loop of the server: its listener, its connections, and the memory they share.
//
// Shared memory is what makes a connection small and a warm request free of allocations: one buffer to
// receive into, one to render into, and stacks of exchanges and buffers that have been used and will be
// again. Threads: its loop, except where it says any.

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include <quern/buffer.h>
#include <quern/http.h>
#include "http/encoding.h"
#include "http/render.h"
#include "os/loop.h"
#include "os/posted.h"
#include "server/connection.h"
#include "server/exchange.h"
#include "server/options.h"
#include "server/stats.h"

namespace quern::server {

class Worker final : public os::LoopClient, public os::EventSource {
public:
    static constexpr std::int64_t never_us = std::numeric_limits<std::int64_t>::max();

    Worker(ServerOptions const& options, std::size_t index, std::size_t connections_max,
           http::Handler& handler, std::unique_ptr<os::EventLoop> loop, os::Fd listener);

    // Serves until stop() and the end of the last connection.
    void run();
    // Threads: any.
    void stop() { loop_->post(stop_); }
    [[nodiscard]] Stats stats() const;
    [[nodiscard]] os::EventLoop& loop() { return *loop_; }
    [[nodiscard]] std::size_t index() const { return index_; }

    // From the loop.
    void on_iteration(bool posted) override;
    void on_timer() override;
    void on_ready(os::Ready ready) override;  // the listener

    // For connections.
    [[nodiscard]] ServerOptions const& options() const { return options_; }
    [[nodiscard]] http::Handler& handler() { return handler_; }
    [[nodiscard]] http::Compressor& compressor() { return compressor_; }
    [[nodiscard]] std::string_view date_line();
    [[nodiscard]] bool stopping() const { return stopping_; }
    [[nodiscard]] Buffer& output() { return output_; }
    [[nodiscard]] std::span<char> receive_buffer() { return {receive_.get(), receive_bytes}; }
    [[nodiscard]] std::unique_ptr<ServerExchange> take_exchange(Connection& connection);
    void give_exchange(std::unique_ptr<ServerExchange> exchange);
    [[nodiscard]] Buffer take_buffer();
    void give_buffer(Buffer buffer);
    void set_deadline(std::uint32_t slot, std::int64_t at_us);
    void to_flush(Connection& connection) { dirty_.push_back(&connection); }
    void to_resume(Connection& connection) { resumable_.push_back(&connection); }
    // The connection is unused from now on; its slot is free at the end of the iteration.
    void retire(Connection& connection);
    void request_handled() { handled_ = true; }

    struct Counters {
        Counter connections_open, connections_accepted, requests, requests_refused, accept_pauses, timeouts,
            bytes_received, bytes_sent;
    };
    Counters counters;

private:
    static constexpr std::size_t exchanges_kept_max = 256;
    static constexpr std::size_t buffers_kept_max = 64;
    static constexpr std::size_t buffer_kept_bytes_max = 64 * 1024;
    static constexpr std::size_t output_kept_bytes_max = 1024 * 1024;
    static constexpr int accepts_per_event_max = 64;
    static constexpr std::int64_t accept_pause_us = 1'000'000;

    class StopWork final : public os::PostedWork {
    public:
        explicit StopWork(Worker& worker) : worker_(worker) {}
        void run() override { worker_.start_stopping(); }

    private:
        Worker& worker_;
    };

    void start_stopping();
    void accept_waiting(int count_max);
    void add_connection(os::Fd socket, os::PeerAddress const& peer);
    void pause_accepting();
    void resume_accepting();
    void run_resumable();
    void flush_all();
    void free_retired();
    void timer_at(std::int64_t at_us);

    ServerOptions const& options_;
    std::size_t const index_;
    std::size_t const connections_max_;
    http::Handler& handler_;
    os::Fd listener_;
    StopWork stop_{*this};

    bool handled_ = false;  // a request came to the handler in this iteration
    bool stopping_ = false;
    std::int64_t accept_again_us_ = never_us;  // accepting is paused until then, or until a connection ends
    std::int64_t stop_deadline_us_ = never_us;

    std::unique_ptr<char[]> receive_;
    Buffer output_;
    http::DateLine date_;
    http::Compressor compressor_;
    std::vector<std::unique_ptr<Connection>> connections_;  // by slot
    std::vector<std::int64_t> deadlines_us_;                // by slot, apart so that a sweep reads little
    std::vector<std::uint32_t> free_slots_;
    std::vector<Connection*> dirty_;
    std::vector<Connection*> resumable_;
    std::vector<Connection*> resuming_;
    std::vector<Connection*> retired_;
    std::vector<std::unique_ptr<ServerExchange>> spare_exchanges_;
    std::vector<Buffer> spare_buffers_;
    std::unique_ptr<os::EventLoop> loop_;  // last, to die first: what is posted to it belongs to the others
};

}  // namespace quern::server
