// SPDX-License-Identifier: Apache-2.0
#pragma once

// SQLite's C API and nothing between, to measure what an engine adds: one connection, statements prepared
// once, values bound and rows stepped through.
//
// The file is in WAL mode and as durable as the engine's. What differs: every statement outside of a
// transaction begins and ends one of its own, and the commit that fills the log moves it into the file.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "engine/sqlite/connection.h"
#include "engine/sqlite/sqlite.h"
#include "schema/row_sink.h"
#include "schema/value.h"

namespace quern::engine::sqlite {

// Errors of all members: as SQLite tells, with its message.
// Threads: one at a time.
class Straight {
public:
    // Opens the file, or makes it, with foreign keys on.
    [[nodiscard]] static Result<Straight> open(std::filesystem::path const& path, Synchronous synchronous);

    // Runs a text without parameters that gives no rows of interest.
    [[nodiscard]] Result<void> execute(std::string_view sql);
    // Keeps a prepared statement; its number is what run() takes.
    [[nodiscard]] Result<std::size_t> prepare(std::string_view sql);
    // Runs a statement to its end and pours its rows, if any, into `sink`. Values are bound in order.
    // Returns how many rows there were.
    [[nodiscard]] Result<std::size_t> run(std::size_t statement, std::span<Value const> values,
                                          RowSink& sink);

private:
    struct Close {
        void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
    };
    explicit Straight(sqlite3* handle) : handle_(handle) {}
    [[nodiscard]] Error error(int code) const;
    [[nodiscard]] Result<std::size_t> pour(Statement& statement, RowSink& sink);

    std::unique_ptr<sqlite3, Close> handle_;
    std::vector<Statement> statements_;  // behind the handle: they end first
    std::vector<Value> row_;
};

}  // namespace quern::engine::sqlite
