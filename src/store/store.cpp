// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <algorithm>
#include <limits>

#include <quern/assert.h>
#include "os/thread.h"
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

// Ends a member's savepoint. An error: the whole transaction cannot be committed.
Result<void> close_member(bool good, bool grouped, engine::Transaction& transaction) {
    if (!transaction.is_active()) return fail(ErrorCode::io, "The transaction was undone.");
    if (!grouped) return {};
    return good ? transaction.release_savepoint() : transaction.rollback_to_savepoint();
}

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
    store->lent_ = !store->options_.inline_writer;
    store->thread_ = std::thread([raw = store.get()] {
        os::set_thread_name("writer");
        raw->writer_thread();
    });
    return store;
}

Store::~Store() { stop(); }

Result<void> Store::bootstrap() {
    // Versions follow the clock in microseconds, so that a restart never hands one out again.
    last_version_ = clock_.realtime_us();
    QUERN_TRY(bool const exists, engine_->has_table(collections_table));
    if (!exists) {
        QUERN_TRY(engine::Transaction * transaction, writer_->begin());
        WriteContext context{.transaction = *transaction,
                             .schema = std::make_shared<Schema const>(),
                             .now_ms = clock_.realtime_us() / us_per_ms,
                             .last_version = &last_version_,
                             .next_schema = {}};
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
    if (queue_.size() == 1 && lent_) wake_.notify_one();
    return {};
}

// The thread has the writer from lend_to_thread() on until nothing is left; without a loop, for ever.
void Store::writer_thread() {
    std::unique_lock lock(mutex_);
    while (true) {
        wake_.wait(lock, [this] { return lent_ && (stopping_ || has_work()); });
        if (!has_work()) return;
        while (has_work()) {
            if (rest_.empty()) take_queue();
            lock.unlock();
            use_place(Place::elsewhere);
            run_taken();
            if (!has_pending() && !fatal_) writer_->idle();
            lock.lock();
        }
        lent_ = !options_.inline_writer || stopping_;
    }
}

void Store::run_pending() {
    QUERN_ASSERT(options_.inline_writer, "the writer has its own thread");
    run_queue(Place::loop);
}

// Runs what is queued on the caller, unless the thread has the writer.
void Store::run_queue(Place place) {
    bool first = true;
    while (true) {
        {
            std::lock_guard const lock(mutex_);
            if (lent_) return;
            if (queue_.empty()) break;
            take_queue();
        }
        if (first) use_place(place);
        first = false;
        run_taken();
        if (!rest_.empty()) return lend_to_thread();
    }
    if (!fatal_) writer_->idle();
}

void Store::lend_to_thread() {
    std::lock_guard const lock(mutex_);
    lent_ = true;
    wake_.notify_one();
}

void Store::use_place(Place place) {
    place_ = place;
    records_left_ =
        place == Place::loop ? options_.loop_records_max : std::numeric_limits<std::size_t>::max();
}

void Store::take_queue() {
    running_.clear();
    running_.swap(queue_);
    rest_ = running_;
    pending_.store(0, std::memory_order_relaxed);
}

// Runs what was taken, in order. On the loop it stops in front of a job that is for the thread.
void Store::run_taken() {
    while (!rest_.empty()) {
        std::size_t count = 1;
        if (!rest_[0]->alone) {
            while (count < rest_.size() && count < options_.batch_max && !rest_[count]->alone) ++count;
        } else if (place_ == Place::loop) {
            return;
        }
        rest_ = rest_.subspan(run_batch(rest_.first(count)));
    }
}

// Returns how many of the jobs, from the first on, have been told their end; the others are still to be run,
// because one of them has been found to be for the thread.
std::size_t Store::run_batch(std::span<WriteJob* const> jobs) {
    if (fatal_) {
        fail_all(jobs, Error(ErrorCode::io, "The server stopped writing after a disk error."));
        return jobs.size();
    }
    auto begun = begin_when_free(jobs[0]->deadline_us);
    if (!begun) {
        if (begun.error().code == ErrorCode::overloaded && place_ == Place::loop) {
            jobs[0]->alone = true;  // another program is writing: the thread waits for it
            return 0;
        }
        fail_all(jobs, begun.error());
        return jobs.size();
    }
    WriteContext context{.transaction = **begun,
                         .schema = schema(),
                         .now_ms = clock_.realtime_us() / us_per_ms,
                         .last_version = &last_version_,
                         .records_left = records_left_,
                         .removal_plans = &removal_plans_,
                         .next_schema = {}};
    bool const on_loop = place_ == Place::loop;
    context.transaction.set_budget(on_loop ? engine::Budget{options_.loop_read_max, ErrorCode::interrupted}
                                           : engine::Budget{});
    // From here the transaction is open: every path below ends it.
    bool const whole = run_members(jobs, context);
    records_left_ = context.records_left;
    std::size_t const ended = results_.size();
    if (whole) return finish_batch(jobs.first(ended), context);
    writer_->rollback();
    if (jobs[ended - 1]->alone && on_loop) return 0;
    if (jobs.size() > 1) return run_each_alone(jobs);
    tell(*jobs[0], std::move(results_[0]));
    return 1;
}

// On the loop one try, which the engine bounds; elsewhere until the first job's time is up.
Result<engine::Transaction*> Store::begin_when_free(std::int64_t deadline_us) {
    while (true) {
        auto begun = writer_->begin();
        if (begun || begun.error().code != ErrorCode::overloaded || place_ == Place::loop) return begun;
        if (clock_.monotonic_us() >= deadline_us)
            return fail(ErrorCode::timeout, "Another program holds the database file for writing.");
    }
}

// Runs the members; their ends are in results_. It stops in front of one that takes too long on the loop, and
// marks it. False when the engine undid the whole transaction while the last of results_ ran.
bool Store::run_members(std::span<WriteJob* const> jobs, WriteContext& context) {
    results_.clear();
    std::int64_t const now_us = clock_.monotonic_us();
    bool const grouped = jobs.size() > 1;
    for (WriteJob* const job : jobs) {
        if (job->deadline_us < now_us) {
            results_.push_back(fail(ErrorCode::timeout, "The write waited too long in the queue."));
            continue;
        }
        if (grouped) {
            if (auto marked = context.transaction.savepoint(); !marked) {
                results_.push_back(std::move(marked));
                return false;
            }
        }
        auto result = job->run(context);
        bool const too_long =
            place_ == Place::loop && !result && result.error().code == ErrorCode::interrupted;
        if (too_long) job->alone = true;
        if (auto closed = close_member(result.has_value(), grouped, context.transaction); !closed) {
            results_.push_back(result ? std::move(closed) : std::move(result));
            return false;
        }
        if (too_long) return true;
        results_.push_back(std::move(result));
    }
    return true;
}

// Returns how many of the jobs have been told.
std::size_t Store::finish_batch(std::span<WriteJob* const> jobs, WriteContext& context) {
    if (std::ranges::none_of(results_, [](auto const& result) { return result.has_value(); })) {
        writer_->rollback();
    } else if (auto committed = writer_->commit(); committed) {
        commits_.fetch_add(1, std::memory_order_relaxed);
        if (context.next_schema) publish(std::move(context.next_schema));
    } else {
        // Nothing of the batch is durable: nobody is acknowledged. After an I/O error it is unknown what
        // reached the disk, and a second attempt could report as written what the kernel has already dropped.
        Error const error = committed.error();
        // A full disk refuses what grows the data: a removal in the same batch may still succeed.
        if (error.code == ErrorCode::disk_full && jobs.size() > 1) return run_each_alone(jobs);
        if (error.code != ErrorCode::disk_full && error.code != ErrorCode::overloaded) {
            fatal_ = true;
            if (options_.on_fatal) options_.on_fatal(error);
        }
        fail_all(jobs, error);
        return jobs.size();
    }
    for (std::size_t index = 0; index < jobs.size(); ++index) tell(*jobs[index], std::move(results_[index]));
    return jobs.size();
}

// The engine undid the whole batch because of one member (or a full disk): each gets a transaction of its
// own.
std::size_t Store::run_each_alone(std::span<WriteJob* const> jobs) {
    for (std::size_t index = 0; index < jobs.size(); ++index) {
        if (run_batch(jobs.subspan(index, 1)) == 0) return index;
    }
    return jobs.size();
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
    if (options_.inline_writer) run_queue(Place::elsewhere);
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
        lent_ = true;  // the thread finishes what is left
        wake_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

}  // namespace quern::store
