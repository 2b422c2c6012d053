// SPDX-License-Identifier: Apache-2.0
#pragma once

// The open database: its schema, its readers, and its one fair writer with group commit.
//
// Writes queue in the order they come. Whatever queued while the last commit ran forms the next batch (no
// timer): one transaction, a savepoint a member, one commit, then the answers. Nobody is told of success
// before the commit that holds the write is durable.
//
// The writer is lent to whoever runs the batches. With several event loops that is a thread of the store's
// own, for ever. With one it is the loop, at the end of an iteration (run_pending), because waking a thread
// costs more than a short write; but a long one would hold up every request. So the loop stops in front of a
// job that is `alone`, undoes one that turns out to take long, and lends the writer to the thread. The thread
// runs that job and all that has queued meanwhile, in order, and gives the writer back when the queue is
// empty. Until then run_pending() returns at once, so nobody overtakes.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <quern/error.h>
#include "engine/engine.h"
#include "os/clock.h"
#include "schema/collection.h"
#include "store/removal.h"
#include "store/write_job.h"

namespace quern::store {

struct StoreOptions {
    // Writes waiting at once; one more gets `overloaded`.
    std::size_t queue_max = 8192;
    // Longest wait in the queue before `timeout`.
    std::chrono::milliseconds wait_max{10'000};
    // Most writes of one commit: bounds how long the first of a batch waits for the last.
    std::size_t batch_max = 256;
    // Run batches on the caller of run_pending() instead of on a thread of the store's own.
    bool inline_writer = false;
    // With inline_writer: records that one run_pending() may go through beyond those that are written
    // themselves (a cascade's); a write that needs more is undone and runs on the thread.
    std::size_t loop_records_max = 200;
    // With inline_writer: how long one read of a write may take; a write that needs more is undone and runs
    // on the thread.
    std::chrono::microseconds loop_read_max{2'000};
    // Called when it is unknown what reached the disk. Must not return to normal service: the process must
    // stop acknowledging and end.
    std::move_only_function<void(Error const&)> on_fatal;
};

struct WriterStats {
    std::uint64_t commits = 0;
    std::uint64_t writes = 0;    // acknowledged
    std::uint64_t failures = 0;  // members that failed
    std::uint64_t queue_length = 0;
};

// Threads: any, but for what says otherwise.
class Store {
public:
    // Opens the database: creates the metadata tables in a new one, loads the schema of an old one.
    // Errors: corrupt — the metadata cannot be read, the message says which collection;
    //         io, disk_full — as the engine tells.
    // Cost:   blocks on disk.
    [[nodiscard]] static Result<std::unique_ptr<Store>> open(std::unique_ptr<engine::Engine> engine,
                                                             os::Clock const& clock, StoreOptions options);
    ~Store();
    Store(Store const&) = delete;
    Store& operator=(Store const&) = delete;

    // The current schema. Cost: an atomic load of a shared_ptr; compare schema_version() first.
    [[nodiscard]] std::shared_ptr<Schema const> schema() const;
    // Moves when the schema does. Cost: one atomic load.
    [[nodiscard]] std::uint64_t schema_version() const {
        return schema_version_.load(std::memory_order_acquire);
    }

    // A reader for one thread.
    [[nodiscard]] Result<std::unique_ptr<engine::Reader>> open_reader() { return engine_->open_reader(); }

    // Queues a write; job.done() tells the end. With a refusal the job is not kept and done() is not called.
    // Errors: overloaded — the queue is full.
    // Lifetime: the job must live until done().
    [[nodiscard]] Result<void> submit(WriteJob& job);

    // With inline_writer: runs what is queued and told in order; returns when all of it has been told, or the
    // thread has it.
    // Threads: the one loop's.
    void run_pending();
    [[nodiscard]] bool has_pending() const { return pending_.load(std::memory_order_relaxed) != 0; }

    // Runs one write and waits for it, for start-up and the command line. Not from a loop that runs.
    [[nodiscard]] Result<void> write_now(std::move_only_function<Result<void>(WriteContext&)> work,
                                         bool alone);

    [[nodiscard]] WriterStats stats() const;
    [[nodiscard]] engine::Abilities abilities() const { return engine_->abilities(); }

    // Finishes what is queued and refuses what comes later. Call after the last run_pending().
    void stop();

private:
    // Where the writer runs now: on the loop, or where nobody else waits.
    enum class Place : std::uint8_t { loop, elsewhere };

    Store(std::unique_ptr<engine::Engine> engine, os::Clock const& clock, StoreOptions options);

    [[nodiscard]] Result<void> bootstrap();
    void writer_thread();
    [[nodiscard]] bool has_work() const { return !rest_.empty() || !queue_.empty(); }
    void take_queue();
    void lend_to_thread();
    void run_queue(Place place);
    void use_place(Place place);
    void run_taken();
    [[nodiscard]] Result<engine::Transaction*> begin_when_free(std::int64_t deadline_us);
    [[nodiscard]] std::size_t run_batch(std::span<WriteJob* const> jobs);
    [[nodiscard]] bool run_members(std::span<WriteJob* const> jobs, WriteContext& context);
    [[nodiscard]] std::size_t run_each_alone(std::span<WriteJob* const> jobs);
    [[nodiscard]] std::size_t finish_batch(std::span<WriteJob* const> jobs, WriteContext& context);
    void fail_all(std::span<WriteJob* const> jobs, Error const& error);
    void tell(WriteJob& job, Result<void> result);
    void publish(std::shared_ptr<Schema const> schema);

    std::unique_ptr<engine::Engine> engine_;
    os::Clock const& clock_;
    StoreOptions options_;

    // Of whoever has the writer; mutex_ orders the change.
    std::unique_ptr<engine::Writer> writer_;
    std::int64_t last_version_ = 0;
    std::vector<Result<void>> results_;
    std::vector<WriteJob*> running_;
    std::span<WriteJob* const> rest_;  // of running_: not yet ended
    Place place_ = Place::elsewhere;
    std::size_t records_left_ = 0;  // on the loop
    RemovalPlans removal_plans_;
    std::atomic<bool> fatal_ = false;

    // The queue, under mutex_.
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<WriteJob*> queue_;
    bool stopping_ = false;
    bool lent_ = false;  // the thread has the writer
    std::atomic<std::size_t> pending_ = 0;

    std::atomic<std::shared_ptr<Schema const>> schema_;
    std::atomic<std::uint64_t> schema_version_ = 0;

    std::atomic<std::uint64_t> commits_ = 0;
    std::atomic<std::uint64_t> writes_ = 0;
    std::atomic<std::uint64_t> failures_ = 0;

    std::thread thread_;
};

}  // namespace quern::store
