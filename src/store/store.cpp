// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <algorithm>

#include "base/assert.h"
#include "store/metadata.h"

namespace quern::store {

namespace {

constexpr std::int64_t us_per_ms = 1000;

class WaitingJob final : public WriteJob {
public:
    explicit WaitingJob(std::move_only_function<Result<void>(WriteContext&)>& work) : work_(work) {}
    Result<void> run(WriteContext& context) override { return work_(context); }
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
    std::move_only_function<Result<void>(WriteContext&)>& work_;
    std::mutex mutex_;
    std::condition_variable wake_;
    bool finished_ = false;
    Result<void> result_;
};

}  // namespace

Store::Store(std::unique_ptr<engine::Engine> engine, os::Clock const& clock, StoreOptions options)
    : engine_(std::move(engine)), clock_(clock), options_(std::move(options)) {
    queue_.reserve(options_.queue_max);
    running_.reserve(options_.queue_max);
    results_.reserve(options_.batch_max);
}

Result<std::unique_ptr<Store>> Store::open(std::unique_ptr<engine::Engine> engine, os::Clock const& clock,
                                           StoreOptions options) {
    std::unique_ptr<Store> store(new Store(std::move(engine), clock, std::move(options)));
    QUERN_TRY(store->writer_, store->engine_->open_writer());
    QUERN_CHECK(store->bootstrap());
    if (!store->options_.inline_writer)
        store->thread_ = std::thread([raw = store.get()] { raw->writer_thread(); });
    return store;
}

Store::~Store() { stop(); }

Result<void> Store::bootstrap() {
    // Versions follow the clock in microseconds, so that a restart never hands one out again.
    last_version_ = clock_.realtime_us();
    QUERN_TRY(bool const exists, engine_->has_table(collections_table));
    if (!exists) {
        QUERN_TRY(engine::Transaction * transaction, writer_->begin());
        WriteContext context{*transaction,
                             std::make_shared<Schema const>(),
                             clock_.realtime_us() / us_per_ms,
                             &last_version_,
                             {}};
        if (auto created = create_metadata(context); !created) {
            writer_->rollback();
            return created;
        }
        QUERN_CHECK(writer_->commit());
    }
    QUERN_TRY(auto reader, engine_->open_reader());
    QUERN_TRY(auto schema, load_schema(*reader));
    publish(std::move(schema));
    return {};
}

std::shared_ptr<Schema const> Store::schema() const { return schema_.load(std::memory_order_acquire); }

void Store::publish(std::shared_ptr<Schema const> schema) {
    std::uint64_t const version = schema->version();
    schema_.store(std::move(schema), std::memory_order_release);
    schema_version_.store(version, std::memory_order_release);
}

Result<void> Store::submit(WriteJob& job) {
    job.deadline_us = clock_.monotonic_us() + options_.wait_max.count() * us_per_ms;
    std::lock_guard const lock(mutex_);
    if (fatal_) return fail(ErrorCode::io, "The server stopped writing after a disk error.");
    if (stopping_) return fail(ErrorCode::overloaded, "The server is stopping.");
    if (queue_.size() >= options_.queue_max) return fail(ErrorCode::overloaded);
    queue_.push_back(&job);
    pending_.store(queue_.size(), std::memory_order_relaxed);
    if (queue_.size() == 1 && !options_.inline_writer) wake_.notify_one();
    return {};
}

void Store::writer_thread() {
    while (true) {
        {
            std::unique_lock lock(mutex_);
            if (queue_.empty() && !stopping_) {
                lock.unlock();
                writer_->idle();
                lock.lock();
            }
            wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            take_queue();
        }
        run_taken();
    }
}

void Store::run_pending() {
    QUERN_ASSERT(options_.inline_writer, "the writer has its own thread");
    while (has_pending()) {
        {
            std::lock_guard const lock(mutex_);
            take_queue();
        }
        run_taken();
    }
    if (!fatal_) writer_->idle();
}

void Store::take_queue() {
    running_.swap(queue_);
    pending_.store(0, std::memory_order_relaxed);
}

void Store::run_taken() {
    std::span<WriteJob* const> rest = running_;
    while (!rest.empty()) {
        std::size_t count = 1;
        if (!rest[0]->alone) {
            while (count < rest.size() && count < options_.batch_max && !rest[count]->alone) ++count;
        }
        run_batch(rest.first(count));
        rest = rest.subspan(count);
    }
    running_.clear();
}

void Store::run_batch(std::span<WriteJob* const> jobs) {
    if (fatal_) return fail_all(jobs, Error(ErrorCode::io, "The server stopped writing after a disk error."));
    auto begun = writer_->begin();
    if (!begun) return fail_all(jobs, begun.error());
    WriteContext context{**begun, schema(), clock_.realtime_us() / us_per_ms, &last_version_, {}};
    // From here the transaction is open: every path below ends it.
    if (run_members(jobs, context)) return finish_batch(jobs, context);
    writer_->rollback();
    if (jobs.size() == 1) return tell(*jobs[0], std::move(results_[0]));
    run_each_alone(jobs);
}

// Runs every member; their ends are in results_. False when the engine undid the whole transaction.
bool Store::run_members(std::span<WriteJob* const> jobs, WriteContext& context) {
    results_.assign(jobs.size(), {});
    std::int64_t const now_us = clock_.monotonic_us();
    bool const grouped = jobs.size() > 1;
    for (std::size_t index = 0; index < jobs.size(); ++index) {
        WriteJob& job = *jobs[index];
        if (job.deadline_us < now_us) {
            results_[index] = fail(ErrorCode::timeout, "The write waited too long in the queue.");
            continue;
        }
        if (grouped) {
            if (auto marked = context.transaction.savepoint(); !marked) {
                results_[index] = std::move(marked);
                return false;
            }
        }
        results_[index] = job.run(context);
        if (!context.transaction.is_active()) {
            if (results_[index]) results_[index] = fail(ErrorCode::io, "The transaction was undone.");
            return false;
        }
        if (!grouped) continue;
        auto closed = results_[index] ? context.transaction.release_savepoint()
                                      : context.transaction.rollback_to_savepoint();
        if (!closed) {
            results_[index] = std::move(closed);
            return false;
        }
    }
    return true;
}

void Store::finish_batch(std::span<WriteJob* const> jobs, WriteContext& context) {
    if (std::ranges::none_of(results_, [](auto const& result) { return result.has_value(); })) {
        writer_->rollback();
    } else if (auto committed = writer_->commit(); committed) {
        commits_.fetch_add(1, std::memory_order_relaxed);
        if (context.next_schema) publish(std::move(context.next_schema));
    } else {
        // Nothing of the batch is durable: nobody is acknowledged. After an I/O error it is unknown what
        // reached the disk, and a second attempt could report as written what the kernel has already dropped.
        Error const error = committed.error();
        if (error.code != ErrorCode::disk_full && error.code != ErrorCode::overloaded) {
            fatal_ = true;
            if (options_.on_fatal) options_.on_fatal(error);
        }
        return fail_all(jobs, error);
    }
    for (std::size_t index = 0; index < jobs.size(); ++index) tell(*jobs[index], std::move(results_[index]));
}

// The engine undid the whole batch because of one member (or a full disk): each gets a transaction of its
// own.
void Store::run_each_alone(std::span<WriteJob* const> jobs) {
    for (std::size_t index = 0; index < jobs.size(); ++index) run_batch(jobs.subspan(index, 1));
}

void Store::fail_all(std::span<WriteJob* const> jobs, Error const& error) {
    for (WriteJob* job : jobs) tell(*job, std::unexpected(error));
}

void Store::tell(WriteJob& job, Result<void> result) {
    (result ? writes_ : failures_).fetch_add(1, std::memory_order_relaxed);
    job.done(std::move(result));
}

Result<void> Store::write_now(std::move_only_function<Result<void>(WriteContext&)> work, bool alone) {
    WaitingJob job(work);
    job.alone = alone;
    QUERN_CHECK(submit(job));
    if (options_.inline_writer) run_pending();
    return job.wait();
}

WriterStats Store::stats() const {
    return {commits_.load(std::memory_order_relaxed), writes_.load(std::memory_order_relaxed),
            failures_.load(std::memory_order_relaxed), pending_.load(std::memory_order_relaxed)};
}

void Store::stop() {
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
        wake_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
    if (options_.inline_writer && writer_ != nullptr) run_pending();
}

}  // namespace quern::store
