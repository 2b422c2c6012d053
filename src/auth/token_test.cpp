// SPDX-License-Identifier: Apache-2.0
#include "auth/token.h"

#include <gtest/gtest.h>

#include "base/count_allocations.h"
#include "crypto/base64url.h"
#include "crypto/hash.h"

namespace quern::auth {
namespace {

using test::allocations;

constexpr std::int64_t now_s = 1'700'000'000;
constexpr TokenKey key{.record_key = "yM1Qx3pT8uZkVb5nWc7dRf2gHj4lSa6oEi9tYr0wBq1vXm3zKe",
                       .collection_secret = "Jd7hQw2pLx9sVb4nTc6kRf1gMj8lZa3oEi5tYr0uBq7vXm2zKe"};
constexpr TokenClaims claims{.type = TokenType::auth,
                             .id = "h4k2m8p1q9z3x7c",
                             .collection_id = "pbc_3142635823",
                             .expires_s = now_s + 86'400,
                             .refreshable = true,
                             .email = {},
                             .new_email = {},
                             .issued_s = {},
                             .not_before_s = {}};

std::string signed_token(std::string_view header_json, std::string_view claims_json, TokenKey with = key) {
    std::string token = crypto::base64url_encode(header_json) + "." + crypto::base64url_encode(claims_json);
    crypto::HmacSha256 mac(with.record_key, with.collection_secret);
    mac.update(token);
    crypto::Digest const digest = mac.finish();
    return token + "." +
           crypto::base64url_encode({reinterpret_cast<char const*>(digest.data()), digest.size()});
}

constexpr std::string_view our_header = R"({"alg":"HS256","typ":"JWT"})";

// "valid", or why not.
std::string judge(std::string_view text, Token::Expected expected = {.now_s = now_s}, TokenKey with = key) {
    Token token;
    if (auto const parsed = token.parse(text); !parsed) return std::string(name(parsed.error()));
    auto const verified = token.verify(with, expected);
    return verified ? "valid" : std::string(name(verified.error()));
}

TEST(Token, LooksAsClientsExpect) {
    std::string const token = make_token(claims, key);
    EXPECT_EQ(token,
              signed_token(our_header,
                           R"({"collectionId":"pbc_3142635823","exp":1700086400,"id":"h4k2m8p1q9z3x7c",)"
                           R"("refreshable":true,"type":"auth"})"));
}

TEST(Token, ComesBackAsItWasMade) {
    TokenClaims full = claims;
    full.type = TokenType::email_change;
    full.refreshable = false;
    full.email = "o\"dd\\ä@example.com";
    full.new_email = "new@example.com";
    full.issued_s = now_s - 5;
    full.not_before_s = now_s;
    std::string const text = make_token(full, key);
    Token token;
    ASSERT_TRUE(token.parse(text));
    EXPECT_EQ(token.unverified_claims(), full);
    EXPECT_TRUE(token.verify(key, {.type = TokenType::email_change, .now_s = now_s}));
}

TEST(Token, AppendsBehindWhatIsThere) {
    Buffer output;
    output.append("{\"token\":\"");
    append_token(output, claims, key);
    EXPECT_EQ(output.view(), "{\"token\":\"" + make_token(claims, key));
}

TEST(Token, AnyChangedCharacterIsRefused) {
    std::string const token = make_token(claims, key);
    ASSERT_EQ(judge(token), "valid");
    for (std::size_t at = 0; at < token.size(); ++at) {
        for (char const c : {'A', 'b', '-', '.', '=', '\0'}) {
            std::string changed = token;
            if (changed[at] == c) continue;
            changed[at] = c;
            EXPECT_NE(judge(changed), "valid") << at << " " << c;
        }
        EXPECT_NE(judge(token.substr(0, at)), "valid") << at;
        EXPECT_NE(judge(token.substr(0, at) + token.substr(at + 1)), "valid") << at;
    }
    EXPECT_EQ(judge(token + "A"), "malformed");
    EXPECT_EQ(judge(token + "."), "malformed");
    EXPECT_EQ(judge(" " + token), "algorithm");
}

TEST(Token, OtherAlgorithmsAreRefusedHoweverSigned) {
    std::string const payload = R"({"collectionId":"c","exp":1700086400,"id":"i","type":"auth"})";
    ASSERT_EQ(judge(signed_token(our_header, payload)), "valid");
    for (char const* header :
         {R"({"alg":"none","typ":"JWT"})", R"({"alg":"None","typ":"JWT"})", R"({"alg":"none"})",
          R"({"alg":"RS256","typ":"JWT"})", R"({"alg":"HS512","typ":"JWT"})", R"({"typ":"JWT"})",
          R"({"alg":"HS256","typ":"JWT","alg":"none"})", R"({"typ":"JWT","alg":"HS256"})", "{}", ""}) {
        EXPECT_EQ(judge(signed_token(header, payload)), "algorithm") << header;
    }
    std::string const none = crypto::base64url_encode(R"({"alg":"none","typ":"JWT"})") + "." +
                             crypto::base64url_encode(payload) + ".";
    EXPECT_EQ(judge(none), "algorithm");
    std::string const unsigned_token =
        crypto::base64url_encode(our_header) + "." + crypto::base64url_encode(payload) + ".";
    EXPECT_EQ(judge(unsigned_token), "malformed");
}

TEST(Token, Rfc7515AppendixA1IsNoTokenOfOurs) {
    // Correctly signed (hash_test.cpp), but its header is written in another way, and it names no record.
    EXPECT_EQ(judge("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
                    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9"
                    "leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
              "algorithm");
}

TEST(Token, BothHalvesOfTheKeyCount) {
    std::string const token = make_token(claims, key);
    EXPECT_EQ(judge(token, {.now_s = now_s}, {"another", key.collection_secret}), "signature");
    EXPECT_EQ(judge(token, {.now_s = now_s}, {key.record_key, "another"}), "signature");
    EXPECT_EQ(judge(token, {.now_s = now_s}, {"", key.collection_secret}), "signature");
    EXPECT_EQ(judge(token, {.now_s = now_s}, {key.record_key, ""}), "signature");
    // A missing half is refused even if the signature fits it.
    std::string const half =
        signed_token(our_header, R"({"collectionId":"c","exp":1700086400,"id":"i","type":"auth"})",
                     {.record_key = "", .collection_secret = key.collection_secret});
    EXPECT_EQ(judge(half, {.now_s = now_s}, {"", key.collection_secret}), "signature");
}

TEST(Token, IsGoodUntilItsLastSecond) {
    std::string const token = make_token(claims, key);
    EXPECT_EQ(judge(token, {.now_s = claims.expires_s - 1}), "valid");
    EXPECT_EQ(judge(token, {.now_s = claims.expires_s}), "expired");
    EXPECT_EQ(judge(token, {.now_s = claims.expires_s + 1'000'000}), "expired");
}

TEST(Token, IsGoodForItsTypeOnly) {
    std::string const token = make_token(claims, key);
    for (TokenType const type :
         {TokenType::file, TokenType::verification, TokenType::password_reset, TokenType::email_change}) {
        EXPECT_EQ(judge(token, {.type = type, .now_s = now_s}), "type");
    }
}

TEST(Token, StartTimesMustHavePassed) {
    TokenClaims later = claims;
    later.not_before_s = now_s + token_clock_skew_s;
    EXPECT_EQ(judge(make_token(later, key)), "valid");
    later.not_before_s = now_s + token_clock_skew_s + 1;
    EXPECT_EQ(judge(make_token(later, key)), "not_yet_valid");

    TokenClaims issued = claims;
    issued.issued_s = now_s + token_clock_skew_s + 1;
    EXPECT_EQ(judge(make_token(issued, key)), "not_yet_valid");
    issued.issued_s = now_s - 10;
    EXPECT_EQ(judge(make_token(issued, key), {.now_s = now_s, .not_before_s = now_s - 10}), "valid");
    EXPECT_EQ(judge(make_token(issued, key), {.now_s = now_s, .not_before_s = now_s - 9}), "not_yet_valid");
    EXPECT_EQ(judge(make_token(claims, key), {.now_s = now_s, .not_before_s = 1}), "not_yet_valid")
        << "a token that does not say when it was issued";
}

TEST(Token, ClaimsMustBeThereOnceAndOfTheirKind) {
    struct Case {
        char const* json;
        char const* verdict;
    };
    for (auto const& [json, verdict] : {
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","type":"auth"})", "valid"},
             Case{R"( { "type" : "auth" , "id":"i","collectionId":"c","exp":1700086400,)"
                  R"("iss":"x","n":null,"f":1.5e3 } )",
                  "valid"},
             Case{R"({"collectionId":"c","id":"i","type":"auth"})", "claims"},
             Case{R"({"exp":1700086400,"id":"i","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":1700086400,"type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i"})", "claims"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","type":"admin"})", "claims"},
             Case{R"({"collectionId":"c","exp":"1700086400","id":"i","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":1700086400.5,"id":"i","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":1e30,"id":"i","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":99999999999999999999,"id":"i","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":-1,"id":"i","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":null,"id":"i","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":1,"exp":1700086400,"id":"i","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","id":"j","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","\u0069d":"j","type":"auth"})", "claims"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","type":"auth","refreshable":1})",
                  "claims"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","type":"auth","iat":"x"})", "claims"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","type":"auth"}x)", "malformed"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","type":"auth")", "malformed"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","type":"auth",})", "malformed"},
             Case{R"({"collectionId":"c","exp":01700086400,"id":"i","type":"auth"})", "malformed"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i","type":"auth","o":{}})", "malformed"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i\u0000","type":"auth"})", "malformed"},
             Case{R"({"collectionId":"c","exp":1700086400,"id":"i\ud800","type":"auth"})", "malformed"},
             Case{"{\"collectionId\":\"c\",\"exp\":1700086400,\"id\":\"\xff\",\"type\":\"auth\"}",
                  "malformed"},
             Case{"{\"collectionId\":\"c\",\"exp\":1700086400,\"id\":\"\n\",\"type\":\"auth\"}", "malformed"},
             Case{"{}", "claims"},
             Case{"[]", "malformed"},
             Case{"null", "malformed"},
             Case{"", "malformed"},
             Case{"{", "malformed"},
             Case{"{\"", "malformed"},
             Case{"{\"id\":\"\\", "malformed"},
             Case{"{\"id\":\"\\u00", "malformed"},
         }) {
        EXPECT_EQ(judge(signed_token(our_header, json)), verdict) << json;
    }
}

TEST(Token, TooLongIsRefused) {
    std::string const id(token_bytes_max, 'i');
    TokenClaims long_claims = claims;
    long_claims.id = id;
    EXPECT_EQ(judge(make_token(long_claims, key)), "malformed");
    EXPECT_EQ(judge(std::string(1'000'000, '.')), "malformed");
    EXPECT_EQ(judge(""), "malformed");
    EXPECT_EQ(judge("."), "malformed");
    EXPECT_EQ(judge(".."), "algorithm");
}

TEST(Token, AFailedParseLeavesNothingOfTheLastToken) {
    std::string const text = make_token(claims, key);
    Token token;
    ASSERT_TRUE(token.parse(text));
    ASSERT_FALSE(token.parse("x"));
    EXPECT_EQ(token.unverified_claims(), TokenClaims{});
}

TEST(Token, ReadingAllocatesNothing) {
    std::string const text = make_token(claims, key);
    std::string forged = text;
    forged[forged.size() - 2] = forged[forged.size() - 2] == 'A' ? 'B' : 'A';
    std::size_t const before = allocations;
    bool good = true;
    for (int i = 0; i < 100; ++i) {
        Token token;
        good = good && token.parse(text).has_value() && token.verify(key, {.now_s = now_s}).has_value();
        good = good && token.parse(forged).has_value() && !token.verify(key, {.now_s = now_s}).has_value();
        good = good && !token.parse("not a token").has_value();
    }
    std::size_t const after = allocations;
    EXPECT_TRUE(good);
    EXPECT_EQ(after - before, 0U);
}

TEST(Token, MakingAllocatesNothingOnceWarm) {
    Buffer output;
    append_token(output, claims, key);
    output.clear();
    std::size_t const before = allocations;
    append_token(output, claims, key);
    EXPECT_EQ(allocations - before, 0U);
}

}  // namespace
}  // namespace quern::auth
