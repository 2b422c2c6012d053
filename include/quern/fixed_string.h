// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text as a template argument: route patterns and SQL statements that the compiler reads.

#include <cstddef>
#include <string_view>

namespace quern {

// A string literal by value. `Bytes` counts the closing NUL.
// Threads: frozen.
template <std::size_t Bytes>
struct FixedString {
    char bytes[Bytes]{};

    // Implicit, so that a literal can be written where a template argument of this type is wanted.
    consteval FixedString(char const (&literal)[Bytes]) {
        for (std::size_t index = 0; index < Bytes; ++index) bytes[index] = literal[index];
    }
    consteval FixedString() = default;

    [[nodiscard]] constexpr std::string_view view() const { return {bytes, Bytes - 1}; }
    bool operator==(FixedString const&) const = default;
};

namespace detail {

// Whether `text` holds one of `characters`. The standard's own search is not a constant expression over a
// template argument when g++ 12 adds its checks for undefined behaviour.
constexpr bool holds_any(std::string_view text, std::string_view characters) {
    for (char const c : text) {
        for (char const wanted : characters) {
            if (c == wanted) return true;
        }
    }
    return false;
}

// The index of the first `character`, the text's size without one. As above.
constexpr std::size_t find_char(std::string_view text, char character) {
    std::size_t index = 0;
    while (index < text.size() && text[index] != character) ++index;
    return index;
}

}  // namespace detail

}  // namespace quern
