// SPDX-License-Identifier: Apache-2.0
#include "api/cursor_seal.h"

#include <cstring>

#include "crypto/base64url.h"
#include "crypto/hash.h"
#include "query/cursor.h"

namespace quern::api {

namespace {

// Half of a SHA-256 MAC: 128 bits are beyond guessing, and cursors stay short.
constexpr std::size_t mac_bytes = 16;
// Longest cursor text taken in, in characters.
constexpr std::size_t cursor_chars_max = 4096;
// Keeps this use of the key apart from all others.
constexpr std::string_view purpose = "quern cursor v1";

void update(crypto::HmacSha256& mac, std::string_view part) {
    std::uint64_t const size = part.size();
    mac.update(
        {reinterpret_cast<char const*>(&size), sizeof size});  // so that no two lists of parts look alike
    mac.update(part);
}

crypto::Digest mac_of(Call& call, ListParameters const& parameters, std::string_view payload) {
    Collection const* superusers = call.lane.schema->find(auth::superusers_id);
    AuthSettings const* settings = superusers == nullptr ? nullptr : call.lane.auth_of(*superusers);
    crypto::HmacSha256 mac(settings == nullptr ? std::string_view() : settings->options.auth_token.secret,
                           purpose);
    update(mac, call.collection->id);
    update(mac, call.collection->updated);  // a changed sort field makes its old values meaningless
    update(mac, call.principal().is_anonymous() ? std::string_view()
                                                : std::string_view(call.principal().collection->id));
    update(mac, call.principal().id);
    update(mac, parameters.filter);
    update(mac, parameters.sort);
    update(mac, payload);
    return mac.finish();
}

std::string_view bytes_of(crypto::Digest const& digest) {
    return {reinterpret_cast<char const*>(digest.data()), mac_bytes};
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
    std::string bytes = query::encode_cursor(sort_values);
    crypto::Digest const digest = mac_of(call, parameters, bytes);
    bytes.insert(0, bytes_of(digest));
    auto const text = call.arena().array<char>(crypto::base64url_encoded_size(bytes.size()));
    return {text.data(), crypto::base64url_encode(bytes, text)};
}

Result<std::span<Value const>> open_cursor(Call& call, ListParameters const& parameters,
                                           std::string_view cursor) {
    if (cursor.size() > cursor_chars_max) return refuse();
    auto const bytes = call.arena().array<char>(crypto::base64url_decoded_size(cursor.size()));
    auto const size = crypto::base64url_decode(cursor, bytes);
    if (!size || *size <= mac_bytes) return refuse();
    std::string_view const all(bytes.data(), *size);
    std::string_view const payload = all.substr(mac_bytes);
    crypto::Digest const digest = mac_of(call, parameters, payload);
    if (!crypto::equal_constant_time(bytes_of(digest), all.substr(0, mac_bytes))) return refuse();
    return query::decode_cursor(payload, call.arena());
}

}  // namespace quern::api
