// SPDX-License-Identifier: Apache-2.0
#pragma once

// POST /api/collections/{collection}/auth-with-password
//
// The account is looked up on the loop, the password is checked on the password pool, the answer is written
// on the loop again. Whether the account exists shows neither in the answer nor in the time it takes.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <quern/error.h>
#include "api/call.h"
#include "auth/credentials.h"

namespace quern::api {

// A sign-in under way. Owns its texts: the check runs on another thread.
struct PendingSignIn {
    std::string collection_id;
    std::string record_id;  // empty: no such account
    std::optional<std::string> stored_hash_text;
    std::optional<std::string_view> stored_hash;
    std::string password;
};

// Reads and checks the body, and looks the account up.
// Errors: not_found — no such collection, or none of accounts; forbidden — its accounts do not sign in with
//         passwords; unsupported_media_type, body_invalid, validation — the body.
[[nodiscard]] Result<std::shared_ptr<PendingSignIn>> read_sign_in(Call& call);

// Answers with {"token", "record"} when the password was right.
// Errors: credentials_invalid.
[[nodiscard]] Result<void> answer_sign_in_verified(Call& call, PendingSignIn const& sign_in,
                                                   Result<auth::SignIn> verified);

// Writes {"token", "record"} for the caller's own record `id`.
// Errors: credentials_invalid — the record is gone.
[[nodiscard]] Result<void> answer_with_token(Call& call, Collection const& collection, std::string_view id);

}  // namespace quern::api
