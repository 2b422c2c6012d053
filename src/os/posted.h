// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work handed to a loop by other threads: many producers, one consumer, no lock, no allocation.
//
// Producers push onto a stack; the consumer takes the whole stack at once and turns it round, so work runs in
// the order in which it was pushed. The node is part of what it stands for (an exchange, for example) and
// must not be pushed again before it has run.

#include <atomic>

namespace quern::os {

// Something to be run once on a loop. Lifetime: owned by its maker; run() may destroy it.
class PostedWork {
public:
    // Called on the loop's thread.
    virtual void run() = 0;
    // Called instead of run() when the loop ends for ever.
    virtual void discard() {}

protected:
    PostedWork() = default;
    ~PostedWork() = default;
    PostedWork(PostedWork const&) = delete;
    PostedWork& operator=(PostedWork const&) = delete;

public:
    PostedWork* posted_next = nullptr;  // the queue's, nobody else's
};

class PostedQueue {
public:
    // Threads: any.
    void push(PostedWork& work) {
        PostedWork* head = head_.load(std::memory_order_relaxed);
        do {
            work.posted_next = head;
        } while (
            !head_.compare_exchange_weak(head, &work, std::memory_order_seq_cst, std::memory_order_relaxed));
    }

    // Threads: any; a hint, except for the consumer.
    [[nodiscard]] bool empty() const { return head_.load(std::memory_order_seq_cst) == nullptr; }

    // Runs everything pushed so far, in order. True when there was anything. Threads: the consumer's alone.
    bool run_all() {
        return take_all([](PostedWork& work) { work.run(); });
    }
    // Discards everything pushed so far. Threads: the consumer's alone.
    void discard_all() {
        take_all([](PostedWork& work) { work.discard(); });
    }

private:
    template <class Action>
    bool take_all(Action action) {
        if (empty()) return false;
        PostedWork* newest_first = head_.exchange(nullptr, std::memory_order_seq_cst);
        PostedWork* oldest_first = nullptr;
        while (newest_first != nullptr) {
            PostedWork* const next = newest_first->posted_next;
            newest_first->posted_next = oldest_first;
            oldest_first = newest_first;
            newest_first = next;
        }
        while (oldest_first != nullptr) {
            // The action may destroy the node or push it again, so it is left behind first.
            PostedWork* const next = oldest_first->posted_next;
            oldest_first->posted_next = nullptr;
            action(*oldest_first);
            oldest_first = next;
        }
        return true;
    }

    std::atomic<PostedWork*> head_{nullptr};
};

}  // namespace quern::os
