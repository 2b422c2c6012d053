// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one writer of a Database: a fair queue, and group commit.
//
// One batch runs at a time, by whoever holds `active_`. A caller that finds nobody writing and nobody waiting
// runs its own batch on its own thread, which spares two changes of threads; whatever queues meanwhile is the
// writer thread's next batch.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include <quern/error.h>
#include <quern/sqlite.h>
#include "library/sqlite_connection.h"

namespace quern::detail {

// A queued write. Lifetime: until done().
class QueuedWrite {
public:
    virtual ~QueuedWrite() = default;
    virtual Result<void> run(Transaction& transaction) = 0;
    // Called once; may end the object.
    virtual void done(Result<void> result) = 0;

    std::int64_t deadline_us = 0;
    bool is_migration = false;  // runs in a transaction of its own, without foreign keys
};

// What the handles of a transaction share with the writer.
struct WriterState {
    std::unique_ptr<SqlConnection> connection;

    // Which transaction is open, 0 for none, and the thread that runs it. Looked at by handles on any thread;
    // the rest is that thread's.
    std::atomic<std::uint64_t> open_id{0};
    std::atomic<void const*> owner{nullptr};

    std::vector<std::uint64_t> levels;  // open savepoints of the transaction, the whole first, as 0
    std::uint64_t levels_made = 0;
    std::vector<std::size_t> hooks_before;  // for each level
    std::vector<std::move_only_function<void()>> hooks;

    // A thread's mark: the address is its own.
    [[nodiscard]] static void const* this_thread();
    [[nodiscard]] static Transaction make_handle(std::shared_ptr<WriterState> state, std::uint64_t id,
                                                 std::uint64_t level) {
        return {std::move(state), id, level};
    }
};

// Threads: any.
class SqlWriter {
public:
    [[nodiscard]] static Result<std::shared_ptr<SqlWriter>> open(
        std::shared_ptr<engine::sqlite::Shared> shared, DatabaseOptions const& options,
        StatementLimits limits);
    ~SqlWriter();

    // Runs a write and waits for its end.
    [[nodiscard]] Result<void> write(WriteWork& work, bool is_migration);
    // Queues a write. Refused: it is told at once.
    void submit(QueuedWrite& write);

    // Finishes what is queued and refuses what comes later. On the writer's own thread it does not wait: the
    // thread keeps the writer until it has ended.
    void stop();

    void add_to(DatabaseStatistics& statistics) const;
    [[nodiscard]] SqlConnection& connection() { return *state_->connection; }

private:
    SqlWriter(std::shared_ptr<engine::sqlite::Shared> shared, DatabaseOptions const& options);

    [[nodiscard]] std::optional<Error> refusal() const;
    void loop();
    void run_taken();
    void run_batch(std::span<QueuedWrite* const> writes);
    // How a transaction ended: committed; undone because of a member; or lost as a whole.
    struct Ended {
        bool committed = false;
        bool member_at_fault = false;
        std::optional<Error> lost;
    };
    [[nodiscard]] Ended run_transaction(std::span<QueuedWrite* const> writes);
    [[nodiscard]] bool run_members(std::span<QueuedWrite* const> writes);
    [[nodiscard]] Result<void> run_member(QueuedWrite& write, bool grouped);
    [[nodiscard]] Result<void> call(QueuedWrite& write);
    void note_committed();
    void run_each_alone(std::span<QueuedWrite* const> writes);
    void tell_all(std::span<QueuedWrite* const> writes);
    void fail_all(std::span<QueuedWrite* const> writes, Error const& error);
    void tell(QueuedWrite& write, Result<void> result);
    [[nodiscard]] int step(engine::sqlite::Statement& statement);
    [[nodiscard]] Result<void> prepare();
    void drop_hooks(std::size_t from);
    void run_hooks(std::size_t member);
    static int note_log(void* writer, sqlite3* connection, char const* database, int frames);

    std::shared_ptr<engine::sqlite::Shared> shared_;
    std::size_t queue_max_;
    std::int64_t wait_max_us_;
    std::size_t batch_max_;

    // Of the thread that holds active_.
    std::shared_ptr<WriterState> state_;
    engine::sqlite::Statement begin_, commit_, rollback_, savepoint_, release_, rollback_to_;
    std::uint64_t log_frames_ = 0;  // after the last commit
    std::uint64_t transactions_ = 0;
    std::vector<QueuedWrite*> running_;
    std::vector<Result<void>> results_;
    std::vector<std::size_t> hooks_end_;  // for each member: behind its hooks
    std::atomic<bool> fatal_{false};

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<QueuedWrite*> queue_;  // guarded by mutex_
    bool active_ = false;              // guarded by mutex_: somebody runs a batch
    bool stopping_ = false;            // guarded by mutex_

    std::atomic<std::uint64_t> commits_{0};
    std::atomic<std::uint64_t> writes_{0};
    std::atomic<std::uint64_t> failures_{0};
    std::thread thread_;
};

}  // namespace quern::detail
