// SPDX-License-Identifier: Apache-2.0
#pragma once

// A few threads for what takes long on purpose: hashing passwords.
//
// Event loops must not hash, and not every caller who asks may get a thread: the pool is small and its queue
// is bounded, so a flood of sign-ins costs its senders an `overloaded` and everybody else nothing.

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <quern/error.h>

namespace quern::auth {

// Jobs waiting at once. With two threads and 30 ms a hash the last of them waits about a second.
inline constexpr std::size_t password_queue_max = 64;

struct PasswordPoolOptions {
    // 0 = half of the processors, at least one: the other half keeps answering.
    std::size_t threads = 0;
    std::size_t queue_max = password_queue_max;
};

// Threads: any.
class PasswordPool {
public:
    using Job = std::move_only_function<void()>;
    // Carries a completion to where it may run, e.g. http::Exchange::post.
    using Post = std::move_only_function<void(Job)>;

    explicit PasswordPool(PasswordPoolOptions options = {});
    ~PasswordPool();  // stop()
    PasswordPool(PasswordPool const&) = delete;
    PasswordPool& operator=(PasswordPool const&) = delete;

    // Runs `job` on a thread of the pool, in the order of submission. A job must not throw.
    // Errors: overloaded — the queue is full or the pool stops; the job is not kept and never runs.
    // Cost:   one lock; never blocks on a hash.
    [[nodiscard]] Result<void> submit(Job job);

    // Runs `work` on the pool, then hands its result to `done` by way of `post`.
    // Errors: as submit().
    template <class Work, class Done>
    [[nodiscard]] Result<void> submit(Work work, Post post, Done done) {
        return submit([work = std::move(work), post = std::move(post), done = std::move(done)]() mutable {
            post([result = work(), done = std::move(done)]() mutable { done(std::move(result)); });
        });
    }

    // Refuses new jobs, runs those that wait, and returns when all have run. Not from a job.
    void stop();

    [[nodiscard]] std::size_t thread_count() const { return thread_count_; }
    // Jobs waiting now.
    [[nodiscard]] std::size_t queue_length() const;

private:
    void run();

    std::size_t queue_max_;
    std::size_t thread_count_ = 0;

    mutable std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Job> queue_;  // guarded by mutex_
    bool stopping_ = false;  // guarded by mutex_

    std::mutex stop_mutex_;             // one stop() at a time
    std::vector<std::thread> threads_;  // guarded by stop_mutex_ after construction
};

}  // namespace quern::auth
