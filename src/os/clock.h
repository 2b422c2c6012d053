// SPDX-License-Identifier: Apache-2.0
#pragma once

// Time as a parameter: whoever needs the time is given a Clock, so that a test can give another.

#include <atomic>
#include <cstdint>

namespace quern::os {

// Threads: any.
class Clock {
public:
    virtual ~Clock() = default;

    // Microseconds since some fixed moment; never goes back, does not jump when the wall clock is set.
    [[nodiscard]] virtual std::int64_t monotonic_us() const = 0;

    // Microseconds since 1970-01-01T00:00:00Z. May jump.
    [[nodiscard]] virtual std::int64_t realtime_us() const = 0;
};

// The machine's clock. Cost: about 25 ns a call.
class SystemClock final : public Clock {
public:
    [[nodiscard]] std::int64_t monotonic_us() const override;
    [[nodiscard]] std::int64_t realtime_us() const override;
    // monotonic_us() in nanoseconds, to measure what takes a few microseconds.
    [[nodiscard]] std::int64_t monotonic_ns() const;
};

// A clock that stands still until it is moved. Threads: any.
class FakeClock final : public Clock {
public:
    explicit FakeClock(std::int64_t realtime_us = 1'700'000'000'000'000) : realtime_us_(realtime_us) {}

    [[nodiscard]] std::int64_t monotonic_us() const override { return monotonic_us_.load(); }
    [[nodiscard]] std::int64_t realtime_us() const override { return realtime_us_.load(); }

    // Moves both times forward.
    void advance_us(std::int64_t by_us) {
        monotonic_us_ += by_us;
        realtime_us_ += by_us;
    }
    // Sets the wall clock alone, as an administrator would.
    void set_realtime_us(std::int64_t realtime_us) { realtime_us_ = realtime_us; }

private:
    std::atomic<std::int64_t> monotonic_us_{1'000'000};
    std::atomic<std::int64_t> realtime_us_;
};

}  // namespace quern::os
