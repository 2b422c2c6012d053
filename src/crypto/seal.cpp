// SPDX-License-Identifier: Apache-2.0
#include "crypto/seal.h"

#include <sodium.h>

#include <algorithm>
#include <array>

#include <quern/assert.h>

namespace quern::crypto {

static_assert(seal_nonce_bytes == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
static_assert(seal_tag_bytes == crypto_aead_xchacha20poly1305_ietf_ABYTES);
static_assert(sha256_bytes == crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
static_assert(seal_nonce_bytes <= sha256_bytes);

namespace {

template <class Bytes>
auto const* bytes_of(Bytes const& bytes) {
    return reinterpret_cast<unsigned char const*>(bytes.data());
}
unsigned char* bytes_of(std::span<char> bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

Digest nonce_of(Digest const& key, std::string_view context, std::string_view text) {
    HmacSha256 mac({reinterpret_cast<char const*>(key.data()), key.size()}, "nonce");
    std::uint64_t const size = context.size();
    mac.update({reinterpret_cast<char const*>(&size), sizeof size});
    mac.update(context);
    mac.update(text);
    return mac.finish();
}

}  // namespace

void seal(Digest const& key, std::string_view context, std::string_view text, std::span<char> output) {
    QUERN_ASSERT(output.size() == text.size() + seal_bytes, "a sealed text has its place");
    Digest const nonce = nonce_of(key, context, text);
    std::copy_n(reinterpret_cast<char const*>(nonce.data()), seal_nonce_bytes, output.begin());
    int const code = crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes_of(output.subspan(seal_nonce_bytes)), nullptr, bytes_of(text), text.size(), bytes_of(context),
        context.size(), nullptr, bytes_of(nonce), bytes_of(key));
    QUERN_ASSERT(code == 0, "sealing cannot fail");
}

std::optional<std::string_view> open_seal(Digest const& key, std::string_view context,
                                          std::span<char> sealed) {
    if (sealed.size() < seal_bytes) return std::nullopt;
    std::span<char> const rest = sealed.subspan(seal_nonce_bytes);
    int const code = crypto_aead_xchacha20poly1305_ietf_decrypt(
        bytes_of(rest), nullptr, nullptr, bytes_of(rest), rest.size(), bytes_of(context), context.size(),
        bytes_of(sealed), bytes_of(key));
    if (code != 0) return std::nullopt;
    return std::string_view(rest.data(), rest.size() - seal_tag_bytes);
}

}  // namespace quern::crypto
