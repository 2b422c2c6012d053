// SPDX-License-Identifier: Apache-2.0
#pragma once

// A body of parts (multipart/form-data, RFC 7578 and RFC 2046).
//
//     --BOUNDARY CRLF
//     Content-Disposition: form-data; name="file"; filename="a.txt" CRLF
//     Content-Type: text/plain CRLF
//     CRLF
//     ...bytes... CRLF
//     --BOUNDARY-- CRLF
//
// Read strictly: nothing stands before the first boundary but CRLF, lines end with CRLF, every part has one
// Content-Disposition that is form-data with a name. What follows the last boundary is passed over, as
// RFC 2046 wants. A part's bytes are never copied; they end where CRLF, "--" and the boundary stand.

#include <cstddef>
#include <span>
#include <string_view>

#include <quern/arena.h>
#include <quern/error.h>
#include <quern/part.h>

namespace quern::http {

// The boundary that a Content-Type gives, unquoted.
// Errors: unsupported_media_type — not multipart/form-data, no boundary, or one that RFC 2046 forbids.
[[nodiscard]] Result<std::string_view> multipart_boundary(std::string_view content_type);

// The parts of a body, in order.
// Errors:   body_invalid — malformed, the message says how and at which byte; too_large — more parts or
//           longer headers than the limits allow.
// Lifetime: views into the body; the parts themselves, and names with escapes, are in the arena.
// Cost:     one pass. Threads: any.
[[nodiscard]] Result<std::span<Part const>> read_parts(std::string_view body, std::string_view boundary,
                                                       MultipartLimits const& limits, Arena& arena);

}  // namespace quern::http
