// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs a plan over tables: condition, seek, order, bounds, output.

#include <cstdint>
#include <functional>
#include <random>

#include <quern/error.h>
#include "engine/ram/database.h"
#include "plan/plan.h"
#include "schema/row_sink.h"

namespace quern::engine::ram {

// What a statement may use beside the rows.
struct Run {
    // Says whether to go on; asked before each leaf of a condition and before each row.
    std::function<bool()> proceed;
    // What to fail with when it says no.
    ErrorCode stopped = ErrorCode::timeout;
    std::mt19937_64& random;
};

[[nodiscard]] Result<void> select(plan::BoundPlan bound, Tables const& tables, Run run, RowSink& sink);
[[nodiscard]] Result<std::int64_t> count(plan::BoundPlan bound, Tables const& tables, Run run);

}  // namespace quern::engine::ram
