// SPDX-License-Identifier: Apache-2.0
#include <quern/json.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <quern/app.h>

namespace quern {
namespace {

enum class Colour { red, green };
QUERN_DESCRIBE_ENUM(Colour, red, green)

struct Item {
    std::string title;
    std::uint8_t count = 1;
    static constexpr auto rules =
        quern::rules(quern::on<&Item::title>(quern::length(1, 5)), quern::on<&Item::count>(has_default));
};
QUERN_DESCRIBE(Item, title, count)

struct Everything {
    bool flag = false;
    std::int8_t tiny = 0;
    std::int64_t large = 0;
    std::uint64_t huge = 0;
    float narrow = 0;
    double wide = 0;
    std::string text;
    std::string_view view;
    std::optional<int> maybe;
    std::vector<Item> items;
    std::vector<bool> flags;
    std::array<int, 2> pair{};
    Item nested;
    Colour colour = Colour::red;
    std::map<std::string, int> counts;
    Uuid id;
};
QUERN_DESCRIBE(Everything, flag, tiny, large, huge, narrow, wide, text, view, maybe, items, flags, pair,
               nested, colour, counts, id)

struct Ruled {
    std::string name;
    std::string mail;
    int age = 0;
    double share = 0;
    std::optional<std::string> code;
    std::vector<std::string> tags;
    int class_ = 0;
    static constexpr auto rules = quern::rules(
        quern::on<&Ruled::name>(quern::length(2, 4)), quern::on<&Ruled::mail>(quern::email()),
        quern::on<&Ruled::age>(quern::at_least(0), quern::at_most(150), quern::multiple_of(5)),
        quern::on<&Ruled::share>(quern::at_most(0.5)),
        quern::on<&Ruled::code>(quern::pattern<"[A-Z]{3}[0-9]+">),
        quern::on<&Ruled::tags>(quern::has_default, quern::max_length(2), quern::each(quern::min_length(2))),
        quern::on<&Ruled::class_>(quern::named<"class">, quern::has_default));
};
QUERN_DESCRIBE(Ruled, name, mail, age, share, code, tags, class_)

struct Lenient {
    int a = 7;
    std::string b = "b";
    static constexpr auto rules = quern::rules(quern::ignore_unknown, quern::all_have_defaults);
};
QUERN_DESCRIBE(Lenient, a, b)

struct Deep {
    std::vector<Deep> in;
    static constexpr auto rules = quern::rules(quern::all_have_defaults);
};
QUERN_DESCRIBE(Deep, in)

template <class T>
std::string faults_of(std::string_view text) {
    Arena arena;
    std::string padded(text);
    padded.resize(text.size() + 64);
    T value{};
    auto const read = read_json(std::string_view(padded).substr(0, text.size()), arena, value);
    if (read) return "none";
    std::string list = std::string(name(read.error().code));
    if (read.error().fields.empty()) return list + ": " + read.error().message;
    for (FieldError const& fault : read.error().fields) list += "\n" + fault.field + " " + fault.code;
    return list;
}

constexpr std::string_view everything = R"({
    "flag": true, "tiny": -128, "large": -9223372036854775808, "huge": 18446744073709551615, "narrow": 0.5,
    "wide": 1.25e2, "text": "t\u00e4\n\ud83d\ude00", "view": "ö", "maybe": null,
    "items": [{"title": "a", "count": 2}, {"title": "b"}], "flags": [true, false], "pair": [1, 2.0],
    "nested": {"count": 3e0, "title": "n"}, "colour": "green", "counts": {"x": 1, "y": 2},
    "id": "0123abcd-0000-4000-8000-00000000000f"
})";

TEST(Json, ReadsEveryType) {
    std::string padded(everything);
    padded.resize(everything.size() + 64);
    Arena arena;
    Everything all;
    auto const read = read_json(std::string_view(padded).substr(0, everything.size()), arena, all);
    ASSERT_TRUE(read) << faults_of<Everything>(everything);
    EXPECT_TRUE(all.flag);
    EXPECT_EQ(all.tiny, -128);
    EXPECT_EQ(all.large, std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(all.huge, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(all.narrow, 0.5F);
    EXPECT_EQ(all.wide, 125);
    EXPECT_EQ(all.text, "tä\n😀");
    EXPECT_EQ(all.view, "ö");
    EXPECT_GE(all.view.data(), padded.data());
    EXPECT_LT(all.view.data(), padded.data() + padded.size());
    EXPECT_FALSE(all.maybe);
    ASSERT_EQ(all.items.size(), 2U);
    EXPECT_EQ(all.items[0].count, 2);
    EXPECT_EQ(all.items[1].title, "b");
    EXPECT_EQ(all.items[1].count, 1);
    EXPECT_EQ(all.flags, (std::vector<bool>{true, false}));
    EXPECT_EQ(all.pair, (std::array<int, 2>{1, 2}));
    EXPECT_EQ(all.nested.count, 3);
    EXPECT_EQ(all.colour, Colour::green);
    EXPECT_EQ(all.counts, (std::map<std::string, int>{{"x", 1}, {"y", 2}}));
    EXPECT_EQ(all.id.text(), "0123abcd-0000-4000-8000-00000000000f");
}

TEST(Json, TellsOfAllFaultsAtOnce) {
    EXPECT_EQ(faults_of<Everything>(R"({"flag":1,"tiny":128,"large":1.5,"huge":-1,"narrow":1e40,"wide":"1",
        "text":null,"view":"\u0000","maybe":[],"items":[{"title":"123456"},7,{"count":256,"x":{"y":[]}}],
        "flags":{},"pair":[1],"nested":{"title":"a","title":"b"},"colour":"blue","counts":{"a":1,"a":2},
        "id":"1"})"),
              "unprocessable\nbody.flag wrong_type\nbody.tiny out_of_range\nbody.large not_whole\n"
              "body.huge out_of_range\nbody.narrow out_of_range\nbody.wide wrong_type\nbody.text wrong_type\n"
              "body.view forbidden_character\nbody.maybe wrong_type\nbody.items[0].title too_long\n"
              "body.items[1] wrong_type\nbody.items[2].count out_of_range\nbody.items[2].x unknown_key\n"
              "body.items[2].title missing\nbody.flags wrong_type\nbody.pair wrong_count\n"
              "body.nested.title duplicate_key\nbody.colour not_in_list\nbody.counts.a duplicate_key\n"
              "body.id invalid_value");
    EXPECT_EQ(faults_of<Item>("[]"), "unprocessable\nbody wrong_type");
    EXPECT_EQ(faults_of<Item>(R"({"title":"a","t\u0069tle":"b"})"),
              "unprocessable\nbody.title duplicate_key");
    EXPECT_EQ(faults_of<std::vector<int>>("[1,2,x]").substr(0, 12), "body_invalid");
}

TEST(Json, KeepsTheRules) {
    EXPECT_EQ(faults_of<Ruled>(R"({"name":"äöüß","mail":"a@example.com","age":150,"share":0.5,"code":"ABC1",
        "tags":["ab"],"class":3})"),
              "none");
    EXPECT_EQ(
        faults_of<Ruled>(R"({"name":"ä","mail":"a@","age":151,"share":0.75,"code":"xABC1",
        "tags":["ab","c","d"]})"),
        "unprocessable\nbody.name too_short\nbody.mail email\nbody.age too_large\nbody.age not_multiple\n"
        "body.share too_large\nbody.code pattern\nbody.tags too_long\nbody.tags[1] too_short\n"
        "body.tags[2] too_short");
    EXPECT_EQ(faults_of<Ruled>(R"({"name":"äöüßx","age":-5,"code":null,"class_":1})"),
              "unprocessable\nbody.name too_long\nbody.age too_small\nbody.class_ unknown_key\n"
              "body.mail missing\nbody.share missing");
}

TEST(Json, WhatIsUnknownOrMissingMayBeAllowed) {
    EXPECT_EQ(faults_of<Lenient>(R"({})"), "none");
    EXPECT_EQ(faults_of<Lenient>(R"({"x":[1,{"y":"\n"}],"a":1})"), "none");
    EXPECT_EQ(faults_of<Lenient>(R"({"x":[1,{"y":01}]})").substr(0, 12), "body_invalid");
    EXPECT_EQ(faults_of<Lenient>(R"({"x":"\ud800"})").substr(0, 12), "body_invalid");
    EXPECT_EQ(faults_of<Lenient>("{\"x\":\"\xff\"}").substr(0, 12), "body_invalid");
}

TEST(Json, MalformedTextsAreNamedByTheirByte) {
    std::string const prefix =
        "body_invalid: Failed to load the submitted data due to invalid formatting. At byte ";
    EXPECT_EQ(faults_of<Item>(""), prefix + "0: the text ends too early.");
    EXPECT_EQ(faults_of<Item>(R"({"title":"a",})"), prefix + "13: expected a key in quotes.");
    EXPECT_EQ(faults_of<Item>(R"({"title":"a"} x)"), prefix + "14: there is more behind the value.");
    EXPECT_EQ(faults_of<Item>(R"({"title":"a" "count":1})"), prefix + "13: expected a comma.");
    std::string deep;
    for (std::size_t depth = 0; depth < 32; ++depth) deep += R"({"in":[)";
    std::string fits = deep;
    for (std::size_t depth = 0; depth < 32; ++depth) fits += "]}";
    EXPECT_EQ(faults_of<Deep>(fits), "none");
    EXPECT_EQ(faults_of<Deep>(deep + "{}"), prefix + "224: nested too deeply.");
}

// Every beginning of a good text is refused, whatever stands behind it in memory.
TEST(Json, NeverReadsBehindItsEnd) {
    for (std::size_t size = 0; size < everything.size(); ++size) {
        std::string text(everything);
        text.resize(everything.size() + 64);
        Arena arena;
        Everything all;
        auto const read = read_json(std::string_view(text).substr(0, size), arena, all);
        ASSERT_FALSE(read) << size;
        EXPECT_EQ(read.error().code, ErrorCode::body_invalid) << size;
    }
}

// A byte changed anywhere gives an answer of one kind or the other, and the same twice.
TEST(Json, SurvivesAnyByte) {
    for (std::size_t at = 0; at < everything.size(); ++at) {
        for (char const c : {'\0', '"', '\\', '{', '}', '[', ']', ',', '9', '-', 'e', '\xff', ' '}) {
            std::string text(everything);
            text[at] = c;
            std::string const first = faults_of<Everything>(text);
            EXPECT_EQ(first, faults_of<Everything>(text));
        }
    }
}

TEST(Json, ListsOnlySoManyFaults) {
    std::string text = "[";
    for (int count = 0; count < 100; ++count) text += count == 0 ? "true" : ",true";
    text += "]";
    text.resize(text.size() + 64);
    Arena arena;
    std::vector<int> list;
    auto const read = read_json(std::string_view(text).substr(0, text.size() - 64), arena, list);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().fields.size(), faults_listed_max);
    EXPECT_EQ(read.error().message,
              "The request holds values that are not allowed. There are 100 faults, of "
              "which the first 64 are listed.");
}

TEST(Json, NumbersKeepTheirValue) {
    for (std::string_view const text :
         {"0", "-0", "1", "0.1", "-0.3", "1e22", "123456789012345678", "9007199254740993", "0.000001234",
          "1.7976931348623157e308", "4.9e-324", "3.141592653589793", "123456789.123456789", "1E+2", "1e-7"}) {
        std::string padded(text);
        padded.resize(text.size() + 64);
        Arena arena;
        double value = 1;
        ASSERT_TRUE(read_json(std::string_view(padded).substr(0, text.size()), arena, value)) << text;
        EXPECT_EQ(value, std::strtod(std::string(text).c_str(), nullptr)) << text;
    }
    for (std::string_view const text : {"01", "+1", ".5", "1.", "1e", "--1", "0x1", "1e400", "NaN", "-"})
        EXPECT_NE(faults_of<double>(text), "none") << text;
}

TEST(Json, IsAParameterOfAHandler) {
    App app;
    app.post<"/items">([](Json<Item> item) { return item->title + "*" + std::to_string(item->count); });
    http::Header const json[] = {{"content-type", "application/json"}};
    http::Header const form[] = {{"content-type", "text/plain"}};
    auto const post = [&](std::string_view body, std::span<http::Header const> headers) {
        return app.request(http::Method::post, "/items", body, headers);
    };
    EXPECT_EQ(post(R"({"title":"a","count":2})", json).body, "a*2");
    EXPECT_EQ(post(R"({"title":"a"})", {}).body, "a*1");
    EXPECT_EQ(post(R"({"title":"a"})", form).status, 415);
    EXPECT_EQ(post(R"({"title":"a")", json).status, 400);
    auto const refused = post(R"({"title":"","count":"x"})", json);
    EXPECT_EQ(refused.status, 422);
    EXPECT_EQ(refused.body,
              R"({"type":"about:blank","title":"Unprocessable Content","status":422,)"
              R"("detail":"The request holds values that are not allowed.","errors":[)"
              R"({"location":"body.title","code":"too_short",)"
              R"("message":"Must have at least 1 character(s)."},)"
              R"({"location":"body.count","code":"wrong_type","message":"Must be a whole number."}]})");
}

}  // namespace
}  // namespace quern
