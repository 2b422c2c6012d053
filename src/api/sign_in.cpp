// SPDX-License-Identifier: Apache-2.0
#include "api/sign_in.h"

#include <quern/json_writer.h>
#include "api/body.h"
#include "api/endpoints.h"
#include "api/records.h"
#include "schema/row_sink.h"

namespace quern::api {

namespace {

constexpr std::int64_t ms_per_s = 1000;

struct Credentials {
    std::string_view identity;
    std::string_view identity_field;  // empty = any of the collection's
    std::string_view password;
};

std::string_view text_of(json::Node const& object, std::string_view name) {
    auto const member = object.find(name);
    return member && member->is(json::Type::string) ? member->text() : std::string_view();
}

Result<Credentials> read_credentials(Call& call) {
    QUERN_TRY(json::Node const body, read_json_body(call.request(), call.lane.document));
    Credentials const given{text_of(body, "identity"), text_of(body, "identityField"),
                            text_of(body, "password")};
    QUERN_CHECK(auth::check_credential_input(given.identity, given.password));
    return given;
}

// Finds the account by one identity field.
Result<void> look_up(Call& call, IdentityLookUp const& wanted, std::string_view identity,
                     PendingSignIn& found) {
    Value const values[] = {Value::of(identity)};
    RowFunction sink([&](std::span<Value const> row) {
        found.record_id = row[0].text;
        found.stored_hash_text = row[1].text;
        return false;
    });
    return call.reader.select({call.lane.look_up_plan(wanted), values}, sink);
}

}  // namespace

Result<std::shared_ptr<PendingSignIn>> read_sign_in(Call& call) {
    QUERN_CHECK(find_collection(call));
    AuthSettings const* settings = call.lane.auth_of(*call.collection);
    if (settings == nullptr) {
        return fail(ErrorCode::not_found, "Missing or invalid auth collection context.");
    }
    if (!settings->options.password_enabled) {
        return fail(ErrorCode::forbidden,
                    "The collection is not configured to allow password authentication.");
    }
    QUERN_TRY(Credentials const given, read_credentials(call));
    auto sign_in = std::make_shared<PendingSignIn>();
    sign_in->collection_id = call.collection->id;
    sign_in->password = given.password;
    for (bool const folded : {false, true}) {
        for (std::string const& name : settings->options.identity_fields) {
            if (!sign_in->record_id.empty()) break;
            if (!given.identity_field.empty() && given.identity_field != name) continue;
            auto const field = call.collection->find(name);
            if (!field) continue;
            QUERN_CHECK(look_up(call, {call.collection, *field, folded}, given.identity, *sign_in));
        }
    }
    if (sign_in->stored_hash_text) sign_in->stored_hash = *sign_in->stored_hash_text;
    return sign_in;
}

Result<void> answer_sign_in_verified(Call& call, PendingSignIn const& sign_in,
                                     Result<auth::SignIn> verified) {
    if (!verified) return std::unexpected(std::move(verified).error());
    Collection const* collection = call.lane.schema->find(sign_in.collection_id);
    if (collection == nullptr) return fail(ErrorCode::credentials_invalid);
    return answer_with_token(call, *collection, sign_in.record_id);
}

Result<void> answer_with_token(Call& call, Collection const& collection, std::string_view id) {
    AuthSettings const* settings = call.lane.auth_of(collection);
    if (settings == nullptr) return fail(ErrorCode::credentials_invalid);
    call.collection = &collection;
    QUERN_TRY(auto const row, read_row(call, collection, id, query::Access::all()));
    if (row.empty()) return fail(ErrorCode::credentials_invalid);
    auto const record = row.first(collection.fields.size());
    call.values.principal = auth::make_principal(collection, settings->fields, record);

    auth::TokenOptions const& options = settings->options.auth_token;
    auth::TokenClaims const claims{.type = auth::TokenType::auth,
                                   .id = id,
                                   .collection_id = collection.id,
                                   .expires_s = call.values.now_ms / ms_per_s + options.duration_s,
                                   .refreshable = true,
                                   .email = {},
                                   .new_email = {},
                                   .issued_s = std::nullopt,
                                   .not_before_s = std::nullopt};
    Buffer& body = call.response().body;
    body.append(R"({"token":")");
    auth::append_token(body, claims, {record[settings->fields.token_key].text, options.secret});
    body.append(R"(","record":)");
    QUERN_TRY(bool const found, answer_with_record(call, query::Access::all(), id));
    if (!found) return fail(ErrorCode::credentials_invalid);
    body.append('}');
    return {};
}

Result<void> refresh_token(Call& call) {
    QUERN_CHECK(find_collection(call));
    if (call.principal().is_anonymous() || call.principal().collection != call.collection) {
        return fail(ErrorCode::unauthorized, "The request requires a valid record authorization token.");
    }
    return answer_with_token(call, *call.collection, call.principal().id);
}

Result<void> get_auth_methods(Call& call) {
    QUERN_CHECK(find_collection(call));
    AuthSettings const* settings = call.lane.auth_of(*call.collection);
    if (settings == nullptr) return fail(ErrorCode::not_found);
    json::Writer writer(call.response().body);
    writer.begin_object();
    writer.key("password");
    writer.begin_object();
    writer.member("enabled", settings->options.password_enabled);
    writer.key("identityFields");
    writer.begin_array();
    for (std::string const& name : settings->options.identity_fields) writer.string(name);
    writer.end_array();
    writer.end_object();
    for (std::string_view const method : {"oauth2", "otp", "mfa"}) {
        writer.key(method);
        writer.begin_object();
        writer.member("enabled", false);
        if (method == "oauth2") writer.member_raw("providers", "[]");
        writer.end_object();
    }
    writer.end_object();
    return {};
}

}  // namespace quern::api
