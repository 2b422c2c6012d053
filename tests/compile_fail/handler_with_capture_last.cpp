// SPDX-License-Identifier: Apache-2.0
// expect: the handler's captures come before its other parameters
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/{a}">([](quern::Body, int) { return "a"; });
}
