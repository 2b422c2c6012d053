// SPDX-License-Identifier: Apache-2.0
// expect: a handler is a function, or a lambda that is neither generic nor mutable
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/">([count = 0]() mutable { return ++count, "a"; });
}
