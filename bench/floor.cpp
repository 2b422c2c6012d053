// SPDX-License-Identifier: Apache-2.0
//
// The least an HTTP server can do: `floor PORT` answers thirteen fixed bytes to everything that ends in an
// empty line, with one epoll loop and two system calls a request, without looking at the request. What any
// server costs above this is its own; see fixed.cpp for ours. On SIGTERM it prints what it has used.

#include <array>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "floor.h"

namespace {

void watch(int epoll, int fd) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = fd;
    ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

std::uint64_t serve(int listener) {
    static std::array<char, 64 * 1024> buffer;
    int const epoll = ::epoll_create1(EPOLL_CLOEXEC);
    watch(epoll, listener);
    std::array<epoll_event, 256> events;
    std::uint64_t requests = 0;
    while (bench::floor_stopped == 0) {
        int const count = ::epoll_wait(epoll, events.data(), static_cast<int>(events.size()), -1);
        for (int i = 0; i < count; ++i) {
            int const fd = events[static_cast<std::size_t>(i)].data.fd;
            if (fd == listener) {
                int const accepted = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
                if (accepted >= 0) watch(epoll, accepted);
                continue;
            }
            auto const received = ::recv(fd, buffer.data(), buffer.size(), 0);
            if (received <= 0) {
                ::close(fd);
                continue;
            }
            std::string_view const bytes(buffer.data(), static_cast<std::size_t>(received));
            if (!bytes.ends_with("\r\n\r\n")) continue;
            ::send(fd, bench::floor_response.data(), bench::floor_response.size(), MSG_NOSIGNAL);
            ++requests;
        }
    }
    return requests;
}

}  // namespace

int main(int count, char** arguments) {
    std::uint16_t const port = bench::port_of(count, arguments);
    bench::stop_floor_on_signals();
    int const listener = bench::open_floor_listener(port, SOCK_NONBLOCK);
    if (listener < 0) {
        std::fprintf(stderr, "floor: cannot listen on port %d\n", port);
        return 1;
    }
    std::uint64_t const requests = serve(listener);
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    auto const us = [](timeval const& time) {
        return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_usec);
    };
    double const user_us = us(use.ru_utime);
    double const system_us = us(use.ru_stime);
    double const divisor = requests > 0 ? static_cast<double>(requests) : 1.0;
    std::printf("floor requests %llu user_us %.3f system_us %.3f total_us %.3f\n",
                static_cast<unsigned long long>(requests), user_us / divisor, system_us / divisor,
                (user_us + system_us) / divisor);
    return 0;
}
