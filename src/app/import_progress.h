// SPDX-License-Identifier: Apache-2.0
#pragma once

// How far a run is: a bar on a terminal, a plain line every few seconds elsewhere, bad rows in between.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "os/clock.h"

namespace quern::app {

// "171,075"
[[nodiscard]] std::string with_thousands(std::size_t number);

// What is known of a run at one moment.
struct ProgressState {
    std::size_t rows = 0;
    std::size_t bytes_done = 0;
    std::size_t bytes_total = 0;
    std::int64_t elapsed_us = 0;
};

// "[#########...........]  45 %  76,000 rows  41,200 rows/s  2 s left"
[[nodiscard]] std::string progress_line(ProgressState const& state, bool with_bar);

// Threads: one at a time.
class Progress {
public:
    // Lifetime: borrows both.
    Progress(std::FILE* output, os::Clock const& clock, std::size_t bytes_total);

    // Cheap: looks at the clock every few rows and seldom prints.
    void advance(std::size_t rows, std::size_t bytes_done);
    // Prints a line of its own; the bar is out of the way.
    void line(std::string_view text);
    // Takes the bar away.
    void finish();
    [[nodiscard]] std::int64_t elapsed_us() const { return clock_.monotonic_us() - started_us_; }

private:
    void clear_bar();

    static constexpr std::size_t rows_a_look = 64;
    static constexpr std::int64_t bar_interval_us = 100'000;
    static constexpr std::int64_t line_interval_us = 5'000'000;

    std::FILE* output_;
    os::Clock const& clock_;
    bool terminal_;
    std::size_t bytes_total_;
    std::int64_t started_us_;
    std::int64_t printed_us_;
    std::size_t bar_width_ = 0;  // of the bar on the screen
};

}  // namespace quern::app
