// SPDX-License-Identifier: Apache-2.0
#include "http/target.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <quern/http.h>

namespace quern::http {
namespace {

using Segments = std::vector<std::string>;

std::optional<Segments> split(std::string_view path) {
    Arena arena;
    auto const segments = split_path(path, arena);
    if (!segments) return std::nullopt;
    return Segments(segments->begin(), segments->end());
}

TEST(Target, PathsAreSplitAtSlashes) {
    EXPECT_EQ(split("/"), Segments{});
    EXPECT_EQ(split("/a"), Segments{"a"});
    EXPECT_EQ(split("/a/"), (Segments{"a", ""}));
    EXPECT_EQ(split("//a"), (Segments{"", "a"}));
}

TEST(FieldReport, HTTP_08_SegmentsAreDecodedOnceAfterTheSplit) {
    EXPECT_EQ(split("/%43/a%2Fb"), (Segments{"C", "a/b"}));
    EXPECT_EQ(split("/C/a%252Fb"), (Segments{"C", "a%2Fb"}));
    EXPECT_EQ(split("/%c3%a9/a%20b/%25/%F0%9F%8C%BE"), (Segments{"é", "a b", "%", "🌾"}));
    EXPECT_EQ(split("/a+b"), (Segments{"a+b"}));
    EXPECT_EQ(split("/..a/a../..."), (Segments{"..a", "a..", "..."}));
    for (std::string_view const bad : {"/a/..", "/a/%2e%2E/b", "/.", "/%2e", "/.%2e", "/%zz", "/a%", "/a%4",
                                       "/%00", "/a%0a", "/%7f", "/%1f", "/%c0%ae", "/%ff", "/%ed%a0%80"}) {
        EXPECT_EQ(split(bad), std::nullopt) << bad;
    }
    EXPECT_EQ(split("/a%2F..%2Fb"), Segments{"a/../b"});
}

TEST(Target, QueriesAreDecodedIntoPairs) {
    Arena arena;
    std::span<QueryParameter> pairs;
    std::string_view bad;
    ASSERT_TRUE(parse_query("a=b+c%2B&&d&=e&f=g=h&%C3%A9=%26", arena, pairs, bad));
    std::vector<std::pair<std::string, std::string>> got;
    for (auto const& pair : pairs) got.emplace_back(pair.name, pair.value);
    EXPECT_EQ(got, (std::vector<std::pair<std::string, std::string>>{
                       {"a", "b c+"}, {"d", ""}, {"", "e"}, {"f", "g=h"}, {"é", "&"}}));
    ASSERT_TRUE(parse_query("", arena, pairs, bad));
    EXPECT_TRUE(pairs.empty());
    EXPECT_FALSE(parse_query("a=1&filter=%zz", arena, pairs, bad));
    EXPECT_EQ(bad, "filter");
    EXPECT_FALSE(parse_query("%ff=1", arena, pairs, bad));
    EXPECT_FALSE(parse_query("q=%c3", arena, pairs, bad));
    EXPECT_EQ(bad, "q");
}

TEST(Target, PercentDecodingKeepsPlainText) {
    Arena arena;
    EXPECT_EQ(percent_decode("a%2fb+c", arena), "a/b+c");
    EXPECT_EQ(percent_decode("plain", arena), "plain");
    EXPECT_EQ(percent_decode("%4", arena), std::nullopt);
}

}  // namespace
}  // namespace quern::http
