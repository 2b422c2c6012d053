// SPDX-License-Identifier: Apache-2.0
#pragma once

// Questions in the product's own language, as test cases write them:
//
//     ask posts
//     filter title ~ "a" && author.name = "Ann"
//     by -size,title
//     output id title
//
// They are asked as a superuser would ask. Errors of the language are the query room's tests; here it only
// makes plans that people do make.

#include "engine/conformance/plan_text.h"

namespace quern::engine::conformance {

// Errors: as query::Planner has them; bad_request — a line that is not understood.
[[nodiscard]] Result<Request> read_question(std::shared_ptr<Schema const> const& schema,
                                            std::vector<std::string> const& lines);

}  // namespace quern::engine::conformance
