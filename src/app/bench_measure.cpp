// SPDX-License-Identifier: Apache-2.0
#include "app/bench_measure.h"

#include <algorithm>
#include <array>

namespace quern::app {

namespace {

constexpr std::size_t many = 32;
constexpr std::string_view no_groups =
    "the storage layer of this build counts all rows or those of a filter, "
    "not by group";
constexpr std::string_view no_history = "this build keeps no history of records";
constexpr std::string_view no_past =
    "this build keeps no history of records, so nothing can be read as of a "
    "time";

constexpr std::array measures{
    BenchMeasure{"create", "create, 1 caller", BenchKind::create, 1, true},
    BenchMeasure{"create_32", "create, 32 callers", BenchKind::create, many},
    BenchMeasure{"read", "read by id, 1 caller", BenchKind::read, 1, true},
    BenchMeasure{"read_32", "read by id, 32 callers", BenchKind::read, many},
    BenchMeasure{"list", "list of 20, 1 caller", BenchKind::list, 1, true},
    BenchMeasure{"list_32", "list of 20, 32 callers", BenchKind::list, many},
    BenchMeasure{"group_count", "count by group", BenchKind::group_count, 1, false, no_groups},
    BenchMeasure{"list_rule", "list of 20 under a rule", BenchKind::list_rule, 1},
    BenchMeasure{"update", "update of one field", BenchKind::update, 1, true},
    BenchMeasure{"create_history", "create with history", BenchKind::create_history, 1, false, no_history},
    BenchMeasure{"list_as_of", "list of 20 as of a time", BenchKind::list_as_of, 1, false, no_past},
    BenchMeasure{"delete", "delete", BenchKind::remove, 1},
};

}  // namespace

std::span<BenchMeasure const> bench_measures() { return measures; }

BenchMeasure const* find_measure(std::string_view name) {
    auto const found = std::ranges::find(measures, name, &BenchMeasure::name);
    return found == measures.end() ? nullptr : &*found;
}

BenchFigures figures_of(BenchTimes const& times, double seconds) {
    constexpr double median = 0.5;
    constexpr double p99 = 0.99;
    return {.count = times.count(),
            .seconds = seconds,
            .median_us = times.percentile_us(median),
            .p99_us = times.percentile_us(p99)};
}

}  // namespace quern::app
