// SPDX-License-Identifier: Apache-2.0
//
// Three ways to a row, and the one that a user of the library takes. Told by the environment (contestant.h).
//
//   GET /plaintext        nothing but HTTP
//   GET /cold/{id}        SQLite's C API: open, prepare, bind, step, finalize, close, all in the request
//   GET /hot/{id}         SQLite's C API: a connection and a statement a loop, kept
//   GET /library/{id}     quern::Database, with the statement's text in the handler
//   POST /increment/{id}  a durable change through quern::Database

#include <quern/app.h>
#include <quern/describe.h>
#include <quern/dump.h>
#include <quern/sqlite.h>
#include <quern/sqlite_task.h>

#include <sqlite3.h>

#include <cstdint>
#include <optional>
#include <string>

#include "contestant.h"

namespace {

struct User {
    std::int64_t id = 0;
    std::string name;
    std::string email;
    std::int64_t visits = 0;
};
QUERN_DESCRIBE(User, id, name, email, visits)

constexpr char const* select_user = "SELECT id, name, email, visits FROM users WHERE id = ?1";

sqlite3* open_file(std::string const& path) {
    sqlite3* connection = nullptr;
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    bench::require(sqlite3_open_v2(path.c_str(), &connection, flags, nullptr) == SQLITE_OK, "it opens");
    return connection;
}

sqlite3_stmt* prepare(sqlite3* connection, unsigned flags) {
    sqlite3_stmt* statement = nullptr;
    bench::require(sqlite3_prepare_v3(connection, select_user, -1, flags, &statement, nullptr) == SQLITE_OK,
                   "it prepares");
    return statement;
}

std::string text(sqlite3_stmt* statement, int column) {
    auto const* const bytes = reinterpret_cast<char const*>(sqlite3_column_text(statement, column));
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

std::optional<User> step(sqlite3_stmt* statement, std::int64_t id) {
    sqlite3_bind_int64(statement, 1, id);
    if (sqlite3_step(statement) != SQLITE_ROW) return std::nullopt;
    return User{sqlite3_column_int64(statement, 0), text(statement, 1), text(statement, 2),
                sqlite3_column_int64(statement, 3)};
}

class Hot {
public:
    Hot()
        : connection_(open_file(bench::database_path())),
          statement_(prepare(connection_, SQLITE_PREPARE_PERSISTENT)) {}
    Hot(Hot const&) = delete;
    Hot& operator=(Hot const&) = delete;
    ~Hot() {
        sqlite3_finalize(statement_);
        sqlite3_close(connection_);
    }
    std::optional<User> get(std::int64_t id) {
        auto user = step(statement_, id);
        sqlite3_reset(statement_);
        return user;
    }

private:
    sqlite3* connection_;
    sqlite3_stmt* statement_;
};

std::optional<User> get_hot(std::int64_t id) {
    thread_local Hot hot;
    return hot.get(id);
}

std::optional<User> get_cold(std::int64_t id) {
    static std::string const path = bench::database_path();
    sqlite3* const connection = open_file(path);
    sqlite3_stmt* const statement = prepare(connection, 0);
    auto user = step(statement, id);
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return user;
}

using Data = quern::State<quern::Database>;

quern::Result<std::optional<User>> get_library(std::int64_t id, Data data) {
    return data->query_one<"SELECT id, name, email, visits FROM users WHERE id = {id}", User>(id);
}

quern::Task<quern::Result<std::optional<User>>> increment(std::int64_t id, Data data) {
    auto const change = [id](quern::Transaction& transaction) {
        return transaction.query_one<
            "UPDATE users SET visits = visits + 1 WHERE id = {id} RETURNING id, name, email, visits", User>(
            id);
    };
    co_return co_await quern::in_transaction(*data, change);
}

}  // namespace

int main() {
    auto const database = bench::open_database();
    quern::App app({.loops = 1});
    app.state(database);
    app.get<"/plaintext">([] { return "Hello, World!"; });
    app.get<"/cold/{id}">(&get_cold);
    app.get<"/hot/{id}">(&get_hot);
    app.get<"/library/{id}">(&get_library);
    app.post<"/increment/{id}">(&increment);
    auto const ended = app.listen(bench::address());
    if (!ended) bench::give_up(ended.error().message.c_str());
    return 0;
}
