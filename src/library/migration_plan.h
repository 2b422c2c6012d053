// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes the plan that leads from a file to the models.
//
// Renames are done at once, in the open transaction, because SQLite itself then writes the new names into
// foreign keys, indexes, triggers and views; what is left is compared by names alone, and the texts that a
// rebuild needs are read as they are by then. Whoever only wants to know rolls back.

#include <cstddef>
#include <span>
#include <string>

#include <quern/error.h>
#include <quern/migration.h>
#include "library/sqlite_connection.h"

namespace quern::detail {

struct PlannedMigration {
    MigrationPlan plan;
    std::size_t done = 0;  // so many of its steps, from the first on, are done
};

// Precondition: a write transaction is open, foreign keys are off.
// Errors: as plan_migration; what was renamed stays renamed.
[[nodiscard]] Result<PlannedMigration> make_plan(SqlConnection& connection,
                                                 std::span<TableInfo const* const> tables);

// Runs what a step says.
// Errors: those of its statements, with the step's sentence; validation — a view, trigger or index is in the
//         way.
[[nodiscard]] Result<void> run_step(SqlConnection& connection, MigrationStep const& step);

}  // namespace quern::detail
