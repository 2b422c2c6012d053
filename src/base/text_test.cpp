// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

namespace quern {
namespace {

TEST(Utf8, RefusesWhatIsNotWellFormed) {
    EXPECT_TRUE(is_utf8("héllo 𝔘"));
    EXPECT_FALSE(is_utf8("\xFF\x41"));
    EXPECT_FALSE(is_utf8("\xC3\x28"));
    EXPECT_FALSE(is_utf8("\xC0\xAE"));          // overlong
    EXPECT_FALSE(is_utf8("\xED\xA0\x80"));      // a surrogate
    EXPECT_FALSE(is_utf8("\xF4\x90\x80\x80"));  // above U+10FFFF
    EXPECT_FALSE(is_utf8("\xE2\x82"));          // cut off
}

TEST(Utf8, CountsCodePoints) {
    EXPECT_EQ(code_point_count("aé𝔘"), 3U);
    EXPECT_EQ(code_point_count(std::string_view("\xFF", 1)), 1U);
}

TEST(Fold, FoldsEveryScriptSimply) {
    EXPECT_EQ(fold_case("ÀÉΣЖ"), "àéσж");
    EXPECT_EQ(fold_case("ß"), "ß");              // the full folding "ss" changes lengths and is not used
    EXPECT_EQ(fold_case(U'\u0130'), U'\u0130');  // only the Turkic folding maps it
}

TEST(Like, ContainsWithoutAWildcard) {
    EXPECT_TRUE(LikePattern("OSLO").matches("Ny-Oslo by"));
    EXPECT_TRUE(LikePattern("").matches(""));
    EXPECT_FALSE(LikePattern("account_id").matches("accountXid"));
    EXPECT_TRUE(LikePattern("100\\%").matches("is 100% sure"));
    EXPECT_FALSE(LikePattern("100\\%").matches("100x"));
    EXPECT_TRUE(LikePattern("\\").matches("back\\slash"));
    EXPECT_FALSE(LikePattern("\\%").matches("\uFF05"));  // full-width percent is not a percent sign
}

TEST(Like, AnchorsWithAWildcard) {
    EXPECT_TRUE(LikePattern("abc%").matches("ABCdef"));
    EXPECT_FALSE(LikePattern("abc%").matches("xabc"));
    EXPECT_TRUE(LikePattern("%abc").matches("xabc"));
    EXPECT_FALSE(LikePattern("%abc").matches("abcx"));
    EXPECT_TRUE(LikePattern("a%b%c").matches("a1b2c"));
    EXPECT_FALSE(LikePattern("a%b%c").matches("acb"));
    EXPECT_TRUE(LikePattern("%").matches(""));
    EXPECT_FALSE(LikePattern("a%a").matches("a"));
}

}  // namespace
}  // namespace quern
