// SPDX-License-Identifier: Apache-2.0
#include "engine/ram/json_text.h"

#include <gtest/gtest.h>

namespace quern::engine::ram {
namespace {

std::string elements(std::string_view json) {
    auto const found = json_elements(json);
    if (!found) return "none";
    std::string text;
    for (std::string_view const element : *found) text += "<" + std::string(element) + ">";
    return text;
}

TEST(JsonText, ElementsAreTheirTexts) {
    EXPECT_EQ(elements("[]"), "");
    EXPECT_EQ(elements(" [ ] "), "");
    EXPECT_EQ(elements(R"([1, "a,]", [2, 3], {"k": [4]}, null])"), R"(<1><"a,]"><[2, 3]><{"k": [4]}><null>)");
}

TEST(JsonText, WhatIsNoArrayHasNoElements) {
    for (std::string_view const text :
         {"",      "{}",    "1",    "\"[]\"", "[1",    "[1,]",     "[,1]",      "[1 2]",         "[01]",
          "[.5]",  "[+1]",  "[1.]", "[1e]",   "[tru]", "[\"\n\"]", "[\"\\x\"]", "[\"\\u12g4\"]", "[]]",
          "[NaN]", "['a']", "[1]x", "[\"a]"}) {
        EXPECT_EQ(elements(text), "none") << text;
    }
}

TEST(JsonText, NestingHasABound) {
    std::string const deep(static_cast<std::size_t>(json_depth_max), '[');
    EXPECT_NE(elements(deep + std::string(deep.size(), ']')), "none");
    EXPECT_EQ(elements("[" + deep + std::string(deep.size() + 1, ']')), "none");
    EXPECT_EQ(elements(std::string(1'000'000, '[')), "none");
}

TEST(JsonText, NumbersAreExactOrReal) {
    Arena texts;
    EXPECT_EQ(json_value("-9223372036854775808", texts).kind, ValueKind::integer);
    EXPECT_EQ(json_value("-9223372036854775809", texts).kind, ValueKind::real);
    EXPECT_EQ(json_value("5.0", texts).kind, ValueKind::real);
    EXPECT_EQ(json_value("5e0", texts).kind, ValueKind::real);
    EXPECT_EQ(json_value("1e-999", texts), Value::of(0.0));
    EXPECT_EQ(json_value("0.5e-400", texts), Value::of(0.0));
    EXPECT_TRUE(json_value("-1e999", texts).is_null());
}

TEST(JsonText, HalfASurrogatePairIsReplaced) {
    Arena texts;
    EXPECT_EQ(json_value(R"("\ud83dx")", texts), Value::of("\xEF\xBF\xBDx"));
    EXPECT_EQ(json_value(R"("\ude00")", texts), Value::of("\xEF\xBF\xBD"));
    EXPECT_EQ(json_value(R"("\ud83d\ude00")", texts), Value::of("😀"));
}

TEST(JsonText, AnArrayOfStringsReadsBack) {
    std::vector<std::string> const strings = {"", "a", "\"\\", "\n\x01", "ä😀"};
    std::string const json = json_array_of(strings);
    auto const found = json_elements(json);
    ASSERT_TRUE(found);
    Arena texts;
    std::vector<std::string> back;
    for (std::string_view const element : *found) back.emplace_back(json_value(element, texts).text);
    EXPECT_EQ(back, strings);
    EXPECT_EQ(json_array_of({}), "[]");
}

}  // namespace
}  // namespace quern::engine::ram
