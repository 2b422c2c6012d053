// SPDX-License-Identifier: Apache-2.0
// expect: a quote, bracket or comment of the SQL text is not closed
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.query<"SELECT 'a", std::string>(); }
