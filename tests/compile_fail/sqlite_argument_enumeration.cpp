// SPDX-License-Identifier: Apache-2.0
// expect: an argument cannot be bound
#include <quern/sqlite.h>

enum class Undescribed { a, b };

void fails(quern::Database& db) { (void)db.execute<"DELETE FROM t WHERE a = {a}">(Undescribed::a); }
