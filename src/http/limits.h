// SPDX-License-Identifier: Apache-2.0
#pragma once

// How much of everything a request may have. All in bytes unless the name says otherwise.
//
// A length is a limit before it is an allocation: no memory is ever taken because of an announced size.

#include <cstddef>
#include <cstdint>

namespace quern::http::limits {

// "GET /path HTTP/1.1", without its line end. Beyond: 414.
inline constexpr std::size_t request_line_bytes = 8192;
// Beyond: 400; no method that is known is longer than 7.
inline constexpr std::size_t method_bytes = 32;
// One "Name: value", without its line end. Beyond: 431.
inline constexpr std::size_t header_line_bytes = 16384;
// All header lines with their line ends, and the empty line after them. Beyond: 431.
inline constexpr std::size_t header_section_bytes = 32768;
// Header lines. Beyond: 431.
inline constexpr std::size_t header_count = 100;
// The body after de-chunking, when the server's options do not say otherwise. Beyond: 413.
inline constexpr std::uint64_t body_bytes = 10'485'760;
// "1a;extension", without its line end. Beyond: 400.
inline constexpr std::size_t chunk_line_bytes = 256;
// All lines after the last chunk, with their line ends. Beyond: 431.
inline constexpr std::size_t trailer_section_bytes = 8192;
// Empty lines before a request line that are overlooked (RFC 9112, 2.2). Beyond: 400.
inline constexpr std::size_t leading_empty_lines = 1;
// Segments of a path. Every one costs at least a byte, so the request line bounds them; this bounds the
// array.
inline constexpr std::size_t path_segments = 256;

// A request line and a header section can never be longer than this.
inline constexpr std::size_t head_bytes =
    2 * leading_empty_lines + request_line_bytes + 2 + header_section_bytes;

static_assert(header_line_bytes < header_section_bytes);
static_assert(header_line_bytes <= UINT16_MAX, "sizes of names and values are kept in 16 bits");
static_assert(header_count <= UINT8_MAX, "indexes of headers are kept in 8 bits");

}  // namespace quern::http::limits
