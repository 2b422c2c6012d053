// SPDX-License-Identifier: Apache-2.0
#include "os/loop.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <quern/assert.h>

namespace quern::os {

namespace {

thread_local EventLoop const* current_loop = nullptr;

std::uint32_t to_epoll(Ready interest) {
    std::uint32_t events = 0;
    if (has(interest, Ready::read)) events |= EPOLLIN;
    if (has(interest, Ready::write)) events |= EPOLLOUT;
    return events;
}

Ready from_epoll(std::uint32_t events) {
    Ready ready = Ready::none;
    if ((events & EPOLLIN) != 0) ready = ready | Ready::read;
    if ((events & EPOLLOUT) != 0) ready = ready | Ready::write;
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) ready = ready | Ready::failed;
    return ready;
}

class PostedFunction final : public PostedWork {
public:
    explicit PostedFunction(std::move_only_function<void()> work) : work_(std::move(work)) {}
    void run() override {
        std::unique_ptr<PostedFunction> const self(this);
        work_();
    }
    void discard() override { delete this; }

private:
    std::move_only_function<void()> work_;
};

}  // namespace

Result<std::unique_ptr<EventLoop>> EventLoop::create(Clock const& clock) {
    std::unique_ptr<EventLoop> loop(new EventLoop(clock));
    loop->epoll_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
    if (!loop->epoll_) return fail(system_error("epoll_create1", errno));
    loop->wake_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!loop->wake_) return fail(system_error("eventfd", errno));
    epoll_event event{};
    // Edge-triggered, so that the counter never has to be read back.
    event.events = EPOLLIN | EPOLLET;
    event.data.ptr = nullptr;
    if (::epoll_ctl(loop->epoll_.get(), EPOLL_CTL_ADD, loop->wake_.get(), &event) != 0) {
        return fail(system_error("epoll_ctl", errno));
    }
    loop->read_clock();
    return loop;
}

EventLoop::~EventLoop() {
    // What was posted may have run, and so brought us here, before its poster has left post().
    while (posting_.load(std::memory_order_acquire) > 0) ::sched_yield();
    posted_.discard_all();
}

Result<void> EventLoop::add(int fd, Ready interest, EventSource& source) {
    epoll_event event{};
    event.events = to_epoll(interest);
    event.data.ptr = &source;
    if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) != 0)
        return fail(system_error("epoll_ctl", errno));
    return {};
}

void EventLoop::modify(int fd, Ready interest, EventSource& source) {
    epoll_event event{};
    event.events = to_epoll(interest);
    event.data.ptr = &source;
    int const result = ::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
    QUERN_ASSERT(result == 0, "a watched descriptor can always be modified");
}

void EventLoop::remove(int fd) { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

void EventLoop::read_clock() {
    now_us_ = clock_.monotonic_us();
    realtime_s_ = clock_.realtime_us() / 1'000'000;
}

int EventLoop::wait_ms() const {
    if (skip_wait_) return 0;
    if (timer_us_ == no_timer) return -1;
    std::int64_t const left_us = timer_us_ - clock_.monotonic_us();
    if (left_us <= 0) return 0;
    // Rounded up, so that the timer is due when the wait ends.
    return static_cast<int>(std::min<std::int64_t>((left_us + 999) / 1000, 3'600'000));
}

void EventLoop::run(LoopClient& client) {
    EventLoop const* const outer = std::exchange(current_loop, this);
    std::array<epoll_event, events_max> events;
    while (!quit_.load(std::memory_order_relaxed)) {
        int timeout_ms = wait_ms();
        skip_wait_ = false;
        if (timeout_ms != 0) {
            // A poster pushes and then looks at `sleeping_`; we set it and then look at the queue. Whichever
            // comes second sees the other, so no work is slept on.
            sleeping_.store(true, std::memory_order_seq_cst);
            if (!posted_.empty() || quit_.load(std::memory_order_seq_cst)) timeout_ms = 0;
        }
        int const count = ::epoll_wait(epoll_.get(), events.data(), events_max, timeout_ms);
        sleeping_.store(false, std::memory_order_relaxed);
        QUERN_ASSERT(count >= 0 || errno == EINTR, "epoll_wait fails only when interrupted");
        read_clock();
        for (int i = 0; i < count; ++i) {
            auto const& event = events[static_cast<std::size_t>(i)];
            if (event.data.ptr == nullptr) continue;  // wake-up: what it announces runs below
            static_cast<EventSource*>(event.data.ptr)->on_ready(from_epoll(event.events));
        }
        bool const posted = posted_.run_all();
        if (timer_us_ <= now_us_) {
            timer_us_ = no_timer;
            client.on_timer();
        }
        client.on_iteration(posted);
    }
    current_loop = outer;
}

void EventLoop::quit() {
    quit_.store(true, std::memory_order_seq_cst);
    wake();
}

void EventLoop::wake() {
    if (!sleeping_.exchange(false, std::memory_order_seq_cst)) return;
    std::uint64_t const one = 1;
    [[maybe_unused]] auto const written = ::write(wake_.get(), &one, sizeof one);
}

void EventLoop::post(PostedWork& work) {
    posting_.fetch_add(1, std::memory_order_relaxed);
    posted_.push(work);
    wake();
    posting_.fetch_sub(1, std::memory_order_release);
}

void EventLoop::post(std::move_only_function<void()> work) { post(*new PostedFunction(std::move(work))); }

bool EventLoop::is_current() const { return current_loop == this; }

}  // namespace quern::os
