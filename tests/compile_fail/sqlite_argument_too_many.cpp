// SPDX-License-Identifier: Apache-2.0
// expect: the number of arguments is not that of the {placeholders}
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.execute<"DELETE FROM t WHERE a = {a} OR b = {a}">(1, 2); }
