// SPDX-License-Identifier: Apache-2.0
#include "auth/password_pool.h"

#include <algorithm>

#include <quern/assert.h>
#include "os/thread.h"

namespace quern::auth {

PasswordPool::PasswordPool(PasswordPoolOptions options)
    : queue_max_(options.queue_max),
      thread_count_(options.threads > 0 ? options.threads
                                        : std::max<std::size_t>(1, os::processor_count() / 2)) {
    threads_.reserve(thread_count_);
    for (std::size_t i = 0; i < thread_count_; ++i) threads_.emplace_back([this] { run(); });
}

PasswordPool::~PasswordPool() { stop(); }

Result<void> PasswordPool::submit(Job job) {
    QUERN_ASSERT(job != nullptr, "a job does something");
    {
        std::scoped_lock const lock(mutex_);
        if (stopping_ || queue_.size() >= queue_max_) return fail(ErrorCode::overloaded);
        queue_.push_back(std::move(job));
    }
    wake_.notify_one();
    return {};
}

void PasswordPool::stop() {
    {
        std::scoped_lock const lock(mutex_);
        stopping_ = true;
    }
    wake_.notify_all();
    std::scoped_lock const lock(stop_mutex_);
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

std::size_t PasswordPool::queue_length() const {
    std::scoped_lock const lock(mutex_);
    return queue_.size();
}

void PasswordPool::run() {
    os::set_thread_name("password");
    for (;;) {
        Job job;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;  // stopping, and nobody waits any more
            job = std::move(queue_.front());
            queue_.pop_front();
        }
        job();
    }
}

}  // namespace quern::auth
