// SPDX-License-Identifier: Apache-2.0
// expect: two captures of a route pattern have the same name
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/{a}/{a}">([](int, int) { return "a"; });
}
