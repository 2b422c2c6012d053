// SPDX-License-Identifier: Apache-2.0
// expect: a handler that takes an AnswerStream returns Task
#include <quern/app.h>

void fails() {
    quern::App app;
    app.get<"/export">([](quern::AnswerStream) -> quern::Task<std::string> { co_return "text"; });
}
