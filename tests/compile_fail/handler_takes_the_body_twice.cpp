// SPDX-License-Identifier: Apache-2.0
// expect: a handler takes the body once
#include <quern/app.h>

void fails() {
    quern::App app;
    app.post<"/upload">(
        [](quern::BodyStream, quern::Body) -> quern::Task<std::string> { co_return "text"; });
}
