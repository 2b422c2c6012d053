// SPDX-License-Identifier: Apache-2.0
// expect: a route pattern begins with '/'
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"a">([] { return "a"; });
}
