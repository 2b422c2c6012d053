// SPDX-License-Identifier: Apache-2.0
//
// A to-do service on SQLite, with checked input and an OpenAPI document: todo [FILE [HOST:PORT]]

// [includes]
#include <quern/app.h>          // routes and answers
#include <quern/describe.h>     // structs and their rules
#include <quern/dump.h>         // structs as JSON answers
#include <quern/json.h>         // JSON bodies
#include <quern/query.h>        // query strings
#include <quern/sqlite.h>       // the database
#include <quern/sqlite_task.h>  // its writes in coroutines
// [includes]

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

// [model]
struct Todo {
    std::int64_t id = 0;
    std::string title;
    bool done = false;
};
QUERN_DESCRIBE(Todo, id, title, done)

// What a client sends. Members that are not optional must be there; the rules are checked together.
struct NewTodo {
    std::string title;
    std::optional<bool> done;
    static constexpr auto rules = quern::rules(quern::on<&NewTodo::title>(quern::length(1, 200)));
};
QUERN_DESCRIBE(NewTodo, title, done)

struct Page {
    std::optional<std::int32_t> limit;
    static constexpr auto rules =
        quern::rules(quern::on<&Page::limit>(quern::at_least(1), quern::at_most(100)));
};
QUERN_DESCRIBE(Page, limit)
// [model]

// [read]
using Data = quern::State<quern::Database>;

quern::Result<std::vector<Todo>> list_todos(Data data, quern::Query<Page> page) {
    return data->query<"SELECT id, title, done FROM todos ORDER BY id DESC LIMIT {limit}", Todo>(
        page->limit.value_or(20));
}

// Nothing is 404.
quern::Result<std::optional<Todo>> get_todo(std::int64_t id, Data data) {
    return data->query_one<"SELECT id, title, done FROM todos WHERE id = {id}", Todo>(id);
}
// [read]

// [write]
// A coroutine: the loop answers others while the commit is made durable, and many writes share one.
quern::Task<quern::Result<quern::Created<Todo>>> create_todo(Data data, quern::Json<NewTodo> todo) {
    auto const made =
        co_await quern::execute_later<"INSERT INTO todos (title, done) VALUES ({title}, {done})">(
            *data, todo->title, todo->done.value_or(false));
    if (!made) co_return quern::fail(made.error());
    co_return quern::Created<Todo>{{made->last_insert_id, todo->title, todo->done.value_or(false)}};
}

quern::Task<quern::Result<void>> delete_todo(std::int64_t id, Data data) {
    auto const gone = co_await quern::execute_later<"DELETE FROM todos WHERE id = {id}">(*data, id);
    if (!gone) co_return quern::fail(gone.error());
    if (gone->rows == 0) co_return quern::fail(quern::ErrorCode::not_found);
    co_return quern::Result<void>();
}
// [write]

}  // namespace

// [main]
int report(quern::Error const& error) {
    std::fprintf(stderr, "todo: %s\n", error.message.c_str());
    return EXIT_FAILURE;
}

int main(int count, char** arguments) {
    auto const database = quern::Database::open(count > 1 ? arguments[1] : "todo.db");
    if (!database) return report(database.error());
    auto const migrated = (*database)->migrate(
        {"CREATE TABLE todos (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL) STRICT"});
    if (!migrated) return report(migrated.error());

    quern::App app;
    app.state(*database);
    app.get<"/todos">(&list_todos);
    app.get<"/todos/{id}">(&get_todo);
    app.post<"/todos">(&create_todo);
    app.del<"/todos/{id}">(&delete_todo);
    if (auto described = app.openapi({.title = "To-dos", .version = "1"}); !described)
        return report(described.error());

    auto const ended = app.listen(count > 2 ? arguments[2] : "127.0.0.1:8080");
    return ended ? EXIT_SUCCESS : report(ended.error());
}
// [main]
