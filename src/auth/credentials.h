// SPDX-License-Identifier: Apache-2.0
#pragma once

// Identity and password → whether they belong together, without telling whether the identity exists.
//
// An endpoint calls check_credential_input() on its loop, looks the account up, and then runs
// verify_password() on the PasswordPool — also when there is no account: the hash is then a dummy of the same
// cost, so that answer and time are the same as for a wrong password.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <quern/error.h>
#include "crypto/password.h"

namespace quern::auth {

// Longest identity (an address or a user name) that is looked up.
inline constexpr std::size_t identity_bytes_max = 255;

// Whether a sign-in may be tried at all. Depends on the input alone, never on what is stored.
// Errors: validation — `fields` names "identity" or "password": missing, too long, not UTF-8, or with NUL.
[[nodiscard]] Result<void> check_credential_input(std::string_view identity, std::string_view password);

// How a sign-in ended well.
struct SignIn {
    // The hash to be stored in place of the old one, because new ones cost more; usually nothing.
    std::optional<std::string> better_hash;
};

// Whether `password` is that of the account. `stored_hash` is nothing when there is no such account, or when
// it may not sign in with a password.
// Errors: credentials_invalid — wrong password or no account, the same answer for both;
//         overloaded — no memory to hash.
// Cost:   blocks for one hash (two when better_hash is made): run it on the PasswordPool.
[[nodiscard]] Result<SignIn> verify_password(crypto::PasswordHasher& hasher,
                                             std::optional<std::string_view> stored_hash,
                                             std::string_view password);

}  // namespace quern::auth
