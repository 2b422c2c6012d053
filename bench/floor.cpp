// SPDX-License-Identifier: Apache-2.0
//
// The least an HTTP server can do: `floor PORT` answers thirteen fixed bytes to everything that ends in an
// empty line, with one epoll loop and two system calls a request, without looking at the request. What any
// server costs above this is its own; see fixed.cpp for ours. On SIGTERM it prints what it has used.

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include <csignal>

namespace {

constexpr std::string_view response =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n"
    "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nHello, World!";

volatile std::sig_atomic_t stopped = 0;

int open_listener(std::uint16_t port) {
    int const listener = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    int const one = 1;
    ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    ::setsockopt(listener, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(listener, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0) return -1;
    if (::listen(listener, 4096) != 0) return -1;
    return listener;
}

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
    while (stopped == 0) {
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
            ::send(fd, response.data(), response.size(), MSG_NOSIGNAL);
            ++requests;
        }
    }
    return requests;
}

}  // namespace

int main(int count, char** arguments) {
    std::uint16_t port = 8099;
    if (count > 1) std::from_chars(arguments[1], arguments[1] + std::strlen(arguments[1]), port);
    struct sigaction action {};
    action.sa_handler = [](int) { stopped = 1; };
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
    int const listener = open_listener(port);
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
