// SPDX-License-Identifier: Apache-2.0
#pragma once

// base64url without padding (RFC 4648 section 5, RFC 7515 section 2).
//
// Decoding is strict: one text for each run of bytes. Padding, white space, the characters '+' and '/', and
// unused bits that are not zero are refused.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace quern::crypto {

// Characters that `bytes` bytes take.
[[nodiscard]] constexpr std::size_t base64url_encoded_size(std::size_t bytes) {
    return bytes / 3 * 4 + (bytes % 3 == 0 ? 0 : bytes % 3 + 1);
}
// Bytes that `chars` characters of valid text give.
[[nodiscard]] constexpr std::size_t base64url_decoded_size(std::size_t chars) {
    return chars / 4 * 3 + (chars % 4 == 0 ? 0 : chars % 4 - 1);
}

// Encodes into `output`, which has room for base64url_encoded_size(); returns the number of characters.
// `bytes` and `output` must not overlap. Cost: no allocation.
std::size_t base64url_encode(std::string_view bytes, std::span<char> output);
[[nodiscard]] std::string base64url_encode(std::string_view bytes);

// Decodes into `output`, which has room for base64url_decoded_size(); returns the number of bytes, or nothing
// when the text is not strictly base64url (what `output` then holds is undefined). Cost: no allocation.
[[nodiscard]] std::optional<std::size_t> base64url_decode(std::string_view text, std::span<char> output);
[[nodiscard]] std::optional<std::string> base64url_decode(std::string_view text);

}  // namespace quern::crypto
