// SPDX-License-Identifier: Apache-2.0
#include <quern/task.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <quern/assert.h>
#include "os/clock.h"

namespace quern {

namespace {

constexpr std::size_t threads_max = 256;

struct Job {
    std::move_only_function<void(std::stop_token)> work;
    std::move_only_function<void(ErrorCode)> late;
    std::stop_source stop;
    std::int64_t deadline_us = 0;
};

}  // namespace

struct BackgroundPool::State {
    os::SystemClock clock;
    std::size_t const thread_count;

    std::mutex mutex;  // guards all below
    std::condition_variable work_wanted;
    std::condition_variable deadline_wanted;
    std::deque<std::shared_ptr<Job>> queue;
    std::multimap<std::int64_t, std::shared_ptr<Job>> deadlines;  // of jobs that have not ended
    std::vector<std::thread> threads;                             // the last one watches the deadlines
    bool ending = false;

    explicit State(std::size_t count) : thread_count(count) {}

    void start() {
        for (std::size_t index = 0; index < thread_count; ++index)
            threads.emplace_back([this] { run_jobs(); });
        threads.emplace_back([this] { watch(); });
    }

    void run_jobs() {
        std::unique_lock lock(mutex);
        while (true) {
            work_wanted.wait(lock, [this] { return ending || !queue.empty(); });
            if (queue.empty()) return;
            auto const job = std::move(queue.front());
            queue.pop_front();
            lock.unlock();
            job->work(job->stop.get_token());
            lock.lock();
            forget(*job);
        }
    }

    void forget(Job const& job) {
        auto const [first, last] = deadlines.equal_range(job.deadline_us);
        auto const found =
            std::find_if(first, last, [&](auto const& entry) { return entry.second.get() == &job; });
        if (found != last) deadlines.erase(found);
    }

    void watch() {
        std::unique_lock lock(mutex);
        while (!ending) {
            if (deadlines.empty()) {
                deadline_wanted.wait(lock, [this] { return ending || !deadlines.empty(); });
                continue;
            }
            std::int64_t const wait_us = deadlines.begin()->first - clock.monotonic_us();
            if (wait_us > 0) {
                deadline_wanted.wait_for(lock, std::chrono::microseconds(wait_us));
                continue;
            }
            tell_late(lock, ErrorCode::timeout);
        }
    }

    // Takes the first deadline off, and its job out of the queue when it has not begun.
    void tell_late(std::unique_lock<std::mutex>& lock, ErrorCode code) {
        auto const job = deadlines.begin()->second;
        deadlines.erase(deadlines.begin());
        std::erase(queue, job);
        lock.unlock();
        job->stop.request_stop();
        job->late(code);
        lock.lock();
    }
};

BackgroundPool::BackgroundPool(std::size_t threads)
    : state_(std::make_unique<State>(std::clamp<std::size_t>(threads, 1, threads_max))) {}

BackgroundPool::~BackgroundPool() {
    {
        std::unique_lock lock(state_->mutex);
        state_->ending = true;
        std::deque<std::shared_ptr<Job>> const waiting = std::exchange(state_->queue, {});
        for (auto const& job : waiting) state_->forget(*job);
        for (auto const& [deadline_us, job] : state_->deadlines) job->stop.request_stop();
        lock.unlock();
        for (auto const& job : waiting) job->late(ErrorCode::overloaded);
        state_->work_wanted.notify_all();
        state_->deadline_wanted.notify_all();
    }
    for (std::thread& thread : state_->threads) thread.join();
}

Result<void> BackgroundPool::submit(std::move_only_function<void(std::stop_token)> work,
                                    std::move_only_function<void(ErrorCode)> late,
                                    std::chrono::milliseconds deadline) {
    auto job = std::make_shared<Job>();
    job->work = std::move(work);
    job->late = std::move(late);
    job->deadline_us = state_->clock.monotonic_us() + std::chrono::microseconds(deadline).count();
    std::lock_guard const lock(state_->mutex);
    if (state_->ending || state_->queue.size() >= queue_max) return fail(ErrorCode::overloaded);
    if (state_->threads.empty()) state_->start();
    bool const first = state_->deadlines.empty() || job->deadline_us < state_->deadlines.begin()->first;
    state_->deadlines.emplace(job->deadline_us, job);
    state_->queue.push_back(std::move(job));
    state_->work_wanted.notify_one();
    if (first) state_->deadline_wanted.notify_one();
    return {};
}

}  // namespace quern
