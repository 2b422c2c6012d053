// SPDX-License-Identifier: Apache-2.0
// The control: what the cases beside this one vary, right.
#include <quern/app.h>
#include <quern/dump.h>
#include <quern/json.h>
#include <quern/query.h>

struct Todo {
    std::string title;
    int age = 0;
    static constexpr auto rules =
        quern::rules(quern::on<&Todo::title>(quern::length(1, 2)), quern::on<&Todo::age>(quern::at_least(0)));
};
QUERN_DESCRIBE(Todo, title, age)

struct Where {
    int id = 0;
};
QUERN_DESCRIBE(Where, id)

void use() {
    quern::App app;
    app.get<"/a/{id}">([](int) { return "a"; });
    app.put<"/a/{id}">([](quern::Path<Where>) { return "a"; });
    app.post<"/a">([](quern::Json<Todo> todo) { return quern::dump(*todo, quern::exclude<"age">); });
}
