// SPDX-License-Identifier: Apache-2.0
// expect: not unsigned 64-bit ones
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.execute<"DELETE FROM t WHERE a = {a}">(sizeof(int)); }
