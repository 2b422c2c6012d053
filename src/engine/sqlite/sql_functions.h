// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions that the SQL of this engine calls: quern_like, quern_fold, quern_length, quern_json,
// quern_array, quern_geo_distance, quern_strftime.

#include <sqlite3.h>

#include <quern/error.h>

namespace quern::engine::sqlite {

// Errors: overloaded — no memory.
[[nodiscard]] Result<void> register_functions(sqlite3* connection);

}  // namespace quern::engine::sqlite
