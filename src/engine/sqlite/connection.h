// SPDX-License-Identifier: Apache-2.0
#pragma once

// One connection to the file, and one statement on it: thin owners around SQLite's handles.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <sqlite3.h>

#include <quern/error.h>
#include "engine/engine.h"
#include "engine/sqlite/sqlite.h"
#include "schema/value.h"

namespace quern::engine::sqlite {

struct Shared;

// Stops the statement that runs past its budget. It is started for each statement and stopped with it, so it
// can never hit another one; no other thread interrupts a connection.
class Watch {
public:
    explicit Watch(os::Clock const& clock) : clock_(clock) {}

    // Progress is looked at each time this many of SQLite's instructions have run: some 5 µs.
    static constexpr int instructions = 1000;

    void set_budget(Budget budget) { budget_ = budget; }
    [[nodiscard]] Budget budget() const { return budget_; }

    // The running statement's deadline; the one of an outer statement is put back afterwards.
    class Running {
    public:
        explicit Running(Watch& watch) : watch_(watch), outer_us_(watch.deadline_us_) {
            if (watch.budget_.run_max.count() > 0) {
                watch.deadline_us_ = watch.clock_.monotonic_us() + watch.budget_.run_max.count();
            }
        }
        Running(Running const&) = delete;
        Running& operator=(Running const&) = delete;
        ~Running() { watch_.deadline_us_ = outer_us_; }

    private:
        Watch& watch_;
        std::int64_t outer_us_;
    };

    // As sqlite3_progress_handler wants it.
    static int progress(void* watch);

private:
    os::Clock const& clock_;
    Budget budget_;
    std::int64_t deadline_us_ = 0;
};

// A prepared statement. Lifetime: at most as long as its connection.
class Statement {
public:
    Statement() = default;
    explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
    Statement(Statement&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    Statement& operator=(Statement&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Statement() { sqlite3_finalize(handle_); }

    [[nodiscard]] sqlite3_stmt* get() const { return handle_; }
    explicit operator bool() const { return handle_ != nullptr; }

    // Binds parameter `index` (1-based) without copying. Lifetime: until cleared.
    // Returns SQLite's result code.
    int bind(int index, Value const& value);
    [[nodiscard]] int step() { return sqlite3_step(handle_); }
    // Ready for the next run: what was bound is forgotten.
    void reset() {
        sqlite3_reset(handle_);
        sqlite3_clear_bindings(handle_);
    }
    // Of the current row. Lifetime: until the next step or reset.
    [[nodiscard]] Value column(int index) const;

private:
    sqlite3_stmt* handle_ = nullptr;
};

// A value as SQLite hands it to a function or in a row. False when memory ran out.
[[nodiscard]] bool read_value(sqlite3_value* source, Value& value);

enum class Role : std::uint8_t { keeper, reader, writer };

// Threads: one at a time.
class Connection {
public:
    [[nodiscard]] static Result<Connection> open(Shared& shared, Role role);
    Connection(Connection&&) = default;
    Connection& operator=(Connection&&) = default;

    [[nodiscard]] sqlite3* get() const { return handle_.get(); }
    [[nodiscard]] Watch& watch() const { return *watch_; }

    // Prepares one statement; text behind it is refused.
    [[nodiscard]] Result<Statement> prepare(std::string_view sql, bool persistent = true) const;
    // Runs one statement to its end, with parameters bound in order.
    [[nodiscard]] Result<void> execute(std::string_view sql, std::span<Value const> parameters = {}) const;
    // The first column of the first row as text; empty without one.
    [[nodiscard]] Result<std::string> query_text(std::string_view sql,
                                                 std::span<Value const> parameters = {}) const;
    [[nodiscard]] Result<std::int64_t> query_integer(std::string_view sql,
                                                     std::span<Value const> parameters = {}) const;

    // Whether no transaction is open (any more).
    [[nodiscard]] bool is_autocommit() const { return sqlite3_get_autocommit(get()) != 0; }
    // What went wrong last on this connection, with SQLite's `code`.
    [[nodiscard]] Error error(int code) const;

private:
    Connection(Shared& shared, sqlite3* handle);
    [[nodiscard]] Result<void> configure(Role role);
    [[nodiscard]] Result<void> switch_to_log();

    struct Close {
        void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    };
    Shared* shared_;
    std::unique_ptr<Watch> watch_;  // in front of the handle: SQLite keeps a pointer to it
    std::unique_ptr<sqlite3, Close> handle_;
};

}  // namespace quern::engine::sqlite
