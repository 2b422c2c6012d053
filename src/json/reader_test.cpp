// SPDX-License-Identifier: Apache-2.0
#include "json/reader.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>
#include <string>
#include <vector>

#include <quern/json_writer.h>
#include "json/scan.h"

namespace quern::json {
namespace {

// Prints a value as compact JSON from what its nodes say.
void print(Node node, Writer& writer) {
    switch (node.type()) {
    case Type::null: writer.null(); break;
    case Type::boolean: writer.boolean(node.boolean()); break;
    case Type::integer: writer.integer(node.integer()); break;
    case Type::real: writer.raw(node.raw()); break;
    case Type::string: writer.string(node.text()); break;
    case Type::array:
        writer.begin_array();
        for (Node const element : node) print(element, writer);
        writer.end_array();
        break;
    case Type::object:
        writer.begin_object();
        for (Node const member : node) {
            writer.key(member.key());
            print(member, writer);
        }
        writer.end_object();
        break;
    }
}

std::string reprint(std::string_view text) {
    Document document;
    auto const root = document.parse_copy(text);
    if (!root) return root.error().message;
    Buffer buffer;
    Writer writer(buffer);
    print(*root, writer);
    return std::string(buffer.view());
}

TEST(Reader, ReadsEveryKindOfValue) {
    Document document;
    auto const root = document.parse_copy(
        " { \"s\" : \"a\\n\\u00e9\\ud83d\\ude00\" , \"i\":-5, \"r\":1.50, \"t\":true,\"f\":false,"
        "\"n\":null,\"a\":[1, [ ] ,{\"k\":\"v\"}],\"o\":{ \"x\" : 1 } } ");
    ASSERT_TRUE(root) << root.error().message;
    EXPECT_EQ(root->size(), 8U);
    EXPECT_EQ(root->find("s")->text(), "a\né😀");
    EXPECT_EQ(root->find("i")->integer(), -5);
    EXPECT_EQ(root->find("r")->type(), Type::real);
    EXPECT_EQ(root->find("r")->raw(), "1.50");
    EXPECT_EQ(root->find("r")->real(), 1.5);
    EXPECT_TRUE(root->find("t")->boolean());
    EXPECT_TRUE(root->find("n")->is_null());
    EXPECT_EQ(root->find("a")->raw(), "[1, [ ] ,{\"k\":\"v\"}]");
    EXPECT_EQ(root->find("a")->size(), 3U);
    EXPECT_EQ(root->find("o")->raw(), "{ \"x\" : 1 }");
    EXPECT_EQ(root->at("a.2.k")->text(), "v");
    EXPECT_EQ(root->at("o.x")->integer(), 1);
    EXPECT_FALSE(root->at("a.3"));
    EXPECT_FALSE(root->at("a.x"));
    EXPECT_FALSE(root->at("s.x"));
    EXPECT_FALSE(root->find("S"));
    EXPECT_TRUE(root->raw().starts_with("{ \"s\"") && root->raw().ends_with("} }"));
}

TEST(Reader, KeepsOrderAndPrintsBack) {
    std::string_view const text = R"({"z":1,"a":[],"m":{"b":[{},[[]],"x"],"a":null},"e":"","q":"\"\\",)"
                                  R"("big":123456789012345678901234567890})";
    EXPECT_EQ(reprint(text), text);
    for (std::string_view const scalar :
         {"1", "-9223372036854775808", "\"a\"", "null", "true", "1e400", "[]", "{}"}) {
        EXPECT_EQ(reprint(scalar), scalar);
    }
}

TEST(Reader, TypeOneIntegersKeepEveryDigit) {
    Document document;
    auto const root = document.parse_copy(
        "[9007199254740993,9223372036854775807,-9223372036854775808,1152735103331642317,9223372036854775808,"
        "1.0,-0]");
    ASSERT_TRUE(root);
    std::vector<Node> const nodes(root->begin(), root->end());
    EXPECT_EQ(nodes[0].integer(), 9007199254740993);
    EXPECT_EQ(nodes[1].integer(), INT64_MAX);
    EXPECT_EQ(nodes[2].integer(), INT64_MIN);
    EXPECT_EQ(nodes[3].integer(), 1152735103331642317);
    EXPECT_EQ(nodes[4].type(), Type::real);
    EXPECT_EQ(nodes[4].raw(), "9223372036854775808");
    EXPECT_EQ(nodes[5].type(), Type::real);
    EXPECT_EQ(nodes[6].integer(), 0);
}

TEST(Reader, SthirtyEightRefusesRepeatedKeysByName) {
    for (std::string_view const text : {R"({"title":"a","title":"b"})", R"({"title":1,"x":2,"\u0074itle":3})",
                                        R"({"o":{"title":1,"title":1}})", R"([{"title":1,"title":1}])"}) {
        Document document;
        auto const root = document.parse_copy(text);
        ASSERT_FALSE(root) << text;
        EXPECT_EQ(root.error().code, ErrorCode::body_invalid);
        ASSERT_EQ(root.error().fields.size(), 1U) << text;
        EXPECT_EQ(root.error().fields[0].field, "title");
        EXPECT_EQ(root.error().fields[0].code, "validation_duplicate_key");
    }
    // Different names are different: whoever reads them decides what an unknown one means.
    EXPECT_EQ(reprint(R"({"title":1,"Title":2,"title ":3})"), R"({"title":1,"Title":2,"title ":3})");
}

TEST(Reader, RefusesARepeatedKeyAmongManyMembers) {
    std::string text = "{";
    for (int member = 0; member < 5000; ++member) text += "\"k" + std::to_string(member) + "\":1,";
    EXPECT_EQ(reprint(text + "\"last\":1}"), text + "\"last\":1}");
    Document document;
    auto const root = document.parse_copy(text + "\"k77\":2}");
    ASSERT_FALSE(root);
    EXPECT_EQ(root.error().fields.at(0).field, "k77");
}

struct Bad {
    std::string_view text;
    std::size_t at;
    std::string_view why;
};

TEST(Reader, RefusesWithThePosition) {
    Bad const cases[] = {
        {"", 0, "ends too early"},
        {"  ", 2, "ends too early"},
        {"{", 1, "key in quotes"},
        {"[", 1, "ends too early"},
        {"{\"a\":1", 6, "ends too early"},
        {"{\"a\":1 \"b\":2}", 7, "expected a comma"},
        {"{\"a\" 1}", 5, "expected a colon"},
        {"{\"a\":}", 5, "expected a value"},
        {"{\"a\"::1}", 5, "expected a value"},
        {"{a:1}", 1, "key in quotes"},
        {"{\"a\":1,}", 7, "key in quotes"},
        {"[1,]", 3, "expected a value"},
        {"[,1]", 1, "expected a value"},
        {"[1 2]", 3, "expected a comma"},
        {"[1}", 2, "expected a comma"},
        {"[1]]", 3, "more behind"},
        {"{} {}", 3, "more behind"},
        {"[] x", 3, "more behind"},
        {"1 2", 2, "more behind"},
        {"\"a\" b", 4, "more behind"},
        {"[01]", 1, "expected a value"},
        {"[+1]", 1, "expected a value"},
        {"[.5]", 1, "expected a value"},
        {"[1.]", 1, "expected a value"},
        {"[NaN]", 1, "expected a value"},
        {"[Infinity]", 1, "expected a value"},
        {"[0x10]", 2, "expected a comma"},
        {"[tru]", 1, "expected a value"},
        {"[truefalse]", 5, "expected a comma"},
        {"[nul]", 1, "expected a value"},
        {"['a']", 1, "expected a value"},
        {"[\"a]", 1, "string without end"},
        {"[\"\\x\"]", 2, "bad escape"},
        {"[\"\\u12\"]", 2, "bad escape"},
        {"[\"\\ud800\"]", 2, "bad escape"},
        {"[\"\\udc00\"]", 2, "bad escape"},
        {"[\"\\ud800\\u0041\"]", 2, "bad escape"},
        {"[\"\\udc00\\udc00\"]", 2, "bad escape"},
        {"[\"\\ud800x\"]", 2, "bad escape"},
        {"{\"\\ud800\":1}", 2, "bad escape"},
        {"[\"a\nb\"]", 3, "control character"},
        {"[\"a\x1f\"]", 3, "control character"},
        {"[\"a\xff\"]", 3, "not UTF-8"},
        {"[\"\xed\xa0\x80\"]", 2, "not UTF-8"},
        {"{\"k\xc3\x28\":1}", 3, "not UTF-8"},
        {"[1\xff]", 2, "expected a comma"},
        {"[1]\xff", 3, "more behind"},
        {"\xef\xbb\xbf{}", 0, "expected a value"},
        {"[1,\"a\":{},]]", 6, "expected a comma"},
        {"[1/*c*/]", 2, "expected a comma"},
    };
    for (auto const& one : cases) {
        Document document;
        auto const root = document.parse_copy(one.text);
        ASSERT_FALSE(root) << one.text;
        EXPECT_EQ(root.error().code, ErrorCode::body_invalid);
        std::string const place = "At byte " + std::to_string(one.at) + ": ";
        EXPECT_NE(root.error().message.find(place), std::string::npos)
            << one.text << " " << root.error().message;
        EXPECT_NE(root.error().message.find(one.why), std::string::npos)
            << one.text << " " << root.error().message;
    }
}

TEST(Reader, LetsNulThroughInAString) {
    Document document;
    auto const root = document.parse_copy(R"({"a":"x\u0000y"})");
    ASSERT_TRUE(root);
    EXPECT_EQ(root->find("a")->text(), std::string_view("x\0y", 3));
}

TEST(Reader, SeightyThreeDepthIsBoundAndFast) {
    auto const nested = [](std::size_t depth, char open, char close) {
        return std::string(depth, open) + std::string(depth, close);
    };
    EXPECT_EQ(reprint(nested(depth_max, '[', ']')), nested(depth_max, '[', ']'));
    Document document;
    EXPECT_FALSE(document.parse_copy(nested(depth_max + 1, '[', ']')));
    std::string deep_objects;
    for (int level = 0; level < 100'000; ++level) deep_objects += "{\"a\":";
    for (std::string const& text : {nested(100'000, '[', ']'), std::string(100'000, '['), deep_objects}) {
        std::clock_t const start = std::clock();  // of this process: the machine may be busy
        auto const root = document.parse_copy(text);
        std::clock_t const took = std::clock() - start;
        ASSERT_FALSE(root);
        EXPECT_NE(root.error().message.find("nested too deeply"), std::string::npos) << root.error().message;
        EXPECT_LT(took, CLOCKS_PER_SEC / 10);
    }
}

TEST(Reader, ObjectDoorRefusesOtherValues) {
    Document document;
    std::string padded = "[1]";
    padded.reserve(padded.size() + padding_bytes);
    auto const root = document.parse_object(padded);
    ASSERT_FALSE(root);
    EXPECT_NE(root.error().message.find("expected an object"), std::string::npos);
}

TEST(Reader, TreeOwnsItsTextAndMoves) {
    auto tree = Tree::parse(std::string(R"({"a":{"b":["x","y\n"]}})"));
    ASSERT_TRUE(tree);
    Tree const moved = *std::move(tree);
    EXPECT_EQ(moved.root().at("a.b.1")->text(), "y\n");
    EXPECT_FALSE(Tree::parse("{"));
}

TEST(Reader, ShrinksAfterALargeText) {
    Document document;
    std::string const large = "[\"" + std::string(kept_text_bytes_max * 2, 'x') + "\"]";
    ASSERT_TRUE(document.parse_copy(large));
    auto const root = document.parse_copy("[1]");
    ASSERT_TRUE(root);
    EXPECT_EQ((*root->begin()).integer(), 1);
}

// The walk over simdjson's structure and our own checker are two readers of one grammar: they must agree on
// every text, and what was read must print back to the same value.
TEST(Reader, AgreesWithTheCheckerOnRandomTexts) {
    std::string const seeds[] = {R"({"a":1,"b":[true,false,null,"x\u00e9"],"c":{"d":-1.5e3}})",
                                 R"([1,"a",{},[]])", R"({"k":"é日😀\\\"\n"})", "12", "\"s\""};
    std::string_view const alphabet = "{}[]:,\"\\ \n01-+.eEtrufalsn\xc3\xa9\xff\x01x";
    std::mt19937 random(3);
    Document document;
    std::size_t accepted = 0;
    for (int round = 0; round < 200'000; ++round) {
        std::string text = seeds[random() % std::size(seeds)];
        for (std::size_t edits = random() % 4; edits > 0 && !text.empty(); --edits) {
            std::size_t const at = random() % text.size();
            char const c = alphabet[random() % alphabet.size()];
            switch (random() % 3) {
            case 0: text[at] = c; break;
            case 1: text.erase(at, 1); break;
            default: text.insert(at, 1, c);
            }
        }
        auto const root = document.parse_copy(text);
        bool const repeated = !root && !root.error().fields.empty();
        bool const good = !find_fault(text, {.depth_max = depth_max});
        ASSERT_EQ(root.has_value() || repeated, good) << text << (root ? "" : root.error().message);
        if (!root) continue;
        ++accepted;
        Buffer buffer;
        Writer writer(buffer);
        print(*root, writer);
        ASSERT_EQ(reprint(buffer.view()), buffer.view()) << text;
    }
    EXPECT_GT(accepted, 20'000U);
}

}  // namespace
}  // namespace quern::json
