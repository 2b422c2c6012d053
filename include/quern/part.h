// SPDX-License-Identifier: Apache-2.0
#pragma once

// One part of a form with files, and what a form may cost.

#include <cstddef>
#include <string_view>

namespace quern::http {

// One part of a form.
// Lifetime: the request's.
struct Part {
    std::string_view name;
    std::string_view filename;      // as sent, without directories; empty when there is none
    std::string_view content_type;  // as sent; empty when there is none, which means text/plain
    std::string_view bytes;
    bool is_file = false;  // it has a filename, even if that is empty
};

// What a form may cost. The body's size has its own limit (AppOptions::body_bytes_max).
struct MultipartLimits {
    std::size_t parts_max = 256;
    // All header lines of one part together.
    std::size_t header_bytes_max = 4 * 1024;
};

}  // namespace quern::http
