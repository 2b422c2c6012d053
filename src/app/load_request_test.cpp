// SPDX-License-Identifier: Apache-2.0
#include "app/load_request.h"

#include <gtest/gtest.h>

namespace quern::app {
namespace {

TEST(LoadTarget, TakesAUrlApart) {
    auto const target = LoadTarget::parse("http://127.0.0.1:8090/api/health?a=b#c");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->host, "127.0.0.1");
    EXPECT_EQ(target->port, 8090);
    EXPECT_EQ(target->path, "/api/health?a=b");
    EXPECT_EQ(target->authority, "127.0.0.1:8090");
    EXPECT_EQ(LoadTarget::parse("http://localhost")->path, "/");
    EXPECT_EQ(LoadTarget::parse("http://localhost")->port, 80);
    EXPECT_EQ(LoadTarget::parse("http://localhost?a")->path, "/?a");
    EXPECT_EQ(LoadTarget::parse("http://[::1]:81/x")->host, "::1");
    EXPECT_EQ(LoadTarget::parse("http://[::1]:81/x")->port, 81);
    for (char const* const bad : {"https://a/", "127.0.0.1", "http://", "http:///x", "http://a:0/",
                                  "http://a:x/", "http://a:99999/", "http://a/b c", "http://a/b\r\nx"})
        EXPECT_FALSE(LoadTarget::parse(bad)) << bad;
}

std::string text_of(LoadTemplate const& made, std::uint64_t key) {
    Buffer output;
    made.write(key, output);
    return std::string(output.view());
}

TEST(LoadTemplate, PutsTheKeyIn) {
    EXPECT_EQ(text_of(*LoadTemplate::parse("/a/{key}/b?x={key:5}"), 42), "/a/42/b?x=00042");
    EXPECT_EQ(text_of(*LoadTemplate::parse("{key:2}"), 12345), "12345");
    EXPECT_EQ(text_of(*LoadTemplate::parse("{\"keys\":{key}} {keys} {ke"), 7), "{\"keys\":7} {keys} {ke");
    EXPECT_FALSE(LoadTemplate::parse("plain")->has_key());
    for (char const* const bad : {"{key", "{key:}", "{key:0}", "{key:21}", "{key:x}", "{key:3"})
        EXPECT_FALSE(LoadTemplate::parse(bad)) << bad;
}

TEST(LoadRequest, IsARequestOfHttp) {
    LoadTarget const target = *LoadTarget::parse("http://a:1/x/{key}");
    auto const written = [&target](LoadRequestOptions const& options) {
        Buffer output;
        LoadRequest::make(target, options)->write(3, output);
        return std::string(output.view());
    };
    EXPECT_EQ(written({}), "GET /x/3 HTTP/1.1\r\nHost: a:1\r\n\r\n");
    EXPECT_EQ(written({.method = "POST", .headers = {"X: y"}, .body = R"({"n":{key}})"}),
              "POST /x/3 HTTP/1.1\r\nHost: a:1\r\nX: y\r\nContent-Type: application/json\r\nContent-Length: "
              "7\r\n\r\n"
              R"({"n":3})");
    EXPECT_EQ(written({.method = "POST", .headers = {}, .body = ""}),
              "POST /x/3 HTTP/1.1\r\nHost: a:1\r\nContent-Length: 0\r\n\r\n");
    EXPECT_TRUE(LoadRequest::make(target, {.method = "HEAD", .headers = {}, .body = ""})->is_head());
    EXPECT_FALSE(LoadRequest::make(target, {.method = "GE T", .headers = {}, .body = ""}));
    EXPECT_FALSE(LoadRequest::make(target, {.method = "GET", .headers = {"no colon"}, .body = ""}));
    EXPECT_FALSE(LoadRequest::make(target, {.method = "GET", .headers = {"A: b\r\nC: d"}, .body = ""}));
}

}  // namespace
}  // namespace quern::app
