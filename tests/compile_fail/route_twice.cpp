// SPDX-License-Identifier: Apache-2.0
// expect: redefinition of
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/{a}">([](int) { return "a"; });
    app.get<"/{b}">([](int) { return "b"; });
}
