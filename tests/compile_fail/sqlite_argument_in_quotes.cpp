// SPDX-License-Identifier: Apache-2.0
// expect: inside quotes braces are plain text
#include <quern/sqlite.h>

void fails(quern::Database& db) { (void)db.execute<"DELETE FROM t WHERE a = '{a}'">("x"); }
