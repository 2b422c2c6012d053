// SPDX-License-Identifier: Apache-2.0
// expect: what transaction() calls returns a quern::Result
#include <quern/sqlite.h>

void fails(quern::Database& db) {
    (void)db.transaction([](quern::Transaction&) { return 1; });
}
