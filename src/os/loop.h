// SPDX-License-Identifier: Apache-2.0
#pragma once

// One thread's event loop: waits for descriptors, runs what other threads posted, keeps one coarse timer.
//
// An iteration is: wait; read the clock once; deliver events; run posted work; deliver the timer when due;
// tell the client that the iteration is over. Everything that wants to be done once for many events (sending,
// committing) hangs on that last call. There is one timer and no list of timers: the client sweeps whatever
// it has to time. Without a timer and without descriptors ready the loop sleeps and uses no CPU.

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>

#include <quern/error.h>
#include "os/clock.h"
#include "os/fd.h"
#include "os/posted.h"

namespace quern::os {

// What a descriptor can be ready for. Errors and hang-ups are always reported, with `failed`.
enum class Ready : std::uint8_t { none = 0, read = 1, write = 2, failed = 4 };
[[nodiscard]] constexpr Ready operator|(Ready a, Ready b) {
    return static_cast<Ready>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
[[nodiscard]] constexpr bool has(Ready set, Ready flag) {
    return (static_cast<std::uint8_t>(set) & static_cast<std::uint8_t>(flag)) != 0;
}

// Owner of a descriptor. It must stay alive until the end of the iteration in which it was removed, because
// events already fetched may still be delivered.
class EventSource {
public:
    virtual void on_ready(Ready ready) = 0;

protected:
    ~EventSource() = default;
};

// What the loop tells its client.
class LoopClient {
public:
    // All events and posted work of this iteration have run. `posted` tells whether posted work was among
    // them.
    virtual void on_iteration(bool posted) = 0;
    // The timer set with set_timer_us() is due; it is no longer set.
    virtual void on_timer() = 0;

protected:
    ~LoopClient() = default;
};

// Threads: its loop, except where it says any.
class EventLoop {
public:
    static constexpr std::int64_t no_timer = std::numeric_limits<std::int64_t>::max();

    // Errors: io — no descriptors left.
    [[nodiscard]] static Result<std::unique_ptr<EventLoop>> create(Clock const& clock);
    // Posters still inside post() are waited for.
    ~EventLoop();

    // Watches a descriptor, level-triggered. Errors: io — as told by the system.
    [[nodiscard]] Result<void> add(int fd, Ready interest, EventSource& source);
    // Changes what is watched. Cost: one system call.
    void modify(int fd, Ready interest, EventSource& source);
    // Stops watching; closing the descriptor does the same.
    void remove(int fd);

    // Runs until quit(). The calling thread becomes the loop's thread.
    void run(LoopClient& client);
    // Ends run() after the current iteration. Threads: any; safe in a signal handler.
    void quit();

    // Wakes the loop. Threads: any; safe in a signal handler. Cost: one system call when the loop sleeps.
    void wake();
    // Runs `work` on the loop, soon and in order; discards it when the loop dies first. Threads: any. Cost:
    // wake(); no allocation.
    void post(PostedWork& work);
    // The same for a function. Cost: one allocation more.
    void post(std::move_only_function<void()> work);

    // Whether the caller runs on the loop's thread. Threads: any.
    [[nodiscard]] bool is_current() const;

    // Monotonic time at the start of this iteration, in microseconds.
    [[nodiscard]] std::int64_t now_us() const { return now_us_; }
    // Wall clock at the start of this iteration, in whole seconds since 1970.
    [[nodiscard]] std::int64_t realtime_s() const { return realtime_s_; }

    // Sets the timer (monotonic, microseconds), replacing what was set; `no_timer` unsets it.
    void set_timer_us(std::int64_t at_us) { timer_us_ = at_us; }
    [[nodiscard]] std::int64_t timer_us() const { return timer_us_; }
    // The next wait returns at once: there is work left that no event will announce.
    void skip_next_wait() { skip_wait_ = true; }

private:
    explicit EventLoop(Clock const& clock) : clock_(clock) {}
    void read_clock();
    [[nodiscard]] int wait_ms() const;

    static constexpr int events_max = 256;  // fetched by one wait; the rest comes with the next

    Clock const& clock_;
    Fd epoll_;
    Fd wake_;
    PostedQueue posted_;
    std::atomic<int> posting_{0};  // threads inside post()
    std::atomic<bool> sleeping_{false};
    std::atomic<bool> quit_{false};
    std::int64_t now_us_ = 0;
    std::int64_t realtime_s_ = 0;
    std::int64_t timer_us_ = no_timer;
    bool skip_wait_ = false;
};

}  // namespace quern::os
