// SPDX-License-Identifier: Apache-2.0
// expect: the name of a header field is written in lower case
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/">([](quern::Header<"X-A">) { return "a"; });
}
