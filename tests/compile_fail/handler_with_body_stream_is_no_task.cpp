// SPDX-License-Identifier: Apache-2.0
// expect: a handler that takes a BodyStream returns a quern::Task
#include <quern/app.h>

void fails() {
    quern::App app;
    app.post<"/upload">([](quern::BodyStream) { return "text"; });
}
