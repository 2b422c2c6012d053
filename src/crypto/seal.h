// SPDX-License-Identifier: Apache-2.0
#pragma once

// Texts that go through strange hands and come back: sealed, so that those can neither read nor change them.
//
// XChaCha20-Poly1305. The nonce is no random number but a MAC of what is sealed, so that the same text sealed
// in the same context is the same again (an answer that has not changed keeps its entity tag), and that no
// two different texts ever share a nonce.
//
//     nonce (24) | ciphertext | tag (16)

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "crypto/hash.h"

namespace quern::crypto {

inline constexpr std::size_t seal_nonce_bytes = 24;
inline constexpr std::size_t seal_tag_bytes = 16;
// What is added to the length of a text.
inline constexpr std::size_t seal_bytes = seal_nonce_bytes + seal_tag_bytes;

// Writes the sealed text into `output`, which is text.size() + seal_bytes long. `context` is not part of it
// and must be the same to open it. The key is for this use alone.
void seal(Digest const& key, std::string_view context, std::string_view text, std::span<char> output);

// Opens it in place; the text is a part of `sealed`. Nothing when it was not sealed with this key and
// context, or was changed: then `sealed` holds nothing of use.
[[nodiscard]] std::optional<std::string_view> open_seal(Digest const& key, std::string_view context,
                                                        std::span<char> sealed);

}  // namespace quern::crypto
