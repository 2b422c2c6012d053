// SPDX-License-Identifier: Apache-2.0
//
// The to-do service of the guide with its durability told by the environment (contestant.h):
// the latest twenty, one, and a new one.

#include <quern/app.h>
#include <quern/describe.h>
#include <quern/dump.h>
#include <quern/json.h>
#include <quern/sqlite.h>
#include <quern/sqlite_task.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contestant.h"

namespace {

struct Todo {
    std::int64_t id = 0;
    std::string title;
    bool done = false;
};
QUERN_DESCRIBE(Todo, id, title, done)

struct NewTodo {
    std::string title;
    std::optional<bool> done;
    static constexpr auto rules = quern::rules(quern::on<&NewTodo::title>(quern::length(1, 200)));
};
QUERN_DESCRIBE(NewTodo, title, done)

using Data = quern::State<quern::Database>;

quern::Result<std::vector<Todo>> list_todos(Data data) {
    return data->query<"SELECT id, title, done FROM todos ORDER BY id DESC LIMIT 20", Todo>();
}

quern::Result<std::optional<Todo>> get_todo(std::int64_t id, Data data) {
    return data->query_one<"SELECT id, title, done FROM todos WHERE id = {id}", Todo>(id);
}

quern::Task<quern::Result<quern::Created<Todo>>> create_todo(Data data, quern::Json<NewTodo> todo) {
    auto const made =
        co_await quern::execute_later<"INSERT INTO todos (title, done) VALUES ({title}, {done})">(
            *data, todo->title, todo->done.value_or(false));
    if (!made) co_return quern::fail(made.error());
    co_return quern::Created<Todo>{{made->last_insert_id, todo->title, todo->done.value_or(false)}};
}

}  // namespace

int main() {
    auto const database = bench::open_database();
    quern::App app({.loops = 1});
    app.state(database);
    app.get<"/todos">(&list_todos);
    app.get<"/todos/{id}">(&get_todo);
    app.post<"/todos">(&create_todo);
    auto const ended = app.listen(bench::address());
    if (!ended) bench::give_up(ended.error().message.c_str());
    return 0;
}
