// SPDX-License-Identifier: Apache-2.0
#pragma once

// The open database: its schema, its readers, and its one fair writer with group commit.
//
// Writes queue in the order they come. Whatever queued while the last commit ran forms the next batch (no
// timer): one transaction, a savepoint a member, one commit, then the answers. Nobody is told of success
// before the commit that holds the write is durable. With one event loop the batch runs on the loop itself at
// the end of an iteration (run_pending); with several, on a thread of its own.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "os/clock.h"
#include "schema/collection.h"
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

    // With inline_writer: runs everything that is queued, and returns when all of it has been told.
    // Threads: the one loop's.
    void run_pending();
    [[nodiscard]] bool has_pending() const { return pending_.load(std::memory_order_relaxed) != 0; }

    // Runs one write and waits for it, for start-up and the command line. Not from a loop.
    [[nodiscard]] Result<void> write_now(std::move_only_function<Result<void>(WriteContext&)> work,
                                         bool alone);

    [[nodiscard]] WriterStats stats() const;
    [[nodiscard]] engine::Abilities abilities() const { return engine_->abilities(); }

    // Finishes what is queued and refuses what comes later.
    void stop();

private:
    Store(std::unique_ptr<engine::Engine> engine, os::Clock const& clock, StoreOptions options);

    [[nodiscard]] Result<void> bootstrap();
    void writer_thread();
    void take_queue();
    void run_taken();
    void run_batch(std::span<WriteJob* const> jobs);
    [[nodiscard]] bool run_members(std::span<WriteJob* const> jobs, WriteContext& context);
    void run_each_alone(std::span<WriteJob* const> jobs);
    void finish_batch(std::span<WriteJob* const> jobs, WriteContext& context);
    void fail_all(std::span<WriteJob* const> jobs, Error const& error);
    void tell(WriteJob& job, Result<void> result);
    void publish(std::shared_ptr<Schema const> schema);

    std::unique_ptr<engine::Engine> engine_;
    os::Clock const& clock_;
    StoreOptions options_;

    // The writer's own.
    std::unique_ptr<engine::Writer> writer_;
    std::int64_t last_version_ = 0;
    std::vector<Result<void>> results_;
    std::vector<WriteJob*> running_;
    std::atomic<bool> fatal_ = false;

    // The queue, under mutex_.
    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<WriteJob*> queue_;
    bool stopping_ = false;
    std::atomic<std::size_t> pending_ = 0;

    std::atomic<std::shared_ptr<Schema const>> schema_;
    std::atomic<std::uint64_t> schema_version_ = 0;

    std::atomic<std::uint64_t> commits_ = 0;
    std::atomic<std::uint64_t> writes_ = 0;
    std::atomic<std::uint64_t> failures_ = 0;

    std::thread thread_;
};

}  // namespace quern::store
