// SPDX-License-Identifier: Apache-2.0

// Begin, commit and roll back.
//
// A full disk. What is in the log must find room in the file, or the log can never start over: a checkpoint
// that cannot grow the file takes all the space that comes free, page by page, for nothing, and writes get
// none of it. So the file grows before the commit that will need it. Then a full disk refuses the writes that
// grow the data, and them alone: the log can always be moved, its own file keeps its size, and changes and
// removals go on in it.

#include <quern/assert.h>
#include "engine/sqlite/checkpoint.h"
#include "engine/sqlite/transaction.h"

namespace quern::engine::sqlite {

SqliteWriter::SqliteWriter(std::shared_ptr<Shared> shared, Connection connection)
    : shared_(std::move(shared)), connection_(std::move(connection)), transaction_(*shared_, connection_) {}

Result<std::unique_ptr<Writer>> SqliteWriter::open(std::shared_ptr<Shared> shared) {
    QUERN_TRY(auto connection, Connection::open(*shared, Role::writer));
    std::unique_ptr<SqliteWriter> writer(new SqliteWriter(std::move(shared), std::move(connection)));
    QUERN_CHECK(writer->prepare());
    QUERN_CHECK(writer->begin_log());
    return writer;
}

Result<void> SqliteWriter::prepare() {
    QUERN_TRY(begin_, connection_.prepare("BEGIN IMMEDIATE"));
    QUERN_TRY(commit_, connection_.prepare("COMMIT"));
    QUERN_TRY(rollback_, connection_.prepare("ROLLBACK"));
    QUERN_TRY(page_count_, connection_.prepare("PRAGMA page_count"));
    QUERN_CHECK(transaction_.prepare());
    sqlite3_wal_hook(connection_.get(), &SqliteWriter::note_log, this);
    return {};
}

// SQLite tells snapshots apart only once the log holds something (see count_cache.h). Where the disk is full
// or another process writes, counts are not kept for now, which is slower and not wrong.
Result<void> SqliteWriter::begin_log() {
    auto const marked = [this]() -> Result<void> {
        QUERN_TRY(std::int64_t const version, connection_.query_integer("PRAGMA user_version"));
        QUERN_CHECK(begin());
        QUERN_CHECK(connection_.execute("PRAGMA user_version = " + std::to_string(version)));
        return commit();
    }();
    if (marked) return {};
    if (open_) rollback();
    bool const harmless =
        marked.error().code == ErrorCode::disk_full || marked.error().code == ErrorCode::overloaded;
    return harmless ? Result<void>() : marked;
}

SqliteWriter::~SqliteWriter() { rollback(); }

int SqliteWriter::note_log(void* writer, sqlite3*, char const*, int frames) {
    static_cast<SqliteWriter*>(writer)->log_frames_ = static_cast<std::uint64_t>(frames);
    return SQLITE_OK;
}

Result<Transaction*> SqliteWriter::begin() {
    QUERN_ASSERT(!open_, "one transaction at a time");
    shared_->gate.enter_writer();
    open_ = true;
    int const code = begin_.step();
    begin_.reset();
    if (code != SQLITE_DONE) {
        auto error = connection_.error(code);
        leave();
        return fail(std::move(error));
    }
    transaction_.opened();
    return &transaction_;
}

Result<void> SqliteWriter::commit() {
    QUERN_ASSERT(open_, "commit ends a transaction");
    if (!transaction_.is_active()) {
        auto error = transaction_.ended();
        rollback();
        return fail(std::move(error));
    }
    if (auto room = make_room(); !room) {
        rollback();
        ask_for_restart(*shared_);
        return room;
    }
    if (shared_->sync_failed) {
        rollback();
        sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
        return fail(sync_error());
    }
    int const code = commit_.step();
    commit_.reset();
    if (code != SQLITE_DONE) {
        auto error = connection_.error(code);
        rollback();
        if (error.code == ErrorCode::disk_full) ask_for_restart(*shared_);
        return fail(std::move(error));
    }
    shared_->commits.fetch_add(1, std::memory_order_relaxed);
    shared_->sequence.fetch_add(1);  // behind the commit and in front of every answer: readers look at it
    note_commit(*shared_, log_frames_);
    leave();
    return {};
}

// So that the file can hold every page of this transaction.
Result<void> SqliteWriter::make_room() {
    int const code = page_count_.step();
    std::int64_t const pages = code == SQLITE_ROW ? sqlite3_column_int64(page_count_.get(), 0) : 0;
    page_count_.reset();
    if (code != SQLITE_ROW) return fail(connection_.error(code));
    std::uint64_t const cuts = shared_->file_cuts;
    if (pages <= room_pages_ && cuts == room_cuts_) return {};
    QUERN_CHECK(shared_->grow_file(static_cast<std::uint64_t>(pages) * shared_->page_bytes));
    room_pages_ = pages;
    room_cuts_ = cuts;
    return {};
}

void SqliteWriter::rollback() {
    if (!open_) return;
    if (!connection_.is_autocommit()) {
        (void)rollback_.step();
        rollback_.reset();
    }
    leave();
}

void SqliteWriter::leave() {
    transaction_.closed();
    open_ = false;
    shared_->gate.leave();
}

}  // namespace quern::engine::sqlite
