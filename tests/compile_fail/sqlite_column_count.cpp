// SPDX-License-Identifier: Apache-2.0
// expect: the SQL text gives more or fewer columns than the row type takes
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.query<"SELECT id, title FROM t", std::int64_t>(); }
