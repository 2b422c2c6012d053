// SPDX-License-Identifier: Apache-2.0
#include "auth/auth_collection.h"

#include <utility>

namespace quern::auth {

namespace {

// The numbers in the ids are CRC-32 sums of the names, as PocketBase makes them, so that a collection keeps
// its ids when it comes from there.
Field system_field(std::string id, std::string field_name, FieldType type) {
    Field field;
    field.id = std::move(id);
    field.name = std::move(field_name);
    field.type = type;
    field.system = true;
    return field;
}

Field id_field() {
    Field field = system_field("text3208210256", "id", FieldType::text);
    field.primary_key = true;
    field.required = true;
    field.min = 15;
    field.max = 15;
    field.pattern = "^[a-z0-9]+$";
    field.autogenerate_pattern = "[a-z0-9]{15}";
    return field;
}

Field password_field() {
    Field field = system_field("password901924565", "password", FieldType::password);
    field.hidden = true;
    field.required = true;
    field.min = 8;
    return field;
}

Field token_key_field() {
    Field field = system_field("text2504183744", "tokenKey", FieldType::text);
    field.hidden = true;
    field.required = true;
    field.min = 30;
    field.max = 60;
    field.autogenerate_pattern = "[a-zA-Z0-9]{50}";
    return field;
}

Field email_field() {
    Field field = system_field("email3885137012", "email", FieldType::email);
    field.required = true;
    return field;
}

Field created_field() {
    Field field = system_field("autodate2990389176", "created", FieldType::autodate);
    field.on_create = true;
    return field;
}

Field updated_field() {
    Field field = system_field("autodate3332085495", "updated", FieldType::autodate);
    field.on_create = true;
    field.on_update = true;
    return field;
}

}  // namespace

std::vector<Field> auth_system_fields() {
    std::vector<Field> fields;
    fields.push_back(id_field());
    fields.push_back(password_field());
    fields.push_back(token_key_field());
    fields.push_back(email_field());
    fields.push_back(system_field("bool1547992806", "emailVisibility", FieldType::boolean));
    fields.push_back(system_field("bool256245529", "verified", FieldType::boolean));
    return fields;
}

std::vector<Index> auth_system_indexes(std::string_view collection_id) {
    Index token_key;
    token_key.name = "idx_tokenKey_" + std::string(collection_id);
    token_key.unique = true;
    token_key.columns.push_back({.field = "tokenKey"});
    Index email;
    email.name = "idx_email_" + std::string(collection_id);
    email.unique = true;
    email.columns.push_back({.field = "email"});
    email.where_not_empty = "email";
    return {std::move(token_key), std::move(email)};
}

Collection make_superusers(crypto::Random& random) {
    Collection collection;
    collection.id = superusers_id;
    collection.name = superusers_name;
    collection.type = CollectionType::auth;
    collection.system = true;
    collection.fields = auth_system_fields();
    collection.fields.push_back(created_field());
    collection.fields.push_back(updated_field());
    collection.indexes = auth_system_indexes(superusers_id);
    collection.options_json = print_auth_options(make_auth_options(random, superuser_token_s));
    return collection;
}

}  // namespace quern::auth
