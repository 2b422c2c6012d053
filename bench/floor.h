// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the two floors have in common: the answer, the port and the listener.

#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <csignal>

namespace bench {

inline constexpr std::string_view floor_response =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 13\r\n"
    "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\nHello, World!";

inline volatile std::sig_atomic_t floor_stopped = 0;

// SIGTERM and SIGINT end the floor's loop.
inline void stop_floor_on_signals() {
    struct sigaction action {};
    action.sa_handler = [](int) { floor_stopped = 1; };
    ::sigaction(SIGTERM, &action, nullptr);
    ::sigaction(SIGINT, &action, nullptr);
}

inline std::uint16_t port_of(int count, char const* const* arguments) {
    std::uint16_t port = 8099;
    if (count > 1) std::from_chars(arguments[1], arguments[1] + std::strlen(arguments[1]), port);
    return port;
}

// A listener on the loopback; `flags` go to socket(). Negative when the port is taken.
inline int open_floor_listener(std::uint16_t port, int flags) {
    int const listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
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

}  // namespace bench
