// SPDX-License-Identifier: Apache-2.0
#pragma once

// What reader and path share: white space, escapes, and the one-pass check that finds the first fault.
// Threads: any. Cost: no allocation.

#include <cstddef>
#include <optional>
#include <string_view>

namespace quern::json {

[[nodiscard]] inline bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
[[nodiscard]] std::string_view trim(std::string_view text);

// What to do with half a surrogate pair or an escape that JSON does not have.
enum class BadEscape : unsigned char { refuse, replace };

// Writes the text between a JSON string's quotes, unescaped, to `output`, which has room for inside.size()
// bytes (unescaping never lengthens; a replacement is U+FFFD). Returns the number of bytes written, or
// nothing where an escape is bad and `bad` says refuse.
[[nodiscard]] std::optional<std::size_t> unescape(std::string_view inside, char* output, BadEscape bad);

struct Fault {
    std::size_t at;        // byte, 0-based
    std::string_view why;  // a sentence's end: "expected a value"; lives for ever
};

struct CheckOptions {
    std::size_t depth_max;  // at most depth_bound
    bool finite = false;    // a number beyond what a double holds is a fault
};
inline constexpr std::size_t depth_bound = 512;

// The first place where `text` is not one JSON value; nothing if it is one.
[[nodiscard]] std::optional<Fault> find_fault(std::string_view text, CheckOptions options);

}  // namespace quern::json
