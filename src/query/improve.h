// SPDX-License-Identifier: Apache-2.0
#pragma once

// Passes over a finished plan that take away what settled conditions have left behind.

#include <vector>

#include "plan/plan.h"
#include "query/prepared.h"

namespace quern::query {

// Leaves out joins that nothing reads.
void drop_unused_joins(plan::Plan& plan);

// Leaves out parameters that nothing reads, and numbers the rest anew: some servers refuse a statement with a
// parameter whose type nothing tells. Run it last.
void drop_unused_parameters(plan::Plan& plan, std::vector<ParameterSource>& parameters);

}  // namespace quern::query
