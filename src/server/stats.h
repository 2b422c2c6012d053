// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counters of a loop, written by its thread and read by any.

#include <atomic>
#include <cstdint>

namespace quern::server {

// Since the server was opened. Bytes are those of HTTP, without TCP's own.
struct Stats {
    std::uint64_t connections_open = 0;  // now
    std::uint64_t connections_accepted = 0;
    std::uint64_t requests = 0;          // given to the handler, or answered for it (preflights)
    std::uint64_t requests_refused = 0;  // malformed, too large, too slow
    std::uint64_t accept_pauses = 0;  // times that no connection could be taken: the limit, or no descriptors
    std::uint64_t timeouts = 0;       // connections ended by a timeout, idle ones included
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;

    Stats& operator+=(Stats const& other) {
        connections_open += other.connections_open;
        connections_accepted += other.connections_accepted;
        requests += other.requests;
        requests_refused += other.requests_refused;
        accept_pauses += other.accept_pauses;
        timeouts += other.timeouts;
        bytes_received += other.bytes_received;
        bytes_sent += other.bytes_sent;
        return *this;
    }
};

// A counter with one writer: a plain addition instead of a locked one.
class Counter {
public:
    void add(std::uint64_t by) {
        value_.store(value_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed);
    }
    void subtract(std::uint64_t by) { add(0 - by); }
    [[nodiscard]] std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

}  // namespace quern::server
