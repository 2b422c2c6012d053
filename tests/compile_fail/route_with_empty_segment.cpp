// SPDX-License-Identifier: Apache-2.0
// expect: a route pattern has no empty segment
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/a//b">([] { return "a"; });
}
