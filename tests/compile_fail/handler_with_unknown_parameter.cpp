// SPDX-License-Identifier: Apache-2.0
// expect: a handler's parameter is neither a capture (a whole number
#include <quern/app.h>

void use() {
    quern::App app;
    struct Unknown {};
    app.get<"/">([](Unknown) { return "a"; });
}
