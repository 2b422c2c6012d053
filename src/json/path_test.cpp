// SPDX-License-Identifier: Apache-2.0
#include "json/path.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace quern::json {
namespace {

std::string show(Scalar const& scalar) {
    switch (scalar.kind) {
    case Scalar::Kind::null: return "null";
    case Scalar::Kind::integer: return "i" + std::to_string(scalar.integer);
    case Scalar::Kind::real: return "r" + std::to_string(scalar.real);
    case Scalar::Kind::text: return (scalar.is_json ? "j" : "t") + std::string(scalar.text);
    }
    return {};
}

std::string at(std::string_view json, std::vector<std::string> const& path) {
    std::string scratch;
    return show(value_at(json, path, scratch));
}

TEST(Path, FindsValues) {
    std::string_view const json =
        R"( { "a" : 1 , "b":{"c":[10,{"d":"x\ny"},[1, 2]]}, "e\"f":true,"g":false,"h":null,
              "i":9007199254740993,"j":9223372036854775808,"k":1e400,"l":"",
              "m":-0.5,"":"empty","0":"zero","\u0071":"q"} )";
    EXPECT_EQ(at(json, {"a"}), "i1");
    EXPECT_EQ(at(json, {"b", "c", "0"}), "i10");
    EXPECT_EQ(at(json, {"b", "c", "1", "d"}), "tx\ny");
    EXPECT_EQ(at(json, {"b", "c", "2"}), "j[1, 2]");
    EXPECT_EQ(at(json, {"b", "c", "1"}), R"(j{"d":"x\ny"})");
    EXPECT_EQ(at(json, {"b", "c", "3"}), "null");
    EXPECT_EQ(at(json, {"b", "c", "x"}), "null");
    EXPECT_EQ(at(json, {"b", "c", "-1"}), "null");
    EXPECT_EQ(at(json, {"e\"f"}), "i1");
    EXPECT_EQ(at(json, {"g"}), "i0");
    EXPECT_EQ(at(json, {"h"}), "null");
    EXPECT_EQ(at(json, {"i"}), "i9007199254740993");
    EXPECT_EQ(at(json, {"j"}), "r9223372036854775808.000000");
    EXPECT_EQ(at(json, {"k"}), "null");
    EXPECT_EQ(at(json, {"l"}), "t");
    EXPECT_EQ(at(json, {"m"}), "r-0.500000");
    EXPECT_EQ(at(json, {""}), "tempty");
    EXPECT_EQ(at(json, {"0"}), "tzero");
    EXPECT_EQ(at(json, {"q"}), "tq");
    EXPECT_EQ(at(json, {"a", "x"}), "null");
    EXPECT_EQ(at(json, {"nope"}), "null");
    EXPECT_EQ(at("[1]", {}), "j[1]");
    EXPECT_EQ(at("\"x\"", {}), "tx");
    EXPECT_EQ(at("7", {}), "i7");
}

TEST(Path, BracketsInStringsDoNotConfuse) {
    EXPECT_EQ(at(R"({"a":["]}\\\"[{"],"b":2})", {"b"}), "i2");
    EXPECT_EQ(at(R"({"a":{"x":"}\\"},"b":2})", {"b"}), "i2");
}

TEST(Path, BrokenTextIsNull) {
    for (std::string_view const json :
         {"", " ", "{", "[", "{\"a\"", "{\"a\":", "{\"b\":[", "\"", "{\"b\":\"x\\\"}", "{a:1}", "nonsense",
          "}", "{]", "{\"b\" 1,\"a\":1}", "truex"}) {
        EXPECT_EQ(at(json, {"a"}), "null") << json;
        EXPECT_EQ(array_length(json), 0U) << json;
    }
    EXPECT_EQ(at("truex", {}), "null");
    EXPECT_EQ(at(R"("\ud800")", {}), "t\uFFFD");
}

TEST(Path, WalksElements) {
    std::vector<std::string> seen;
    std::string scratch;
    for (Elements elements(R"( [ 1 , "a\tb" , [2,3] , {"x":[]} , null,true ] )"); elements.next();) {
        seen.push_back(show(elements.scalar(scratch)));
    }
    EXPECT_EQ(seen, (std::vector<std::string>{"i1", "ta\tb", "j[2,3]", R"(j{"x":[]})", "null", "i1"}));
    EXPECT_EQ(array_length("[]"), 0U);
    EXPECT_EQ(array_length("[ ]"), 0U);
    EXPECT_EQ(array_length("[1,2,3]"), 3U);
    EXPECT_EQ(array_length("{}"), 0U);
    EXPECT_EQ(array_length("\"[1]\""), 0U);
    EXPECT_EQ(array_length("[1,2"), 2U);
    EXPECT_EQ(array_length("[1 2]"), 1U);
}

TEST(Path, RandomBytesAreHarmless) {
    std::string_view const alphabet = "{}[]:,\"\\ 01-.etrufalsn";
    std::mt19937 random(5);
    std::string scratch;
    std::vector<std::string> const path = {"a", "0"};
    for (int round = 0; round < 100'000; ++round) {
        std::string text(random() % 24, '\0');
        for (char& c : text) c = alphabet[random() % alphabet.size()];
        (void)value_at(text, path, scratch);
        std::size_t count = 0;
        for (Elements elements(text); elements.next(); ++count) (void)elements.scalar(scratch);
        EXPECT_LE(count, text.size());
    }
}

TEST(Path, IsJsonRefusesWhatMayNotBePrinted) {
    for (std::string_view const good :
         {"1", " [1,2] ", "{\"a\":{\"b\":\"é\"}}", "123456789012345678901234567890"}) {
        EXPECT_TRUE(is_json(good)) << good;
    }
    for (std::string_view const bad :
         {"", "nan", "1e999", "[1e999]", "{\"a\":Infinity}", "\"\xff\"", "\"\x1f\"", "[1,]", "a"}) {
        EXPECT_FALSE(is_json(bad)) << bad;
    }
    EXPECT_FALSE(is_json(std::string(400, '9')));
    EXPECT_TRUE(is_json(std::string(check_depth_max, '[') + std::string(check_depth_max, ']')));
    EXPECT_FALSE(is_json(std::string(check_depth_max + 1, '[') + std::string(check_depth_max + 1, ']')));
    EXPECT_FALSE(is_json(std::string(1'000'000, '[')));
}

}  // namespace
}  // namespace quern::json
