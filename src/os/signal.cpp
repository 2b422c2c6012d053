// SPDX-License-Identifier: Apache-2.0
#include "os/signal.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <thread>
#include <utility>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/thread.h"

namespace quern::os {

namespace {

constexpr int signals_until_exit = 3;

class StopSignalsThread final : public StopSignals {
public:
    StopSignalsThread(Fd signals, Fd end, sigset_t previous, std::move_only_function<void(int)> on_stop)
        : signals_(std::move(signals)),
          end_(std::move(end)),
          previous_(previous),
          on_stop_(std::move(on_stop)),
          thread_([this] { watch(); }) {}

    ~StopSignalsThread() override {
        std::uint64_t const one = 1;
        [[maybe_unused]] auto const written = ::write(end_.get(), &one, sizeof one);
        thread_.join();
        ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
    }

private:
    void watch() {
        set_thread_name("signals");
        int received = 0;
        pollfd fds[2] = {{signals_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
        for (;;) {
            if (::poll(fds, 2, -1) < 0) continue;
            if (fds[1].revents != 0) return;
            signalfd_siginfo info{};
            if (::read(signals_.get(), &info, sizeof info) != sizeof info) continue;
            if (++received >= signals_until_exit) ::_exit(128 + static_cast<int>(info.ssi_signo));
            on_stop_(static_cast<int>(info.ssi_signo));
        }
    }

    Fd signals_;
    Fd end_;
    sigset_t previous_;
    std::move_only_function<void(int)> on_stop_;
    std::thread thread_;  // last: it uses the members above
};

}  // namespace

void ignore_broken_pipes() { std::signal(SIGPIPE, SIG_IGN); }

Result<std::unique_ptr<StopSignals>> StopSignals::create(std::move_only_function<void(int)> on_stop) {
    sigset_t wanted;
    sigset_t previous;
    ::sigemptyset(&wanted);
    ::sigaddset(&wanted, SIGTERM);
    ::sigaddset(&wanted, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &wanted, &previous);
    Fd signals(::signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK));
    Fd end(::eventfd(0, EFD_CLOEXEC));
    if (!signals || !end) {
        int const error_number = errno;
        ::pthread_sigmask(SIG_SETMASK, &previous, nullptr);
        return fail(system_error("signalfd", error_number));
    }
    return std::make_unique<StopSignalsThread>(std::move(signals), std::move(end), previous,
                                               std::move(on_stop));
}

}  // namespace quern::os
