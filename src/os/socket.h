// SPDX-License-Identifier: Apache-2.0
#pragma once

// TCP sockets, non-blocking: listen, accept, receive, send. Interrupted calls are repeated here.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <quern/error.h>
#include "os/fd.h"

namespace quern::os {

// How a transfer ended.
enum class Transfer : std::uint8_t {
    done,         // `bytes` were moved; 0 received bytes mean that the peer has finished sending
    would_block,  // nothing now; the loop will tell
    failed,       // the connection is gone
};
struct TransferResult {
    Transfer outcome = Transfer::failed;
    std::size_t bytes = 0;
};

// Several listeners of a process may share a port; the kernel spreads connections over them.
enum class PortUse : std::uint8_t {
    alone,
    share,  // alone so far; others may join
    join,   // with one that shares
};

struct ListenOptions {
    std::string_view
        host;  // a numeric IPv4 or IPv6 address, or "localhost" (127.0.0.1); empty is every IPv4 address
    std::uint16_t port = 0;  // 0: the system chooses
    PortUse port_use = PortUse::alone;
    int backlog = 4096;  // connections the kernel keeps for us; it may keep fewer (somaxconn)
};

// Opens a listener. Accepted sockets inherit TCP_NODELAY from it.
// Errors: parameter_invalid — `host` is no address; io — the port is taken, or as told by the system.
[[nodiscard]] Result<Fd> listen_tcp(ListenOptions const& options);

// The port a socket is bound to.
[[nodiscard]] std::uint16_t local_port(int fd);

// A client's address as text, kept where it is.
struct PeerAddress {
    std::array<char, 46> text{};
    std::uint8_t size = 0;
    [[nodiscard]] std::string_view view() const { return {text.data(), size}; }
};

enum class Accept : std::uint8_t {
    accepted,
    none,       // no connection waits
    retry,      // that connection was gone already; another may wait
    exhausted,  // no descriptors or memory left: accepting again at once would only spin
};

// Takes one waiting connection, non-blocking. An IPv4 client of an IPv6 listener is written as IPv4.
// Cost: one system call.
[[nodiscard]] Accept accept_tcp(int listener, Fd& socket, PeerAddress& peer);

[[nodiscard]] TransferResult receive(int fd, std::span<char> buffer);
// Throws away up to `bytes` received bytes without copying them.
[[nodiscard]] TransferResult discard(int fd, std::size_t bytes);
[[nodiscard]] TransferResult send(int fd, std::string_view bytes);
// Sends both, one after the other, with one system call.
[[nodiscard]] TransferResult send(int fd, std::string_view first, std::string_view second);

// Tells the peer that nothing more will be sent; receiving goes on.
void shutdown_send(int fd);
// Closing the socket will reset the connection instead of ending it in order.
void reset_on_close(int fd);

// Connects, blocking; for tests and tools. Errors: io — refused, or as told by the system.
[[nodiscard]] Result<Fd> connect_tcp(std::string_view host, std::uint16_t port);
// Makes receive() and send() return at once, as they do on accepted sockets.
void set_non_blocking(int fd);

}  // namespace quern::os
