// SPDX-License-Identifier: Apache-2.0
#pragma once

// What makes a collection an auth collection: its system fields and its options.
//
// The fields are id, password (an argon2id hash, hidden), tokenKey (hidden, its half of every token's key),
// email, emailVisibility and verified. The options live in Collection::options_json under the names that
// PocketBase clients know (authToken {secret, duration}, passwordAuth {enabled, identityFields}, authRule …).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "auth/token.h"
#include "crypto/random.h"
#include "schema/collection.h"

namespace quern::auth {

inline constexpr std::string_view superusers_name = "_superusers";
inline constexpr std::string_view superusers_id = "pbc_3142635823";

// Shortest secret and token key; shorter ones could be guessed.
inline constexpr std::size_t secret_chars_min = 30;

// Lifetimes of tokens, by default.
inline constexpr std::int64_t superuser_token_s = 86'400;
inline constexpr std::int64_t auth_token_s = 604'800;
inline constexpr std::int64_t password_reset_token_s = 1'800;
inline constexpr std::int64_t email_change_token_s = 1'800;
inline constexpr std::int64_t verification_token_s = 259'200;
inline constexpr std::int64_t file_token_s = 180;
// Longest lifetime that the options may ask for: ten years.
inline constexpr std::int64_t token_s_max = 315'360'000;

struct TokenOptions {
    std::string secret;
    std::int64_t duration_s = 0;
    bool operator==(TokenOptions const&) const = default;
};

// The options that signing in needs, read from Collection::options_json.
struct AuthOptions {
    TokenOptions auth_token;
    TokenOptions file_token;
    TokenOptions verification_token;
    TokenOptions password_reset_token;
    TokenOptions email_change_token;
    bool password_enabled = true;
    std::vector<std::string> identity_fields{"email"};  // in this order, each unique
    Rule auth_rule = "";  // who may sign in; nothing = nobody, empty = every account
    Rule manage_rule;     // who may act for other accounts; nothing = superusers

    [[nodiscard]] TokenOptions const& token(TokenType type) const;
    bool operator==(AuthOptions const&) const = default;
};

// Fresh options with a random secret for each type of token.
[[nodiscard]] AuthOptions make_auth_options(crypto::Random& random, std::int64_t duration_s = auth_token_s);

// The options as JSON for Collection::options_json.
[[nodiscard]] std::string print_auth_options(AuthOptions const& options);

// Reads what signing in needs; other options are passed over.
// Errors: body_invalid — not a JSON object;
//         validation — `fields` names the option ("authToken.secret"): missing or short secret, a duration
//         out of bounds, a value of the wrong kind.
[[nodiscard]] Result<AuthOptions> parse_auth_options(std::string_view options_json);

// What a client sent (`options_json`) made whole, for storing: a member that it lacks is taken from the
// options stored so far (`previous_json`, empty for a new collection), and so is the secret of a token,
// because clients are never shown secrets. What neither has is made new. Members this room does not know are
// kept. Errors: body_invalid — either is not a JSON object. The result is not checked: see
// parse_auth_options.
[[nodiscard]] Result<std::string> complete_auth_options(std::string_view options_json,
                                                        std::string_view previous_json,
                                                        crypto::Random& random,
                                                        std::int64_t duration_s = auth_token_s);

// The options as a client may see them: without the secrets of tokens and of OAuth2 providers.
// Errors: body_invalid — not a JSON object.
[[nodiscard]] Result<std::string> redact_auth_options(std::string_view options_json);

// The system fields of an auth collection, `id` first. The password field's `min` is 8 characters.
[[nodiscard]] std::vector<Field> auth_system_fields();
// The unique indexes on tokenKey and (where not empty) email.
[[nodiscard]] std::vector<Index> auth_system_indexes(std::string_view collection_id);

// The collection of superusers, as a new database gets it: all rules locked, fields `created` and `updated`
// too.
[[nodiscard]] Collection make_superusers(crypto::Random& random);

}  // namespace quern::auth
