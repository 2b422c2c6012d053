// SPDX-License-Identifier: Apache-2.0
#include "crypto/base64url.h"

#include <array>
#include <cstdint>

#include <quern/assert.h>

namespace quern::crypto {

namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

constexpr std::uint8_t no_value = 0xFF;

// Value of each character; no_value has its highest bits set, so that one OR finds a bad one among four.
constexpr std::array<std::uint8_t, 256> values = [] {
    std::array<std::uint8_t, 256> table{};
    table.fill(no_value);
    for (std::size_t value = 0; value < alphabet.size(); ++value) {
        table[static_cast<unsigned char>(alphabet[value])] = static_cast<std::uint8_t>(value);
    }
    return table;
}();

std::uint32_t byte_at(std::string_view bytes, std::size_t index) {
    return static_cast<unsigned char>(bytes[index]);
}

}  // namespace

std::size_t base64url_encode(std::string_view bytes, std::span<char> output) {
    QUERN_ASSERT(output.size() >= base64url_encoded_size(bytes.size()), "room for the whole text");
    std::size_t written = 0;
    auto const put = [&output, &written](std::uint32_t bits, int chars) {
        for (int shift = 18; chars > 0; shift -= 6, --chars) output[written++] = alphabet[bits >> shift & 63];
    };
    std::size_t read = 0;
    for (; read + 3 <= bytes.size(); read += 3) {
        put(byte_at(bytes, read) << 16 | byte_at(bytes, read + 1) << 8 | byte_at(bytes, read + 2), 4);
    }
    if (bytes.size() - read == 1) put(byte_at(bytes, read) << 16, 2);
    if (bytes.size() - read == 2) put(byte_at(bytes, read) << 16 | byte_at(bytes, read + 1) << 8, 3);
    return written;
}

std::string base64url_encode(std::string_view bytes) {
    std::string text(base64url_encoded_size(bytes.size()), '\0');
    base64url_encode(bytes, text);
    return text;
}

std::optional<std::size_t> base64url_decode(std::string_view text, std::span<char> output) {
    std::size_t const rest = text.size() % 4;
    if (rest == 1) return std::nullopt;
    QUERN_ASSERT(output.size() >= base64url_decoded_size(text.size()), "room for all bytes");
    std::size_t written = 0;
    auto const value = [&text](std::size_t index) -> std::uint32_t {
        return values[static_cast<unsigned char>(text[index])];
    };
    std::size_t read = 0;
    for (; read + 4 <= text.size(); read += 4) {
        std::uint32_t const a = value(read), b = value(read + 1), c = value(read + 2), d = value(read + 3);
        if (((a | b | c | d) & 0x80) != 0) return std::nullopt;
        output[written++] = static_cast<char>(a << 2 | b >> 4);
        output[written++] = static_cast<char>(b << 4 | c >> 2);
        output[written++] = static_cast<char>(c << 6 | d);
    }
    if (rest == 0) return written;
    std::uint32_t const a = value(read), b = value(read + 1), c = rest == 3 ? value(read + 2) : 0;
    if (((a | b | c) & 0x80) != 0) return std::nullopt;
    // Bits that stand for nothing must be zero, else several texts would mean the same bytes.
    if ((rest == 2 ? b & 15 : c & 3) != 0) return std::nullopt;
    output[written++] = static_cast<char>(a << 2 | b >> 4);
    if (rest == 3) output[written++] = static_cast<char>(b << 4 | c >> 2);
    return written;
}

std::optional<std::string> base64url_decode(std::string_view text) {
    std::string bytes(base64url_decoded_size(text.size()), '\0');
    auto const size = base64url_decode(text, bytes);
    if (!size) return std::nullopt;
    bytes.resize(*size);
    return bytes;
}

}  // namespace quern::crypto
