// SPDX-License-Identifier: Apache-2.0
#include "library/sqlite_writer.h"

#include <algorithm>

#include <quern/assert.h>
#include "engine/sqlite/checkpoint.h"
#include "os/thread.h"

namespace quern::detail {

namespace sqlite = engine::sqlite;

namespace {

// The writers whose batches this thread runs, innermost first: waiting for one of them would wait for ever.
struct Writing {
    explicit Writing(SqlWriter const* runs) : writer(runs), outer(innermost) { innermost = this; }
    Writing(Writing const&) = delete;
    Writing& operator=(Writing const&) = delete;
    ~Writing() { innermost = outer; }

    static bool is_inside(SqlWriter const* writer) {
        for (Writing const* at = innermost; at != nullptr; at = at->outer) {
            if (at->writer == writer) return true;
        }
        return false;
    }

    SqlWriter const* writer;
    Writing const* outer;
    static thread_local constinit Writing const* innermost;
};
thread_local constinit Writing const* Writing::innermost = nullptr;

class WaitingWrite final : public QueuedWrite {
public:
    explicit WaitingWrite(WriteWork& work) : work_(work) {}
    Result<void> run(Transaction& transaction) override { return work_.run(transaction); }
    void done(Result<void> result) override {
        std::lock_guard const lock(mutex_);
        result_ = std::move(result);
        finished_ = true;
        wake_.notify_all();
    }
    Result<void> wait() {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return finished_; });
        return std::move(result_);
    }

private:
    WriteWork& work_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool finished_ = false;
    Result<void> result_;
};

}  // namespace

void const* WriterState::this_thread() {
    static thread_local char mark = 0;
    return &mark;
}

SqlWriter::SqlWriter(std::shared_ptr<sqlite::Shared> shared, DatabaseOptions const& options)
    : shared_(std::move(shared)),
      queue_max_(options.queue_max),
      wait_max_us_(std::chrono::microseconds(options.wait_max).count()),
      batch_max_(std::max<std::size_t>(options.batch_max, 1)),
      state_(std::make_shared<WriterState>()) {}

// Handles that were kept somewhere keep the state, but not the file.
SqlWriter::~SqlWriter() { state_->connection.reset(); }

Result<std::shared_ptr<SqlWriter>> SqlWriter::open(std::shared_ptr<sqlite::Shared> shared,
                                                   DatabaseOptions const& options, StatementLimits limits) {
    std::shared_ptr<SqlWriter> writer(new SqlWriter(shared, options));
    QUERN_TRY(writer->state_->connection,
              SqlConnection::open(std::move(shared), sqlite::Role::writer, std::move(limits)));
    QUERN_CHECK(writer->prepare());
    writer->thread_ = std::thread([writer] {
        os::set_thread_name("sqlite writer");
        writer->loop();
    });
    return writer;
}

Result<void> SqlWriter::prepare() {
    sqlite::Connection& engine = connection().engine();
    QUERN_TRY(begin_, engine.prepare("BEGIN IMMEDIATE"));
    QUERN_TRY(commit_, engine.prepare("COMMIT"));
    QUERN_TRY(rollback_, engine.prepare("ROLLBACK"));
    QUERN_TRY(savepoint_, engine.prepare("SAVEPOINT quern_member"));
    QUERN_TRY(release_, engine.prepare("RELEASE quern_member"));
    QUERN_TRY(rollback_to_, engine.prepare("ROLLBACK TO quern_member"));
    sqlite3_wal_hook(engine.get(), &SqlWriter::note_log, this);
    return {};
}

int SqlWriter::note_log(void* writer, sqlite3*, char const*, int frames) {
    static_cast<SqlWriter*>(writer)->log_frames_ = static_cast<std::uint64_t>(frames);
    return SQLITE_OK;
}

// --- the queue ---

std::optional<Error> SqlWriter::refusal() const {
    if (fatal_) return Error(ErrorCode::io, "The database stopped writing after a disk error.");
    if (stopping_) return Error(ErrorCode::overloaded, "The database is closing.");
    if (queue_.size() >= queue_max_) return Error(ErrorCode::overloaded);
    return std::nullopt;
}

Result<void> SqlWriter::write(WriteWork& work, bool is_migration) {
    if (Writing::is_inside(this))
        return fail(ErrorCode::internal, "This thread runs a transaction of the database already: use that.");
    WaitingWrite waiting(work);
    waiting.is_migration = is_migration;
    waiting.deadline_us = shared_->clock.monotonic_us() + wait_max_us_;
    {
        std::unique_lock lock(mutex_);
        if (auto refused = refusal()) return fail(*std::move(refused));
        if (active_ || !queue_.empty()) {
            queue_.push_back(&waiting);
        } else {
            active_ = true;
            lock.unlock();
            QueuedWrite* const own = &waiting;
            run_batch(std::span(&own, 1));
            lock.lock();
            active_ = false;
            if (!queue_.empty() || stopping_) wake_.notify_one();
        }
    }
    return waiting.wait();
}

void SqlWriter::submit(QueuedWrite& write) {
    write.deadline_us = shared_->clock.monotonic_us() + wait_max_us_;
    std::unique_lock lock(mutex_);
    if (auto refused = refusal()) {
        lock.unlock();
        return write.done(fail(*std::move(refused)));
    }
    queue_.push_back(&write);
    if (!active_ && queue_.size() == 1) wake_.notify_one();
}

void SqlWriter::loop() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return !active_ && (stopping_ || !queue_.empty()); });
        if (queue_.empty()) return;
        running_.swap(queue_);
        active_ = true;
        lock.unlock();
        run_taken();
        lock.lock();
        active_ = false;
    }
}

void SqlWriter::stop() {
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
        wake_.notify_one();
    }
    if (!thread_.joinable()) return;
    if (thread_.get_id() == std::this_thread::get_id()) {
        thread_.detach();
    } else {
        thread_.join();
    }
}

// --- batches ---

void SqlWriter::run_taken() {
    std::span<QueuedWrite* const> rest = running_;
    while (!rest.empty()) {
        std::size_t count = 1;
        if (!rest[0]->is_migration) {
            while (count < rest.size() && count < batch_max_ && !rest[count]->is_migration) ++count;
        }
        run_batch(rest.first(count));
        rest = rest.subspan(count);
    }
    running_.clear();
}

int SqlWriter::step(sqlite::Statement& statement) {
    int const code = statement.step();
    statement.reset();
    return code;
}

void SqlWriter::run_batch(std::span<QueuedWrite* const> writes) {
    Writing const writing(this);
    if (fatal_)
        return fail_all(writes, Error(ErrorCode::io, "The database stopped writing after a disk error."));
    bool const migration = writes[0]->is_migration;
    shared_->gate.enter_writer();
    // What cannot be turned off refuses too much, never too little.
    if (migration) (void)connection().execute("PRAGMA foreign_keys = OFF");
    Ended const ended = run_transaction(writes);
    if (migration) (void)connection().execute("PRAGMA foreign_keys = ON");
    if (ended.committed) note_committed();
    shared_->gate.leave();

    if (ended.member_at_fault && writes.size() > 1) return run_each_alone(writes);
    if (ended.lost) return fail_all(writes, *ended.lost);
    tell_all(writes);
}

SqlWriter::Ended SqlWriter::run_transaction(std::span<QueuedWrite* const> writes) {
    Ended ended;
    int code = step(begin_);
    if (code != SQLITE_DONE) {
        ended.lost = connection().failed(code);
        return ended;
    }
    // From here a transaction is open.
    if (!run_members(writes)) {
        ended.member_at_fault = true;
    } else if (std::ranges::any_of(results_, [](auto const& result) { return result.has_value(); })) {
        code = step(commit_);
        ended.committed = code == SQLITE_DONE;
    }
    if (code != SQLITE_DONE) {
        ended.lost = connection().failed(code);
        constexpr int primary = 0xFF;
        // A deferred foreign key shows at the commit only, and is one member's fault.
        ended.member_at_fault = (code & primary) == SQLITE_CONSTRAINT;
        bool const harmless = ended.member_at_fault || ended.lost->code == ErrorCode::disk_full ||
                              ended.lost->code == ErrorCode::overloaded;
        // It is unknown what reached the disk, and a second attempt could report as written what the kernel
        // has already dropped.
        if (!harmless) fatal_ = true;
    }
    if (!connection().engine().is_autocommit()) (void)step(rollback_);
    return ended;
}

// Behind the commit and in front of every answer.
void SqlWriter::note_committed() {
    commits_.fetch_add(1, std::memory_order_relaxed);
    shared_->commits.fetch_add(1, std::memory_order_relaxed);
    shared_->sequence.fetch_add(1);
    sqlite::note_commit(*shared_, log_frames_);
}

// Runs every member; their ends are in results_. False when SQLite undid the whole transaction.
bool SqlWriter::run_members(std::span<QueuedWrite* const> writes) {
    results_.assign(writes.size(), {});
    hooks_end_.assign(writes.size(), 0);
    state_->hooks.clear();
    connection().transaction_begun();
    std::int64_t const now_us = shared_->clock.monotonic_us();
    for (std::size_t index = 0; index < writes.size(); ++index) {
        std::size_t const hooks = state_->hooks.size();
        if (writes[index]->deadline_us < now_us) {
            results_[index] = fail(ErrorCode::timeout, "The write waited too long in the queue.");
        } else {
            results_[index] = run_member(*writes[index], writes.size() > 1);
        }
        if (connection().undone() || connection().engine().is_autocommit()) {
            if (results_[index]) results_[index] = fail(ErrorCode::transaction_over);
            drop_hooks(0);
            return false;
        }
        if (!results_[index]) drop_hooks(hooks);
        hooks_end_[index] = state_->hooks.size();
    }
    return true;
}

Result<void> SqlWriter::run_member(QueuedWrite& write, bool grouped) {
    if (!grouped) return call(write);
    if (int const code = step(savepoint_); code != SQLITE_DONE) return fail(connection().failed(code));
    Result<void> result = call(write);
    if (connection().undone()) return result;
    int code = result ? SQLITE_DONE : step(rollback_to_);
    if (code == SQLITE_DONE) code = step(release_);
    if (code != SQLITE_DONE) return fail(connection().failed(code));
    return result;
}

Result<void> SqlWriter::call(QueuedWrite& write) {
    WriterState& state = *state_;
    state.levels.assign(1, 0);
    state.levels_made = 0;
    state.hooks_before.assign(1, state.hooks.size());
    state.owner = WriterState::this_thread();
    state.open_id = ++transactions_;
    Transaction transaction = WriterState::make_handle(state_, transactions_, 0);
    Result<void> result;
    try {
        result = write.run(transaction);
    } catch (std::exception const& thrown) {
        result = fail(ErrorCode::internal, thrown.what());
    } catch (...) {
        result = fail(ErrorCode::internal);
    }
    state.open_id = 0;
    state.owner = nullptr;
    return result;
}

// Members' ends, each behind its hooks.
void SqlWriter::tell_all(std::span<QueuedWrite* const> writes) {
    for (std::size_t index = 0; index < writes.size(); ++index) {
        if (results_[index]) run_hooks(index);
        tell(*writes[index], std::move(results_[index]));
    }
    state_->hooks.clear();
}

void SqlWriter::run_hooks(std::size_t member) {
    std::size_t const from = member == 0 ? 0 : hooks_end_[member - 1];
    for (std::size_t index = from; index < hooks_end_[member]; ++index) state_->hooks[index]();
}

void SqlWriter::drop_hooks(std::size_t from) {
    state_->hooks.erase(state_->hooks.begin() + static_cast<std::ptrdiff_t>(from), state_->hooks.end());
}

// SQLite undid the whole batch because of one member (or a full disk): each gets a transaction of its own.
void SqlWriter::run_each_alone(std::span<QueuedWrite* const> writes) {
    for (std::size_t index = 0; index < writes.size(); ++index) run_batch(writes.subspan(index, 1));
}

// Nothing of the batch is durable: nobody is acknowledged.
void SqlWriter::fail_all(std::span<QueuedWrite* const> writes, Error const& error) {
    state_->hooks.clear();
    for (QueuedWrite* write : writes) tell(*write, std::unexpected(error));
}

void SqlWriter::tell(QueuedWrite& write, Result<void> result) {
    (result ? writes_ : failures_).fetch_add(1, std::memory_order_relaxed);
    write.done(std::move(result));
}

void SqlWriter::add_to(DatabaseStatistics& statistics) const {
    statistics.commits = commits_.load(std::memory_order_relaxed);
    statistics.writes = writes_.load(std::memory_order_relaxed);
    statistics.failures = failures_.load(std::memory_order_relaxed);
    std::lock_guard const lock(mutex_);
    statistics.queue_length = queue_.size();
}

}  // namespace quern::detail
