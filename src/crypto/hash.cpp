// SPDX-License-Identifier: Apache-2.0

// The block functions of OpenSSL are used directly: its newer interface looks the algorithm up and allocates
// at every start, which costs more than hashing a short message. They are deprecated there, not removed.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "crypto/hash.h"

#include <openssl/sha.h>
#include <sodium.h>

#include <cstring>
#include <new>

#include <quern/assert.h>

namespace quern::crypto {

namespace {

constexpr std::size_t block_bytes = 64;

static_assert(sizeof(SHA256_CTX) == 112 && alignof(SHA256_CTX) <= 8, "Sha256::state_ holds a SHA256_CTX");

SHA256_CTX* context(std::array<std::byte, 112>& state) {
    return std::launder(reinterpret_cast<SHA256_CTX*>(state.data()));
}

unsigned char* bytes_of(Digest& digest) { return reinterpret_cast<unsigned char*>(digest.data()); }

}  // namespace

std::string to_hex(Digest const& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(digest.size() * 2);
    for (std::byte const byte : digest) {
        text += digits[std::to_integer<std::size_t>(byte) >> 4];
        text += digits[std::to_integer<std::size_t>(byte) & 15];
    }
    return text;
}

Sha256::Sha256() {
    auto* const created = ::new (static_cast<void*>(state_.data())) SHA256_CTX;
    QUERN_ASSERT(SHA256_Init(created) == 1, "SHA-256 starts");
}

void Sha256::update(std::string_view bytes) {
    QUERN_ASSERT(SHA256_Update(context(state_), bytes.data(), bytes.size()) == 1, "SHA-256 takes bytes");
}

Digest Sha256::finish() {
    Digest digest;
    QUERN_ASSERT(SHA256_Final(bytes_of(digest), context(state_)) == 1, "SHA-256 ends");
    QUERN_ASSERT(SHA256_Init(context(state_)) == 1, "SHA-256 starts");
    return digest;
}

Digest sha256(std::string_view bytes) {
    Sha256 hash;
    hash.update(bytes);
    return hash.finish();
}

HmacSha256::HmacSha256(std::string_view key, std::string_view key_rest) {
    std::array<unsigned char, block_bytes> block{};
    if (key.size() + key_rest.size() > block_bytes) {
        Sha256 hash;
        hash.update(key);
        hash.update(key_rest);
        Digest const digest = hash.finish();
        std::memcpy(block.data(), digest.data(), digest.size());
    } else {
        if (!key.empty()) std::memcpy(block.data(), key.data(), key.size());
        if (!key_rest.empty()) std::memcpy(block.data() + key.size(), key_rest.data(), key_rest.size());
    }
    auto const start = [&block](Sha256& hash, unsigned char pad) {
        for (unsigned char& byte : block) byte ^= pad;
        hash.update({reinterpret_cast<char const*>(block.data()), block.size()});
    };
    constexpr unsigned char inner_pad = 0x36;
    constexpr unsigned char outer_pad = 0x5c;
    start(inner_, inner_pad);
    start(outer_, inner_pad ^ outer_pad);  // takes the first pad away and puts the second on
    sodium_memzero(block.data(), block.size());
}

HmacSha256::~HmacSha256() {
    // Who has these states can sign.
    sodium_memzero(&inner_, sizeof inner_);
    sodium_memzero(&outer_, sizeof outer_);
}

Digest HmacSha256::finish() {
    Digest const inner = inner_.finish();
    outer_.update({reinterpret_cast<char const*>(inner.data()), inner.size()});
    return outer_.finish();
}

Digest hmac_sha256(std::string_view key, std::string_view message) {
    HmacSha256 mac(key);
    mac.update(message);
    return mac.finish();
}

bool equal_constant_time(std::string_view left, std::string_view right) {
    return left.size() == right.size() && sodium_memcmp(left.data(), right.data(), left.size()) == 0;
}

bool equal_constant_time(Digest const& left, Digest const& right) {
    return sodium_memcmp(left.data(), right.data(), left.size()) == 0;
}

}  // namespace quern::crypto
