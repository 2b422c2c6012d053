// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `quern bench` measures, and how times become figures.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <quern/error.h>
#include "app/load_histogram.h"
#include "os/clock.h"

namespace quern::app {

enum class BenchKind : std::uint8_t {
    create,
    read,
    list,
    group_count,
    list_rule,
    update,
    create_history,
    list_as_of,
    remove
};

// One line of the table.
struct BenchMeasure {
    std::string_view name;   // stable: reports of other versions are compared by it
    std::string_view title;  // for people
    BenchKind kind = BenchKind::create;
    std::size_t callers = 1;
    bool beside_sqlite = false;    // the same is asked of SQLite without an engine
    std::string_view absent = {};  // why this build cannot do it; empty = it can
};

// In the order of the table.
[[nodiscard]] std::span<BenchMeasure const> bench_measures();
// Null for a name that is none.
[[nodiscard]] BenchMeasure const* find_measure(std::string_view name);

// Times of one measure. Kept in nanoseconds: a read takes few microseconds.
// Limits: a time above 137 s counts as that. Threads: one at a time.
class BenchTimes {
public:
    void add_ns(std::int64_t time_ns) { histogram_.add(time_ns); }
    void add(BenchTimes const& other) { histogram_.add(other.histogram_); }

    [[nodiscard]] std::uint64_t count() const { return histogram_.count(); }
    // The time that `share` of all did not exceed, at most 1.6 % too high.
    [[nodiscard]] double percentile_us(double share) const {
        return static_cast<double>(histogram_.percentile_us(share)) / 1000;
    }

private:
    LoadHistogram histogram_;  // its microseconds are nanoseconds here
};

struct BenchFigures {
    std::uint64_t count = 0;
    double seconds = 0;
    double median_us = 0;
    double p99_us = 0;

    // 0 when nothing was counted.
    [[nodiscard]] double per_second() const { return seconds > 0 ? static_cast<double>(count) / seconds : 0; }
};

[[nodiscard]] BenchFigures figures_of(BenchTimes const& times, double seconds);

// A line of the table with what came of it.
struct BenchLine {
    BenchMeasure const* measure = nullptr;
    std::optional<BenchFigures> figures;  // nothing: absent
    std::optional<BenchFigures> sqlite;
};

// How long a measure lasts, and what may end it before.
struct BenchRun {
    os::SystemClock const& clock;
    double seconds = 0;
    std::atomic<bool> const& stopped;

    [[nodiscard]] std::int64_t seconds_ns() const { return static_cast<std::int64_t>(seconds * 1e9); }
    // Errors: interrupted — the user wants no more.
    [[nodiscard]] Result<void> check_stopped() const {
        if (stopped.load(std::memory_order_relaxed)) return fail(ErrorCode::interrupted, "Stopped.");
        return {};
    }
};

// Operations at the beginning of each measure that are not counted: statements are prepared, pages read.
inline constexpr std::size_t bench_warm_up_operations = 100;

}  // namespace quern::app
