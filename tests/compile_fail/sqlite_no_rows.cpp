// SPDX-License-Identifier: Apache-2.0
// expect: the SQL text gives no rows
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.query<"DELETE FROM t", std::int64_t>(); }
