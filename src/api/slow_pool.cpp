// SPDX-License-Identifier: Apache-2.0
#include "api/slow_pool.h"

namespace quern::api {

SlowPool::SlowPool(std::vector<std::unique_ptr<Lane>> lanes, Work work)
    : work_(std::move(work)), lanes_(std::move(lanes)) {
    queue_.reserve(queue_max);
    for (auto const& lane : lanes_) threads_.emplace_back([this, raw = lane.get()] { run(*raw); });
}

SlowPool::~SlowPool() { stop(); }

bool SlowPool::submit(http::Exchange& exchange) {
    std::lock_guard const lock(mutex_);
    if (stopping_ || queue_.size() >= queue_max) return false;
    queue_.push_back(&exchange);
    wake_.notify_one();
    return true;
}

void SlowPool::run(Lane& lane) {
    while (true) {
        http::Exchange* exchange = nullptr;
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
            if (queue_.empty()) return;
            exchange = queue_.front();
            queue_.erase(queue_.begin());
        }
        work_(*exchange, lane);
    }
}

void SlowPool::stop() {
    {
        std::lock_guard const lock(mutex_);
        stopping_ = true;
        wake_.notify_all();
    }
    for (auto& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
}

}  // namespace quern::api
