// SPDX-License-Identifier: Apache-2.0
#include "os/socket.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <quern/assert.h>

namespace quern::os {

namespace {

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
    [[nodiscard]] sockaddr const* get() const { return reinterpret_cast<sockaddr const*>(&storage); }
};

Result<Address> parse_address(std::string_view host, std::uint16_t port) {
    Address address;
    std::string const text(host == "localhost" ? "127.0.0.1" : host.empty() ? "0.0.0.0" : host);
    sockaddr_in v4{};
    v4.sin_family = AF_INET;
    v4.sin_port = htons(port);
    if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
        std::memcpy(&address.storage, &v4, sizeof v4);
        address.size = sizeof v4;
        return address;
    }
    sockaddr_in6 v6{};
    v6.sin6_family = AF_INET6;
    v6.sin6_port = htons(port);
    if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) {
        std::memcpy(&address.storage, &v6, sizeof v6);
        address.size = sizeof v6;
        return address;
    }
    return fail(ErrorCode::parameter_invalid, "not an IP address: " + text);
}

Result<void> set_option(int fd, int level, int option, int value) {
    if (::setsockopt(fd, level, option, &value, sizeof value) != 0)
        return fail(system_error("setsockopt", errno));
    return {};
}

constexpr socklen_t peer_text_size = sizeof(PeerAddress::text);

void write_peer(sockaddr_storage const& storage, PeerAddress& peer) {
    peer.size = 0;
    char const* text = nullptr;
    if (storage.ss_family == AF_INET) {
        sockaddr_in v4;
        std::memcpy(&v4, &storage, sizeof v4);
        text = ::inet_ntop(AF_INET, &v4.sin_addr, peer.text.data(), peer_text_size);
    } else if (storage.ss_family == AF_INET6) {
        sockaddr_in6 v6;
        std::memcpy(&v6, &storage, sizeof v6);
        if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
            text = ::inet_ntop(AF_INET, &v6.sin6_addr.s6_addr[12], peer.text.data(), peer_text_size);
        } else {
            text = ::inet_ntop(AF_INET6, &v6.sin6_addr, peer.text.data(), peer_text_size);
        }
    }
    if (text != nullptr) peer.size = static_cast<std::uint8_t>(std::strlen(text));
}

TransferResult from_result(ssize_t result) {
    if (result >= 0) return {Transfer::done, static_cast<std::size_t>(result)};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return {Transfer::would_block, 0};
    return {Transfer::failed, 0};
}

template <class Call>
TransferResult uninterrupted(Call call) {
    ssize_t result;
    do {
        result = call();
    } while (result < 0 && errno == EINTR);
    return from_result(result);
}

}  // namespace

Result<Fd> listen_tcp(ListenOptions const& options) {
    QUERN_TRY(Address const address, parse_address(options.host, options.port));
    Fd socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!socket) return fail(system_error("socket", errno));
    QUERN_CHECK(set_option(socket.get(), SOL_SOCKET, SO_REUSEADDR, 1));
    QUERN_CHECK(set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1));
    if (address.storage.ss_family == AF_INET6)
        QUERN_CHECK(set_option(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, 0));
    std::string const where = std::string(options.host) + ":" + std::to_string(options.port);
    // The first listener of a group is bound alone, so that it is refused where somebody else has the port,
    // who might be a group as well; sharing is allowed behind that.
    auto const share = [&] { return set_option(socket.get(), SOL_SOCKET, SO_REUSEPORT, 1); };
    if (options.port_use == PortUse::join) QUERN_CHECK(share());
    if (::bind(socket.get(), address.get(), address.size) != 0)
        return fail(system_error("bind " + where, errno));
    if (options.port_use == PortUse::share) QUERN_CHECK(share());
    if (::listen(socket.get(), options.backlog) != 0) return fail(system_error("listen " + where, errno));
    return socket;
}

std::uint16_t local_port(int fd) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    if (::getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return 0;
    if (storage.ss_family == AF_INET6) {
        sockaddr_in6 v6;
        std::memcpy(&v6, &storage, sizeof v6);
        return ntohs(v6.sin6_port);
    }
    sockaddr_in v4;
    std::memcpy(&v4, &storage, sizeof v4);
    return ntohs(v4.sin_port);
}

Accept accept_tcp(int listener, Fd& socket, PeerAddress& peer) {
    sockaddr_storage storage{};
    socklen_t size = sizeof storage;
    int const fd =
        ::accept4(listener, reinterpret_cast<sockaddr*>(&storage), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        socket = Fd(fd);
        write_peer(storage, peer);
        return Accept::accepted;
    }
    switch (errno) {
    case EAGAIN: return Accept::none;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM: return Accept::exhausted;
    default: return Accept::retry;  // the peer gave up, or a signal came
    }
}

TransferResult receive(int fd, std::span<char> buffer) {
    return uninterrupted([&] { return ::recv(fd, buffer.data(), buffer.size(), 0); });
}

TransferResult discard(int fd, std::size_t bytes) {
    // On a TCP socket MSG_TRUNC drops the bytes in the kernel.
    return uninterrupted([&] { return ::recv(fd, nullptr, bytes, MSG_TRUNC); });
}

TransferResult send(int fd, std::string_view bytes) {
    return uninterrupted([&] { return ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL); });
}

TransferResult send(int fd, std::string_view first, std::string_view second) {
    std::array<iovec, 2> parts{
        {{const_cast<char*>(first.data()), first.size()}, {const_cast<char*>(second.data()), second.size()}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    return uninterrupted([&] { return ::sendmsg(fd, &message, MSG_NOSIGNAL); });
}

void shutdown_send(int fd) { ::shutdown(fd, SHUT_WR); }

void reset_on_close(int fd) {
    linger const value{1, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &value, sizeof value);
}

Result<Fd> connect_tcp(std::string_view host, std::uint16_t port) {
    QUERN_TRY(Address const address, parse_address(host, port));
    Fd socket(::socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket) return fail(system_error("socket", errno));
    QUERN_CHECK(set_option(socket.get(), IPPROTO_TCP, TCP_NODELAY, 1));
    int result;
    do {
        result = ::connect(socket.get(), address.get(), address.size);
    } while (result != 0 && errno == EINTR);
    if (result != 0) return fail(system_error("connect", errno));
    return socket;
}

void set_non_blocking(int fd) {
    int const flags = ::fcntl(fd, F_GETFL);
    bool const done = flags >= 0 && ::fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
    QUERN_ASSERT(done, "the descriptor is open");
}

}  // namespace quern::os
