// SPDX-License-Identifier: Apache-2.0
#pragma once

// What each of the 256 bytes may be in a message, as one table of bits (RFC 9110, 9112 and 3986).
// No locale, no <cctype>: a digit is one of ten bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace quern::http {

enum ByteClass : std::uint8_t {
    token_byte = 1,  // a method, a header's name
    value_byte = 2,  // a header's value: visible, obs-text, SP, HTAB
    path_byte = 4,   // a path as sent, with '/', and what browsers leave unescaped: "|", "[", "]"
    query_byte = 8,  // a query as sent, with what browsers leave unescaped
    host_byte = 16,  // a registered name or an IPv4 address
    digit_byte = 32,
    hex_byte = 64,
};

namespace byte_class_table {

consteval std::array<std::uint8_t, 256> make() {
    std::array<std::uint8_t, 256> table{};
    auto const mark = [&table](std::string_view bytes, unsigned classes) {
        for (char const c : bytes) {
            auto& entry = table[static_cast<unsigned char>(c)];
            entry = static_cast<std::uint8_t>(entry | classes);
        }
    };
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    constexpr std::string_view digits = "0123456789";
    mark(letters, token_byte | path_byte | query_byte | host_byte);
    mark(digits, token_byte | path_byte | query_byte | host_byte | digit_byte | hex_byte);
    mark("abcdefABCDEF", hex_byte);
    mark("!#$%&'*+-.^_`|~", token_byte);
    mark("-._~!$&'()*+,;=", path_byte | query_byte | host_byte);
    mark(":@/%|[]", path_byte);
    mark(":@/%?|[]{}^`\\", query_byte);
    for (unsigned byte = 0x20; byte < 0x100; ++byte) {
        if (byte != 0x7F) table[byte] = static_cast<std::uint8_t>(table[byte] | value_byte);
    }
    table['\t'] = static_cast<std::uint8_t>(table['\t'] | value_byte);
    return table;
}

inline constexpr std::array<std::uint8_t, 256> bits = make();

}  // namespace byte_class_table

[[nodiscard]] constexpr bool is(char c, ByteClass wanted) {
    return (byte_class_table::bits[static_cast<unsigned char>(c)] & wanted) != 0;
}

// Value of a hexadecimal digit, -1 for any other byte.
[[nodiscard]] constexpr int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

[[nodiscard]] constexpr char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

// The same for a whole token, eight bytes at a time: tokens hold no byte above 0x7F, so none of the sums
// below carries into the next byte.
inline void to_lower_token(char* token, std::size_t size) {
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t high = 0x80 * ones;
    for (; size >= sizeof(std::uint64_t); token += sizeof(std::uint64_t), size -= sizeof(std::uint64_t)) {
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, token, sizeof bytes);
        std::uint64_t const from_a = bytes + (0x80 - 'A') * ones;
        std::uint64_t const behind_z = bytes + (0x80 - 'Z' - 1) * ones;
        bytes |= (from_a & ~behind_z & high) >> 2;  // 0x80 becomes 0x20
        std::memcpy(token, &bytes, sizeof bytes);
    }
    for (; size > 0; ++token, --size) *token = to_lower(*token);
}

// Whether `text` is `lower` (given in lower case) when ASCII case is ignored.
[[nodiscard]] constexpr bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (to_lower(text[i]) != lower[i]) return false;
    }
    return true;
}

// Without SP and HTAB at both ends.
[[nodiscard]] constexpr std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

}  // namespace quern::http
