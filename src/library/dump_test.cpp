// SPDX-License-Identifier: Apache-2.0
#include <quern/dump.h>

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include <quern/app.h>

namespace quern {
namespace {

enum class Size { small, large };
QUERN_DESCRIBE_ENUM(Size, small, large)

struct Tag {
    std::string name;
    int weight = 1;
};
QUERN_DESCRIBE(Tag, name, weight)

struct Thing {
    std::string title;
    std::optional<int> priority;
    bool done = false;
    std::vector<Tag> tags;
    Tag first;
    std::string password = "none";
};
QUERN_DESCRIBE(Thing, title, priority, done, tags, first, password)

struct Kinds {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::uint64_t high = std::numeric_limits<std::uint64_t>::max();
    std::int8_t tiny = -5;
    double half = 0.5;
    double bad = std::numeric_limits<double>::quiet_NaN();
    std::string_view text = "a\"\n\xff";
    Size size = Size::large;
    std::map<std::string, std::vector<int>> lists{{"a", {1, 2}}, {"b", {}}};
    std::array<bool, 2> flags{true, false};
    std::vector<bool> bits{false};
    Uuid id = *Uuid::parse("0123abcd-0000-4000-8000-00000000000f");
    int class_ = 1;
    static constexpr auto rules = quern::rules(quern::on<&Kinds::class_>(quern::named<"class">));
};
QUERN_DESCRIBE(Kinds, low, high, tiny, half, bad, text, size, lists, flags, bits, id, class_)

struct Tree {
    std::string name;
    std::string note;
    std::vector<Tree> below;
};
QUERN_DESCRIBE(Tree, name, note, below)

struct Nothing {};
QUERN_DESCRIBE(Nothing)

template <class T>
std::string written(T const& value) {
    Buffer output;
    write_json(output, value);
    return std::string(output.view());
}

Thing thing() {
    return {.title = "t", .priority = {}, .done = true, .tags = {{"x", 1}, {"y", 2}}, .first = {}};
}

TEST(Dump, WritesEveryType) {
    EXPECT_EQ(written(Kinds{}),
              "{\"low\":-9223372036854775808,\"high\":18446744073709551615,\"tiny\":-5,\"half\":0.5,"
              "\"bad\":null,\"text\":\"a\\\"\\n\xEF\xBF\xBD\",\"size\":\"large\","
              "\"lists\":{\"a\":[1,2],\"b\":[]},\"flags\":[true,false],\"bits\":[false],"
              "\"id\":\"0123abcd-0000-4000-8000-00000000000f\",\"class\":1}");
    EXPECT_EQ(written(Nothing{}), "{}");
    EXPECT_EQ(written(std::vector<Nothing>(2)), "[{},{}]");
    EXPECT_EQ(written(std::map<std::string, int>{}), "{}");
}

TEST(Dump, LeavesOutWhatIsNotWanted) {
    EXPECT_EQ(written(thing()),
              R"({"title":"t","priority":null,"done":true,"tags":[{"name":"x","weight":1},)"
              R"({"name":"y","weight":2}],"first":{"name":"","weight":1},"password":"none"})");
    EXPECT_EQ(written(dump(thing(), exclude_null, exclude<"tags", "first", "password">)),
              R"({"title":"t","done":true})");
    EXPECT_EQ(written(dump(thing(), exclude_defaults)),
              R"({"title":"t","done":true,"tags":[{"name":"x"},{"name":"y","weight":2}]})");
    EXPECT_EQ(written(dump(thing(), include<"title", "tags.name">)),
              R"({"title":"t","tags":[{"name":"x"},{"name":"y"}]})");
    EXPECT_EQ(written(dump(thing(), include<"tags", "first">, exclude<"tags.weight", "first.name">)),
              R"({"tags":[{"name":"x"},{"name":"y"}],"first":{"weight":1}})");
    EXPECT_EQ(written(dump(Thing{}, exclude_defaults)), "{}");
    EXPECT_EQ(written(dump(std::vector{thing()}, include<"done">)), R"([{"done":true}])");
    EXPECT_EQ(written(dump(std::map<std::string, Thing>{{"k", thing()}}, include<"first.weight">)),
              R"({"k":{"first":{"weight":1}}})");
}

// The names that dump() is given are of the value itself; they do not follow a struct into itself.
TEST(Dump, AStructThatHoldsItselfHasAnEnd) {
    Tree const tree{"a", "x", {{"b", "y", {}}}};
    EXPECT_EQ(written(dump(tree, exclude<"note">)),
              R"({"name":"a","below":[{"name":"b","note":"y","below":[]}]})");
    EXPECT_EQ(written(dump(tree, exclude_defaults, include<"name", "below">)),
              R"({"name":"a","below":[{"name":"b","note":"y"}]})");
}

TEST(Dump, IsAnAnswer) {
    App app;
    app.get<"/one">([] { return thing(); });
    app.get<"/list">([] { return std::vector<Tag>{{"a", 1}}; });
    app.get<"/maybe/{there}">([](bool there) { return there ? std::optional(Tag{"a", 1}) : std::nullopt; });
    app.get<"/result/{fine}">([](bool fine) -> Result<Tag> {
        if (!fine) return fail(ErrorCode::conflict);
        return Tag{"r", 2};
    });
    app.get<"/map">([] { return std::map<std::string, int>{{"a", 1}}; });
    app.get<"/dump">([] { return dump(thing(), include<"title">); });
    app.post<"/new">([] { return Created<Tag>{{"n", 3}}; });
    auto const get = [&app](std::string_view target) { return app.request(http::Method::get, target); };
    EXPECT_EQ(get("/one").content_type, "application/json");
    EXPECT_EQ(get("/list").body, R"([{"name":"a","weight":1}])");
    EXPECT_EQ(get("/maybe/true").body, R"({"name":"a","weight":1})");
    EXPECT_EQ(get("/maybe/false").status, 404);
    EXPECT_EQ(get("/result/true").body, R"({"name":"r","weight":2})");
    EXPECT_EQ(get("/result/false").status, 400);
    EXPECT_EQ(get("/map").body, R"({"a":1})");
    EXPECT_EQ(get("/dump").body, R"({"title":"t"})");
    auto const created = app.request(http::Method::post, "/new");
    EXPECT_EQ(created.status, 201);
    EXPECT_EQ(created.body, R"({"name":"n","weight":3})");
    EXPECT_EQ(created.content_type, "application/json");
}

}  // namespace
}  // namespace quern
