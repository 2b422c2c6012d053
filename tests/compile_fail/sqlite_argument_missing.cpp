// SPDX-License-Identifier: Apache-2.0
// expect: the number of arguments is not that of the {placeholders}
#include <quern/sqlite.h>

void fails(quern::Database& db) {
    (void)db.query<"SELECT id FROM t WHERE a = {a} AND b = {b}", std::int64_t>(1);
}
