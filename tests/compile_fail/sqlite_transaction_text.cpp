// SPDX-License-Identifier: Apache-2.0
// expect: transactions, PRAGMA, ATTACH and VACUUM are not for SQL texts
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.execute<"BEGIN">(); }
