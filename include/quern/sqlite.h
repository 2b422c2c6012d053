// SPDX-License-Identifier: Apache-2.0
#pragma once

// SQLite for services: statements that the compiler checks, reads on the caller's thread, one fair writer.
//
//     struct Todo { std::int64_t id = 0; std::string title; };
//     BOOST_DESCRIBE_STRUCT(Todo, (), (id, title))
//
//     auto db = *quern::Database::open("todos.db");
//     auto todo = db->query_one<"SELECT id, title FROM todos WHERE id = {id}", Todo>(7);
//     auto made = db->execute<"INSERT INTO todos (title) VALUES ({title})">("buy milk");
//
// Reads run at once, on a connection of the calling thread; nothing waits for a writer, and each sees what
// was committed when it began. Writes queue for the one writer. What queues while a commit is under way forms
// the next batch: one transaction with a savepoint a member, one commit, then everybody is told, so a hundred
// writers share the wait for the disk. Nobody is told of success before the commit is durable. A member that
// fails, fails alone.
//
// Every text is prepared once a connection. The place of a statement in a connection's table is known while
// compiling, so finding it again costs a few nanoseconds.
//
// Read sql_text.h for what a text looks like, sqlite_row.h for what rows are, then Database::open,
// Database::query_one, Database::execute, Database::transaction.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <quern/error.h>
#include <quern/fixed_string.h>
#include <quern/sql_text.h>
#include <quern/sqlite_row.h>

namespace quern {

class Database;
class Transaction;

enum class Durability : std::uint8_t {
    full,     // what was acknowledged survives the loss of power
    relaxed,  // the loss of power may take the last commits; the file stays whole, and commits wait for no
              // disk
};

// Everything that can be chosen for a Database. Defaults suit a service.
struct DatabaseOptions {
    Durability durability = Durability::full;

    // Locks are kept in this process alone: a read is some 1 µs faster, and no other program can open the
    // file meanwhile, not even to look at it.
    bool exclusive = false;
    // How long another process may hold the file's lock before `overloaded`. Within the process nobody waits.
    std::chrono::milliseconds busy_wait{500};

    // Writes waiting at once; one more is `overloaded`.
    std::size_t queue_max = 8192;
    // Longest wait in the queue before `timeout`.
    std::chrono::milliseconds wait_max{10'000};
    // Most writes of one commit: bounds how long the first of a batch waits for the last.
    std::size_t batch_max = 256;

    // Most memory for pages, a connection; filled as pages are read.
    std::size_t cache_bytes = std::size_t{16} << 20;
    // Statements of query sets and with texts of the run time that are kept ready, a connection; the least
    // recently used goes.
    // Limits: at least 1; each takes some 5 KiB.
    std::size_t dynamic_statements_max = 128;
};

// Gauges, for metrics and tests. Counted since the Database was opened.
struct DatabaseStatistics {
    std::uint64_t prepared = 0;  // statements, all connections
    std::uint64_t commits = 0;
    std::uint64_t writes = 0;           // acknowledged
    std::uint64_t failures = 0;         // writes that failed
    std::uint64_t queue_length = 0;     // writes that wait now
    std::uint64_t reading_threads = 0;  // that have a connection now
};

namespace detail {

struct DatabaseCore;
struct MigrationAccess;
struct PlanAccess;
struct WriterState;

// A write that its caller waits for.
class WriteWork {
public:
    virtual Result<void> run(Transaction& transaction) = 0;

protected:
    ~WriteWork() = default;
};

template <class T>
inline constexpr bool is_result = false;
template <class T>
inline constexpr bool is_result<Result<T>> = true;

template <class F>
consteval void check_transaction_work() {
    static_assert(std::is_invocable_v<F&, Transaction&>,
                  "what transaction() calls takes a quern::Transaction&");
    if constexpr (std::is_invocable_v<F&, Transaction&>)
        static_assert(is_result<std::invoke_result_t<F&, Transaction&>>,
                      "what transaction() calls returns a quern::Result");
}

template <FixedString Sql>
consteval void check_writes() {
    check_sql<Sql>();
    static_assert(SqlStatement<Sql>::shape.kind != SqlKind::read,
                  "execute() is for statements that change something: use query()");
}

}  // namespace detail

// The open write transaction. Statements see what it has written so far.
//
// It ends with the function that it was given to. A handle that was moved out of there, and one whose
// transaction SQLite has undone by itself (a full disk, ON CONFLICT ROLLBACK), refuses every statement with
// `transaction_over`.
//
// Threads: the one that runs the function.
class Transaction {
public:
    Transaction(Transaction&&) noexcept = default;
    Transaction& operator=(Transaction&&) noexcept = default;
    Transaction(Transaction const&) = delete;
    Transaction& operator=(Transaction const&) = delete;
    ~Transaction() = default;

    // As those of Database, on the connection that writes.
    // Errors: those of Database, and transaction_over — see above.
    template <FixedString Sql, class T, class... A>
    [[nodiscard]] Result<std::vector<T>> query(A const&... values) {
        check_fetch<Sql, T, A...>();
        detail::check_row_is_kept<T>();
        return detail::fetch_all<detail::is_counted<Sql>, T>(start(detail::SqlStatement<Sql>::key),
                                                             values...);
    }
    template <class T, class... A>
    [[nodiscard]] Result<std::vector<T>> query(SqlText const& sql, A const&... values) {
        check_fetch<T, A...>();
        detail::check_row_is_kept<T>();
        return detail::fetch_all<false, T>(start(sql, sizeof...(A)), values...);
    }
    template <FixedString Sql, class T, class... A>
    [[nodiscard]] Result<std::optional<T>> query_one(A const&... values) {
        check_fetch<Sql, T, A...>();
        detail::check_row_is_kept<T>();
        return detail::fetch_one<detail::is_counted<Sql>, T>(start(detail::SqlStatement<Sql>::key),
                                                             values...);
    }
    template <class T, class... A>
    [[nodiscard]] Result<std::optional<T>> query_one(SqlText const& sql, A const&... values) {
        check_fetch<T, A...>();
        detail::check_row_is_kept<T>();
        return detail::fetch_one<false, T>(start(sql, sizeof...(A)), values...);
    }
    template <FixedString Sql, class T, class F, class... A>
    [[nodiscard]] Result<void> query_each(F&& f, A const&... values) {
        check_fetch<Sql, T, A...>();
        return detail::fetch_each<detail::is_counted<Sql>, T>(start(detail::SqlStatement<Sql>::key), f,
                                                              values...);
    }
    template <class T, class F, class... A>
    [[nodiscard]] Result<void> query_each(SqlText const& sql, F&& f, A const&... values) {
        check_fetch<T, A...>();
        return detail::fetch_each<false, T>(start(sql, sizeof...(A)), f, values...);
    }
    template <FixedString Sql, class... A>
    [[nodiscard]] Result<Changes> execute(A const&... values) {
        detail::check_writes<Sql>();
        detail::check_arguments<Sql, A...>();
        return detail::run_write(start(detail::SqlStatement<Sql>::key), values...);
    }
    template <class... A>
    [[nodiscard]] Result<Changes> execute(SqlText const& sql, A const&... values) {
        detail::check_bindable<A...>();
        return detail::run_write(start(sql, sizeof...(A)), values...);
    }

    // Runs `f` in a savepoint: an error or an exception of it undoes what it did, and this transaction goes
    // on. Gives back what `f` returns.
    // Errors: those of `f`; transaction_over.
    template <class F>
    [[nodiscard]] std::invoke_result_t<F&, Transaction&> transaction(F&& f) {
        detail::check_transaction_work<F>();
        auto inner = open_savepoint();
        if (!inner) return fail(std::move(inner).error());
        Savepoint guard{state_, inner->level_};
        auto result = f(*inner);
        guard.open = false;
        if (auto closed = close_savepoint(guard.state, guard.level, result.has_value()); !closed && result)
            return fail(std::move(closed).error());
        return result;
    }

    // Has `hook` called when the commit that made this durable is done: after it, in the order of the calls,
    // before the writer's caller goes on. Not when it was undone, as a whole or back to a savepoint around
    // this call, nor when it is over already.
    // Threads: the hook runs on a thread of the Database's choice. It must not throw, nor write to
    // the Database and wait.
    void on_commit(std::move_only_function<void()> hook);

private:
    friend struct detail::WriterState;
    friend struct detail::PlanAccess;
    Transaction(std::shared_ptr<detail::WriterState> state, std::uint64_t id, std::uint64_t level)
        : state_(std::move(state)), id_(id), level_(level) {}

    // Undoes a savepoint that an exception leaves behind.
    struct Savepoint {
        std::shared_ptr<detail::WriterState> state;
        std::uint64_t level;
        bool open = true;
        ~Savepoint() {
            if (open) (void)close_savepoint(state, level, false);
        }
    };

    template <FixedString Sql, class T, class... A>
    static consteval void check_fetch() {
        detail::check_columns<Sql, T>();
        detail::check_arguments<Sql, A...>();
    }
    template <class T, class... A>
    static consteval void check_fetch() {
        detail::check_row<T>();
        detail::check_bindable<A...>();
    }

    [[nodiscard]] Result<void> check() const;
    [[nodiscard]] Result<detail::SqlRun> start(detail::SqlKey& key);
    [[nodiscard]] Result<detail::SqlRun> start(SqlText const& sql, std::size_t bound);
    [[nodiscard]] Result<Transaction> open_savepoint();
    [[nodiscard]] static Result<void> close_savepoint(std::shared_ptr<detail::WriterState> const& state,
                                                      std::uint64_t level, bool keep);

    std::shared_ptr<detail::WriterState> state_;
    std::uint64_t id_;     // of the transaction
    std::uint64_t level_;  // of the savepoint: its number in the transaction
};

// An open SQLite file.
//
// Threads: any. Whoever reads gets a connection for the thread, which is closed with the thread or with the
// Database, whichever ends first.
// In handlers of an App, reads that one iteration of an event loop runs share a snapshot until this Database
// acknowledges a write: what a caller has been told of is always seen. What another process, or another
// Database on the same file, writes meanwhile is seen from the next iteration on.
// Lifetime: destroyed when nobody uses it; writes that are queued then are finished first.
class Database {
public:
    // Opens the file, or makes it, in WAL mode with foreign keys enforced.
    //
    // Errors: parameter_invalid — the path is empty or ":memory:", see open_temporary();
    //         conflict — another process has the file open in a way that keeps us out;
    //         corrupt — the file is no SQLite database;
    //         io, disk_full — as the operating system tells; the directory must exist.
    // Cost:   blocks on the disk, about 1 ms.
    // Example: examples/todo/main.cpp [main]
    [[nodiscard]] static Result<std::shared_ptr<Database>> open(std::filesystem::path const& path,
                                                                DatabaseOptions options = {});

    // A new database for a test or a scratch pad: a file in memory where the system has a place for such,
    // else in the temporary directory. It is removed at the end; the end of the process without that leaves
    // it. Errors: io, disk_full — as open().
    [[nodiscard]] static Result<std::shared_ptr<Database>> open_temporary(DatabaseOptions options = {});

    Database(Database const&) = delete;
    Database& operator=(Database const&) = delete;
    ~Database();

    // Brings the file to the newest version: runs the scripts that it has not seen yet, each in a transaction
    // of its own. Their count is kept in the file (PRAGMA user_version), so scripts are added at the end and
    // never changed. A script may hold several statements. Foreign keys are off while one runs, so that
    // tables can be rebuilt, and are checked at its end.
    //
    // Errors: unsupported — the file has seen more scripts than there are: it was written by a later version;
    //         validation — a script leaves a foreign key that points nowhere;
    //         internal — a script is not valid SQL, or holds transaction control, the message says which.
    //         The scripts in front of the failed one stay.
    // Cost:   blocks until durable. Not inside a transaction.
    // Example: examples/todo/main.cpp [main]
    [[nodiscard]] Result<void> migrate(std::span<std::string_view const> scripts);
    [[nodiscard]] Result<void> migrate(std::initializer_list<std::string_view> scripts) {
        return migrate(std::span(scripts.begin(), scripts.size()));
    }

    // All rows of a statement. A text that writes (INSERT … RETURNING) goes to the writer as execute() does.
    //
    // Errors: internal — SQLite refuses the text (no such table), or a column holds what does not fit its
    //         member: then `fields` names the column;
    //         interrupted, overloaded, io, corrupt — as SQLite tells. Where the text writes, those of
    //         execute().
    // Cost:   the text is prepared when the thread first uses it. Blocks on the disk at most for pages that
    //         are not in memory. Allocates for the vector and what its rows hold.
    // Example: examples/todo/main.cpp [read]
    template <FixedString Sql, class T, class... A>
    [[nodiscard]] Result<std::vector<T>> query(A const&... values) {
        check_fetch<Sql, T, A...>();
        detail::check_row_is_kept<T>();
        if constexpr (is_reading<Sql>) {
            return detail::fetch_all<detail::is_counted<Sql>, T>(read(detail::SqlStatement<Sql>::key),
                                                                 values...);
        } else {
            return transaction([&](Transaction& writing) { return writing.query<Sql, T>(values...); });
        }
    }
    // A text of the run time. Errors: parameter_invalid — the number of values is not the text's.
    template <class T, class... A>
    [[nodiscard]] Result<std::vector<T>> query(SqlText const& sql, A const&... values) {
        check_fetch<T, A...>();
        detail::check_row_is_kept<T>();
        if (sql.kind() == SqlKind::read)
            return detail::fetch_all<false, T>(read(sql, sizeof...(A)), values...);
        return transaction([&](Transaction& writing) { return writing.query<T>(sql, values...); });
    }

    // The first row, or nothing; further rows are not looked at. Otherwise as query().
    // Cost: no allocation once warm, but for what the row holds.
    // Example: examples/todo/main.cpp [read]
    template <FixedString Sql, class T, class... A>
    [[nodiscard]] Result<std::optional<T>> query_one(A const&... values) {
        check_fetch<Sql, T, A...>();
        detail::check_row_is_kept<T>();
        if constexpr (is_reading<Sql>) {
            return detail::fetch_one<detail::is_counted<Sql>, T>(read(detail::SqlStatement<Sql>::key),
                                                                 values...);
        } else {
            return transaction([&](Transaction& writing) { return writing.query_one<Sql, T>(values...); });
        }
    }
    template <class T, class... A>
    [[nodiscard]] Result<std::optional<T>> query_one(SqlText const& sql, A const&... values) {
        check_fetch<T, A...>();
        detail::check_row_is_kept<T>();
        if (sql.kind() == SqlKind::read)
            return detail::fetch_one<false, T>(read(sql, sizeof...(A)), values...);
        return transaction([&](Transaction& writing) { return writing.query_one<T>(sql, values...); });
    }

    // Calls f(T&) with each row. Here, and only here, a row may hold std::string_view and
    // std::span<std::byte const>. `f` returns nothing, bool (false stops) or Result<void> (an error stops and
    // is given back).
    //
    // All rows come from one moment. `f` may read from the Database itself, and then sees the same moment.
    // Errors:   those of query(), and what `f` returns; rows that were given stay given.
    // Lifetime: a row and its views die when `f` returns. An open read keeps the log from being moved into
    //           the file: do not wait in `f`.
    // Cost:     no allocation once warm, but for what the row holds.
    // Example:  examples/embed/main.cpp [rows]
    template <FixedString Sql, class T, class F, class... A>
    [[nodiscard]] Result<void> query_each(F&& f, A const&... values) {
        check_fetch<Sql, T, A...>();
        static_assert(is_reading<Sql>, "query_each() of a text that writes is for a Transaction");
        return detail::fetch_each<detail::is_counted<Sql>, T>(read(detail::SqlStatement<Sql>::key), f,
                                                              values...);
    }
    // Errors: parameter_invalid — the text writes, or the number of values is not the text's.
    template <class T, class F, class... A>
    [[nodiscard]] Result<void> query_each(SqlText const& sql, F&& f, A const&... values) {
        check_fetch<T, A...>();
        return detail::fetch_each<false, T>(read(sql, sizeof...(A)), f, values...);
    }

    // Runs a statement that writes, and waits until it is durable.
    //
    // Errors: conflict — a unique column has the value already; `fields` names it as table.column;
    //         validation — a foreign key, NOT NULL, CHECK or a trigger refuses; `fields` names the column
    //         where SQLite tells it; overloaded — the queue is full, or another process holds the file;
    //         timeout — it waited too long in the queue; disk_full; io — also for every later write, for it
    //         is unknown what reached the disk; internal — SQLite refuses the text, or this thread runs a
    //         transaction of this Database already.
    // Cost:   blocks, with full durability for some milliseconds. In a handler that holds its whole loop: a
    //         coroutine awaits instead.
    template <FixedString Sql, class... A>
    [[nodiscard]] Result<Changes> execute(A const&... values) {
        detail::check_writes<Sql>();
        detail::check_arguments<Sql, A...>();
        return transaction([&](Transaction& writing) { return writing.execute<Sql>(values...); });
    }
    template <class... A>
    [[nodiscard]] Result<Changes> execute(SqlText const& sql, A const&... values) {
        detail::check_bindable<A...>();
        return transaction([&](Transaction& writing) { return writing.execute(sql, values...); });
    }

    // Runs f(Transaction&) in the one write transaction and waits until what it wrote is durable. Gives back
    // what `f` returned, a Result; an error or an exception undoes what it did.
    //
    // `f` shares its commit with other writers. Should SQLite undo all of them because of one (a full disk,
    // ON CONFLICT ROLLBACK), each is run once more alone: `f` may thus be called twice, and then only the
    // last call counts.
    // Errors:  those of `f`, and of execute().
    // Threads: `f` runs on this thread or on the writer's.
    // Cost:    as execute(). All writers wait while `f` runs, reads do not.
    // Example: examples/embed/main.cpp [transaction]
    template <class F>
    [[nodiscard]] std::invoke_result_t<F&, Transaction&> transaction(F&& f) {
        detail::check_transaction_work<F>();
        Work<F> work(f);
        if (auto ended = write(work); !ended) {
            if (work.thrown) std::rethrow_exception(work.thrown);
            return fail(std::move(ended).error());
        }
        return *std::move(work.result);
    }

    // Queues a transaction and returns at once. `done` is called once, with the end: after the commit, on the
    // writer's thread; or with a refusal (`overloaded`), on this thread before the return. It must not wait.
    // An exception of `work` is an `internal` error.
    void submit(std::move_only_function<Result<void>(Transaction&)> work,
                std::move_only_function<void(Result<void>)> done);

    [[nodiscard]] DatabaseStatistics statistics() const;

private:
    friend struct detail::MigrationAccess;
    friend struct detail::PlanAccess;
    explicit Database(std::shared_ptr<detail::DatabaseCore> core);

    template <class F>
    struct Work final : detail::WriteWork {
        explicit Work(F& function) : f(function) {}
        Result<void> run(Transaction& writing) override {
            thrown = nullptr;
            try {
                result.emplace(f(writing));
            } catch (...) {
                thrown = std::current_exception();
                return fail(ErrorCode::internal);
            }
            if (!*result) return fail(result->error());
            return {};
        }
        F& f;
        std::optional<std::invoke_result_t<F&, Transaction&>> result;
        std::exception_ptr thrown;
    };

    template <FixedString Sql>
    static constexpr bool is_reading = detail::SqlStatement<Sql>::shape.kind == SqlKind::read;

    template <FixedString Sql, class T, class... A>
    static consteval void check_fetch() {
        detail::check_columns<Sql, T>();
        detail::check_arguments<Sql, A...>();
    }
    template <class T, class... A>
    static consteval void check_fetch() {
        detail::check_row<T>();
        detail::check_bindable<A...>();
    }

    [[nodiscard]] Result<detail::SqlRun> read(detail::SqlKey& key);
    [[nodiscard]] Result<detail::SqlRun> read(SqlText const& sql, std::size_t bound);
    [[nodiscard]] Result<void> write(detail::WriteWork& work);

    std::shared_ptr<detail::DatabaseCore> core_;
};

}  // namespace quern
