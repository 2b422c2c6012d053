// SPDX-License-Identifier: Apache-2.0
// expect: use of deleted function
#include <quern/sqlite.h>

void fails(quern::Database& db) {
    (void)db.transaction([](quern::Transaction& writing) -> quern::Result<void> {
        auto copy = writing;
        return {};
    });
}
