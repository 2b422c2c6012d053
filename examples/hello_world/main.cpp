// SPDX-License-Identifier: Apache-2.0
//
// The smallest service: hello_world [HOST:PORT]

#include <quern/app.h>

#include <cstdio>

// [app]
int main(int count, char** arguments) {
    quern::App app;

    app.get<"/">([] { return "Hello, world!"; });
    app.get<"/hello/{name}">([](std::string_view name) { return "Hello, " + std::string(name) + "!"; });
    app.get<"/sum/{a}/{b}">([](std::int64_t a, std::int64_t b) { return std::to_string(a + b); });

    auto const ended = app.listen(count > 1 ? arguments[1] : "127.0.0.1:8080");
    if (!ended) std::fprintf(stderr, "%s\n", ended.error().message.c_str());
    return ended ? 0 : 1;
}
// [app]
