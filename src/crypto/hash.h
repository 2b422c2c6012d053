// SPDX-License-Identifier: Apache-2.0
#pragma once

// SHA-256 (FIPS 180-4), HMAC-SHA-256 (RFC 2104), and comparing without telling where two texts differ.
//
// All of it runs in registers and on the stack: no allocation, no lock, about 0.1 µs for each 64 bytes on a
// processor with SHA instructions.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quern::crypto {

inline constexpr std::size_t sha256_bytes = 32;
using Digest = std::array<std::byte, sha256_bytes>;

// A digest as 64 lower-case hexadecimal digits.
[[nodiscard]] std::string to_hex(Digest const& digest);

// The digest of bytes that come in pieces. Threads: one at a time.
class Sha256 {
public:
    Sha256();
    void update(std::string_view bytes);
    // The digest of everything so far; the object starts anew.
    [[nodiscard]] Digest finish();

private:
    alignas(8) std::array<std::byte, 112> state_;
};

[[nodiscard]] Digest sha256(std::string_view bytes);

// A message authentication code over bytes that come in pieces. Threads: one at a time.
class HmacSha256 {
public:
    // The key is `key` followed by `key_rest`, of any length; nothing of it is kept but what the code needs.
    explicit HmacSha256(std::string_view key, std::string_view key_rest = {});
    ~HmacSha256();
    HmacSha256(HmacSha256 const&) = delete;
    HmacSha256& operator=(HmacSha256 const&) = delete;

    void update(std::string_view bytes) { inner_.update(bytes); }
    // The code of everything so far. Call once.
    [[nodiscard]] Digest finish();

private:
    Sha256 inner_;
    Sha256 outer_;
};

[[nodiscard]] Digest hmac_sha256(std::string_view key, std::string_view message);

// Whether two texts are equal, in a time that depends on their lengths alone.
[[nodiscard]] bool equal_constant_time(std::string_view left, std::string_view right);
[[nodiscard]] bool equal_constant_time(Digest const& left, Digest const& right);

}  // namespace quern::crypto
