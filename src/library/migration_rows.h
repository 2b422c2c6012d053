// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the rows have to say to a change: whether they fit, and what each column gets.
//
// Every question is put to the rows as they would be: a SELECT that gives for each row of the file's table
// the columns of the model. So a new condition sees converted values and defaults, before anything is done.

#include <span>

#include <quern/error.h>
#include "library/migration_diff.h"

namespace quern::detail {

// Settles `source` and `loses_data` of the columns, and whether dropped ones hold anything.
// Errors: validation, conflict — a row is in the way, as apply_models tells.
[[nodiscard]] Result<void> ask_rows(engine::sqlite::Connection const& connection, std::span<TableDiff> diffs);

}  // namespace quern::detail
