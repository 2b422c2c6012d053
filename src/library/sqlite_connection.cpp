// SPDX-License-Identifier: Apache-2.0
#include "library/sqlite_connection.h"

#include <algorithm>
#include <mutex>

#include <quern/assert.h>
#include "library/shared_reads.h"

namespace quern::detail {

namespace sqlite = engine::sqlite;

namespace {

// Numbers a text when it is first used anywhere in the program. Numbers are dense, so that tables are small.
std::uint32_t number_of(SqlKey& key) {
    std::uint32_t const known = key.number.load(std::memory_order_relaxed);
    if (known != 0) [[likely]]
        return known;
    static std::mutex mutex;
    static std::uint32_t last = 0;  // guarded by mutex
    std::lock_guard const lock(mutex);
    std::uint32_t number = key.number.load(std::memory_order_relaxed);
    if (number == 0) {
        number = ++last;
        key.number.store(number, std::memory_order_relaxed);
    }
    return number;
}

}  // namespace

SqlConnection::SqlConnection(std::shared_ptr<sqlite::Shared> shared, sqlite::Connection connection,
                             bool reads, StatementLimits limits)
    : shared_(std::move(shared)),
      connection_(std::move(connection)),
      reads_(reads),
      limits_(std::move(limits)) {}

Result<std::unique_ptr<SqlConnection>> SqlConnection::open(std::shared_ptr<sqlite::Shared> shared,
                                                           sqlite::Role role, StatementLimits limits) {
    QUERN_TRY(auto connection, sqlite::Connection::open(*shared, role));
    bool const reads = role == sqlite::Role::reader;
    return std::unique_ptr<SqlConnection>(
        new SqlConnection(std::move(shared), std::move(connection), reads, std::move(limits)));
}

SqlConnection::~SqlConnection() {
    if (held_) close_snapshot();
}

Result<std::unique_ptr<Prepared>> SqlConnection::prepare(std::string_view sql) {
    limits_.prepared->fetch_add(1, std::memory_order_relaxed);
    sqlite3_stmt* handle = nullptr;
    int const code = sqlite3_prepare_v3(get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
    auto prepared = std::make_unique<Prepared>();
    prepared->statement = sqlite::Statement(handle);
    if (code != SQLITE_OK) return fail(failed(code));
    if (handle == nullptr) return fail(ErrorCode::internal, "The SQL text holds no statement.");
    return prepared;
}

SqlRun SqlConnection::run(Prepared& statement) {
    statement.running = true;
    // Inside another run the snapshot is open already, and waiting for the log's restart would wait for us.
    if (depth_++ == 0 && reads_) enter_snapshot();
    return {*this, statement};
}

void SqlConnection::give_back(Prepared& statement) {
    // What was bound stays: its addresses are not looked at before the next run has bound new values.
    sqlite3_reset(statement.statement.get());
    statement.running = false;
    if (--depth_ == 0 && reads_) leave_snapshot();
}

void SqlConnection::enter_snapshot() {
    bool const shares = are_reads_shared();
    if (held_) {
        bool const fresh = sequence_ == shared_->sequence.load(std::memory_order_acquire);
        if (fresh && shares) [[likely]]
            return;
        close_snapshot();
    }
    shared_->enter_snapshot();
    if (shares) held_ = hold_snapshot();
}

// The sequence is read before the snapshot is taken (which the first read does): then the snapshot may hold
// more than the sequence says, never less. Without a transaction the run is a snapshot of its own.
bool SqlConnection::hold_snapshot() {
    sequence_ = shared_->sequence.load(std::memory_order_acquire);
    if (begin_.get() == nullptr) {
        auto begin = connection_.prepare("BEGIN");
        auto end = connection_.prepare("COMMIT");
        if (!begin || !end) return false;
        begin_ = *std::move(begin);
        end_ = *std::move(end);
    }
    int const code = begin_.step();
    begin_.reset();
    if (code != SQLITE_DONE) return false;
    note_shared_snapshot();
    return true;
}

void SqlConnection::leave_snapshot() {
    // An I/O error or a lack of memory makes SQLite end the transaction.
    if (held_ && !connection_.is_autocommit()) return;
    held_ = false;
    shared_->leave_snapshot();
}

void SqlConnection::end_snapshot() {
    if (held_ && depth_ == 0) close_snapshot();
}

void SqlConnection::close_snapshot() {
    (void)end_.step();  // ends a transaction that only read; should it be gone already, all the better
    end_.reset();
    held_ = false;
    shared_->leave_snapshot();
}

Result<SqlRun> SqlConnection::start(SqlKey& key) {
    std::uint32_t const number = number_of(key);
    if (number < fixed_.size()) [[likely]] {
        Prepared* const kept = fixed_[number].get();
        if (kept != nullptr && !kept->running) [[likely]]
            return run(*kept);
    }
    return start_new(number, key);
}

Result<SqlRun> SqlConnection::start_new(std::uint32_t number, SqlKey& key) {
    if (fixed_.size() <= number) fixed_.resize(std::size_t{number} + 1);
    std::unique_ptr<Prepared>* place = &fixed_[number];
    while (*place != nullptr && (*place)->running) place = &(*place)->next;
    if (*place == nullptr) {
        QUERN_TRY(*place, prepare(key.sql));
    }
    return run(**place);
}

Result<SqlRun> SqlConnection::start(SqlText const& sql) {
    std::size_t const hash = sql.hash();
    for (std::size_t index = 0; index < dynamic_hashes_.size(); ++index) {
        if (dynamic_hashes_[index] != hash) [[likely]]
            continue;
        Prepared& kept = *dynamic_[index];
        if (kept.running || kept.text != sql.sql()) continue;
        kept.used = ++uses_;
        return run(kept);
    }
    QUERN_TRY(auto made, prepare(sql.sql()));
    made->text = sql.sql();
    made->used = ++uses_;
    make_room();
    dynamic_.push_back(std::move(made));
    dynamic_hashes_.push_back(hash);
    return run(*dynamic_.back());
}

// Running statements stay, so there may be more than the limit while they are nested that deep.
void SqlConnection::make_room() {
    while (!dynamic_.empty() && dynamic_.size() >= limits_.dynamic_max) {
        auto const oldest = std::ranges::min_element(
            dynamic_, {}, [](auto const& kept) { return kept->running ? UINT64_MAX : kept->used; });
        if ((*oldest)->running) return;
        dynamic_hashes_.erase(dynamic_hashes_.begin() + (oldest - dynamic_.begin()));
        dynamic_.erase(oldest);
    }
}

Result<void> SqlConnection::execute(std::string_view sql) {
    QUERN_TRY(auto prepared, prepare(sql));
    int code = prepared->statement.step();
    while (code == SQLITE_ROW) code = prepared->statement.step();
    if (code != SQLITE_DONE) return fail(failed(code));
    return {};
}

Result<void> SqlConnection::execute_script(std::string_view script) {
    constexpr std::string_view forbidden[] = {"begin",     "commit",  "end",    "rollback",
                                              "savepoint", "release", "attach", "vacuum"};
    while (!script.empty()) {
        SqlToken const verb = SqlScanner(script).next_solid();
        if (verb.kind == SqlToken::Kind::word && is_any_of(verb.text, forbidden))
            return fail(ErrorCode::internal, "A migration holds " + std::string(verb.text) +
                                                 ": it runs in a transaction of its own already.");
        sqlite3_stmt* handle = nullptr;
        char const* tail = nullptr;
        int code =
            sqlite3_prepare_v3(get(), script.data(), static_cast<int>(script.size()), 0, &handle, &tail);
        sqlite::Statement statement(handle);
        if (code != SQLITE_OK) return fail(failed(code));
        script.remove_prefix(static_cast<std::size_t>(tail - script.data()));
        if (handle == nullptr) continue;  // white space, a comment, a semicolon
        do {
            code = statement.step();
        } while (code == SQLITE_ROW);
        if (code != SQLITE_DONE) return fail(failed(code));
    }
    return {};
}

Error SqlConnection::failed(int code) {
    Error error = sql_error(code, sqlite3_errmsg(get()));
    if (!reads_ && !undone_ && connection_.is_autocommit()) undone_ = error;
    return error;
}

// --- a run ---

namespace {

sqlite3_stmt* handle_of(Prepared const* prepared) { return prepared->statement.get(); }

// The column's value, with its type. Asked for once: each call of a column function looks it up anew.
sqlite3_value* value_of(Prepared const* prepared, int column) {
    return sqlite3_column_value(handle_of(prepared), column);
}

// A view without bytes may have no address, which SQLite would take for null.
void const* address_of(void const* data) { return data == nullptr ? "" : data; }

std::string_view type_name(int type) {
    switch (type) {
    case SQLITE_INTEGER: return "a whole number";
    case SQLITE_FLOAT: return "a floating point number";
    case SQLITE_TEXT: return "text";
    case SQLITE_BLOB: return "bytes";
    default: return "NULL";
    }
}

}  // namespace

void SqlRun::end() {
    connection_->give_back(*statement_);
    if (copied_) [[unlikely]]
        sqlite3_clear_bindings(handle_of(statement_));
}

void SqlRun::note(int code) {
    if (code != SQLITE_OK) [[unlikely]]
        code_ = code;
}
void SqlRun::bind_null(int index) { note(sqlite3_bind_null(handle_of(statement_), index)); }
void SqlRun::bind(int index, std::int64_t value) {
    note(sqlite3_bind_int64(handle_of(statement_), index, value));
}
void SqlRun::bind(int index, double value) { note(sqlite3_bind_double(handle_of(statement_), index, value)); }
void SqlRun::bind(int index, std::string_view text) {
    auto const* const bytes = static_cast<char const*>(address_of(text.data()));
    note(sqlite3_bind_text64(handle_of(statement_), index, bytes, text.size(), SQLITE_STATIC, SQLITE_UTF8));
}
void SqlRun::bind(int index, std::span<std::byte const> bytes) {
    note(sqlite3_bind_blob64(handle_of(statement_), index, address_of(bytes.data()), bytes.size(),
                             SQLITE_STATIC));
}
// SQLite spells its word for "copy this" as a pointer made of -1.
void SqlRun::bind_copy(int index, std::string_view text) {
    copied_ = true;
    auto const* const bytes = static_cast<char const*>(address_of(text.data()));
    note(
        sqlite3_bind_text64(handle_of(statement_), index, bytes, text.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
}
void SqlRun::bind_copy(int index, std::span<std::byte const> bytes) {
    copied_ = true;
    note(sqlite3_bind_blob64(handle_of(statement_), index, address_of(bytes.data()), bytes.size(),
                             SQLITE_TRANSIENT));
}
void SqlRun::refuse(int index) {
    refused_ = index;
    code_ = SQLITE_MISMATCH;
}

bool SqlRun::step() {
    if (code_ != SQLITE_OK) [[unlikely]]
        return false;
    int const code = sqlite3_step(handle_of(statement_));
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) code_ = code;
    return false;
}

Error SqlRun::error() {
    if (refused_ == 0) return connection_->failed(code_);
    return Error(ErrorCode::validation,
                 "The value of parameter " + std::to_string(refused_) + " cannot be stored.");
}

int SqlRun::column_count() const { return sqlite3_column_count(handle_of(statement_)); }

bool SqlRun::is_null(int column) const {
    return sqlite3_column_type(handle_of(statement_), column) == SQLITE_NULL;
}

bool SqlRun::get(int column, std::int64_t& value) const {
    sqlite3_value* const stored = value_of(statement_, column);
    if (sqlite3_value_type(stored) != SQLITE_INTEGER) return false;
    value = sqlite3_value_int64(stored);
    return true;
}

bool SqlRun::get(int column, double& value) const {
    sqlite3_value* const stored = value_of(statement_, column);
    int const type = sqlite3_value_type(stored);
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return false;
    value = sqlite3_value_double(stored);
    if (type == SQLITE_FLOAT) return true;
    // 2^63 itself is a double but no integer of SQLite's: what rounds up to it is not exact.
    constexpr double too_large = 9223372036854775808.0;
    return value < too_large && static_cast<std::int64_t>(value) == sqlite3_value_int64(stored);
}

bool SqlRun::get(int column, std::string_view& text) const {
    sqlite3_value* const stored = value_of(statement_, column);
    if (sqlite3_value_type(stored) != SQLITE_TEXT) return false;
    auto const* const bytes = static_cast<char const*>(static_cast<void const*>(sqlite3_value_text(stored)));
    if (bytes == nullptr) return false;
    text = {bytes, static_cast<std::size_t>(sqlite3_value_bytes(stored))};
    return true;
}

bool SqlRun::get(int column, std::span<std::byte const>& bytes) const {
    sqlite3_value* const stored = value_of(statement_, column);
    if (sqlite3_value_type(stored) != SQLITE_BLOB) return false;
    auto const* const data = static_cast<std::byte const*>(sqlite3_value_blob(stored));
    bytes = {data, data == nullptr ? 0 : static_cast<std::size_t>(sqlite3_value_bytes(stored))};
    return true;
}

void SqlRun::clear_changes() {
    sqlite3_set_last_insert_rowid(connection_->get(), 0);
    changes_before_ = sqlite3_total_changes64(connection_->get());
}

Changes SqlRun::changes() const {
    // A statement that changes the schema does not set the count, which is then an earlier statement's.
    sqlite3* const handle = connection_->get();
    bool const counts = sqlite3_total_changes64(handle) != changes_before_;
    return {counts ? sqlite3_changes64(handle) : 0, sqlite3_last_insert_rowid(handle)};
}

Error SqlRun::misfit(int column, std::string_view wanted) const {
    sqlite3_stmt* const handle = handle_of(statement_);
    char const* const known = sqlite3_column_name(handle, column);
    std::string name(known == nullptr ? "?" : known);
    std::string text = "The column \"" + name + "\" holds ";
    text += type_name(sqlite3_column_type(handle, column));
    text += " where ";
    text += wanted;
    text += " is wanted.";
    Error error(ErrorCode::internal, text);
    error.fields.push_back({std::move(name), "type_mismatch", std::move(text)});
    return error;
}

Error SqlRun::wrong_column_count(std::size_t wanted) const {
    return Error(ErrorCode::internal, "The statement gives " + std::to_string(column_count()) +
                                          " columns, the row type takes " + std::to_string(wanted) + ".");
}

}  // namespace quern::detail
