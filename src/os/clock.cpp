// SPDX-License-Identifier: Apache-2.0
#include "os/clock.h"

#include <ctime>

namespace quern::os {

namespace {

timespec read(clockid_t id) {
    timespec time{};
    ::clock_gettime(id, &time);
    return time;
}

std::int64_t read_us(clockid_t id) {
    timespec const time = read(id);
    return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_nsec / 1000;
}

}  // namespace

std::int64_t SystemClock::monotonic_us() const { return read_us(CLOCK_MONOTONIC); }
std::int64_t SystemClock::realtime_us() const { return read_us(CLOCK_REALTIME); }

std::int64_t SystemClock::monotonic_ns() const {
    timespec const time = read(CLOCK_MONOTONIC);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace quern::os
