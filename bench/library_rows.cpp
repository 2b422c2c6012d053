// SPDX-License-Identifier: Apache-2.0
// Rows of a table: quern::Database, or SQLite's C API by hand; a hundred of them fetched and written as JSON,
// or one fetched by its id into a struct.
//
// Both sides read the same file with its locks kept in the process (system calls for locks between processes
// would hide what is measured), keep their statements and write the same bytes with the same text and number
// routines. usage: bench_library_rows SECONDS hand|library list|row
#include <sqlite3.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <quern/assert.h>
#include <quern/buffer.h>
#include <quern/describe.h>
#include <quern/dump.h>
#include <quern/sqlite.h>

#include "program.h"

namespace {

constexpr int rows_in_table = 1000;
constexpr int rows_read = 100;

struct Todo {
    std::int64_t id = 0;
    std::string_view title;
    bool done = false;
    double weight = 0;
};
QUERN_DESCRIBE(Todo, id, title, done, weight)

struct Single {
    std::int64_t id = 0;
    bool done = false;
    double weight = 0;
    bool operator==(Single const&) const = default;
};
QUERN_DESCRIBE(Single, id, done, weight)

void write(quern::Buffer& json, Todo const& todo) {
    json.append(std::string_view(R"({"id":)"));
    json.append_integer(todo.id);
    json.append(std::string_view(R"(,"title":)"));
    quern::json::append_string(json, todo.title);
    json.append(todo.done ? std::string_view(R"(,"done":true,"weight":)")
                          : std::string_view(R"(,"done":false,"weight":)"));
    quern::json::append_real(json, todo.weight);
    json.append('}');
}

class ByHand {
public:
    explicit ByHand(std::filesystem::path const& path) {
        constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
        QUERN_ASSERT(sqlite3_open_v2(path.c_str(), &connection_, flags, "unix-excl") == SQLITE_OK,
                     "it opens");
        // Otherwise a new value of a range makes SQLite prepare the statement anew.
        sqlite3_db_config(connection_, SQLITE_DBCONFIG_ENABLE_QPSG, 1, nullptr);
        list_ = prepare("SELECT id, title, done, weight FROM todos WHERE id >= ?1 ORDER BY id LIMIT ?2");
        single_ = prepare("SELECT id, done, weight FROM todos WHERE id = ?1");
    }
    ByHand(ByHand const&) = delete;
    ByHand& operator=(ByHand const&) = delete;
    ~ByHand() {
        sqlite3_finalize(list_);
        sqlite3_finalize(single_);
        sqlite3_close(connection_);
    }
    void list(std::int64_t from, quern::Buffer& json) {
        sqlite3_bind_int64(list_, 1, from);
        sqlite3_bind_int64(list_, 2, rows_read);
        char before = '[';
        while (sqlite3_step(list_) == SQLITE_ROW) {
            json.append(before);
            auto const* const text = reinterpret_cast<char const*>(sqlite3_column_text(list_, 1));
            write(json, {.id = sqlite3_column_int64(list_, 0),
                         .title = {text, static_cast<std::size_t>(sqlite3_column_bytes(list_, 1))},
                         .done = sqlite3_column_int(list_, 2) != 0,
                         .weight = sqlite3_column_double(list_, 3)});
            before = ',';
        }
        json.append(']');
        sqlite3_reset(list_);
    }
    Single single(std::int64_t id) {
        sqlite3_bind_int64(single_, 1, id);
        Single row;
        if (sqlite3_step(single_) == SQLITE_ROW) {
            row = {sqlite3_column_int64(single_, 0), sqlite3_column_int(single_, 1) != 0,
                   sqlite3_column_double(single_, 2)};
        }
        sqlite3_reset(single_);
        return row;
    }

private:
    sqlite3_stmt* prepare(char const* sql) {
        sqlite3_stmt* statement = nullptr;
        QUERN_ASSERT(sqlite3_prepare_v3(connection_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                                        nullptr) == SQLITE_OK,
                     "it prepares");
        return statement;
    }
    sqlite3* connection_ = nullptr;
    sqlite3_stmt* list_ = nullptr;
    sqlite3_stmt* single_ = nullptr;
};

class ByLibrary {
public:
    explicit ByLibrary(quern::Database& db) : db_(db) {}
    void list(std::int64_t from, quern::Buffer& json) {
        char before = '[';
        auto const done = db_.query_each<
            "SELECT id, title, done, weight FROM todos WHERE id >= {from} ORDER BY id LIMIT {count}", Todo>(
            [&](Todo const& todo) {
                json.append(before);
                quern::write_json(json, todo);
                before = ',';
            },
            from, rows_read);
        QUERN_ASSERT(done, "the list is read");
        json.append(']');
    }
    Single single(std::int64_t id) {
        auto const row = db_.query_one<"SELECT id, done, weight FROM todos WHERE id = {id}", Single>(id);
        QUERN_ASSERT(row && *row, "the row is there");
        return **row;
    }

private:
    quern::Database& db_;
};

void fill(quern::Database& db) {
    auto const made =
        db.migrate({"CREATE TABLE todos (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL, "
                    "weight REAL)"});
    QUERN_ASSERT(made, "the table is made");
    auto const filled = db.transaction([](quern::Transaction& writing) -> quern::Result<void> {
        for (int id = 1; id <= rows_in_table; ++id) {
            QUERN_CHECK(writing.execute<"INSERT INTO todos VALUES ({id}, {title}, {done}, {weight})">(
                id, "Write the report of week " + std::to_string(id), id % 3 == 0, id * 0.25));
        }
        return {};
    });
    QUERN_ASSERT(filled, "the table is filled");
}

void probe(ByHand& hand, ByLibrary& library) {
    constexpr std::int64_t from = 7;
    quern::Buffer one, other;
    hand.list(from, one);
    library.list(from, other);
    bench::require(one.view() == other.view(), "the two sides write different bytes");
    Single const expected{.id = from, .done = false, .weight = 1.75};
    bench::require(one.view().starts_with(R"([{"id":7,"title":"Write the report of week 7",)"),
                   "the list begins with another row");
    bench::require(hand.single(from) == expected && library.single(from) == expected,
                   "the row is another one");
}

// Ids go round, so that the rows are not always the same; a list of a hundred can begin at each.
template <class Side>
void run(std::chrono::seconds seconds, Side& side, bool whole_list) {
    constexpr std::int64_t last = rows_in_table - rows_read;
    std::int64_t id = 0;
    quern::Buffer json;
    auto const next = [&] { return id = id % last + 1; };
    if (whole_list) {
        bench::run_for(seconds, [&] {
            json.clear();
            side.list(next(), json);
            bench::keep(*json.data());
        });
    } else {
        bench::run_for(seconds, [&] { bench::keep(side.single(next())); });
    }
}

}  // namespace

int main(int argc, char** argv) {
    auto const arguments = bench::read_arguments(argc, argv);
    std::string_view const what = argc > 3 ? argv[3] : "list";
    if (what != "list" && what != "row") bench::give_up("list or row");
    auto const now = std::chrono::system_clock::now().time_since_epoch().count();
    auto const file = std::filesystem::temp_directory_path() / ("quern-bench-rows-" + std::to_string(now));
    {
        auto const db =
            *quern::Database::open(file, {.durability = quern::Durability::relaxed, .exclusive = true});
        fill(*db);
        ByHand hand(file);
        ByLibrary library(*db);
        probe(hand, library);
        arguments.by_hand ? run(arguments.seconds, hand, what == "list")
                          : run(arguments.seconds, library, what == "list");
    }
    for (char const* const suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + suffix);
}
