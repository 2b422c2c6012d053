// SPDX-License-Identifier: Apache-2.0
#pragma once

// One thread of a load run: connections that ask and wait, and what came of it.
//
// Back to back, a connection asks again as soon as it has its answer; latency counts from the sending. At a
// fixed rate, requests have moments at which they ought to begin, whether a connection is free then or not;
// latency counts from that moment, so that a server which stands still for a second is charged with all that
// would have been asked in it.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include <quern/buffer.h>
#include <quern/error.h>
#include "app/load_histogram.h"
#include "app/load_request.h"
#include "app/load_response.h"
#include "os/clock.h"
#include "os/loop.h"

namespace quern::app {

struct LoadPlan {
    LoadTarget target;
    LoadRequest request;
    std::size_t connections = 1;  // of this worker
    double rate = 0;              // requests a second of this worker; 0: back to back
    std::uint64_t keys = 1;       // keys are 1 to this, drawn evenly
    std::uint64_t seed = 1;
    std::int64_t timeout_us = 0;  // longest wait for an answer
    std::int64_t start_us = 0;    // of the clock: the first request
    std::int64_t measure_us = 0;  // what is answered before is not counted
    std::int64_t end_us = 0;      // the last request
};

struct LoadOutcome {
    LoadHistogram latencies;
    std::uint64_t complete = 0;               // answers between measure_us and end_us
    std::uint64_t bytes = 0;                  // received in them
    std::array<std::uint64_t, 6> statuses{};  // by their first digit
    std::uint64_t refused = 0;                // connections that could not be made
    std::uint64_t broken = 0;                 // answers that ended in the middle, or were none
    std::uint64_t timed_out = 0;

    void add(LoadOutcome const& other);
};

// Threads: the one that calls run(), but for progress().
class LoadWorker final : private os::LoopClient {
public:
    LoadWorker(os::Clock const& clock, LoadPlan plan);
    ~LoadWorker();

    // Opens the connections, asks until the plan's end, waits for what is under way, but no longer than the
    // timeout.
    // Errors: io — no connection can be made at the start.
    [[nodiscard]] Result<LoadOutcome> run();

    // Answers so far. Threads: any.
    [[nodiscard]] std::uint64_t progress() const { return progress_.load(std::memory_order_relaxed); }

private:
    class Connection;

    void on_iteration(bool posted) override;
    void on_timer() override;
    [[nodiscard]] Result<void> open(Connection& connection);
    void look_after();
    void send_next(Connection& connection, std::int64_t intended_us);
    void send_due();
    void answered(Connection& connection);
    void failed(Connection& connection);
    void idle(Connection& connection);
    [[nodiscard]] bool is_over() const { return clock_.monotonic_us() >= plan_.end_us; }
    [[nodiscard]] std::int64_t due_us(std::uint64_t index) const;
    [[nodiscard]] std::uint64_t next_key();

    os::Clock const& clock_;
    LoadPlan plan_;
    std::unique_ptr<os::EventLoop> loop_;
    std::vector<std::unique_ptr<Connection>> connections_;
    std::vector<Connection*> idle_;  // at a fixed rate: without a request
    std::uint64_t sent_ = 0;         // at a fixed rate: of those that ought to begin
    std::size_t waiting_ = 0;        // connections with a request under way
    std::uint64_t random_;
    LoadOutcome outcome_;
    std::atomic<std::uint64_t> progress_ = 0;
};

}  // namespace quern::app
