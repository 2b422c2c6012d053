// SPDX-License-Identifier: Apache-2.0
#pragma once

// Changes tables to hold what the collections say now.
//
// Names change by renaming, which keeps everything. New columns are added. Whatever SQLite cannot change in
// place (a type, whether a column may be null, a foreign key, a dropped column) is done by building the table
// anew: rows are copied one by one with their values converted (engine/convert.h) and their rowids kept, the
// old table is dropped and the new one takes its name. Join tables stay where they are unless their field
// itself changes.
//
// Foreign keys are not enforced meanwhile, or dropping the old table would delete, by cascade, what refers to
// it. They are checked at the end for every table that was touched.

#include <span>

#include <quern/error.h>
#include "engine/engine.h"
#include "engine/sqlite/connection.h"

namespace quern::engine::sqlite {

// Within a transaction and a savepoint: after an error the caller rolls back to it.
[[nodiscard]] Result<void> alter_tables(Connection& connection, std::span<TableChange const> changes,
                                        Schema const& schema);

}  // namespace quern::engine::sqlite
