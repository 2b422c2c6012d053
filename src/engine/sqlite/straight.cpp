// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/straight.h"

#include <string>

#include "engine/sqlite/error.h"

namespace quern::engine::sqlite {

Error Straight::error(int code) const { return error_of(code, sqlite3_errmsg(handle_.get())); }

Result<Straight> Straight::open(std::filesystem::path const& path, Synchronous synchronous) {
    sqlite3* handle = nullptr;
    int const flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    int const code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
    if (handle == nullptr) return fail(ErrorCode::overloaded);
    Straight straight(handle);
    if (code != SQLITE_OK) return fail(straight.error(code));
    // Settings that decide about speed are the engine's. Without this one a statement with LIMIT ? would be
    // prepared anew at each use.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_QPSG, 1, nullptr);
    Options const defaults;  // as much cache as the engine's connections have
    QUERN_CHECK(straight.execute("PRAGMA journal_mode = WAL"));
    QUERN_CHECK(straight.execute(synchronous == Synchronous::full ? "PRAGMA synchronous = FULL"
                                                                  : "PRAGMA synchronous = NORMAL"));
    QUERN_CHECK(straight.execute("PRAGMA foreign_keys = ON"));
    QUERN_CHECK(straight.execute("PRAGMA temp_store = MEMORY"));
    QUERN_CHECK(
        straight.execute("PRAGMA cache_size = -" + std::to_string(defaults.writer_cache_bytes >> 10)));
    return straight;
}

Result<void> Straight::execute(std::string_view sql) {
    int const code = sqlite3_exec(handle_.get(), std::string(sql).c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return fail(error(code));
    return {};
}

Result<std::size_t> Straight::prepare(std::string_view sql) {
    sqlite3_stmt* handle = nullptr;
    int const code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    if (code != SQLITE_OK) return fail(error(code));
    statements_.emplace_back(handle);
    return statements_.size() - 1;
}

Result<std::size_t> Straight::run(std::size_t index, std::span<Value const> values, RowSink& sink) {
    Statement& statement = statements_[index];
    int code = SQLITE_OK;
    for (std::size_t value = 0; value < values.size() && code == SQLITE_OK; ++value)
        code = statement.bind(static_cast<int>(value + 1), values[value]);
    auto poured = code == SQLITE_OK ? pour(statement, sink) : fail(error(code));
    statement.reset();
    return poured;
}

Result<std::size_t> Straight::pour(Statement& statement, RowSink& sink) {
    auto const columns = static_cast<std::size_t>(sqlite3_column_count(statement.get()));
    row_.resize(columns);
    std::size_t rows = 0;
    while (true) {
        int const code = statement.step();
        if (code == SQLITE_DONE) return rows;
        if (code != SQLITE_ROW) return fail(error(code));
        ++rows;
        for (std::size_t column = 0; column < columns; ++column)
            row_[column] = statement.column(static_cast<int>(column));
        if (!sink.row(row_)) return rows;
    }
}

}  // namespace quern::engine::sqlite
