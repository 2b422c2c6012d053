// SPDX-License-Identifier: Apache-2.0

// What query sets cost: their text and its finding again, and rows read through them against SQLite's C API.
//
// usage: bench_library_orm SECONDS text|cached|chain|hand-row|get-row|set-row|hand-list|set-list
//   text       the statement of a set is written anew
//   cached     the statement of a set is found again
//   chain      a set is put together, and its statement found again
//   …-row      one row by its key: by hand, by Table::get(), by where().first()
//   …-list     twenty rows by a condition and an order, into structs

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include <quern/assert.h>
#include <quern/table.h>
#include "program.h"

namespace {

using quern::field;

constexpr int rows_in_table = 1000;
constexpr int rows_read = 20;

struct Author {
    std::int64_t id = 0;
    std::string name;
    static constexpr auto model = quern::model<"authors">(quern::key<&Author::id>);
};
QUERN_DESCRIBE(Author, id, name)

struct Book {
    std::int64_t id = 0;
    std::int64_t author = 0;
    std::string title;
    int year = 0;
    bool available = false;
    static constexpr auto model =
        quern::model<"books">(quern::key<&Book::id>, quern::references<&Book::author, Author>());
    bool operator==(Book const&) const = default;
};
QUERN_DESCRIBE(Book, id, author, title, year, available)

constexpr quern::Table<Book> books;
constexpr quern::Table<Author> authors;

void fill(quern::Database& db) {
    QUERN_ASSERT(db.migrate({"CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT",
                             "CREATE TABLE books (id INTEGER PRIMARY KEY, author INTEGER NOT NULL REFERENCES "
                             "authors, title TEXT NOT NULL, year INTEGER NOT NULL, available INTEGER NOT "
                             "NULL) STRICT; CREATE INDEX by_year ON books (year)"}),
                 "the tables are made");
    std::vector<Author> writers(100);
    for (std::size_t index = 0; index < writers.size(); ++index)
        writers[index] = {static_cast<std::int64_t>(index) + 1, "Author " + std::to_string(index)};
    std::vector<Book> shelf(rows_in_table);
    for (std::size_t index = 0; index < shelf.size(); ++index) {
        auto const number = static_cast<int>(index);
        shelf[index] = {number + 1, number % 100 + 1, "The book with the number " + std::to_string(number),
                        1900 + number % 100, number % 3 == 0};
    }
    QUERN_ASSERT(authors.insert_many(db, writers) && books.insert_many(db, shelf), "the tables are filled");
}

// A set as services have them: two conditions, one through a reference, an order, a page.
auto typical(int year) {
    return books.where(field<&Book::year> >= year && field<&Book::author, &Author::name> == "Author 70")
        .order_by(field<&Book::year>.descending(), field<&Book::id>)
        .limit(rows_read);
}
auto page(int year) {
    return books.where(field<&Book::year> >= year)
        .order_by(field<&Book::year>, field<&Book::id>)
        .limit(rows_read);
}

class ByHand {
public:
    explicit ByHand(std::filesystem::path const& path) {
        constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
        bench::require(sqlite3_open_v2(path.c_str(), &connection_, flags, "unix-excl") == SQLITE_OK,
                       "it opens");
        // Otherwise a new value of a range makes SQLite prepare the statement anew.
        sqlite3_db_config(connection_, SQLITE_DBCONFIG_ENABLE_QPSG, 1, nullptr);
        row_ = prepare("SELECT id, author, title, year, available FROM books WHERE id = ?1");
        list_ = prepare(
            "SELECT id, author, title, year, available FROM books WHERE year >= ?1 ORDER BY year, id "
            "LIMIT ?2");
    }
    ByHand(ByHand const&) = delete;
    ByHand& operator=(ByHand const&) = delete;
    ~ByHand() {
        sqlite3_finalize(row_);
        sqlite3_finalize(list_);
        sqlite3_close(connection_);
    }
    Book row(std::int64_t id) {
        sqlite3_bind_int64(row_, 1, id);
        Book found;
        if (sqlite3_step(row_) == SQLITE_ROW) found = read(row_);
        sqlite3_reset(row_);
        return found;
    }
    std::vector<Book> list(int year) {
        sqlite3_bind_int64(list_, 1, year);
        sqlite3_bind_int64(list_, 2, rows_read);
        std::vector<Book> found;
        while (sqlite3_step(list_) == SQLITE_ROW) found.push_back(read(list_));
        sqlite3_reset(list_);
        return found;
    }

private:
    static Book read(sqlite3_stmt* statement) {
        auto const* const text = reinterpret_cast<char const*>(sqlite3_column_text(statement, 2));
        return {sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
                std::string(text, static_cast<std::size_t>(sqlite3_column_bytes(statement, 2))),
                sqlite3_column_int(statement, 3), sqlite3_column_int(statement, 4) != 0};
    }
    sqlite3_stmt* prepare(char const* sql) {
        sqlite3_stmt* statement = nullptr;
        bench::require(sqlite3_prepare_v3(connection_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                                          nullptr) == SQLITE_OK,
                       "it prepares");
        return statement;
    }
    sqlite3* connection_ = nullptr;
    sqlite3_stmt* row_ = nullptr;
    sqlite3_stmt* list_ = nullptr;
};

void probe(ByHand& hand, quern::Database& db) {
    constexpr std::int64_t id = 7;
    constexpr int year = 1950;
    Book const expected = hand.row(id);
    bench::require(expected.id == id, "the row is another one");
    bench::require(**books.get(db, id) == expected, "get() reads another row");
    bench::require(**books.where(field<&Book::id> == id).first(db) == expected, "first() reads another row");
    bench::require(hand.list(year).size() == rows_read && *page(year).all(db) == hand.list(year),
                   "the lists are different");
    bench::require(typical(year).all(db)->size() == 10 && typical(1990).all(db)->empty(), "the set is wrong");
}

void run(std::chrono::seconds seconds, std::string_view what, ByHand& hand, quern::Database& db) {
    using quern::detail::PlanUse;
    auto const set = typical(1950);
    std::int64_t id = 0;
    auto const next = [&] { return id = id % rows_in_table + 1; };
    auto const year = [&] { return static_cast<int>(1900 + next() % 80); };
    auto const found = [](quern::QueryPlan const& plan) {
        return quern::detail::plan_statement(plan, PlanUse::rows);
    };
    if (what == "text") {
        bench::run_for(seconds, [&] {
            bench::keep(quern::detail::shape_text(set.plan(), PlanUse::rows, quern::Dialect::sqlite));
        });
    } else if (what == "cached") {
        bench::run_for(seconds, [&] { bench::keep(found(set.plan())); });
    } else if (what == "chain") {
        bench::run_for(seconds, [&] { bench::keep(found(typical(year()).plan())); });
    } else if (what == "hand-row") {
        bench::run_for(seconds, [&] { bench::keep(hand.row(next())); });
    } else if (what == "get-row") {
        bench::run_for(seconds, [&] { bench::keep(books.get(db, next())); });
    } else if (what == "set-row") {
        bench::run_for(seconds, [&] { bench::keep(books.where(field<&Book::id> == next()).first(db)); });
    } else if (what == "hand-list") {
        bench::run_for(seconds, [&] { bench::keep(hand.list(year())); });
    } else if (what == "set-list") {
        bench::run_for(seconds, [&] { bench::keep(page(year()).all(db)); });
    } else {
        bench::give_up("usage: SECONDS text|cached|chain|hand-row|get-row|set-row|hand-list|set-list");
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3 || std::atoi(argv[1]) < 1) bench::give_up("usage: SECONDS WHAT");
    auto const now = std::chrono::system_clock::now().time_since_epoch().count();
    auto const file = std::filesystem::temp_directory_path() / ("quern-bench-orm-" + std::to_string(now));
    {
        auto const db =
            *quern::Database::open(file, {.durability = quern::Durability::relaxed, .exclusive = true});
        fill(*db);
        ByHand hand(file);
        probe(hand, *db);
        run(std::chrono::seconds(std::atoi(argv[1])), argv[2], hand, *db);
    }
    for (char const* const suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + suffix);
}
