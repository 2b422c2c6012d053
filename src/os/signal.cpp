// SPDX-License-Identifier: Apache-2.0
#include "os/signal.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/thread.h"

namespace quern::os {

namespace {

constexpr int signals_until_exit = 3;
constexpr std::array stop_signals{SIGTERM, SIGINT};
constexpr char end_mark = 0;  // no signal has this number

// What the handler sees: the writing ends of the pipes of all that are alive, each plus one; 0 for none.
constinit std::array<std::atomic<int>, stop_signals_max> pipes{};
constinit std::atomic<int> received = 0;
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers take no locks");

// A handler, and no blocked signals: threads that a program started before would not have them blocked.
void handle(int number) {
    int const error_before = errno;
    if (++received >= signals_until_exit) ::_exit(128 + number);
    for (auto const& pipe : pipes) {
        char const mark = static_cast<char>(number);
        int const fd = pipe.load() - 1;
        // A full pipe has told already.
        if (fd >= 0) [[maybe_unused]]
            auto const written = ::write(fd, &mark, 1);
    }
    errno = error_before;
}

// Installs the handler for the first and takes it away with the last.
class Registry {
public:
    // False when all places are taken.
    bool add(int pipe) {
        std::lock_guard const lock(mutex_);
        for (auto& place : pipes) {
            if (place.load() != 0) continue;
            place = pipe + 1;
            if (alive_++ == 0) install();
            return true;
        }
        return false;
    }
    void remove(int pipe) {
        std::lock_guard const lock(mutex_);
        if (--alive_ == 0) restore();
        for (auto& place : pipes) {
            if (place.load() == pipe + 1) place = 0;
        }
    }

private:
    void install() {
        received = 0;
        struct sigaction action {};
        action.sa_handler = &handle;
        action.sa_flags = SA_RESTART;
        ::sigemptyset(&action.sa_mask);
        for (std::size_t index = 0; index < stop_signals.size(); ++index)
            ::sigaction(stop_signals[index], &action, &before_[index]);
    }
    void restore() {
        for (std::size_t index = 0; index < stop_signals.size(); ++index)
            ::sigaction(stop_signals[index], &before_[index], nullptr);
    }

    std::mutex mutex_;
    int alive_ = 0;
    std::array<struct sigaction, stop_signals.size()> before_{};
};
constinit Registry registry;

class StopSignalsThread final : public StopSignals {
public:
    StopSignalsThread(Fd reading, Fd writing, std::move_only_function<void(int)> on_stop)
        : reading_(std::move(reading)),
          writing_(std::move(writing)),
          on_stop_(std::move(on_stop)),
          thread_([this] { watch(); }) {}

    ~StopSignalsThread() override {
        registry.remove(writing_.get());
        ended_ = true;  // first: a pipe that is full takes no mark, but then wakes the thread by itself
        [[maybe_unused]] auto const written = ::write(writing_.get(), &end_mark, 1);
        thread_.join();
    }

private:
    void watch() {
        set_thread_name("signals");
        while (true) {
            pollfd waiting{reading_.get(), POLLIN, 0};
            if (::poll(&waiting, 1, -1) < 0) continue;
            char mark = end_mark;
            if (::read(reading_.get(), &mark, 1) == 1 && mark != end_mark && !ended_) on_stop_(mark);
            if (ended_) return;
        }
    }

    Fd reading_;
    Fd writing_;
    std::atomic<bool> ended_ = false;
    std::move_only_function<void(int)> on_stop_;
    std::thread thread_;  // last: it uses the members above
};

}  // namespace

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

Result<std::unique_ptr<StopSignals>> StopSignals::create(std::move_only_function<void(int)> on_stop) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return fail(system_error("pipe2", errno));
    Fd reading(ends[0]);
    Fd writing(ends[1]);
    int const pipe = writing.get();
    auto made =
        std::make_unique<StopSignalsThread>(std::move(reading), std::move(writing), std::move(on_stop));
    if (!registry.add(pipe)) return fail(ErrorCode::io, "Too many wait for the signals to stop.");
    return made;
}

}  // namespace quern::os
