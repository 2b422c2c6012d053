// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tokens: who somebody is, signed, for a while.
//
// A token is a JWT (RFC 7519) signed with HS256:
//
//   base64url({"alg":"HS256","typ":"JWT"}) . base64url(claims) . base64url(HMAC-SHA-256)
//
// with claims like
// {"collectionId":"pbc_3142635823","exp":1700086400,"id":"h4k2…","refreshable":true,"type":"auth"}. The key
// is the record's own token key followed by its collection's secret for tokens of that type, so a new token
// key ends the tokens of one record and a new secret those of a whole collection.
//
// Because the key depends on the record, reading has two steps: parse() tells what the token claims; the
// caller looks the record and the secret up; verify() says whether the claims are true. Nothing of the claims
// may be used before verify() has said yes, but for the look-up.
//
// The header is compared byte for byte with the one above: there is no choice of algorithm to be tricked
// with.

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include <quern/buffer.h>

namespace quern::auth {

// What a token is good for; each type has a secret of its own in the collection.
enum class TokenType : std::uint8_t { auth, file, verification, password_reset, email_change };
// As in the claim `type`: "auth", "file", "verification", "passwordReset", "emailChange".
[[nodiscard]] std::string_view name(TokenType type);

// Lifetime: the views borrow from the Token, or from whoever fills the claims in.
struct TokenClaims {
    TokenType type = TokenType::auth;
    std::string_view id;  // of the record
    std::string_view collection_id;
    std::int64_t expires_s = 0;  // seconds since 1970; from that second on the token is void
    bool refreshable = false;    // may be exchanged for a new one
    std::string_view email;      // verification, password_reset, email_change: the address at that time
    std::string_view new_email;  // email_change
    std::optional<std::int64_t> issued_s;      // `iat`, when it is there
    std::optional<std::int64_t> not_before_s;  // `nbf`, when it is there

    bool operator==(TokenClaims const&) const = default;
};

// The two halves of the key. Neither may be empty.
struct TokenKey {
    std::string_view record_key;         // the record's field tokenKey
    std::string_view collection_secret;  // see AuthOptions
};

// Why a token was refused; for logs and tests, the caller of the API is not told.
enum class TokenRefusal : std::uint8_t {
    malformed,  // not three parts, too long, not strictly base64url, not a flat JSON object
    algorithm,  // another header than ours
    claims,     // a claim is missing, twice, or of the wrong kind
    signature,  // forged, changed, or of an older key
    type,       // good for something else
    expired,
    not_yet_valid,  // `nbf` or `iat` lie ahead, or `iat` before the caller's not-before
};
[[nodiscard]] std::string_view name(TokenRefusal refusal);

// Longest token that is looked at.
inline constexpr std::size_t token_bytes_max = 2048;
// How far ahead of ours the clock of another issuing machine may be.
inline constexpr std::int64_t token_clock_skew_s = 60;

// A token being read. Holds its own memory (about 1.6 KiB), so it may stand on the stack.
//
// Threads: one at a time. Cost of parse() and verify() together: about 1 µs, no allocation.
class Token {
public:
    // Takes the token apart, replacing what was there before. Does not look at the signature or at the time.
    // Lifetime: `text` is borrowed until the last call of verify().
    [[nodiscard]] std::expected<void, TokenRefusal> parse(std::string_view text);

    // What the token says of itself: anybody could have written it. Lifetime: until the next parse().
    [[nodiscard]] TokenClaims const& unverified_claims() const { return claims_; }

    // What the caller knows.
    struct Expected {
        TokenType type = TokenType::auth;
        std::int64_t now_s = 0;         // seconds since 1970
        std::int64_t not_before_s = 0;  // above 0: refuse what was issued earlier, or does not say when
    };

    // Whether the claims are true, of the expected type, and in force now. Call after a successful parse().
    [[nodiscard]] std::expected<void, TokenRefusal> verify(TokenKey key, Expected expected) const;

private:
    [[nodiscard]] std::expected<void, TokenRefusal> read_claims(std::size_t payload_size);

    std::string_view signed_part_;
    std::array<char, 32> signature_{};
    std::array<char, token_bytes_max * 3 / 4> payload_{};
    TokenClaims claims_;
};

// Writes a token that says `claims`. Precondition: id, collection_id and both halves of the key are not
// empty. Limits: a token longer than token_bytes_max would not be accepted again; ids and addresses are far
// shorter. Cost: no allocation once `output` is large enough.
void append_token(Buffer& output, TokenClaims const& claims, TokenKey key);
[[nodiscard]] std::string make_token(TokenClaims const& claims, TokenKey key);

}  // namespace quern::auth
