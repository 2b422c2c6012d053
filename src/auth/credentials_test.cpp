// SPDX-License-Identifier: Apache-2.0
#include "auth/credentials.h"

#include <gtest/gtest.h>

#include <vector>

namespace quern::auth {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

// A hash is "hash:" + password; every call is written down.
class CountingHasher final : public crypto::PasswordHasher {
public:
    Result<std::string> hash(std::string_view password) override {
        calls.emplace_back("hash");
        if (out_of_memory) return fail(ErrorCode::overloaded);
        return "hash:" + std::string(password);
    }
    Result<bool> verify(std::string_view hash, std::string_view password) override {
        calls.push_back("verify " + std::string(hash));
        if (out_of_memory) return fail(ErrorCode::overloaded);
        if (hash == "dear") return fail(ErrorCode::unsupported);
        return hash == "hash:" + std::string(password) || hash == "old:" + std::string(password);
    }
    bool needs_rehash(std::string_view hash) const override { return hash.starts_with("old:"); }
    std::string_view dummy_hash() const override { return "dummy"; }

    std::vector<std::string> calls;
    bool out_of_memory = false;
};

using Calls = std::vector<std::string>;

TEST(Credentials, TheRightPasswordSignsIn) {
    CountingHasher hasher;
    auto const result = verify_password(hasher, "hash:secret", "secret");
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->better_hash);
    EXPECT_EQ(hasher.calls, Calls{"verify hash:secret"});
}

TEST(Credentials, NoAccountTakesTheSameWayAsAWrongPassword) {
    CountingHasher wrong;
    auto const wrong_password = verify_password(wrong, "hash:secret", "guess");
    CountingHasher unknown;
    auto const unknown_account = verify_password(unknown, std::nullopt, "guess");
    CountingHasher without;
    auto const without_password = verify_password(without, "", "guess");
    ASSERT_FALSE(wrong_password);
    ASSERT_FALSE(unknown_account);
    ASSERT_FALSE(without_password);
    EXPECT_EQ(wrong_password.error(), unknown_account.error());
    EXPECT_EQ(wrong_password.error(), without_password.error());
    EXPECT_EQ(wrong_password.error().code, ErrorCode::credentials_invalid);
    // One verification each, and nothing else.
    EXPECT_EQ(wrong.calls, Calls{"verify hash:secret"});
    EXPECT_EQ(unknown.calls, Calls{"verify dummy"});
    EXPECT_EQ(without.calls, Calls{"verify dummy"});
}

TEST(Credentials, NobodySignsInWithTheDummysPassword) {
    // Even if somebody found a password for the dummy hash.
    class Agreeing final : public crypto::PasswordHasher {
    public:
        Result<std::string> hash(std::string_view) override { return "h"; }
        Result<bool> verify(std::string_view, std::string_view) override { return true; }
        bool needs_rehash(std::string_view) const override { return false; }
        std::string_view dummy_hash() const override { return "dummy"; }
    } hasher;
    EXPECT_TRUE(verify_password(hasher, "real", "x"));
    EXPECT_FALSE(verify_password(hasher, std::nullopt, "x"));
    EXPECT_FALSE(verify_password(hasher, "", "x"));
}

TEST(Credentials, AnOldHashIsBroughtUpToDateWhenThePasswordIsRight) {
    CountingHasher hasher;
    auto const right = verify_password(hasher, "old:secret", "secret");
    ASSERT_TRUE(right);
    EXPECT_EQ(right->better_hash, "hash:secret");
    hasher.calls.clear();
    EXPECT_FALSE(verify_password(hasher, "old:secret", "guess"));
    EXPECT_EQ(hasher.calls, Calls{"verify old:secret"}) << "no second hash for a wrong password";
}

TEST(Credentials, NoMemoryIsNotAWrongPassword) {
    CountingHasher hasher;
    hasher.out_of_memory = true;
    EXPECT_EQ(verify_password(hasher, "hash:secret", "secret").error().code, ErrorCode::overloaded);
    EXPECT_EQ(verify_password(hasher, std::nullopt, "secret").error().code, ErrorCode::overloaded);
}

TEST(Credentials, AHashThatMayNotBeVerifiedIsAWrongPassword) {
    CountingHasher hasher;
    EXPECT_EQ(verify_password(hasher, "dear", "secret").error(), Error(ErrorCode::credentials_invalid));
}

TEST(Credentials, InputIsCheckedBeforeAnythingIsLookedUp) {
    struct Case {
        std::string identity;
        std::string password;
        char const* field;
    };
    for (Case const& c : {
             Case{"", "secret", "identity"},
             Case{std::string(identity_bytes_max + 1, 'a'), "secret", "identity"},
             Case{"a\0b"s, "secret", "identity"},
             Case{"\xff", "secret", "identity"},
             Case{"a@example.com", "", "password"},
             Case{"a@example.com", std::string(crypto::password_bytes_max + 1, 'x'), "password"},
             Case{"a@example.com", std::string(1'000'000, 'x'), "password"},
             Case{"a@example.com", std::string("a\0b"sv), "password"},
         }) {
        auto const checked = check_credential_input(c.identity, c.password);
        ASSERT_FALSE(checked) << c.field;
        EXPECT_EQ(checked.error().code, ErrorCode::validation);
        ASSERT_EQ(checked.error().fields.size(), 1U);
        EXPECT_EQ(checked.error().fields[0].field, c.field);
    }
    EXPECT_TRUE(check_credential_input(std::string(identity_bytes_max, 'a'), std::string(73, 'x')));
    EXPECT_TRUE(check_credential_input("ä@example.com", "パスワード"));
}

}  // namespace
}  // namespace quern::auth
