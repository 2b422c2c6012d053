// SPDX-License-Identifier: Apache-2.0
// expect: this_method_and_path_have_a_route_already
#include <quern/app.h>

void use() {
    quern::App app;
    app.get<"/{a}">([](int) { return "a"; });
    app.get<"/{b}">([](int) { return "b"; });
}
