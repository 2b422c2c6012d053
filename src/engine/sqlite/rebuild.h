// SPDX-License-Identifier: Apache-2.0
#pragma once

// Builds a table anew for a changed collection and copies its rows; see alter.h.

#include <functional>
#include <map>
#include <string>

#include <quern/error.h>
#include "engine/sqlite/connection.h"
#include "schema/collection.h"

namespace quern::engine::sqlite {

struct Rebuild {
    Connection& connection;
    Collection const& before;
    Collection const& after;  // the table has its name already, its columns still those of `before`
    Schema const& schema;
    // Where the targets of a former multiple relation are.
    std::function<std::string(Field const&)> join_table_of;
    // Tables that got references, to be checked when all is done.
    std::map<std::string, Collection const*>& to_check;
};

// Errors: validation — a value does not fit; the message names field and record, `fields` the field.
// Cost:   one pass over the table.
[[nodiscard]] Result<void> rebuild_table(Rebuild const& rebuild);

}  // namespace quern::engine::sqlite
