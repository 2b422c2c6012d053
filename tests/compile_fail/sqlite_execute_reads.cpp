// SPDX-License-Identifier: Apache-2.0
// expect: execute() is for statements that change something
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.execute<"SELECT 1">(); }
