// SPDX-License-Identifier: Apache-2.0
#pragma once

// Password hashes: argon2id (RFC 9106), made slow and hungry on purpose.
//
// A hash is text that carries its own cost and salt: "$argon2id$v=19$m=19456,t=2,p=1$…$…". Hashing takes
// about 20 ms and 19 MiB: it belongs on auth's PasswordPool, never on an event loop. A password is the bytes
// as they were sent: it is neither cut nor normalised, so a composed and a decomposed accent are two
// passwords.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <quern/error.h>
#include "crypto/random.h"

namespace quern::crypto {

// Longest password. Beyond it nothing is hashed, so that a huge one costs nothing.
inline constexpr std::size_t password_bytes_max = 1024;

// Largest cost that verify() is willing to spend on a hash it finds (an imported one may ask for anything).
inline constexpr std::size_t password_memory_bytes_max = std::size_t{256} * 1024 * 1024;
inline constexpr std::uint32_t password_passes_max = 16;

// The least that OWASP recommends for argon2id with one lane (19 MiB, two passes). The memory is bounded by
// the number of threads of the pool times `memory_bytes`.
struct PasswordCost {
    std::size_t memory_bytes = std::size_t{19} * 1024 * 1024;
    std::uint32_t passes = 2;
    bool operator==(PasswordCost const&) const = default;
};

// Whether `password` may be hashed at all: not longer than password_bytes_max and without NUL.
// Errors: validation — the field is "password", the code says why.
[[nodiscard]] Result<void> check_password_bytes(std::string_view password);

// Makes and checks hashes. An interface, so that a test can count and need not wait.
// Threads: any.
class PasswordHasher {
public:
    virtual ~PasswordHasher() = default;

    // A new hash of `password`, with a salt of its own.
    // Errors: validation — see check_password_bytes(); overloaded — no memory.
    // Cost:   blocks for as long as the cost says.
    [[nodiscard]] virtual Result<std::string> hash(std::string_view password) = 0;

    // Whether `password` is the one that `hash` was made of. Text that is no argon2id hash matches nothing.
    // Errors: validation — see check_password_bytes(); overloaded — no memory;
    //         unsupported — the hash asks for more than the maxima above.
    // Cost:   blocks for as long as the hash says.
    [[nodiscard]] virtual Result<bool> verify(std::string_view hash, std::string_view password) = 0;

    // Whether `hash` was made at another cost than new ones are: then make it anew at the next sign-in.
    [[nodiscard]] virtual bool needs_rehash(std::string_view hash) const = 0;

    // A well-formed hash at the current cost that no password is known for. Verifying against it takes as
    // long as verifying a real one. Lifetime: as long as the hasher.
    [[nodiscard]] virtual std::string_view dummy_hash() const = 0;
};

class Argon2id final : public PasswordHasher {
public:
    explicit Argon2id(PasswordCost cost = {});

    [[nodiscard]] Result<std::string> hash(std::string_view password) override;
    [[nodiscard]] Result<bool> verify(std::string_view hash, std::string_view password) override;
    [[nodiscard]] bool needs_rehash(std::string_view hash) const override;
    [[nodiscard]] std::string_view dummy_hash() const override { return dummy_hash_; }

private:
    PasswordCost cost_;
    std::string dummy_hash_;
};

}  // namespace quern::crypto
