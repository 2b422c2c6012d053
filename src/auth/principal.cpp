// SPDX-License-Identifier: Apache-2.0
#include "auth/principal.h"

#include <quern/assert.h>

namespace quern::auth {

std::optional<AuthFields> AuthFields::of(Collection const& collection) {
    if (collection.type != CollectionType::auth) return std::nullopt;
    AuthFields fields;
    bool complete = true;
    auto const locate = [&](std::size_t& place, std::string_view field_name, FieldType type) {
        auto const index = collection.find(field_name);
        complete = complete && index && collection.fields[*index].type == type;
        place = index.value_or(0);
    };
    locate(fields.id, "id", FieldType::text);
    locate(fields.password, "password", FieldType::password);
    locate(fields.token_key, "tokenKey", FieldType::text);
    locate(fields.email, "email", FieldType::email);
    locate(fields.email_visibility, "emailVisibility", FieldType::boolean);
    locate(fields.verified, "verified", FieldType::boolean);
    if (!complete) return std::nullopt;
    return fields;
}

std::expected<Principal, TokenRefusal> authenticate(Token const& token, Collection const& collection,
                                                    AuthFields const& fields, TokenOptions const& options,
                                                    std::span<Value const> record, Token::Expected expected) {
    QUERN_ASSERT(record.size() == collection.fields.size(), "one value a field");
    TokenClaims const& claims = token.unverified_claims();
    if (claims.collection_id != collection.id || claims.id != record[fields.id].text) {
        return std::unexpected(TokenRefusal::claims);
    }
    TokenKey const key{.record_key = record[fields.token_key].text, .collection_secret = options.secret};
    if (auto verified = token.verify(key, expected); !verified) return std::unexpected(verified.error());
    return make_principal(collection, fields, record);
}

Principal make_principal(Collection const& collection, AuthFields const& fields,
                         std::span<Value const> record) {
    QUERN_ASSERT(record.size() == collection.fields.size(), "one value a field");
    Principal principal;
    principal.collection = &collection;
    principal.id = record[fields.id].text;
    principal.superuser = collection.system && collection.id == superusers_id;
    principal.record = record;
    return principal;
}

}  // namespace quern::auth
