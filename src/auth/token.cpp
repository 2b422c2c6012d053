// SPDX-License-Identifier: Apache-2.0
#include "auth/token.h"

#include <algorithm>

#include <quern/assert.h>
#include <quern/json_writer.h>
#include "auth/claims_reader.h"
#include "base/text.h"
#include "crypto/base64url.h"
#include "crypto/hash.h"

namespace quern::auth {

namespace {

// base64url of {"alg":"HS256","typ":"JWT"}
constexpr std::string_view header = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";

constexpr std::size_t signature_chars = crypto::base64url_encoded_size(crypto::sha256_bytes);

constexpr std::array<std::string_view, 5> type_names = {"auth", "file", "verification", "passwordReset",
                                                        "emailChange"};

std::optional<TokenType> type_of(std::string_view type_name) {
    auto const* const found = std::ranges::find(type_names, type_name);
    if (found == type_names.end()) return std::nullopt;
    return static_cast<TokenType>(found - type_names.begin());
}

// What a claim is called and where it goes. One bit each, so that none comes twice.
enum Claim : unsigned {
    claim_type = 1U << 0,
    claim_id = 1U << 1,
    claim_collection = 1U << 2,
    claim_expires = 1U << 3,
    claim_refreshable = 1U << 4,
    claim_email = 1U << 5,
    claim_new_email = 1U << 6,
    claim_issued = 1U << 7,
    claim_not_before = 1U << 8,
};
constexpr unsigned claims_required = claim_type | claim_id | claim_collection | claim_expires;

struct ClaimName {
    std::string_view name;
    Claim claim;
    ClaimValue::Kind kind;
};
constexpr std::array<ClaimName, 9> claim_names = {{
    {"type", claim_type, ClaimValue::Kind::text},
    {"id", claim_id, ClaimValue::Kind::text},
    {"collectionId", claim_collection, ClaimValue::Kind::text},
    {"exp", claim_expires, ClaimValue::Kind::whole_number},
    {"refreshable", claim_refreshable, ClaimValue::Kind::boolean},
    {"email", claim_email, ClaimValue::Kind::text},
    {"newEmail", claim_new_email, ClaimValue::Kind::text},
    {"iat", claim_issued, ClaimValue::Kind::whole_number},
    {"nbf", claim_not_before, ClaimValue::Kind::whole_number},
}};

// Puts the value where it belongs. False when it cannot be one.
bool assign(TokenClaims& claims, Claim claim, ClaimValue const& value) {
    switch (claim) {
    case claim_type:
        if (auto const type = type_of(value.text)) {
            claims.type = *type;
            return true;
        }
        return false;
    case claim_id: claims.id = value.text; return !value.text.empty();
    case claim_collection: claims.collection_id = value.text; return !value.text.empty();
    case claim_expires: claims.expires_s = value.number; return value.number > 0;
    case claim_refreshable: claims.refreshable = value.flag; return true;
    case claim_email: claims.email = value.text; return true;
    case claim_new_email: claims.new_email = value.text; return true;
    case claim_issued: claims.issued_s = value.number; return value.number >= 0;
    case claim_not_before: claims.not_before_s = value.number; return value.number >= 0;
    }
    return false;
}

std::string_view as_text(crypto::Digest const& digest) {
    return {reinterpret_cast<char const*>(digest.data()), digest.size()};
}

crypto::Digest sign(std::string_view signed_part, TokenKey key) {
    crypto::HmacSha256 mac(key.record_key, key.collection_secret);
    mac.update(signed_part);
    return mac.finish();
}

// The claims as JSON, their names in alphabetical order.
void append_claims(Buffer& output, TokenClaims const& claims) {
    json::Writer writer(output);
    writer.begin_object();
    writer.member("collectionId", claims.collection_id);
    if (!claims.email.empty()) writer.member("email", claims.email);
    writer.member("exp", claims.expires_s);
    if (claims.issued_s) writer.member("iat", *claims.issued_s);
    writer.member("id", claims.id);
    if (claims.not_before_s) writer.member("nbf", *claims.not_before_s);
    if (!claims.new_email.empty()) writer.member("newEmail", claims.new_email);
    writer.member("refreshable", claims.refreshable);
    writer.member("type", name(claims.type));
    writer.end_object();
}

}  // namespace

std::string_view name(TokenType type) { return type_names[static_cast<std::size_t>(type)]; }

std::string_view name(TokenRefusal refusal) {
    switch (refusal) {
    case TokenRefusal::malformed: return "malformed";
    case TokenRefusal::algorithm: return "algorithm";
    case TokenRefusal::claims: return "claims";
    case TokenRefusal::signature: return "signature";
    case TokenRefusal::type: return "type";
    case TokenRefusal::expired: return "expired";
    case TokenRefusal::not_yet_valid: return "not_yet_valid";
    }
    return {};
}

std::expected<void, TokenRefusal> Token::parse(std::string_view text) {
    claims_ = {};
    signed_part_ = {};
    // Three parts, no more.
    if (text.size() > token_bytes_max) return std::unexpected(TokenRefusal::malformed);
    std::size_t const first_dot = text.find('.');
    std::size_t const last_dot = text.rfind('.');
    if (first_dot == last_dot) return std::unexpected(TokenRefusal::malformed);
    std::string_view const payload = text.substr(first_dot + 1, last_dot - first_dot - 1);
    std::string_view const signature = text.substr(last_dot + 1);
    if (text.substr(0, first_dot) != header) return std::unexpected(TokenRefusal::algorithm);

    // A dot within the payload is no base64url.
    auto const payload_size = crypto::base64url_decode(payload, payload_);
    if (!payload_size || signature.size() != signature_chars ||
        !crypto::base64url_decode(signature, signature_)) {
        return std::unexpected(TokenRefusal::malformed);
    }
    if (auto read = read_claims(*payload_size); !read) return read;
    signed_part_ = text.substr(0, last_dot);
    return {};
}

std::expected<void, TokenRefusal> Token::read_claims(std::size_t payload_size) {
    std::span<char> const json(payload_.data(), payload_size);
    if (!is_utf8({json.data(), json.size()})) return std::unexpected(TokenRefusal::malformed);
    ClaimsReader reader(json);
    unsigned seen = 0;
    std::string_view claim_name;
    ClaimValue value;
    while (reader.next(claim_name, value)) {
        auto const* const known = std::ranges::find(claim_names, claim_name, &ClaimName::name);
        if (known == claim_names.end()) continue;
        if ((seen & known->claim) != 0 || value.kind != known->kind ||
            !assign(claims_, known->claim, value)) {
            return std::unexpected(TokenRefusal::claims);
        }
        seen |= known->claim;
    }
    if (!reader.is_complete()) return std::unexpected(TokenRefusal::malformed);
    if ((seen & claims_required) != claims_required) return std::unexpected(TokenRefusal::claims);
    return {};
}

std::expected<void, TokenRefusal> Token::verify(TokenKey key, Expected expected) const {
    QUERN_ASSERT(!signed_part_.empty(), "parse() has succeeded");
    // An account without a key, or a collection without a secret, has no valid tokens.
    if (key.record_key.empty() || key.collection_secret.empty())
        return std::unexpected(TokenRefusal::signature);
    if (!crypto::equal_constant_time(as_text(sign(signed_part_, key)),
                                     {signature_.data(), signature_.size()})) {
        return std::unexpected(TokenRefusal::signature);
    }
    // The claims are true; are they in force?
    if (claims_.type != expected.type) return std::unexpected(TokenRefusal::type);
    if (claims_.expires_s <= expected.now_s) return std::unexpected(TokenRefusal::expired);
    std::int64_t const latest_start_s = expected.now_s + token_clock_skew_s;
    if (claims_.not_before_s.value_or(0) > latest_start_s || claims_.issued_s.value_or(0) > latest_start_s) {
        return std::unexpected(TokenRefusal::not_yet_valid);
    }
    if (expected.not_before_s > 0 && claims_.issued_s.value_or(0) < expected.not_before_s) {
        return std::unexpected(TokenRefusal::not_yet_valid);
    }
    return {};
}

void append_token(Buffer& output, TokenClaims const& claims, TokenKey key) {
    QUERN_ASSERT(!claims.id.empty() && !claims.collection_id.empty(), "a token names a record");
    QUERN_ASSERT(!key.record_key.empty() && !key.collection_secret.empty(),
                 "a token is signed with both halves");
    std::size_t const start = output.size();
    output.append(header);
    output.append('.');
    // The claims are written behind the place where their encoded form goes, and then encoded to there.
    std::size_t const payload_at = output.size();
    append_claims(output, claims);
    std::size_t const json_size = output.size() - payload_at;
    std::size_t const payload_size = crypto::base64url_encoded_size(json_size);
    std::size_t const signature_size = 1 + signature_chars;
    // One more copy of the claims is in reserve, so that source and target of the encoding do not overlap.
    char* const place = output.reserve(payload_size + signature_size + json_size);
    char* const copy = place + payload_size + signature_size;
    std::memcpy(copy, output.data() + payload_at, json_size);
    output.truncate(payload_at);
    crypto::base64url_encode({copy, json_size}, {output.data() + payload_at, payload_size});
    output.advance(payload_size);
    crypto::Digest const signature = sign(output.view().substr(start), key);
    output.append('.');
    crypto::base64url_encode(as_text(signature), {output.reserve(signature_chars), signature_chars});
    output.advance(signature_chars);
}

std::string make_token(TokenClaims const& claims, TokenKey key) {
    Buffer output;
    append_token(output, claims, key);
    return std::string(output.view());
}

}  // namespace quern::auth
