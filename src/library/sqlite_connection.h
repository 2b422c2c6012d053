// SPDX-License-Identifier: Apache-2.0
#pragma once

// A connection with the statements that it keeps ready.
//
// Texts that the compiler knows have a number in the program, which is their place in the connection's table.
// Texts of the run time are found by their hash among a bounded number. A statement that is running when it
// is wanted again (a query inside query_each) gets a second instance, which stays.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include <quern/sql_text.h>
#include <quern/sqlite_row.h>
#include "engine/sqlite/connection.h"
#include "engine/sqlite/shared.h"

namespace quern::detail {

// SQLite's result as an error of ours. `message` is what SQLite says to it.
[[nodiscard]] Error sql_error(int code, std::string_view message);

// Whether a text of the run time takes so many values. Errors: parameter_invalid.
[[nodiscard]] Result<void> check_bound(SqlText const& sql, std::size_t bound);

struct Prepared {
    engine::sqlite::Statement statement;
    bool running = false;
    std::unique_ptr<Prepared> next;  // another instance of the same text

    // of texts of the run time
    std::string text;
    std::uint64_t used = 0;  // when last, by the connection's count
};

// What all connections of a Database have in common.
struct StatementLimits {
    std::size_t dynamic_max = 1;
    std::shared_ptr<std::atomic<std::uint64_t>> prepared;  // counts
};

// Threads: one at a time.
class SqlConnection {
public:
    [[nodiscard]] static Result<std::unique_ptr<SqlConnection>> open(
        std::shared_ptr<engine::sqlite::Shared> shared, engine::sqlite::Role role, StatementLimits limits);
    ~SqlConnection();
    SqlConnection(SqlConnection const&) = delete;
    SqlConnection& operator=(SqlConnection const&) = delete;

    // Errors: those of preparing.
    [[nodiscard]] Result<SqlRun> start(SqlKey& key);
    [[nodiscard]] Result<SqlRun> start(SqlText const& sql);
    // Of a run that ends.
    void give_back(Prepared& statement);
    // Gives up the snapshot that reads share, unless one is running.
    void end_snapshot();

    // Runs one statement without values, for the writer.
    [[nodiscard]] Result<void> execute(std::string_view sql);
    // Runs a script of several statements. Errors: internal — also for one that controls the transaction.
    [[nodiscard]] Result<void> execute_script(std::string_view script);

    [[nodiscard]] sqlite3* get() const { return connection_.get(); }
    [[nodiscard]] engine::sqlite::Connection& engine() { return connection_; }
    // The error of SQLite's `code`; remembered when it cost the whole transaction.
    [[nodiscard]] Error failed(int code);

    // For the writer: why SQLite undid the transaction, if it did.
    [[nodiscard]] std::optional<Error> const& undone() const { return undone_; }
    void transaction_begun() { undone_.reset(); }

private:
    SqlConnection(std::shared_ptr<engine::sqlite::Shared> shared, engine::sqlite::Connection connection,
                  bool reads, StatementLimits limits);

    [[nodiscard]] Result<std::unique_ptr<Prepared>> prepare(std::string_view sql);
    [[nodiscard]] SqlRun run(Prepared& statement);
    [[nodiscard]] Result<SqlRun> start_new(std::uint32_t number, SqlKey& key);
    void make_room();
    void enter_snapshot();
    void leave_snapshot();
    [[nodiscard]] bool hold_snapshot();
    void close_snapshot();

    std::shared_ptr<engine::sqlite::Shared> shared_;
    engine::sqlite::Connection connection_;
    bool reads_;  // every outermost run is a snapshot, or is in one that is held
    int depth_ = 0;
    bool held_ = false;           // a snapshot is, by a transaction that only reads
    std::uint64_t sequence_ = 0;  // of commits, when it was taken
    engine::sqlite::Statement begin_;
    engine::sqlite::Statement end_;
    StatementLimits limits_;
    std::uint64_t uses_ = 0;
    std::vector<std::unique_ptr<Prepared>> fixed_;  // by number
    std::vector<std::unique_ptr<Prepared>> dynamic_;
    std::vector<std::size_t> dynamic_hashes_;  // of their texts, apart so that a search reads few cache lines
    std::optional<Error> undone_;
};

// A migration's script turns legacy_alter_table on and off again; one that fails in between leaves it on.
class LegacyRenameReset {
public:
    explicit LegacyRenameReset(SqlConnection const& connection) : connection_(connection) {}
    LegacyRenameReset(LegacyRenameReset const&) = delete;
    LegacyRenameReset& operator=(LegacyRenameReset const&) = delete;
    ~LegacyRenameReset() {
        sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, 0, nullptr);
    }

private:
    SqlConnection const& connection_;
};

}  // namespace quern::detail
