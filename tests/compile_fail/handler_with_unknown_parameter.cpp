// SPDX-License-Identifier: Apache-2.0
// expect: a handler's parameter is neither a capture nor an extractor
#include <quern/app.h>

void use() {
    quern::App app;
    struct Unknown {};
    app.get<"/">([](Unknown) { return "a"; });
}
