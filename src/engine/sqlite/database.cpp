// SPDX-License-Identifier: Apache-2.0

// The engine: opens the file and hands out readers and the writer.

#include <mutex>
#include <system_error>

#include <quern/assert.h>
#include "engine/sqlite/checkpoint.h"
#include "engine/sqlite/reader.h"
#include "engine/sqlite/sqlite.h"
#include "engine/sqlite/transaction.h"

namespace quern::engine::sqlite {

namespace {

// Once for the process: connections stay on their threads, so SQLite needs no lock for each; nobody asks for
// its memory statistics, which cost a lock for every allocation. Should somebody have started SQLite before,
// these calls are refused, which is slower and not wrong.
Result<void> start_sqlite() {
    static int const started = [] {
        sqlite3_config(SQLITE_CONFIG_MULTITHREAD);
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
        return sqlite3_initialize();
    }();
    if (started != SQLITE_OK) return fail(ErrorCode::overloaded);
    return {};
}

class SqliteDatabase final : public Database {
public:
    explicit SqliteDatabase(std::shared_ptr<Shared> shared, Connection keeper)
        : shared_(std::move(shared)), checkpointer_(shared_, std::move(keeper)) {
        if (shared_->options.checkpoint_thread) checkpointer_.start_thread();
    }

    [[nodiscard]] Abilities abilities() const override { return {.name = "sqlite", .durable = true}; }

    [[nodiscard]] Result<std::unique_ptr<Reader>> open_reader() override {
        return SqliteReader::open(shared_);
    }

    [[nodiscard]] Result<std::unique_ptr<Writer>> open_writer() override {
        QUERN_ASSERT(!writer_opened_, "there is one writer");
        writer_opened_ = true;
        return SqliteWriter::open(shared_);
    }

    [[nodiscard]] Result<bool> has_table(std::string_view name) override {
        return checkpointer_.has_table(name);
    }

    [[nodiscard]] Statistics statistics() const override {
        Statistics now;
        now.prepared = shared_->prepared;
        now.commits = shared_->commits;
        now.checkpoints = shared_->checkpoints;
        now.checkpoint_failures = shared_->checkpoint_failures;
        now.restarts = shared_->restarts;
        now.restarts_put_off = shared_->restarts_put_off;
        now.log_bytes = shared_->log_frames * shared_->page_bytes;
        now.snapshots = static_cast<std::uint64_t>(shared_->holders);
        now.counts_kept = shared_->counts_kept;
        return now;
    }

    [[nodiscard]] Result<void> checkpoint(bool restart) override { return checkpointer_.run(restart); }

private:
    std::shared_ptr<Shared> shared_;
    Checkpointer checkpointer_;
    bool writer_opened_ = false;
};

}  // namespace

Result<std::unique_ptr<Database>> open(Options options) {
    QUERN_CHECK(start_sqlite());
    auto shared = std::make_shared<Shared>(std::move(options));
    QUERN_TRY(auto keeper, Connection::open(*shared, Role::keeper));
    if (auto file = os::File::open(shared->options.path, os::OpenMode::read_write); file) {
        shared->file = *std::move(file);
    }
    return std::make_unique<SqliteDatabase>(std::move(shared), std::move(keeper));
}

}  // namespace quern::engine::sqlite
