// SPDX-License-Identifier: Apache-2.0
// expect: the handler takes more or fewer captures than the route pattern has
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/{a}">([](int, int) { return "a"; });
}
