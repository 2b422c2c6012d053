// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything that can be chosen when a server is opened. Defaults suit a public server.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "http/cors.h"
#include "http/encoding.h"
#include "http/limits.h"

namespace quern::server {

[[nodiscard]] constexpr std::int64_t to_us(std::chrono::milliseconds time) { return time.count() * 1000; }

// How long the server waits for a client. Checked by a coarse sweep: each ends up to sweep_interval_min
// later.
struct Timeouts {
    static constexpr std::chrono::milliseconds sweep_interval_min{100};

    // From a request's first byte to the end of its head; then 408.
    std::chrono::milliseconds head{10'000};
    // A body may take this long before its rate counts; then 408.
    std::chrono::milliseconds body_grace{5'000};
    // Slowest mean rate of a body, in bytes a second, counted from its start plus the grace.
    std::uint64_t body_rate_min = 1'000;
    // Longest pause inside a body, whatever its rate was before; then 408.
    std::chrono::milliseconds body_stall{30'000};
    // Between requests; then the connection is closed.
    std::chrono::milliseconds idle{120'000};
    // The client takes none of the bytes waiting for it; then the connection is reset.
    std::chrono::milliseconds write_stall{30'000};
    // After the last answer, for the client to read it and to close.
    std::chrono::milliseconds linger{10'000};
    // From stop() to the end of the last request; then connections are cut.
    std::chrono::milliseconds stop{5'000};
    // While stopping, a connection without a request is closed after this pause: a request may be on its way.
    std::chrono::milliseconds stop_idle{100};
};

struct ServerOptions {
    // A numeric address, or "localhost"; empty is every IPv4 address, "::" every address.
    std::string host = "127.0.0.1";
    // 0: the system chooses, see Server::port().
    std::uint16_t port = 8090;
    // Event loops, each with a thread; 0 is one a processor.
    std::size_t loops = 0;
    // Binds each loop to a processor of its own.
    bool pin_loops = false;
    // Largest body after de-chunking, in bytes. Limits: below 2^60.
    std::uint64_t body_bytes_max = http::limits::body_bytes;
    // The same for bodies that the handler takes in pieces; 0: all come whole. Limits: below 2^60.
    std::uint64_t streamed_body_bytes_max = 0;
    // Open connections, of all loops together; more wait in the kernel's queue until others close.
    std::size_t connections_max = 65'536;
    // Bodies of at least so many bytes leave compressed when the client agrees; SIZE_MAX never compresses.
    std::size_t compress_bytes_min = http::compress_bytes_min;
    http::CorsPolicy cors;
    Timeouts timeouts;
};

// Sizes that are not a matter of taste. All in bytes.
//
// What one read takes at most. Larger hardly lowers the number of reads, and costs cache.
inline constexpr std::size_t receive_bytes = 64 * 1024;
// Bodies up to this are copied behind their head; larger ones are sent from where they were written.
inline constexpr std::size_t copied_body_bytes_max = 16 * 1024;
// A connection with so much output waiting handles no further pipelined request until it has been sent.
inline constexpr std::size_t connection_output_bytes_max = 256 * 1024;
// What is read and thrown away after a refused request, so that the client gets to read the answer.
inline constexpr std::size_t linger_bytes_max = 64 * 1024 * 1024;

}  // namespace quern::server
