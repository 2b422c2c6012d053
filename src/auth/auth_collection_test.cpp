// SPDX-License-Identifier: Apache-2.0
#include "auth/auth_collection.h"

#include <gtest/gtest.h>

#include <set>

#include "auth/principal.h"
#include "json/reader.h"

namespace quern::auth {
namespace {

TEST(AuthCollection, SuperusersAreAsClientsKnowThem) {
    crypto::SeededRandom random(1);
    Collection const superusers = make_superusers(random);
    EXPECT_EQ(superusers.id, "pbc_3142635823");
    EXPECT_EQ(superusers.name, "_superusers");
    EXPECT_TRUE(superusers.system);
    EXPECT_EQ(superusers.type, CollectionType::auth);
    std::vector<std::string> names;
    for (Field const& field : superusers.fields) {
        names.push_back(field.name);
        EXPECT_TRUE(field.system) << field.name;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"id", "password", "tokenKey", "email", "emailVisibility",
                                               "verified", "created", "updated"}));
    for (Rule const* rule : {&superusers.list_rule, &superusers.view_rule, &superusers.create_rule,
                             &superusers.update_rule, &superusers.delete_rule}) {
        EXPECT_FALSE(rule->has_value());
    }
    // Secrets of the record are never shown.
    EXPECT_TRUE(superusers.fields[*superusers.find("password")].hidden);
    EXPECT_TRUE(superusers.fields[*superusers.find("tokenKey")].hidden);
    for (Index const& index : superusers.indexes) EXPECT_TRUE(index.unique) << index.name;
    auto const options = parse_auth_options(superusers.options_json);
    ASSERT_TRUE(options);
    EXPECT_EQ(options->auth_token.duration_s, 86'400);
}

TEST(AuthCollection, EverySecretIsItsOwn) {
    crypto::SeededRandom random(1);
    AuthOptions const options = make_auth_options(random);
    std::set<std::string> secrets;
    for (TokenType const type : {TokenType::auth, TokenType::file, TokenType::verification,
                                 TokenType::password_reset, TokenType::email_change}) {
        EXPECT_EQ(options.token(type).secret.size(), crypto::secret_chars);
        secrets.insert(options.token(type).secret);
    }
    EXPECT_EQ(secrets.size(), 5U);
}

TEST(AuthOptions, ComeBackAsPrinted) {
    crypto::SeededRandom random(1);
    AuthOptions options = make_auth_options(random, 77);
    options.auth_rule = "verified = true && name != \"x\"";
    options.manage_rule.reset();
    options.password_enabled = false;
    options.identity_fields = {"email", "username"};
    EXPECT_EQ(parse_auth_options(print_auth_options(options)), options);
    options.auth_rule.reset();
    options.manage_rule = "";
    EXPECT_EQ(parse_auth_options(print_auth_options(options)), options);
}

TEST(AuthOptions, WhatIsWrongIsNamed) {
    crypto::SeededRandom random(1);
    std::string const good = print_auth_options(make_auth_options(random));
    auto const changed = [&good](std::string_view from, std::string_view to) {
        std::string text = good;
        std::size_t const at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return text.replace(at, from.size(), to);
    };
    struct Case {
        std::string json;
        char const* field;
    };
    for (Case const& c : {
             Case{changed("\"authToken\"", "\"x\""), "authToken"},
             Case{changed("\"secret\":\"", "\"secret\":\"short\",\"x\":\""), "authToken.secret"},
             Case{changed("\"secret\"", "\"x\""), "authToken.secret"},
             Case{changed("\"duration\":604800", "\"duration\":0"), "authToken.duration"},
             Case{changed("\"duration\":604800", "\"duration\":\"1\""), "authToken.duration"},
             Case{changed("\"duration\":604800", "\"duration\":99999999999"), "authToken.duration"},
             Case{changed("\"enabled\":true", "\"enabled\":1"), "passwordAuth.enabled"},
             Case{changed("[\"email\"]", "[]"), "passwordAuth.identityFields"},
             Case{changed("[\"email\"]", "[7]"), "passwordAuth.identityFields"},
             Case{changed("\"authRule\":\"\"", "\"authRule\":7"), "authRule"},
         }) {
        auto const options = parse_auth_options(c.json);
        ASSERT_FALSE(options) << c.json;
        ASSERT_EQ(options.error().fields.size(), 1U) << options.error().message;
        EXPECT_EQ(options.error().fields[0].field, c.field);
    }
    EXPECT_EQ(parse_auth_options("[]").error().code, ErrorCode::body_invalid);
    EXPECT_EQ(parse_auth_options("{").error().code, ErrorCode::body_invalid);
}

TEST(AuthOptions, AreCompletedFromWhatIsStoredAndThenAnew) {
    crypto::SeededRandom random(1);
    auto const created =
        complete_auth_options(R"({"authToken":{"duration":60},"oauth2":{"enabled":false}})", "", random);
    ASSERT_TRUE(created);
    auto const first = parse_auth_options(*created);
    ASSERT_TRUE(first) << *created;
    EXPECT_EQ(first->auth_token.duration_s, 60);
    EXPECT_EQ(first->file_token.duration_s, file_token_s);
    EXPECT_NE(created->find(R"("oauth2":{"enabled":false})"), std::string::npos) << "unknown members stay";

    // A client sends back what it was shown: the secrets stay as they were.
    auto const shown = redact_auth_options(*created);
    ASSERT_TRUE(shown);
    auto const again = complete_auth_options(*shown, *created, random);
    ASSERT_TRUE(again);
    EXPECT_EQ(parse_auth_options(*again), first);

    auto const changed = complete_auth_options(
        R"({"authToken":{"secret":"0123456789012345678901234567890123456789"},"authRule":null})", *created,
        random);
    ASSERT_TRUE(changed);
    auto const second = parse_auth_options(*changed);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->auth_token.secret, "0123456789012345678901234567890123456789");
    EXPECT_EQ(second->auth_token.duration_s, 60);
    EXPECT_EQ(second->file_token, first->file_token);
    EXPECT_FALSE(second->auth_rule.has_value());
    EXPECT_NE(changed->find("\"oauth2\""), std::string::npos);
    EXPECT_FALSE(complete_auth_options("[]", "", random));
}

TEST(AuthOptions, SecretsAreNotShown) {
    crypto::SeededRandom random(1);
    auto const stored = complete_auth_options(
        R"({"oauth2":{"enabled":true,"providers":[{"name":"x","clientId":"a","clientSecret":"hush"}]}})", "",
        random);
    ASSERT_TRUE(stored);
    auto const shown = redact_auth_options(*stored);
    ASSERT_TRUE(shown);
    auto const options = parse_auth_options(*stored);
    ASSERT_TRUE(options);
    EXPECT_EQ(shown->find("hush"), std::string::npos);
    EXPECT_EQ(shown->find("ecret"), std::string::npos);
    for (TokenType const type : {TokenType::auth, TokenType::file, TokenType::verification,
                                 TokenType::password_reset, TokenType::email_change}) {
        EXPECT_EQ(shown->find(options->token(type).secret), std::string::npos);
    }
    EXPECT_NE(shown->find(R"("clientId":"a")"), std::string::npos);
    EXPECT_NE(shown->find(R"("duration":604800)"), std::string::npos);
}

class Authenticate : public testing::Test {
protected:
    Authenticate() {
        record[fields.id] = Value::of("h4k2m8p1q9z3x7c");
        record[fields.token_key] = Value::of("yM1Qx3pT8uZkVb5nWc7dRf2gHj4lSa6oEi9tYr0wBq1vXm3zKe");
        record[fields.email] = Value::of("a@example.com");
    }
    std::string token(std::string_view id, std::string_view collection_id) const {
        TokenClaims claims;
        claims.id = id;
        claims.collection_id = collection_id;
        claims.expires_s = 2'000;
        return make_token(claims, {record[fields.token_key].text, options.auth_token.secret});
    }
    std::expected<Principal, TokenRefusal> judge(std::string const& text) {
        Token reader;
        EXPECT_TRUE(reader.parse(text));
        return authenticate(reader, collection, fields, options.auth_token, record, {.now_s = 1'000});
    }

    crypto::SeededRandom random{1};
    Collection collection = make_superusers(random);
    AuthFields fields = AuthFields::of(collection).value();
    AuthOptions options = parse_auth_options(collection.options_json).value();
    std::vector<Value> record = std::vector<Value>(collection.fields.size());
};

TEST_F(Authenticate, ATokenOfTheRecordGivesItsPrincipal) {
    auto const principal = judge(token("h4k2m8p1q9z3x7c", superusers_id));
    ASSERT_TRUE(principal);
    EXPECT_EQ(principal->collection, &collection);
    EXPECT_EQ(principal->id, "h4k2m8p1q9z3x7c");
    EXPECT_TRUE(principal->superuser);
    EXPECT_FALSE(principal->is_anonymous());
    EXPECT_EQ(principal->record[fields.email].text, "a@example.com");
}

TEST_F(Authenticate, ATokenOfAnotherRecordOrCollectionDoesNot) {
    EXPECT_EQ(judge(token("another00000000", superusers_id)).error(), TokenRefusal::claims);
    EXPECT_EQ(judge(token("h4k2m8p1q9z3x7c", "pbc_1736455494")).error(), TokenRefusal::claims);
}

TEST_F(Authenticate, ANewTokenKeyOrSecretEndsOldTokens) {
    std::string const old = token("h4k2m8p1q9z3x7c", superusers_id);
    ASSERT_TRUE(judge(old));
    Value const kept = record[fields.token_key];
    record[fields.token_key] = Value::of("another key of this record, long enough");
    EXPECT_EQ(judge(old).error(), TokenRefusal::signature);
    record[fields.token_key] = Value{};
    EXPECT_EQ(judge(old).error(), TokenRefusal::signature);
    record[fields.token_key] = kept;
    options.auth_token.secret += "x";
    EXPECT_EQ(judge(old).error(), TokenRefusal::signature);
}

TEST_F(Authenticate, OnlyTheSystemCollectionMakesSuperusers) {
    collection.id = "pbc_1736455494";
    EXPECT_FALSE(make_principal(collection, fields, record).superuser);
    collection.id = superusers_id;
    collection.system = false;
    EXPECT_FALSE(make_principal(collection, fields, record).superuser);
}

TEST(AuthFields, AreThoseOfAuthCollectionsOnly) {
    crypto::SeededRandom random(1);
    Collection collection = make_superusers(random);
    EXPECT_TRUE(AuthFields::of(collection));
    Collection base = collection;
    base.type = CollectionType::base;
    EXPECT_FALSE(AuthFields::of(base));
    collection.fields[*collection.find("tokenKey")].name = "key";
    EXPECT_FALSE(AuthFields::of(collection));
}

}  // namespace
}  // namespace quern::auth
