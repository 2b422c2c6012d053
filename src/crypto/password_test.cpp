// SPDX-License-Identifier: Apache-2.0
#include "crypto/password.h"

#include <gtest/gtest.h>

namespace quern::crypto {
namespace {

using std::string_view_literals::operator""sv;

// Cheap, so that the tests are quick; the costs of the product are checked by the first test.
constexpr PasswordCost cheap{.memory_bytes = 8192, .passes = 1};

TEST(Password, HashesAtTheCostThatIsPromised) {
    Argon2id hasher;
    auto const hash = hasher.hash("correct horse");
    ASSERT_TRUE(hash);
    EXPECT_TRUE(hash->starts_with("$argon2id$v=19$m=19456,t=2,p=1$")) << *hash;
    EXPECT_EQ(hasher.verify(*hash, "correct horse"), true);
    EXPECT_EQ(hasher.verify(*hash, "correct horsf"), false);
}

TEST(Password, SaltsDiffer) {
    Argon2id hasher(cheap);
    EXPECT_NE(hasher.hash("a"), hasher.hash("a"));
}

TEST(Password, NothingIsCut) {
    Argon2id hasher(cheap);
    std::string const longest(password_bytes_max, 'x');
    auto const hash = hasher.hash(longest);
    ASSERT_TRUE(hash);
    EXPECT_EQ(hasher.verify(*hash, longest), true);
    EXPECT_EQ(hasher.verify(*hash, std::string(password_bytes_max - 1, 'x')), false);
    EXPECT_EQ(hasher.verify(*hash, std::string(72, 'x')), false);
}

TEST(Password, TooLongAndNulAreRefusedBeforeHashing) {
    Argon2id hasher(cheap);
    std::string const valid = *hasher.hash("a");
    for (std::string const& password : {std::string(password_bytes_max + 1, 'x'), std::string("a\0b"sv)}) {
        auto const hash = hasher.hash(password);
        ASSERT_FALSE(hash);
        EXPECT_EQ(hash.error().code, ErrorCode::validation);
        EXPECT_EQ(hash.error().fields.at(0).field, "password");
        auto const verified = hasher.verify(valid, password);
        ASSERT_FALSE(verified);
        EXPECT_EQ(verified.error().code, ErrorCode::validation);
    }
}

TEST(Password, ComposedAndDecomposedAreTwoPasswords) {
    Argon2id hasher(cheap);
    auto const hash = hasher.hash("caf\u00e9");
    ASSERT_TRUE(hash);
    EXPECT_EQ(hasher.verify(*hash, "cafe\u0301"), false);
}

TEST(Password, TextThatIsNoHashMatchesNothing) {
    Argon2id hasher(cheap);
    std::string const valid = *hasher.hash("a");
    for (std::string const& hash :
         {std::string(), std::string("a"), std::string(200, '$'), valid.substr(0, valid.size() - 1),
          valid + "A", std::string("$argon2id$v=19$m=,t=1,p=1$AAAA$AAAA"), std::string("$argon2id$v=19$m=8"),
          std::string("$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy"),
          valid + std::string(1, '\0')}) {
        EXPECT_EQ(hasher.verify(hash, "a"), false) << hash;
        EXPECT_TRUE(hasher.needs_rehash(hash) || hash.starts_with(valid.substr(0, 30))) << hash;
    }
}

TEST(Password, AHashMayNotAskForMoreThanIsAllowed) {
    Argon2id hasher(cheap);
    for (char const* hash :
         {"$argon2id$v=19$m=262145,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
          "$argon2id$v=19$m=4294967295,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
          "$argon2id$v=19$m=8,t=17,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA"}) {
        auto const verified = hasher.verify(hash, "a");
        ASSERT_FALSE(verified) << hash;
        EXPECT_EQ(verified.error().code, ErrorCode::unsupported);
    }
}

TEST(Password, AnotherCostNeedsRehash) {
    Argon2id cheaper(cheap);
    Argon2id dearer({.memory_bytes = 8192, .passes = 2});
    std::string const hash = *cheaper.hash("a");
    EXPECT_FALSE(cheaper.needs_rehash(hash));
    EXPECT_TRUE(dearer.needs_rehash(hash));
    EXPECT_EQ(dearer.verify(hash, "a"), true) << "an old cost still verifies";
}

TEST(Password, TheDummyIsARealHashAtTheSameCost) {
    Argon2id hasher;
    EXPECT_FALSE(hasher.needs_rehash(hasher.dummy_hash()));
    EXPECT_EQ(hasher.verify(hasher.dummy_hash(), "anything"), false);
    // Same form as a real one, to the length: so verifying it does all the work.
    EXPECT_EQ(hasher.dummy_hash().size(), hasher.hash("a")->size());
}

}  // namespace
}  // namespace quern::crypto
