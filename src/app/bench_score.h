// SPDX-License-Identifier: Apache-2.0
#pragma once

// One figure for a whole run: how many times as fast as another run that is kept.

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <quern/error.h>
#include "app/bench_measure.h"

namespace quern::app {

inline constexpr double bench_score_of_reference = 1000;

// A run that was kept: what `quern bench --json` printed.
struct BenchReference {
    std::string date;
    std::string commit;
    std::string processor;
    std::string durability;
    std::size_t rows = 0;
    std::map<std::string, double, std::less<>> per_second;  // by the name of the measure

    // Errors: body_invalid — the text is no report.
    [[nodiscard]] static Result<BenchReference> parse(std::string_view json);
};

// The run that is compiled into this program, as JSON text.
[[nodiscard]] std::string_view built_in_reference();

struct BenchScore {
    double value = 0;
    std::size_t measures = 0;  // that both runs have
};

// bench_score_of_reference times the geometric mean of the ratios of operations per second, over the measures
// that both runs have. Nothing when there are none.
[[nodiscard]] std::optional<BenchScore> score_of(std::span<BenchLine const> lines,
                                                 BenchReference const& reference);

}  // namespace quern::app
