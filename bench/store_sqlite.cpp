// SPDX-License-Identifier: Apache-2.0

// The store through SQLite's C API, the least that the same work can cost: one connection, its statements
// prepared once and kept. A single UPDATE is a transaction by itself. Callers take turns by a mutex.

#include <mutex>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "store.h"

namespace {

using namespace bench::store;

struct Row {
    std::int64_t id = 0;
    std::int64_t bucket_id = 0;
    std::string name;
    std::int64_t amount = 0;
    std::string note;
};

class Statement {
public:
    Statement(sqlite3* connection, char const* sql) {
        bench::require(sqlite3_prepare_v3(connection, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_,
                                          nullptr) == SQLITE_OK,
                       sqlite3_errmsg(connection));
    }
    Statement(Statement const&) = delete;
    Statement& operator=(Statement const&) = delete;
    ~Statement() { sqlite3_finalize(statement_); }

    void bind(int index, std::int64_t value) { sqlite3_bind_int64(statement_, index, value); }
    // The text must live until reset().
    void bind(int index, std::string_view text) {
        sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
    }
    // Whether there is a row.
    bool step() {
        int const code = sqlite3_step(statement_);
        if (code != SQLITE_ROW && code != SQLITE_DONE) bench::give_up(sqlite3_errstr(code));
        return code == SQLITE_ROW;
    }
    void reset() { bench::require(sqlite3_reset(statement_) == SQLITE_OK, "a statement failed"); }
    void run() {
        bench::require(!step(), "a statement gave a row");
        reset();
    }
    [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
    [[nodiscard]] std::string text(int column) const {
        auto const* const begin = reinterpret_cast<char const*>(sqlite3_column_text(statement_, column));
        return {begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
    }

private:
    sqlite3_stmt* statement_ = nullptr;
};

class Connection {
public:
    explicit Connection(Arguments const& arguments) {
        std::string const file = arguments.durable ? arguments.file().string() : ":memory:";
        constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
        bench::require(sqlite3_open_v2(file.c_str(), &connection_, flags, nullptr) == SQLITE_OK,
                       "the database does not open");
        execute("PRAGMA cache_size = -" + std::to_string(cache_bytes >> 10));
        execute("PRAGMA foreign_keys = ON");
        if (arguments.durable) execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
        execute(std::string(schema));
        execute("BEGIN");
        for (std::int64_t id = 1; id <= buckets; ++id)
            execute("INSERT INTO buckets VALUES (" + std::to_string(id) + ", 'bucket " + std::to_string(id) +
                    "')");
        execute("COMMIT");
    }
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;
    ~Connection() { sqlite3_close(connection_); }
    [[nodiscard]] sqlite3* get() const { return connection_; }

private:
    void execute(std::string const& sql) {
        bench::require(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK,
                       sqlite3_errmsg(connection_));
    }
    sqlite3* connection_ = nullptr;
};

class Store {
public:
    using Item = Row;

    explicit Store(Arguments const& arguments) : connection_(arguments) {}

    void insert(std::span<Item const> rows, Laps& laps) {
        begin_.run();
        for (Item const& row : rows) {
            insert_.bind(1, row.id);
            insert_.bind(2, row.bucket_id);
            insert_.bind(3, row.name);
            insert_.bind(4, row.amount);
            insert_.bind(5, row.note);
            insert_.run();
            laps.lap();
        }
        commit_.run();
    }

    Item read(std::int64_t id) {
        read_.bind(1, id);
        bench::require(read_.step(), "there is no such item");
        Item found = row_of(read_);
        read_.reset();
        return found;
    }

    std::vector<Item> page(std::int64_t bucket) {
        page_.bind(1, bucket);
        std::vector<Item> found;
        found.reserve(rows_of_page);
        while (page_.step()) found.push_back(row_of(page_));
        page_.reset();
        return found;
    }

    void add_one(std::int64_t id) {
        std::lock_guard const turn(turns_);
        add_one_.bind(1, id);
        add_one_.run();
        bench::require(sqlite3_changes64(connection_.get()) == 1, "there is no such item");
    }

    Totals totals() {
        Statement total(connection_.get(),
                        "SELECT (SELECT count(*) FROM buckets), count(*), sum(amount) FROM items");
        bench::require(total.step(), "there are no totals");
        return {total.integer(0), total.integer(1), total.integer(2)};
    }

    Settings settings() {
        Statement asked(connection_.get(),
                        "SELECT sqlite_version(), (SELECT * FROM pragma_journal_mode), "
                        "(SELECT * FROM pragma_synchronous)");
        bench::require(asked.step(), "there are no settings");
        return {asked.text(0), asked.text(1), asked.integer(2)};
    }

private:
    static Item row_of(Statement const& statement) {
        return {statement.integer(0), statement.integer(1), statement.text(2), statement.integer(3),
                statement.text(4)};
    }

    Connection connection_;
    Statement begin_{connection_.get(), "BEGIN IMMEDIATE"};
    Statement commit_{connection_.get(), "COMMIT"};
    Statement insert_{connection_.get(),
                      "INSERT INTO items (id, bucket_id, name, amount, note) VALUES (?1, ?2, ?3, ?4, ?5)"};
    Statement read_{connection_.get(), "SELECT id, bucket_id, name, amount, note FROM items WHERE id = ?1"};
    Statement page_{connection_.get(),
                    "SELECT id, bucket_id, name, amount, note FROM items WHERE bucket_id = ?1 "
                    "ORDER BY name LIMIT 20"};
    Statement add_one_{connection_.get(), "UPDATE items SET amount = amount + 1 WHERE id = ?1"};
    std::mutex turns_;
};

}  // namespace

int main(int argc, char** argv) { return run<Store>(argc, argv); }
