// SPDX-License-Identifier: Apache-2.0
#include "crypto/password.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include <quern/assert.h>

namespace quern::crypto {

namespace {

constexpr std::string_view prefix = "$argon2id$v=19$m=";
constexpr std::size_t kibibyte = 1024;  // the unit of `m` in a hash

// A salt and a digest of the right sizes, all zero bits; no password is known that leads to it.
constexpr std::string_view dummy_salt = "AAAAAAAAAAAAAAAAAAAAAA";
constexpr std::string_view dummy_digest = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

using HashText = std::array<char, crypto_pwhash_STRBYTES>;

// The hash with a NUL behind it, as libsodium wants it. Nothing when it cannot be a hash.
std::optional<HashText> terminated(std::string_view hash) {
    HashText text{};
    if (hash.size() >= text.size() || hash.find('\0') != std::string_view::npos) return std::nullopt;
    if (!hash.starts_with(prefix)) return std::nullopt;
    std::memcpy(text.data(), hash.data(), hash.size());
    return text;
}

template <class Number>
std::optional<Number> number_until(std::string_view& text, char end) {
    Number number = 0;
    auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || stop == text.data() + text.size() || *stop != end) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
    return number;
}

// What verifying a hash would cost.
std::optional<PasswordCost> cost_of(std::string_view hash) {
    if (!hash.starts_with(prefix)) return std::nullopt;
    hash.remove_prefix(prefix.size());
    auto const memory_kib = number_until<std::uint32_t>(hash, ',');
    if (!memory_kib || !hash.starts_with("t=")) return std::nullopt;
    hash.remove_prefix(2);
    auto const passes = number_until<std::uint32_t>(hash, ',');
    if (!passes) return std::nullopt;
    return PasswordCost{.memory_bytes = *memory_kib * kibibyte, .passes = *passes};
}

}  // namespace

Result<void> check_password_bytes(std::string_view password) {
    if (password.size() > password_bytes_max) {
        return fail(Error::of_field("password", "validation_length_out_of_range",
                                    fmt::format("The length must be at most {} bytes.", password_bytes_max)));
    }
    if (password.find('\0') != std::string_view::npos) {
        return fail(
            Error::of_field("password", "validation_invalid_value", "The value holds a NUL character."));
    }
    return {};
}

Argon2id::Argon2id(PasswordCost cost)
    : cost_(cost),
      dummy_hash_(fmt::format("{}{},t={},p=1${}${}", prefix, cost.memory_bytes / kibibyte, cost.passes,
                              dummy_salt, dummy_digest)) {
    QUERN_ASSERT(sodium_init() >= 0, "the system has a source of randomness");
    QUERN_ASSERT(cost.passes >= 1 && cost.passes <= password_passes_max, "a number of passes within bounds");
    QUERN_ASSERT(
        cost.memory_bytes >= crypto_pwhash_MEMLIMIT_MIN && cost.memory_bytes <= password_memory_bytes_max,
        "an amount of memory within bounds");
}

Result<std::string> Argon2id::hash(std::string_view password) {
    QUERN_CHECK(check_password_bytes(password));
    HashText text{};
    // Fails for want of memory alone: the parameters have been checked.
    if (crypto_pwhash_str_alg(text.data(), password.data(), password.size(), cost_.passes, cost_.memory_bytes,
                              crypto_pwhash_ALG_ARGON2ID13) != 0) {
        return fail(ErrorCode::overloaded);
    }
    return std::string(text.data());
}

Result<bool> Argon2id::verify(std::string_view hash, std::string_view password) {
    QUERN_CHECK(check_password_bytes(password));
    auto const text = terminated(hash);
    auto const cost = cost_of(hash);
    if (!text || !cost) return false;
    if (cost->memory_bytes > password_memory_bytes_max || cost->passes > password_passes_max) {
        return fail(ErrorCode::unsupported, "The stored password hash costs more than is allowed.");
    }
    errno = 0;
    if (crypto_pwhash_str_verify(text->data(), password.data(), password.size()) == 0) return true;
    // "No memory" must not be taken for "wrong password".
    if (errno == ENOMEM) return fail(ErrorCode::overloaded);
    return false;
}

bool Argon2id::needs_rehash(std::string_view hash) const {
    auto const cost = cost_of(hash);
    return !cost || *cost != cost_;
}

}  // namespace quern::crypto
