// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which field a broken constraint is about.

#include <span>

#include <quern/error.h>
#include "engine/engine.h"
#include "engine/sqlite/connection.h"

namespace quern::engine::sqlite {

// The error of a failed write of a row. `code` is SQLite's extended code; its message is still on the
// connection. Cost: for a foreign key with several relations, one look-up each.
[[nodiscard]] Error write_error(Connection const& connection, int code, Collection const& collection,
                                std::span<Assignment const> row);

// The error of a relation's target that does not exist.
[[nodiscard]] Error missing_target(Field const& field);
[[nodiscard]] Error not_unique(std::span<std::string const> fields);

// The fields of the unique index that SQLite's message names; empty if it is about something else.
[[nodiscard]] std::vector<std::string> fields_not_unique(std::string_view message,
                                                         Collection const& collection);

}  // namespace quern::engine::sqlite
