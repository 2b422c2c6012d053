// SPDX-License-Identifier: Apache-2.0
#include <quern/capture.h>

namespace quern {

namespace {

constexpr std::size_t text_chars = 36;
constexpr bool is_dash(std::size_t index) { return index == 8 || index == 13 || index == 18 || index == 23; }

constexpr int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

}  // namespace

std::string Uuid::text() const {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(text_chars);
    for (std::uint8_t const byte : bytes) {
        if (is_dash(text.size())) text += '-';
        text += digits[byte >> 4U];
        text += digits[byte & 15U];
    }
    return text;
}

std::optional<Uuid> Uuid::parse(std::string_view text) {
    if (text.size() != text_chars) return std::nullopt;
    Uuid uuid;
    std::size_t nibble = 0;
    for (std::size_t index = 0; index < text_chars; ++index) {
        if (is_dash(index)) {
            if (text[index] != '-') return std::nullopt;
            continue;
        }
        int const value = digit(text[index]);
        if (value < 0) return std::nullopt;
        std::uint8_t& byte = uuid.bytes[nibble / 2];
        byte = static_cast<std::uint8_t>(byte << 4U | value);
        ++nibble;
    }
    return uuid;
}

}  // namespace quern
