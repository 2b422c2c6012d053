// SPDX-License-Identifier: Apache-2.0
// expect: the SQL text takes values as '{name}'
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.query<"SELECT id FROM t WHERE id = ?", std::int64_t>(1); }
