// SPDX-License-Identifier: Apache-2.0
#include <quern/openapi.h>

#include <gtest/gtest.h>

#include <string>

#include <quern/app.h>
#include <quern/dump.h>
#include <quern/json.h>
#include <quern/multipart.h>
#include <quern/query.h>
#include "json/reader.h"

namespace shop {
struct Item {
    int price = 0;
};
QUERN_DESCRIBE(Item, price)
struct Problem {
    std::string why;
};
QUERN_DESCRIBE(Problem, why)
}  // namespace shop
namespace web {
struct Item {
    std::string link;
};
QUERN_DESCRIBE(Item, link)
}  // namespace web

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
                                R"({"$ref":"#/components/schemas/quern.Problem"}}}})";
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

struct Account {
    std::string name;
    std::optional<int> age;
    std::string password;
    shop::Item item;
    std::vector<Account> friends;
    static constexpr auto rules = quern::rules(quern::on<&Account::name>(quern::length(1, 9)));
};
QUERN_DESCRIBE(Account, name, age, password, item, friends)

std::string document_of(AppBase& app) {
    EXPECT_TRUE(app.openapi({}));
    std::string document(app.request(http::Method::get, "/openapi.json").body);
    EXPECT_TRUE(json::Tree::parse(document)) << document;
    return document;
}
std::size_t count(std::string_view text, std::string_view piece) {
    std::size_t found = 0;
    for (std::size_t at = text.find(piece); at != text.npos; at = text.find(piece, at + 1)) ++found;
    return found;
}

TEST(OpenApi, StructsOfOneNameAreCalledByTheirNamespaces) {
    App first;
    first.get<"/web">([] { return web::Item{}; });
    first.get<"/shop">([] { return shop::Item{}; });
    first.get<"/kind">([](Json<shop::Problem>) { return shop::Problem{}; });
    std::string const document = document_of(first);
    EXPECT_EQ(count(document, R"("shop.Item":{"type":"object","properties":{"price":)"), 1U) << document;
    EXPECT_EQ(count(document, R"("web.Item":{"type":"object","properties":{"link":)"), 1U) << document;
    EXPECT_EQ(count(document, R"("Problem":{"type":"object","properties":{"why":)"), 1U) << document;
    EXPECT_EQ(count(document, R"("quern.Problem":{"type":"object","properties":{"type":)"), 1U) << document;
    EXPECT_EQ(
        count(document, R"("/web":{"get":{"responses":{"200":{"description":"OK","content":)"
                        R"({"application/json":{"schema":{"$ref":"#/components/schemas/web.Item"}}}}}}})"),
        1U)
        << document;
    App second;
    second.get<"/shop">([] { return shop::Item{}; });
    EXPECT_EQ(count(document_of(second), R"("Item":{"type":"object")"), 1U);
}

TEST(OpenApi, TheRestOfAPathMayHoldSlashes) {
    App app;
    app.get<"/files/{id}/{path...}">([](int, std::string_view) { return "text"; });
    std::string const document = document_of(app);
    EXPECT_EQ(count(document, R"("/files/{id}/{path}":)"), 1U) << document;
    EXPECT_EQ(count(document, R"({"name":"id","in":"path","required":true,"schema":{"type":"integer"}},)"
                              R"({"name":"path","in":"path","required":true,"description":)"
                              R"("The rest of the path, which may hold slashes.","schema":)"
                              R"({"type":"string"}})"),
              1U)
        << document;
}

TEST(OpenApi, AFormHasPartsOfAnyName) {
    App app;
    app.post<"/form">([](Multipart) { return "text"; });
    std::string const document = document_of(app);
    EXPECT_EQ(count(document, R"("requestBody":{"required":true,"content":{"multipart/form-data":{"schema":)"
                              R"({"type":"object","additionalProperties":{"anyOf":[)"),
              1U)
        << document;
    EXPECT_EQ(count(document, R"("contentMediaType":"application/octet-stream")"), 2U);
}

TEST(OpenApi, ADumpIsDescribedAsItIsWritten) {
    App app;
    app.get<"/without">([] { return dump(Account{}, exclude<"password", "item.price">); });
    std::string const document = document_of(app);
    // What is below `friends` is not touched: the whole struct, by reference.
    EXPECT_EQ(count(document, R"("schema":{"type":"object","properties":{"name":{"type":"string",)"
                              R"("minLength":1,"maxLength":9},"age":{"anyOf":[{"type":"integer"},)"
                              R"({"type":"null"}]},"item":{"type":"object","properties":{},)"
                              R"("additionalProperties":false},"friends":{"type":"array","items":)"
                              R"({"$ref":"#/components/schemas/Account"}}},"required":["name","age","item",)"
                              R"("friends"],"additionalProperties":false})"),
              1U)
        << document;
}

TEST(OpenApi, WhatADumpMayLeaveOutIsNotRequired) {
    App app;
    app.get<"/null">([] { return dump(Account{}, exclude_null); });
    app.get<"/defaults">([] { return dump(std::vector<shop::Item>{}, exclude_defaults); });
    app.get<"/named">([] { return dump(Account{}, exclude_null, include<"age", "item">); });
    std::string const document = document_of(app);
    EXPECT_EQ(
        count(document, R"("AccountWithoutNull":{"type":"object","properties":{"name":{"type":"string",)"
                        R"("minLength":1,"maxLength":9},"age":{"type":"integer"},)"
                        R"("password":{"type":"string"},"item":)"
                        R"({"$ref":"#/components/schemas/ItemWithoutNull"},"friends":{"type":"array",)"
                        R"("items":{"$ref":"#/components/schemas/AccountWithoutNull"}}},)"
                        R"("required":["name","password","item","friends"])"),
        1U)
        << document;
    EXPECT_EQ(count(document, R"("ItemWithoutDefaults":{"type":"object","properties":)"
                              R"({"price":{"type":"integer"}},"additionalProperties":false})"),
              1U)
        << document;
    EXPECT_EQ(count(document, R"("schema":{"type":"object","properties":{"age":{"type":"integer"},"item":)"
                              R"({"$ref":"#/components/schemas/ItemWithoutNull"}},"required":["item"])"),
              1U)
        << document;
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
