// SPDX-License-Identifier: Apache-2.0
#include <quern/openapi.h>

#include <gtest/gtest.h>

#include <string>

#include <quern/app.h>
#include <quern/dump.h>
#include <quern/json.h>
#include <quern/query.h>
#include "json/reader.h"

namespace quern {
namespace {

enum class Kind { a, b };
QUERN_DESCRIBE_ENUM(Kind, a, b)

struct Node {
    std::string name;
    std::vector<Node> below;
    static constexpr auto rules = quern::rules(quern::on<&Node::name>(quern::length(1, 9)),
                                               quern::on<&Node::below>(quern::has_default));
};
QUERN_DESCRIBE(Node, name, below)

struct New {
    std::optional<int> age;
    std::vector<std::string> codes;
    Kind kind = Kind::a;
    std::map<std::string, double> shares;
    Node root;
    Uuid id;
    static constexpr auto rules =
        quern::rules(quern::ignore_unknown, quern::on<&New::age>(quern::at_least(0), quern::multiple_of(2)),
                     quern::on<&New::codes>(quern::max_length(3), quern::each(quern::pattern<"[\"a]+">)));
};
QUERN_DESCRIBE(New, age, codes, kind, shares, root, id)

struct Page {
    std::uint32_t page = 1;
    std::string q;
    static constexpr auto rules = quern::rules(quern::on<&Page::page>(quern::has_default));
};
QUERN_DESCRIBE(Page, page, q)

TEST(OpenApi, ADocumentIsMadeFromTheTypes) {
    App app;
    app.post<"/nodes/{id}">([](std::int64_t, Json<New>,
                               Header<"x-note", std::optional<std::string_view>>) -> Result<Created<Node>> {
        return Created<Node>{};
    });
    app.get<"/nodes/{id}">([](std::int64_t) { return std::optional<Node>(); });
    app.get<"/">([](Query<Page>) { return "text"; });
    ASSERT_TRUE(app.openapi({.title = "T\"", .version = "2", .description = {}}));
    auto const reply = app.request(http::Method::get, "/openapi.json");
    ASSERT_EQ(reply.status, 200);
    auto const tree = json::Tree::parse(reply.body);
    ASSERT_TRUE(tree) << reply.body;
    std::string const problem = R"("content":{"application/problem+json":{"schema":)"
                                R"({"$ref":"#/components/schemas/Problem"}}}})";
    std::string const node = R"({"schema":{"$ref":"#/components/schemas/Node"}})";
    std::string const id = R"({"name":"id","in":"path","required":true,"schema":{"type":"integer",)"
                           R"("format":"int64"}})";
    std::string_view const raw = reply.body;
    EXPECT_TRUE(raw.starts_with(
        R"({"openapi":"3.1.0","info":{"title":"T\"","version":"2"},"paths":{"/":{"get":{"parameters":[)"
        R"({"name":"page","in":"query","required":false,"schema":{"type":"integer"}},)"
        R"({"name":"q","in":"query","required":true,"schema":{"type":"string"}}],"responses":{)"
        R"("200":{"description":"OK","content":{"text/plain; charset=utf-8":)"
        R"({"schema":{"type":"string"}}}},)"))
        << raw;
    EXPECT_NE(raw.find(R"("/nodes/{id}":{"post":{"parameters":[)" + id +
                       R"(,{"name":"x-note","in":"header","required":false,"schema":{"type":"string"}}],)"
                       R"("requestBody":{"required":true,"content":{"application/json":{"schema":)"
                       R"({"$ref":"#/components/schemas/New"}}}},"responses":{)"
                       R"("201":{"description":"Created",)"
                       R"("content":{"application/json":)" +
                       node + "}},\"400\":{\"description\":\"Bad Request\"," + problem),
              std::string_view::npos)
        << raw;
    EXPECT_NE(raw.find(R"("get":{"parameters":[)" + id + R"(],"responses":{"200":{"description":"OK",)"),
              std::string_view::npos)
        << raw;
    EXPECT_NE(
        raw.find(R"("New":{"type":"object","properties":{"age":{"anyOf":[{"type":"integer","minimum":0,)"
                 R"("multipleOf":2},{"type":"null"}]},"codes":{"type":"array","items":{"type":"string",)"
                 R"("pattern":"^(?:[\"a]+)$"},"maxItems":3},"kind":{"type":"string","enum":["a","b"]},)"
                 R"("shares":{"type":"object","additionalProperties":{"type":"number"}},)"
                 R"("root":{"$ref":"#/components/schemas/Node"},"id":{"type":"string","format":"uuid"}},)"
                 R"("required":["codes","kind","shares","root","id"]})"),
        std::string_view::npos)
        << raw;
    EXPECT_NE(raw.find(R"("Node":{"type":"object","properties":{"name":{"type":"string","minLength":1,)"
                       R"("maxLength":9},"below":{"type":"array","items":)"
                       R"({"$ref":"#/components/schemas/Node"}}},"required":["name"],)"
                       R"("additionalProperties":false})"),
              std::string_view::npos)
        << raw;
}

TEST(OpenApi, ThePageLoadsNothingFromElsewhere) {
    App app;
    app.get<"/">([] { return "text"; });
    ASSERT_TRUE(app.openapi({.title = "<T>", .version = "1", .description = {}}));
    EXPECT_EQ(app.openapi({}).error().code, ErrorCode::conflict);
    auto const page = app.request(http::Method::get, "/docs");
    EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
    EXPECT_EQ(page.body.find("://"), std::string::npos);
    EXPECT_NE(page.body.find("<title>&lt;T>"), std::string::npos);
}

}  // namespace
}  // namespace quern
