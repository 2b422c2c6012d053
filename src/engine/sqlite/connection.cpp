// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/connection.h"

#include <algorithm>
#include <climits>

#include <quern/assert.h>
#include "engine/sqlite/error.h"
#include "engine/sqlite/shared.h"
#include "engine/sqlite/sql_functions.h"

namespace quern::engine::sqlite {

namespace {

// The log file is cut to this size when it starts over: a backstop, it should never get there.
constexpr std::int64_t log_kept_bytes_max = 64 << 20;

std::string vfs_of(Options const& options) {
    if (!options.vfs_name.empty()) return options.vfs_name;
    return options.exclusive ? "unix-excl" : "unix";
}

}  // namespace

int Watch::progress(void* watch) {
    auto const& self = *static_cast<Watch*>(watch);
    return self.deadline_us_ != 0 && self.clock_.monotonic_us() >= self.deadline_us_ ? 1 : 0;
}

int Statement::bind(int index, Value const& value) {
    switch (value.kind) {
    case ValueKind::null: return sqlite3_bind_null(handle_, index);
    case ValueKind::integer: return sqlite3_bind_int64(handle_, index, value.integer);
    case ValueKind::real: return sqlite3_bind_double(handle_, index, value.real);
    case ValueKind::text:
    case ValueKind::blob: break;
    }
    // A view without bytes may have no address, which SQLite would take for null.
    char const* const bytes = value.text.data() == nullptr ? "" : value.text.data();
    auto const size = static_cast<sqlite3_uint64>(value.text.size());
    if (value.kind == ValueKind::blob) return sqlite3_bind_blob64(handle_, index, bytes, size, SQLITE_STATIC);
    return sqlite3_bind_text64(handle_, index, bytes, size, SQLITE_STATIC, SQLITE_UTF8);
}

Value Statement::column(int index) const {
    Value value;
    if (!read_value(sqlite3_column_value(handle_, index), value)) return {};
    return value;
}

bool read_value(sqlite3_value* source, Value& value) {
    switch (sqlite3_value_type(source)) {
    case SQLITE_NULL: value = Value{}; return true;
    case SQLITE_INTEGER:
        value = Value::of(static_cast<std::int64_t>(sqlite3_value_int64(source)));
        return true;
    case SQLITE_FLOAT: value = Value::of(sqlite3_value_double(source)); return true;
    case SQLITE_TEXT: value.kind = ValueKind::text; break;
    default: value.kind = ValueKind::blob; break;
    }
    auto const* const bytes = value.kind == ValueKind::text
                                  ? static_cast<void const*>(sqlite3_value_text(source))
                                  : sqlite3_value_blob(source);
    auto const size = static_cast<std::size_t>(sqlite3_value_bytes(source));
    value.text = {static_cast<char const*>(bytes), size};
    return bytes != nullptr || (size == 0 && value.kind == ValueKind::blob);
}

Connection::Connection(Shared& shared, sqlite3* handle)
    : shared_(&shared), watch_(std::make_unique<Watch>(shared.clock)), handle_(handle) {}

Result<Connection> Connection::open(Shared& shared, Role role) {
    sqlite3* handle = nullptr;
    int const flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                      (role == Role::keeper ? SQLITE_OPEN_CREATE : 0);
    int const code =
        sqlite3_open_v2(shared.options.path.c_str(), &handle, flags, vfs_of(shared.options).c_str());
    if (handle == nullptr) return fail(ErrorCode::overloaded);
    Connection connection(shared, handle);
    if (code != SQLITE_OK) return fail(connection.error(code));
    QUERN_CHECK(connection.configure(role));
    return connection;
}

Result<void> Connection::configure(Role role) {
    Options const& options = shared_->options;
    auto const wait = role == Role::writer ? options.write_busy_wait : options.busy_wait;
    sqlite3_busy_timeout(get(), static_cast<int>(std::min<std::int64_t>(wait.count(), INT_MAX)));
    for (auto const& [option, on] :
         {std::pair(SQLITE_DBCONFIG_DEFENSIVE, 1), std::pair(SQLITE_DBCONFIG_DQS_DML, 0),
          std::pair(SQLITE_DBCONFIG_DQS_DDL, 0), std::pair(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
          // Plans must not depend on bound values: a statement whose plan did is prepared anew at each use.
          std::pair(SQLITE_DBCONFIG_ENABLE_QPSG, 1)}) {
        sqlite3_db_config(get(), option, on, nullptr);
    }
    sqlite3_limit(get(), SQLITE_LIMIT_ATTACHED, 0);
    if (role == Role::keeper) QUERN_CHECK(switch_to_log());
    QUERN_CHECK(execute(options.synchronous == Synchronous::full ? "PRAGMA synchronous = FULL"
                                                                 : "PRAGMA synchronous = NORMAL"));
    QUERN_CHECK(execute("PRAGMA wal_autocheckpoint = 0"));
    QUERN_CHECK(execute("PRAGMA journal_size_limit = " + std::to_string(log_kept_bytes_max)));
    QUERN_CHECK(execute("PRAGMA temp_store = MEMORY"));
    QUERN_CHECK(execute("PRAGMA foreign_keys = ON"));
    QUERN_CHECK(execute("PRAGMA cell_size_check = ON"));
    QUERN_CHECK(execute("PRAGMA mmap_size = " + std::to_string(options.mapped_bytes)));
    constexpr std::size_t bytes_per_kib = 1024;
    std::size_t const cache = role == Role::writer ? options.writer_cache_bytes : options.reader_cache_bytes;
    QUERN_CHECK(
        execute("PRAGMA cache_size = -" + std::to_string(std::max<std::size_t>(1, cache / bytes_per_kib))));
    if (role == Role::reader) QUERN_CHECK(execute("PRAGMA query_only = ON"));
    if (role != Role::reader) {  // the file grows, and is cut after a checkpoint, in such steps
        int step = static_cast<int>(growth_bytes);
        sqlite3_file_control(get(), "main", SQLITE_FCNTL_CHUNK_SIZE, &step);
    }
    QUERN_CHECK(register_functions(get()));
    sqlite3_progress_handler(get(), Watch::instructions, &Watch::progress, watch_.get());
    return {};
}

// A file that is not yet in WAL mode still has a rollback journal, which the switch deletes. Only EXTRA syncs
// the directory then; without, a crash could bring the journal back and with it the old pages.
Result<void> Connection::switch_to_log() {
    QUERN_CHECK(execute("PRAGMA synchronous = EXTRA"));
    auto mode = query_text("PRAGMA journal_mode = WAL");
    if (!mode && mode.error().code == ErrorCode::overloaded) {
        return fail(ErrorCode::conflict, "Another process has the database file open.");
    }
    if (!mode) return fail(std::move(mode).error());
    if (*mode != "wal")
        return fail(ErrorCode::io, "The database file cannot be used with a write-ahead log.");
    QUERN_TRY(auto const page_bytes, query_integer("PRAGMA page_size"));
    shared_->page_bytes = static_cast<std::uint32_t>(page_bytes);
    // Reads the file's first page, so that a file of another kind is found now.
    QUERN_TRY(auto const tables, query_integer("SELECT count(*) FROM sqlite_schema"));
    (void)tables;
    return {};
}

Result<Statement> Connection::prepare(std::string_view sql, bool persistent) const {
    if (shared_->options.on_prepare) shared_->options.on_prepare(sql);
    shared_->prepared.fetch_add(1, std::memory_order_relaxed);
    sqlite3_stmt* handle = nullptr;
    char const* tail = nullptr;
    int const code = sqlite3_prepare_v3(get(), sql.data(), static_cast<int>(sql.size()),
                                        persistent ? SQLITE_PREPARE_PERSISTENT : 0U, &handle, &tail);
    Statement statement(handle);
    if (code != SQLITE_OK) return fail(error(code));
    QUERN_ASSERT(handle != nullptr && tail == sql.data() + sql.size(), "one statement at a time");
    return statement;
}

namespace {

Result<bool> first_step(Connection const& connection, Statement& statement,
                        std::span<Value const> parameters) {
    for (std::size_t index = 0; index < parameters.size(); ++index) {
        int const code = statement.bind(static_cast<int>(index + 1), parameters[index]);
        if (code != SQLITE_OK) return fail(connection.error(code));
    }
    int const code = statement.step();
    if (code != SQLITE_ROW && code != SQLITE_DONE) return fail(connection.error(code));
    return code == SQLITE_ROW;
}

}  // namespace

Result<void> Connection::execute(std::string_view sql, std::span<Value const> parameters) const {
    QUERN_TRY(auto statement, prepare(sql, false));
    QUERN_TRY(bool row, first_step(*this, statement, parameters));
    while (row) {
        int const code = statement.step();
        if (code != SQLITE_ROW && code != SQLITE_DONE) return fail(error(code));
        row = code == SQLITE_ROW;
    }
    return {};
}

Result<std::string> Connection::query_text(std::string_view sql, std::span<Value const> parameters) const {
    QUERN_TRY(auto statement, prepare(sql, false));
    QUERN_TRY(bool const row, first_step(*this, statement, parameters));
    return row ? std::string(statement.column(0).text) : std::string();
}

Result<std::int64_t> Connection::query_integer(std::string_view sql,
                                               std::span<Value const> parameters) const {
    QUERN_TRY(auto statement, prepare(sql, false));
    QUERN_TRY(bool const row, first_step(*this, statement, parameters));
    return row ? static_cast<std::int64_t>(sqlite3_column_int64(statement.get(), 0)) : std::int64_t{0};
}

Error Connection::error(int code) const {
    Error error = error_of(code, sqlite3_errmsg(get()));
    if (code == SQLITE_INTERRUPT) error = Error(watch_->budget().code);
    return error;
}

}  // namespace quern::engine::sqlite
