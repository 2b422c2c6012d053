// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/checkpoint.h"

#include <algorithm>

#include <quern/assert.h>
#include "os/thread.h"

namespace quern::engine::sqlite {

Checkpointer::Checkpointer(std::shared_ptr<Shared> shared, Connection keeper)
    : shared_(std::move(shared)), keeper_(std::move(keeper)) {}

Checkpointer::~Checkpointer() {
    {
        std::lock_guard const lock(shared_->checkpoint_mutex);
        shared_->stopping = true;
    }
    shared_->checkpoint_wanted.notify_all();
    if (thread_.joinable()) thread_.join();
    // Readers that outlive the engine may keep this from cutting the log; the last connection does it then.
    (void)checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

void Checkpointer::start_thread() {
    thread_ = std::thread([this] {
        os::set_thread_name("checkpoint");
        loop();
    });
}

void Checkpointer::loop() {
    for (;;) {
        wait_for_work();
        if (shared_->stopping) return;
        bool const restart = shared_->restart_wanted.exchange(false) ||
                             shared_->log_frames >= frames(*shared_, shared_->options.restart_bytes);
        auto const done = run(restart);
        // After an error the log is kept and tried again later: a full disk may have room then.
        if (!done && done.error().code != ErrorCode::overloaded) ++shared_->checkpoint_failures;
    }
}

// Sleeps until the log is long enough, or long enough ago was the last commit.
void Checkpointer::wait_for_work() {
    Shared& shared = *shared_;
    std::unique_lock lock(shared.checkpoint_mutex);
    shared.checkpoint_wanted.wait(
        lock, [&] { return shared.stopping || shared.checkpoint_armed || shared.restart_wanted; });
    std::uint64_t const behind_max = frames(shared, shared.options.checkpoint_bytes);
    std::uint64_t commits = shared.commits;
    while (!shared.stopping) {
        bool const told = shared.checkpoint_wanted.wait_for(lock, shared.options.checkpoint_after, [&] {
            return shared.stopping || shared.restart_wanted ||
                   shared.log_frames - shared.attempted_frames >= behind_max;
        });
        if (told || commits == shared.commits) return;
        commits = shared.commits;  // there were commits meanwhile: wait for a quiet moment
    }
}

Result<void> Checkpointer::run(bool restart) {
    shared_->checkpoint_armed = false;  // a commit from now on wakes the thread again
    std::uint64_t attempted = shared_->log_frames;
    auto done = checkpoint(SQLITE_CHECKPOINT_PASSIVE);
    if (done && restart) {
        done = start_over();
        if (done) attempted = shared_->log_frames;
    }
    bool const rest = shared_->log_frames > shared_->backfilled_frames;
    if (rest) shared_->checkpoint_armed = true;
    // What a held snapshot kept from being moved is tried again when the log has grown as much once more, or
    // in a quiet moment; not with every commit, for each try makes readers and the writer wait.
    shared_->attempted_frames = attempted;
    return done;
}

// Moves the rest, and has the next commit write the log from its beginning. Readers and the writer stand
// still meanwhile, so what takes long comes before: a passive checkpoint beside commits has not synced the
// file.
Result<void> Checkpointer::start_over() {
    QUERN_CHECK(sync_file());
    shared_->gate.enter_checkpoint();
    Result<void> done;
    if (drain()) {
        done = checkpoint(SQLITE_CHECKPOINT_RESTART);
        if (done) {
            ++shared_->restarts;
            shared_->log_restarted = true;
        }
    } else {
        ++shared_->restarts_put_off;
        done = fail(ErrorCode::overloaded, "A snapshot is held open, the log could not start over.");
    }
    shared_->draining = false;
    shared_->draining.notify_all();
    shared_->gate.leave();
    return done;
}

Result<void> Checkpointer::sync_file() {
    std::lock_guard const lock(keeper_mutex_);
    sqlite3_file* file = nullptr;
    sqlite3_file_control(keeper_.get(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
    QUERN_ASSERT(file != nullptr && file->pMethods != nullptr, "the file is open");
    int const code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
    if (code != SQLITE_OK) return fail(noted(code));
    return {};
}

// What was moved before a failed sync may be lost, although a second sync would succeed and the log's index
// calls it moved. So the log is kept whole from then on, commits end the process, and the next start moves
// all of it.
Error Checkpointer::noted(int code) {
    if (code == SQLITE_IOERR_FSYNC) {
        shared_->sync_failed = true;
        sqlite3_db_config(keeper_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
    return keeper_.error(code);
}

// Asks readers to close their snapshots; false when one stays too long.
bool Checkpointer::drain() {
    std::uint64_t const times = shared_->log_frames / frames(*shared_, shared_->options.restart_bytes);
    auto const wait_max = std::min(
        drain_wait_max, drain_wait * std::clamp<std::int64_t>(static_cast<std::int64_t>(times), 1, 1000));
    shared_->draining = true;
    ++shared_->sequence;
    constexpr std::chrono::microseconds pause(50);
    // By the clock, for a sleep takes far longer on a busy machine; and by count, for a test's clock may
    // stand.
    auto const start_us = shared_->clock.monotonic_us();
    for (std::chrono::microseconds waited(0); shared_->holders.load() != 0; waited += pause) {
        std::chrono::microseconds const passed(shared_->clock.monotonic_us() - start_us);
        if (std::max(waited, passed) >= wait_max) return false;
        std::this_thread::sleep_for(pause);
    }
    return true;
}

Result<void> Checkpointer::checkpoint(int mode) {
    std::lock_guard const lock(keeper_mutex_);
    if (shared_->sync_failed) return fail(sync_error());
    std::uint64_t const starts = shared_->log_starts;
    int in_log = -1;
    int moved = -1;
    int const code = sqlite3_wal_checkpoint_v2(keeper_.get(), "main", mode, &in_log, &moved);
    ++shared_->file_cuts;
    // Commits go on beside a passive one: the log may have grown meanwhile, or have started over.
    if (in_log >= 0 && moved >= 0 && starts == shared_->log_starts) {
        auto const frames_in_log = static_cast<std::uint64_t>(in_log);
        auto const frames_moved = static_cast<std::uint64_t>(moved);
        if (frames_moved > shared_->backfilled_frames) ++shared_->checkpoints;
        if (mode != SQLITE_CHECKPOINT_PASSIVE || frames_in_log > shared_->log_frames) {
            shared_->log_frames = frames_in_log;
        }
        shared_->backfilled_frames = frames_moved;
    }
    if (code != SQLITE_OK) return fail(noted(code));
    return {};
}

Result<bool> Checkpointer::has_table(std::string_view name) {
    std::lock_guard const lock(keeper_mutex_);
    Value const parameter = Value::of(name);
    QUERN_TRY(auto const found,
              keeper_.query_integer(
                  "SELECT count(*) FROM sqlite_schema WHERE type IN ('table', 'view') AND name = ?1",
                  std::span(&parameter, 1)));
    return found > 0;
}

void ask_for_restart(Shared& shared) {
    if (shared.log_restarted || shared.restart_wanted.exchange(true)) return;
    { std::lock_guard const lock(shared.checkpoint_mutex); }
    shared.checkpoint_wanted.notify_one();
}

void note_commit(Shared& shared, std::uint64_t log_frames) {
    shared.log_restarted = false;
    if (log_frames < shared.log_frames.load(std::memory_order_relaxed)) {  // it started over
        ++shared.log_starts;
        shared.backfilled_frames = 0;
        shared.attempted_frames = 0;
    }
    shared.log_frames = log_frames;
    bool const sleeping = !shared.checkpoint_armed.exchange(true);
    bool const long_enough =
        log_frames - shared.attempted_frames >= Checkpointer::frames(shared, shared.options.checkpoint_bytes);
    if (!sleeping && !long_enough) return;
    {
        std::lock_guard const lock(shared.checkpoint_mutex);
    }  // the thread is either before its test or asleep
    shared.checkpoint_wanted.notify_one();
}

}  // namespace quern::engine::sqlite
