// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/reader.h"

namespace quern::engine::sqlite {

SqliteReader::SqliteReader(std::shared_ptr<Shared> shared, Connection connection)
    : shared_(std::move(shared)),
      connection_(std::move(connection)),
      runner_(connection_, shared_->options.statements_max) {}

Result<std::unique_ptr<Reader>> SqliteReader::open(std::shared_ptr<Shared> shared) {
    QUERN_TRY(auto connection, Connection::open(*shared, Role::reader));
    std::unique_ptr<SqliteReader> reader(new SqliteReader(std::move(shared), std::move(connection)));
    QUERN_CHECK(reader->prepare());
    return reader;
}

Result<void> SqliteReader::prepare() {
    QUERN_TRY(begin_, connection_.prepare("BEGIN"));
    QUERN_TRY(end_, connection_.prepare("COMMIT"));
    QUERN_TRY(touch_, connection_.prepare("SELECT count(*) FROM sqlite_schema"));
    return {};
}

SqliteReader::~SqliteReader() { end_snapshot(); }

Result<void> SqliteReader::select(plan::BoundPlan bound, RowSink& sink) {
    QUERN_CHECK(refresh());
    auto result = runner_.select(bound, sink);
    if (!result) [[unlikely]]
        after_error();
    return result;
}

Result<std::int64_t> SqliteReader::count(plan::BoundPlan bound) {
    QUERN_CHECK(refresh());
    if (!held_) begin_reading();
    auto const snapshot = snapshot_id(connection_);
    if (snapshot) {
        QUERN_CHECK(runner_.write_count_key(bound, key_));
        if (auto const known = shared_->counts.find(*snapshot, key_)) {
            shared_->counts_kept.fetch_add(1, std::memory_order_relaxed);
            return *known;
        }
    }
    std::int64_t const start_us = shared_->clock.monotonic_us();
    auto result = runner_.count(bound);
    if (!result) [[unlikely]]
        after_error();
    bool const slow = shared_->clock.monotonic_us() - start_us >= CountCache::slow_us;
    if (result && snapshot && slow) shared_->counts.keep(*snapshot, key_, *result);
    return result;
}

// An I/O error or a lack of memory makes SQLite end the transaction.
void SqliteReader::after_error() {
    if (open_ && connection_.is_autocommit()) end_snapshot();
}

// The sequence is read before the snapshot is taken (which the first read does): then the snapshot may hold
// more than the sequence says, never less.
Result<void> SqliteReader::reopen() {
    end_snapshot();
    shared_->enter_snapshot();
    sequence_ = shared_->sequence.load(std::memory_order_acquire);
    int const code = begin_.step();
    begin_.reset();
    if (code != SQLITE_DONE) {
        shared_->leave_snapshot();
        return fail(connection_.error(code));
    }
    open_ = true;
    return {};
}

void SqliteReader::end_snapshot() {
    held_ = false;
    if (!open_ || runner_.depth() > 0) return;
    (void)end_.step();  // ends a transaction that only read; should it be gone already, all the better
    end_.reset();
    open_ = false;
    shared_->leave_snapshot();
}

void SqliteReader::hold_snapshot() {
    if (auto const opened = refresh(); !opened) return;  // the next read tries again and reports
    held_ = true;
    begin_reading();
}

// A transaction has its snapshot from its first read on.
void SqliteReader::begin_reading() {
    (void)touch_.step();
    touch_.reset();
}

}  // namespace quern::engine::sqlite
