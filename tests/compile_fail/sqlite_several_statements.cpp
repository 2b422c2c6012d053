// SPDX-License-Identifier: Apache-2.0
// expect: the SQL text holds more than one statement
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.execute<"DELETE FROM a; DELETE FROM b">(); }
