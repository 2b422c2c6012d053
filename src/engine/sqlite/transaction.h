// SPDX-License-Identifier: Apache-2.0
#pragma once

// The write transaction, and the writer that opens and ends it.

#include <memory>
#include <optional>

#include "engine/sqlite/runner.h"
#include "engine/sqlite/shared.h"
#include "engine/sqlite/write_cache.h"

namespace quern::engine::sqlite {

// Threads: the writer's.
class SqliteTransaction final : public Transaction {
public:
    SqliteTransaction(Shared& shared, Connection& connection);
    [[nodiscard]] Result<void> prepare();

    // Reader, over its own writes
    [[nodiscard]] Result<void> select(plan::BoundPlan bound, RowSink& sink) override;
    [[nodiscard]] Result<std::int64_t> count(plan::BoundPlan bound) override;
    void set_budget(Budget budget) override { connection_.watch().set_budget(budget); }
    void end_snapshot() override {}
    void hold_snapshot() override {}

    [[nodiscard]] Result<void> insert(Collection const& collection, std::span<Assignment const> row) override;
    [[nodiscard]] Result<bool> update(Collection const& collection, std::string_view id,
                                      std::span<Assignment const> changes) override;
    [[nodiscard]] Result<bool> remove(Collection const& collection, std::string_view id) override;
    [[nodiscard]] Result<void> truncate(Collection const& collection) override;
    [[nodiscard]] Result<void> savepoint() override;
    [[nodiscard]] Result<void> release_savepoint() override;
    [[nodiscard]] Result<void> rollback_to_savepoint() override;
    [[nodiscard]] Result<void> alter(std::span<TableChange const> changes, Schema const& schema) override;
    [[nodiscard]] bool is_active() const override { return active_; }

    // Of the writer: a transaction has been opened; it ends.
    void opened();
    void closed();
    // Why it is no longer active.
    [[nodiscard]] Error ended() const;

private:
    // Every failed statement passes through here: SQLite may have undone everything.
    template <class T>
    [[nodiscard]] Result<T> noted(Result<T> result);
    void note(Error const& error);
    [[nodiscard]] Result<void> check_active() const;

    [[nodiscard]] Result<std::int64_t> run(Statement& statement, Collection const& collection,
                                           std::span<Assignment const> row);
    [[nodiscard]] Result<void> insert_row(Collection const& collection, std::span<Assignment const> row);
    [[nodiscard]] Result<bool> update_row(Collection const& collection, std::string_view id,
                                          std::span<Assignment const> changes);
    [[nodiscard]] Result<bool> has_row(Collection const& collection, std::string_view id);
    [[nodiscard]] Result<void> write_targets(Collection const& collection, std::string_view owner,
                                             Assignment const& assignment, bool clear_first);
    [[nodiscard]] Result<void> step(Statement& statement);
    // Runs `work` so that its error leaves nothing behind.
    template <class Work>
    [[nodiscard]] auto as_a_whole(Work work) -> decltype(work());

    Shared& shared_;
    Connection& connection_;
    Runner runner_;
    WriteCache writes_;
    Statement savepoint_;
    Statement release_;
    Statement rollback_to_;
    bool active_ = false;
    bool altered_ = false;  // tables changed: if that is undone, so are cached statements
    std::optional<Error> ended_;
};

// Threads: one at a time.
class SqliteWriter final : public Writer {
public:
    [[nodiscard]] static Result<std::unique_ptr<Writer>> open(std::shared_ptr<Shared> shared);
    ~SqliteWriter() override;

    [[nodiscard]] Result<Transaction*> begin() override;
    [[nodiscard]] Result<void> commit() override;
    void rollback() override;

private:
    SqliteWriter(std::shared_ptr<Shared> shared, Connection connection);
    [[nodiscard]] Result<void> prepare();
    [[nodiscard]] Result<void> begin_log();
    [[nodiscard]] Result<void> make_room();
    void leave();
    static int note_log(void* writer, sqlite3* connection, char const* database, int frames);

    std::shared_ptr<Shared> shared_;
    Connection connection_;
    Statement begin_;
    Statement commit_;
    Statement rollback_;
    Statement page_count_;
    SqliteTransaction transaction_;
    bool open_ = false;             // the gate is ours
    std::uint64_t log_frames_ = 0;  // after the last commit
    std::int64_t room_pages_ = 0;   // that the file has room for, unless it has been cut since
    std::uint64_t room_cuts_ = 0;
};

}  // namespace quern::engine::sqlite
