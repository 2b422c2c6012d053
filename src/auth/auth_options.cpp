// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include <quern/json_writer.h>
#include "auth/auth_collection.h"
#include "json/reader.h"

namespace quern::auth {

namespace {

// A kind of token: its member in the options, its place in AuthOptions.
struct TokenSection {
    std::string_view name;
    TokenOptions AuthOptions::*options;
};
constexpr std::array<TokenSection, 5> token_sections = {{
    {"authToken", &AuthOptions::auth_token},
    {"fileToken", &AuthOptions::file_token},
    {"verificationToken", &AuthOptions::verification_token},
    {"passwordResetToken", &AuthOptions::password_reset_token},
    {"emailChangeToken", &AuthOptions::email_change_token},
}};

TokenSection const* find_section(std::string_view name) {
    auto const* const found = std::ranges::find(token_sections, name, &TokenSection::name);
    return found == token_sections.end() ? nullptr : found;
}

void write_token(json::Writer& writer, TokenOptions const& token) {
    writer.begin_object();
    writer.member("secret", token.secret);
    writer.member("duration", token.duration_s);
    writer.end_object();
}

void write_rule(json::Writer& writer, std::string_view name, Rule const& rule) {
    writer.key(name);
    rule ? writer.string(*rule) : writer.null();
}

void write_password(json::Writer& writer, AuthOptions const& options) {
    writer.begin_object();
    writer.member("enabled", options.password_enabled);
    writer.key("identityFields");
    writer.begin_array();
    for (std::string const& field : options.identity_fields) writer.string(field);
    writer.end_array();
    writer.end_object();
}

std::unexpected<Error> wrong(std::string_view option, std::string_view text) {
    return fail(Error::of_field(std::string(option), "validation_invalid_value", std::string(text)));
}

Result<void> read_token(json::Node options, std::string_view section, TokenOptions& token) {
    auto const found = options.find(section);
    if (!found || !found->is(json::Type::object)) return wrong(section, "Must be an object.");
    auto const secret = found->find("secret");
    if (!secret || !secret->is(json::Type::string) || secret->text().size() < secret_chars_min) {
        return wrong(fmt::format("{}.secret", section),
                     fmt::format("Must be text of at least {} characters.", secret_chars_min));
    }
    auto const duration = found->find("duration");
    if (!duration || duration->integer() < 1 || duration->integer() > token_s_max) {
        return wrong(fmt::format("{}.duration", section),
                     fmt::format("Must be a number of seconds from 1 to {}.", token_s_max));
    }
    token = {.secret = std::string(secret->text()), .duration_s = duration->integer()};
    return {};
}

// An absent rule keeps its default.
Result<void> read_rule(json::Node options, std::string_view name, Rule& rule) {
    auto const found = options.find(name);
    if (!found) return {};
    if (found->is_null()) {
        rule.reset();
        return {};
    }
    if (!found->is(json::Type::string)) return wrong(name, "Must be an expression or null.");
    rule = std::string(found->text());
    return {};
}

Result<void> read_password(json::Node options, AuthOptions& result) {
    auto const found = options.find("passwordAuth");
    if (!found) return {};
    if (!found->is(json::Type::object)) return wrong("passwordAuth", "Must be an object.");
    if (auto const enabled = found->find("enabled")) {
        if (!enabled->is(json::Type::boolean)) return wrong("passwordAuth.enabled", "Must be true or false.");
        result.password_enabled = enabled->boolean();
    }
    auto const fields = found->find("identityFields");
    if (!fields) return {};
    if (!fields->is(json::Type::array))
        return wrong("passwordAuth.identityFields", "Must be a list of fields.");
    result.identity_fields.clear();
    for (json::Node const field : *fields) {
        if (field.text().empty()) return wrong("passwordAuth.identityFields", "Must be a list of fields.");
        result.identity_fields.emplace_back(field.text());
    }
    if (result.password_enabled && result.identity_fields.empty()) {
        return wrong("passwordAuth.identityFields", "At least one field is needed.");
    }
    return {};
}

// The JSON of one token section as stored: what the client sent, then what was stored, then what is new.
void write_completed_token(json::Writer& writer, std::optional<json::Node> sent,
                           std::optional<json::Node> stored, TokenOptions fresh) {
    for (auto const& source : {stored, sent}) {  // the later wins
        if (!source) continue;
        if (auto const secret = source->find("secret"); secret && !secret->text().empty()) {
            fresh.secret = secret->text();
        }
        if (auto const duration = source->find("duration"); duration && duration->is(json::Type::integer)) {
            fresh.duration_s = duration->integer();
        }
    }
    write_token(writer, fresh);
}

// `value` without the member `hidden` of any object in it.
void write_without(json::Writer& writer, json::Node value, std::string_view hidden) {
    if (value.is(json::Type::object)) {
        writer.begin_object();
        for (json::Node const member : value) {
            if (member.key() == hidden) continue;
            writer.key(member.key());
            write_without(writer, member, hidden);
        }
        writer.end_object();
    } else if (value.is(json::Type::array)) {
        writer.begin_array();
        for (json::Node const element : value) write_without(writer, element, hidden);
        writer.end_array();
    } else {
        writer.raw(value.raw());
    }
}

Result<json::Tree> parse_object(std::string_view text) {
    QUERN_TRY(auto tree, json::Tree::parse(text.empty() ? std::string_view("{}") : text));
    if (!tree.root().is(json::Type::object)) return fail(ErrorCode::body_invalid);
    return tree;
}

}  // namespace

TokenOptions const& AuthOptions::token(TokenType type) const {
    switch (type) {
    case TokenType::auth: break;
    case TokenType::file: return file_token;
    case TokenType::verification: return verification_token;
    case TokenType::password_reset: return password_reset_token;
    case TokenType::email_change: return email_change_token;
    }
    return auth_token;
}

AuthOptions make_auth_options(crypto::Random& random, std::int64_t duration_s) {
    auto const fresh = [&random](std::int64_t seconds) {
        return TokenOptions{
            .secret = crypto::random_text(random, crypto::alphabet_secret, crypto::secret_chars),
            .duration_s = seconds};
    };
    AuthOptions options;
    options.auth_token = fresh(duration_s);
    options.file_token = fresh(file_token_s);
    options.verification_token = fresh(verification_token_s);
    options.password_reset_token = fresh(password_reset_token_s);
    options.email_change_token = fresh(email_change_token_s);
    return options;
}

std::string print_auth_options(AuthOptions const& options) {
    Buffer output;
    json::Writer writer(output);
    writer.begin_object();
    write_rule(writer, "authRule", options.auth_rule);
    write_rule(writer, "manageRule", options.manage_rule);
    writer.key("passwordAuth");
    write_password(writer, options);
    for (TokenSection const& section : token_sections) {
        writer.key(section.name);
        write_token(writer, options.*section.options);
    }
    writer.end_object();
    return std::string(output.view());
}

Result<AuthOptions> parse_auth_options(std::string_view options_json) {
    QUERN_TRY(auto const tree, parse_object(options_json));
    json::Node const root = tree.root();
    AuthOptions options;
    for (TokenSection const& section : token_sections) {
        QUERN_CHECK(read_token(root, section.name, options.*section.options));
    }
    QUERN_CHECK(read_rule(root, "authRule", options.auth_rule));
    QUERN_CHECK(read_rule(root, "manageRule", options.manage_rule));
    QUERN_CHECK(read_password(root, options));
    return options;
}

Result<std::string> complete_auth_options(std::string_view options_json, std::string_view previous_json,
                                          crypto::Random& random, std::int64_t duration_s) {
    QUERN_TRY(auto const sent, parse_object(options_json));
    QUERN_TRY(auto const stored, parse_object(previous_json));
    AuthOptions const fresh = make_auth_options(random, duration_s);
    std::string const fresh_json = print_auth_options(fresh);
    QUERN_TRY(auto const defaults, parse_object(fresh_json));

    Buffer output;
    json::Writer writer(output);
    writer.begin_object();
    for (TokenSection const& section : token_sections) {
        writer.key(section.name);
        write_completed_token(writer, sent.root().find(section.name), stored.root().find(section.name),
                              fresh.*section.options);
    }
    // Everything else by member: the client's, then the stored one, then the default.
    for (json::Node const member : sent.root()) {
        if (find_section(member.key()) == nullptr) writer.member_raw(member.key(), member.raw());
    }
    for (json::Node const member : stored.root()) {
        if (find_section(member.key()) != nullptr || sent.root().find(member.key())) continue;
        writer.member_raw(member.key(), member.raw());
    }
    for (json::Node const member : defaults.root()) {
        if (find_section(member.key()) != nullptr || sent.root().find(member.key()) ||
            stored.root().find(member.key())) {
            continue;
        }
        writer.member_raw(member.key(), member.raw());
    }
    writer.end_object();
    return std::string(output.view());
}

Result<std::string> redact_auth_options(std::string_view options_json) {
    QUERN_TRY(auto const tree, parse_object(options_json));
    Buffer output;
    json::Writer writer(output);
    writer.begin_object();
    for (json::Node const member : tree.root()) {
        writer.key(member.key());
        if (find_section(member.key()) != nullptr) {
            write_without(writer, member, "secret");
        } else if (member.key() == "oauth2") {
            write_without(writer, member, "clientSecret");
        } else {
            writer.raw(member.raw());
        }
    }
    writer.end_object();
    return std::string(output.view());
}

}  // namespace quern::auth
