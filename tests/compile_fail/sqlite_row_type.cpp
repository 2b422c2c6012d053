// SPDX-License-Identifier: Apache-2.0
// expect: a row is a described struct, a std::tuple or a single value
#include <quern/sqlite.h>

struct Odd {};

void fails(quern::Database& db) { (void)db.query<"SELECT id FROM t", Odd>(); }
