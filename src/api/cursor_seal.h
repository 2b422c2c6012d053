// SPDX-License-Identifier: Apache-2.0
#pragma once

// Cursors as clients see them: sealed, and good only for the caller and the query that they were given to.

#include <span>
#include <string_view>

#include <quern/error.h>
#include "api/call.h"
#include "api/parameters.h"

namespace quern::api {

// Text for `nextCursor`, in the arena: the sort values of the last row, encrypted (they may be of fields that
// the answer does not show), and bound to collection, caller, filter and sort. The same place gives the same
// text.
[[nodiscard]] std::string_view seal_cursor(Call& call, ListParameters const& parameters,
                                           std::span<Value const> sort_values);

// Errors: parameter_invalid — not made here, or for another caller, filter, sort or collection.
[[nodiscard]] Result<std::span<Value const>> open_cursor(Call& call, ListParameters const& parameters,
                                                         std::string_view cursor);

}  // namespace quern::api
