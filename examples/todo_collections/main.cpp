// SPDX-License-Identifier: Apache-2.0
//
// A to-do service whose data are collections: the REST API comes by itself, and a route and a hook of the
// program's own stand beside it.
//
//     todo_collections DIRECTORY [HOST:PORT]

#include <quern/app.h>
#include <quern/collections.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr char const* email = "admin@example.com";

// [schema]
constexpr char const* todos = R"({
    "name": "todos", "type": "base",
    "listRule": "", "viewRule": "", "createRule": "", "updateRule": "", "deleteRule": "",
    "fields": [
        {"name": "title", "type": "text", "required": true, "max": 200},
        {"name": "done", "type": "bool"},
        {"name": "created", "type": "autodate", "onCreate": true}
    ]
})";

// Makes the collection when it is not there.
quern::Result<void> make_todos(quern::Collections& collections, std::string const& password) {
    if (auto made = collections.upsert_superuser(email, password); !made) return quern::fail(made.error());
    auto admin = collections.client();
    if (auto in = admin.sign_in("_superusers", email, password); !in) return in;
    if (admin.get("/api/collections/todos").status == 200) return {};
    auto const created = admin.post("/api/collections", todos);
    if (created.status == 200) return {};
    return quern::fail(quern::ErrorCode::internal, created.body);
}
// [schema]

}  // namespace

int main(int count, char** arguments) {
    char const* const password = std::getenv("ADMIN_PASSWORD");
    if (count < 2 || password == nullptr) {
        std::fprintf(stderr, "usage: ADMIN_PASSWORD=... todo_collections DIRECTORY [HOST:PORT]\n");
        return 2;
    }

    // [app]
    quern::App app;
    auto const collections = app.mount_collections({.directory = arguments[1]});
    if (!collections) {
        std::fprintf(stderr, "%s\n", collections.error().message.c_str());
        return 1;
    }
    if (auto made = make_todos(**collections, password); !made) {
        std::fprintf(stderr, "%s\n", made.error().message.c_str());
        return 1;
    }

    // Inside the transaction of every new record; an error refuses it.
    (*collections)->on_create("todos", [](quern::Hook& hook) -> quern::Result<void> {
        auto const open = hook.request(quern::http::Method::get,
                                       "/api/collections/todos/records?perPage=1&filter=done%3Dfalse");
        if (open.body.find("\"totalItems\":101") == std::string::npos) return {};
        return quern::fail(quern::ErrorCode::bad_request, "A hundred open to-dos are enough.");
    });

    // A route of one's own goes before those of the collections.
    app.get<"/api/todos/open">([collections = *collections] {
        auto const reply =
            collections->client().get("/api/collections/todos/records?filter=done%3Dfalse&sort=-created");
        return quern::Reply{reply.status, reply.body, "application/json", {}};
    });

    auto const ended = app.listen(count > 2 ? arguments[2] : "127.0.0.1:8080");
    if (!ended) std::fprintf(stderr, "%s\n", ended.error().message.c_str());
    return ended ? 0 : 1;
    // [app]
}
