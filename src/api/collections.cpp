// SPDX-License-Identifier: Apache-2.0
#include "api/collections.h"

#include <algorithm>

#include <quern/json_writer.h>
#include "auth/auth_collection.h"
#include "rules/decision.h"
#include "schema/collection_json.h"
#include "schema/date.h"

namespace quern::api {

namespace {

// The settings of an auth collection as clients see them: durations and switches, never a secret.
std::string public_options(Collection const& collection) {
    auto const options = auth::parse_auth_options(collection.options_json);
    if (!options) return "{}";
    Buffer output;
    json::Writer writer(output);
    writer.begin_object();
    if (options->auth_rule) writer.member("authRule", *options->auth_rule);
    if (!options->auth_rule) writer.member_raw("authRule", "null");
    if (options->manage_rule) writer.member("manageRule", *options->manage_rule);
    if (!options->manage_rule) writer.member_raw("manageRule", "null");
    writer.key("passwordAuth");
    writer.begin_object();
    writer.member("enabled", options->password_enabled);
    writer.key("identityFields");
    writer.begin_array();
    for (std::string const& field : options->identity_fields) writer.string(field);
    writer.end_array();
    writer.end_object();
    auto const token = [&](std::string_view name, auth::TokenOptions const& token_options) {
        writer.key(name);
        writer.begin_object();
        writer.member("duration", token_options.duration_s);
        writer.end_object();
    };
    token("authToken", options->auth_token);
    token("fileToken", options->file_token);
    token("verificationToken", options->verification_token);
    token("passwordResetToken", options->password_reset_token);
    token("emailChangeToken", options->email_change_token);
    writer.end_object();
    return std::string(output.view());
}

}  // namespace

void write_collection_json(Collection const& collection, Buffer& output) {
    json::Writer writer(output);
    write_collection(collection, collection.type == CollectionType::auth ? public_options(collection) : "{}",
                     writer);
}

Result<Collection> read_collection_body(CollectionDraft const& draft, json::Node body,
                                        Collection const* before, std::span<Collection const> coming) {
    std::string const now = format_date(draft.now_ms);
    auto const auth_fields = auth::auth_system_fields();
    CollectionReading const reading{.schema = *draft.call.lane.schema,
                                    .before = before,
                                    .random = RandomSource(draft.random),
                                    .now = now,
                                    .auth_fields = auth_fields,
                                    .auth_indexes = auth::auth_system_indexes,
                                    .coming = coming,
                                    .check_rule = {}};
    QUERN_TRY(Collection collection, read_collection(body, reading));
    if (collection.type == CollectionType::view) {
        return std::unexpected(
            Error::of_field("type", "validation_in_invalid", "View collections are not supported yet."));
    }
    if (collection.type == CollectionType::auth) {
        if (before == nullptr) {
            return std::unexpected(Error::of_field("type", "validation_in_invalid",
                                                   "Other auth collections are not supported yet."));
        }
        collection.options_json = before->options_json;
    }
    return collection;
}

Result<void> check_drafted_rules(Schema const& now,
                                 std::vector<std::shared_ptr<Collection const>> const& put) {
    auto collections = now.collections();
    for (auto const& drafted : put) {
        auto const place = std::ranges::find(collections, drafted->id, [](auto const& c) { return c->id; });
        if (place == collections.end()) {
            collections.push_back(drafted);
        } else {
            *place = drafted;
        }
    }
    auto const next = std::make_shared<Schema const>(std::move(collections), now.version() + 1);
    // A rule of another collection may look into a changed one, so all are asked, the changed ones first.
    for (auto const& drafted : put) QUERN_CHECK(rules::check_rules(next, *drafted));
    for (auto const& collection : next->collections()) {
        if (std::ranges::find(put, collection) != put.end()) continue;
        auto const checked = rules::check_rules(next, *collection);
        // One that was broken before is not this change's fault.
        if (checked || !rules::check_rules(std::make_shared<Schema const>(now), *collection)) continue;
        Error error(ErrorCode::validation,
                    "The change would break a rule of the collection " + collection->name + ".");
        for (FieldError const& field : checked.error().fields) {
            error.fields.push_back({collection->name + "." + field.field, field.code, field.message});
        }
        return std::unexpected(std::move(error));
    }
    return {};
}

}  // namespace quern::api
