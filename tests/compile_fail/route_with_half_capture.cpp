// SPDX-License-Identifier: Apache-2.0
// expect: a capture is a whole segment
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/a{id}">([](int) { return "a"; });
}
