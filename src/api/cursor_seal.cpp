// SPDX-License-Identifier: Apache-2.0
#include "api/cursor_seal.h"

#include "crypto/base64url.h"
#include "crypto/hash.h"
#include "crypto/seal.h"
#include "query/cursor.h"

namespace quern::api {

namespace {

// Longest cursor text taken in, in characters.
constexpr std::size_t cursor_chars_max = 4096;
// Keep these uses of the secret apart from all others.
constexpr std::string_view key_purpose = "quern cursor v2 key";
constexpr std::string_view context_purpose = "quern cursor v2 context";

struct SealKey {
    crypto::Digest key;
    crypto::Digest context;  // of whom and of which list the cursor is

    [[nodiscard]] std::string_view context_bytes() const {
        return {reinterpret_cast<char const*>(context.data()), context.size()};
    }
};

void update(crypto::HmacSha256& mac, std::string_view part) {
    std::uint64_t const size = part.size();
    mac.update(
        {reinterpret_cast<char const*>(&size), sizeof size});  // so that no two lists of parts look alike
    mac.update(part);
}

SealKey key_of(Call& call, ListParameters const& parameters) {
    Collection const* superusers = call.lane.schema->find(auth::superusers_id);
    AuthSettings const* settings = superusers == nullptr ? nullptr : call.lane.auth_of(*superusers);
    std::string_view const secret =
        settings == nullptr ? std::string_view() : settings->options.auth_token.secret;
    crypto::HmacSha256 context(secret, context_purpose);
    update(context, call.collection->id);
    update(context, call.collection->updated);  // a changed sort field makes its old values meaningless
    update(context, call.principal().is_anonymous() ? std::string_view()
                                                    : std::string_view(call.principal().collection->id));
    update(context, call.principal().id);
    update(context, parameters.filter);
    update(context, parameters.sort);
    return {crypto::hmac_sha256(secret, key_purpose), context.finish()};
}

std::unexpected<Error> refuse() {
    Error error(ErrorCode::parameter_invalid,
                "Invalid query parameter \"cursor\": it is not one of this list.");
    error.fields.push_back(
        {"cursor", "validation_invalid_cursor", "Must be a nextCursor of the same caller and query."});
    return std::unexpected(std::move(error));
}

}  // namespace

std::string_view seal_cursor(Call& call, ListParameters const& parameters,
                             std::span<Value const> sort_values) {
    std::string const place = query::encode_cursor(sort_values);
    SealKey const key = key_of(call, parameters);
    auto const bytes = call.arena().array<char>(place.size() + crypto::seal_bytes);
    crypto::seal(key.key, key.context_bytes(), place, bytes);
    auto const text = call.arena().array<char>(crypto::base64url_encoded_size(bytes.size()));
    return {text.data(), crypto::base64url_encode({bytes.data(), bytes.size()}, text)};
}

Result<std::span<Value const>> open_cursor(Call& call, ListParameters const& parameters,
                                           std::string_view cursor) {
    if (cursor.size() > cursor_chars_max) return refuse();
    auto const bytes = call.arena().array<char>(crypto::base64url_decoded_size(cursor.size()));
    auto const size = crypto::base64url_decode(cursor, bytes);
    if (!size) return refuse();
    SealKey const key = key_of(call, parameters);
    auto const place = crypto::open_seal(key.key, key.context_bytes(), bytes.first(*size));
    if (!place) return refuse();
    return query::decode_cursor(*place, call.arena());
}

}  // namespace quern::api
