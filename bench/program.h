// SPDX-License-Identifier: Apache-2.0
#pragma once

// One side of a comparison as a program of its own. It works alone for some seconds and prints what it did,
// as measure.py reads it: {"count", "cpu_us", "seconds"}. Contestants that share a process would share its
// heap and caches too, and could not take turns with rounds between them.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace bench {

// Makes the compiler believe that somebody looks at the value.
template <class T>
void keep(T const& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

[[noreturn]] inline void give_up(char const* reason) {
    std::fprintf(stderr, "%s\n", reason);
    std::exit(1);
}

// A probe in front of the measuring: what is wrong must not get a figure.
inline void require(bool holds, char const* what) {
    if (!holds) give_up(what);
}

// User and system time of all threads so far.
inline double cpu_us() {
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// Calls work() again and again for that long, after warming up, and prints the figures. The clock is read
// about once a millisecond, so that it costs nothing beside short work.
template <class Work>
void run_for(std::chrono::seconds wanted, Work work) {
    using Clock = std::chrono::steady_clock;
    constexpr auto warm_up = std::chrono::milliseconds(200);
    constexpr auto between_looks = std::chrono::milliseconds(1);

    long batch = 1;
    auto const run_batch = [&] {
        auto const start = Clock::now();
        for (long time = 0; time < batch; ++time) work();
        return Clock::now() - start;
    };
    for (auto const end = Clock::now() + warm_up; Clock::now() < end;) {
        if (run_batch() < between_looks) batch *= 2;
    }

    long count = 0;
    double const cpu_before = cpu_us();
    auto const start = Clock::now();
    for (auto const end = start + wanted; Clock::now() < end; count += batch) run_batch();
    double const seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::printf("{\"count\": %ld, \"cpu_us\": %.0f, \"seconds\": %.3f}\n", count, cpu_us() - cpu_before,
                seconds);
}

// The arguments that all have: SECONDS hand|library, then what the program itself takes.
struct Arguments {
    std::chrono::seconds seconds;
    bool by_hand;
};
inline Arguments read_arguments(int count, char const* const* arguments) {
    std::string_view const side = count > 2 ? arguments[2] : "";
    int const seconds = count > 1 ? std::atoi(arguments[1]) : 0;
    if (seconds < 1 || (side != "hand" && side != "library")) give_up("usage: SECONDS hand|library ...");
    return {std::chrono::seconds(seconds), side == "hand"};
}

}  // namespace bench
