// SPDX-License-Identifier: Apache-2.0
#pragma once

// The head of a request: request line and header section, checked in one pass.
//
//     GET /api/collections/posts/records?page=2 HTTP/1.1␍␊
//     Host: example.org␍␊
//     ␍␊
//
// parse_head() is a function of the bytes so far and nothing else, so a head that arrives in pieces has the
// same outcome as one that arrives whole: the caller keeps the bytes and asks again when there are more. The
// result holds offsets, not pointers, and stays right when the bytes move.
//
// How the body is framed is decided in one place, from the complete list of headers.

#include <array>
#include <cstdint>
#include <string_view>

#include <quern/http.h>
#include "http/limits.h"

namespace quern::http {

// Why a request is refused. Every refusal ends its connection.
struct ProtocolError {
    int status = 400;
    std::string_view message;  // static
    bool operator==(ProtocolError const&) const = default;
};

// A part of the head. Offsets count from the first byte given to parse_head().
struct Slice {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
    [[nodiscard]] std::string_view of(char const* bytes) const { return {bytes + offset, size}; }
};

// What is announced, or came, is more than the caller takes.
inline constexpr ProtocolError body_too_large{413, "The request body is too large."};

struct FieldSlice {
    std::uint32_t name_offset;
    std::uint32_t value_offset;
    std::uint16_t name_size;
    std::uint16_t value_size;
};

enum class BodyFraming : std::uint8_t { none, length, chunked };

struct Head {
    static constexpr std::uint8_t no_field = 0xFF;

    Method method;
    std::uint8_t minor_version;  // of HTTP/1; 0 or 1, higher ones count as 1
    bool asterisk;               // the target is "*" (OPTIONS alone)
    bool keep_alive;             // the connection may go on after the answer
    bool expects_continue;       // the client waits for "100 Continue" before it sends the body
    BodyFraming framing;
    std::uint8_t field_count;
    std::uint8_t origin_field;           // index of Origin, or no_field
    std::uint8_t accept_encoding_field;  // index of the first Accept-Encoding, or no_field
    std::uint32_t size;                  // bytes of the head, with the empty line at its end
    std::uint64_t content_length;        // with BodyFraming::length
    Slice target;
    Slice path;  // of size 0 when the target is absolute and has none: that means "/"
    Slice query;
    Slice host;                                           // of an absolute target, else of the Host header
    std::array<FieldSlice, limits::header_count> fields;  // the first field_count are set
};

enum class HeadOutcome : std::uint8_t { complete, incomplete, refused };
struct HeadResult {
    HeadOutcome outcome = HeadOutcome::incomplete;
    ProtocolError error;  // when refused
    // When incomplete: no further byte can change that before a line feed arrives or there are this many
    // bytes.
    std::size_t retry_bytes = 0;
};

// Limits: those of limits.h, and `body_bytes_max` for an announced length.
// Cost: linear in the bytes; no allocation.
[[nodiscard]] HeadResult parse_head(std::string_view bytes, std::uint64_t body_bytes_max, Head& head);

}  // namespace quern::http
