// SPDX-License-Identifier: Apache-2.0
#include "schema/id.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <map>
#include <random>
#include <set>

namespace quern {
namespace {

struct TestRandom {
    std::mt19937 engine{1};
    void fill(std::span<std::byte> bytes) {
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine());
    }
};

TEST(Id, RecordIdsAreFifteenEvenCharacters) {
    TestRandom random;
    Arena arena;
    std::set<std::string> seen;
    std::map<char, int> count;
    for (int round = 0; round < 10'000; ++round) {
        std::string const id(make_record_id(random, arena));
        ASSERT_TRUE(re2::RE2::FullMatch(id, "[a-z0-9]{15}")) << id;
        ASSERT_TRUE(seen.insert(id).second);
        for (char const c : id) ++count[c];
    }
    // 150,000 draws of 36: each about 4167 times; 300 is more than four standard deviations.
    EXPECT_EQ(count.size(), 36U);
    for (auto const& [c, times] : count) EXPECT_NEAR(times, 4167, 300) << c;
}

TEST(Id, CollectionIds) {
    TestRandom random;
    std::string const id = make_collection_id(random);
    EXPECT_TRUE(re2::RE2::FullMatch(id, "pbc_[1-9][0-9]{9}")) << id;
    EXPECT_NE(make_collection_id(random), id);
}

TEST(Id, FieldIdsDependOnTheNameAloneUntilTaken) {
    std::string const first = make_field_id("text", "title", {});
    EXPECT_EQ(first, make_field_id("text", "title", {}));
    EXPECT_NE(first, make_field_id("text", "title2", {}));
    std::string const taken[] = {first};
    EXPECT_NE(make_field_id("text", "title", taken), first);
    EXPECT_TRUE(re2::RE2::FullMatch(first, "text[0-9]+"));
}

TEST(Id, AutogeneratesByPattern) {
    TestRandom random;
    Arena arena;
    for (std::string const pattern :
         {"[a-z0-9]{15}", "[a-zA-Z0-9]{50}", "user_[a-z]{3,7}", "\\d{4}-\\w", "[-a]", "[a\\]b]{2}", "x",
          "[A-F]{0,2}y", "INV-[0-9]{6}", "[ -~]{300}"}) {
        ASSERT_TRUE(is_autogenerate_pattern(pattern)) << pattern;
        for (int round = 0; round < 200; ++round) {
            auto const text = autogenerate(pattern, random, arena);
            ASSERT_TRUE(text);
            EXPECT_TRUE(re2::RE2::FullMatch(re2::StringPiece(text->data(), text->size()), pattern))
                << pattern << " " << *text;
        }
    }
}

TEST(Id, RefusesOtherPatterns) {
    TestRandom random;
    Arena arena;
    for (std::string_view const pattern : {"",
                                           "[a-z",
                                           "[]",
                                           "[^a]",
                                           "a*",
                                           "a+",
                                           "a?",
                                           "(a)",
                                           "a|b",
                                           ".",
                                           "^a$",
                                           "a{",
                                           "a{2",
                                           "a{2,1}",
                                           "a{1001}",
                                           "a{600}b{600}",
                                           "a{-1}",
                                           "[z-a]",
                                           "\\",
                                           "\\s",
                                           "a]",
                                           "é",
                                           "{3}",
                                           "[a\\",
                                           "a{99999999999999999999}"}) {
        EXPECT_FALSE(is_autogenerate_pattern(pattern)) << pattern;
        EXPECT_FALSE(autogenerate(pattern, random, arena)) << pattern;
    }
}

}  // namespace
}  // namespace quern
