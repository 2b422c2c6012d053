// SPDX-License-Identifier: Apache-2.0
// expect: a capture's name is a letter
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/{1a}">([](int) { return "a"; });
}
