// SPDX-License-Identifier: Apache-2.0
// expect: what the handler returns is no answer
#include <quern/app.h>

struct Undescribed {};

void fails() {
    quern::App app;
    app.get<"/">([] { return Undescribed(); });
}
