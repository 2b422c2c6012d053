// SPDX-License-Identifier: Apache-2.0

// Begin, commit and roll back.

#include "base/assert.h"
#include "engine/sqlite/checkpoint.h"
#include "engine/sqlite/transaction.h"

namespace quern::engine::sqlite {

SqliteWriter::SqliteWriter(std::shared_ptr<Shared> shared, Connection connection)
    : shared_(std::move(shared)), connection_(std::move(connection)), transaction_(*shared_, connection_) {}

Result<std::unique_ptr<Writer>> SqliteWriter::open(std::shared_ptr<Shared> shared) {
    QUERN_TRY(auto connection, Connection::open(*shared, Role::writer));
    std::unique_ptr<SqliteWriter> writer(new SqliteWriter(std::move(shared), std::move(connection)));
    QUERN_CHECK(writer->prepare());
    return writer;
}

Result<void> SqliteWriter::prepare() {
    QUERN_TRY(begin_, connection_.prepare("BEGIN IMMEDIATE"));
    QUERN_TRY(commit_, connection_.prepare("COMMIT"));
    QUERN_TRY(rollback_, connection_.prepare("ROLLBACK"));
    QUERN_CHECK(transaction_.prepare());
    sqlite3_wal_hook(connection_.get(), &SqliteWriter::note_log, this);
    return {};
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
        return fail(std::move(error));
    }
    shared_->commits.fetch_add(1, std::memory_order_relaxed);
    shared_->sequence.fetch_add(1);  // behind the commit and in front of every answer: readers look at it
    note_commit(*shared_, log_frames_);
    leave();
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
