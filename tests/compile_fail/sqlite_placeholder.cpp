// SPDX-License-Identifier: Apache-2.0
// expect: a placeholder of the SQL text is '{name}'
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.query<"SELECT id FROM t WHERE id = {1}", std::int64_t>(1); }
