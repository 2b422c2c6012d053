// SPDX-License-Identifier: Apache-2.0
// expect: a view of text or bytes dies with its row
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.query<"SELECT title FROM t", std::string_view>(); }
