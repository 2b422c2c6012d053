// SPDX-License-Identifier: Apache-2.0
// expect: stands at the end of a route pattern
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/{a...}/b">([](int) { return "a"; });
}
