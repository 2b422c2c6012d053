// SPDX-License-Identifier: Apache-2.0
#pragma once

// Verified claims and the record they speak of → Principal.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>

#include "auth/auth_collection.h"
#include "auth/token.h"
#include "schema/collection.h"
#include "schema/principal.h"

namespace quern::auth {

// Where the system fields of one auth collection stand. Made once a schema, not once a request.
// Threads: frozen.
struct AuthFields {
    std::size_t id = 0;
    std::size_t password = 0;
    std::size_t token_key = 0;
    std::size_t email = 0;
    std::size_t email_visibility = 0;
    std::size_t verified = 0;

    // Nothing when a field is missing or of another type, as in a collection that is no auth collection.
    [[nodiscard]] static std::optional<AuthFields> of(Collection const& collection);
};

// The caller whom a token names, once it is verified against the record's token key.
//
// `record` holds one value a field of `collection`, in order, as it is stored now: a removed account has
// none, so its tokens are void at once. The claims must be of this collection and record. Errors: as
// Token::verify; claims — id or collection are not those of the token. Lifetime: the Principal borrows
// `collection`, `record` and the views in it. Cost: no allocation.
[[nodiscard]] std::expected<Principal, TokenRefusal> authenticate(
    Token const& token, Collection const& collection, AuthFields const& fields, TokenOptions const& options,
    std::span<Value const> record, Token::Expected expected);

// The same record as a Principal without a token: after a sign-in by password.
[[nodiscard]] Principal make_principal(Collection const& collection, AuthFields const& fields,
                                       std::span<Value const> record);

}  // namespace quern::auth
