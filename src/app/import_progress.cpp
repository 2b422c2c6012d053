// SPDX-License-Identifier: Apache-2.0
#include "app/import_progress.h"

#include <fmt/format.h>
#include <spdlog/details/os.h>

#include <algorithm>

namespace quern::app {

namespace {

constexpr std::size_t bar_cells = 20;

}  // namespace

std::string with_thousands(std::size_t number) {
    std::string const digits = fmt::format("{}", number);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string progress_line(ProgressState const& state, bool with_bar) {
    double const share = state.bytes_total == 0
                             ? 1.0
                             : static_cast<double>(state.bytes_done) / static_cast<double>(state.bytes_total);
    double const seconds = static_cast<double>(state.elapsed_us) / 1e6;
    std::string text;
    if (with_bar) {
        auto const filled = static_cast<std::size_t>(share * static_cast<double>(bar_cells));
        text = fmt::format("[{:.<{}}] ", std::string(std::min(filled, bar_cells), '#'), bar_cells);
    }
    text += fmt::format("{:3.0f} %  {} rows", share * 100, with_thousands(state.rows));
    if (seconds > 0) {
        auto const rate = static_cast<std::size_t>(static_cast<double>(state.rows) / seconds);
        text += fmt::format("  {} rows/s", with_thousands(rate));
        if (share > 0) text += fmt::format("  {:.0f} s left", seconds / share - seconds);
    }
    return text;
}

Progress::Progress(std::FILE* output, os::Clock const& clock, std::size_t bytes_total)
    : output_(output),
      clock_(clock),
      terminal_(spdlog::details::os::in_terminal(output)),
      bytes_total_(bytes_total),
      started_us_(clock.monotonic_us()),
      printed_us_(started_us_) {}

void Progress::advance(std::size_t rows, std::size_t bytes_done) {
    if (rows % rows_a_look != 0) return;
    std::int64_t const now_us = clock_.monotonic_us();
    if (now_us - printed_us_ < (terminal_ ? bar_interval_us : line_interval_us)) return;
    printed_us_ = now_us;
    std::string const text = progress_line({.rows = rows,
                                            .bytes_done = bytes_done,
                                            .bytes_total = bytes_total_,
                                            .elapsed_us = now_us - started_us_},
                                           terminal_);
    if (terminal_) {
        // Spaces cover what is left of a longer bar.
        fmt::print(output_, "\r{:<{}}", text, bar_width_);
        bar_width_ = text.size();
        std::fflush(output_);
    } else {
        fmt::print(output_, "{}\n", text);
    }
}

void Progress::line(std::string_view text) {
    clear_bar();
    fmt::print(output_, "{}\n", text);
}

void Progress::finish() {
    clear_bar();
    std::fflush(output_);
}

void Progress::clear_bar() {
    if (bar_width_ == 0) return;
    fmt::print(output_, "\r{:<{}}\r", "", bar_width_);
    bar_width_ = 0;
}

}  // namespace quern::app
