// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads for reads that exceeded their budget on a loop, so that one table scan never stalls a loop.
//
// Threads: any, for submit(). A job runs on one of the pool's threads and gets that thread's lane.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <quern/http.h>
#include "api/lane.h"

namespace quern::api {

class SlowPool {
public:
    // Reads waiting at once; one more is refused, and answered 503.
    static constexpr std::size_t queue_max = 256;

    using Work = std::move_only_function<void(http::Exchange&, Lane&)>;

    // One thread a lane. `work` is called for each exchange and must finish it.
    SlowPool(std::vector<std::unique_ptr<Lane>> lanes, Work work);
    ~SlowPool();
    SlowPool(SlowPool const&) = delete;
    SlowPool& operator=(SlowPool const&) = delete;

    // False when the queue is full.
    [[nodiscard]] bool submit(http::Exchange& exchange);

    // Finishes what is queued and ends the threads.
    void stop();

private:
    void run(Lane& lane);

    Work work_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<http::Exchange*> queue_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace quern::api
