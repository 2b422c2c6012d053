// SPDX-License-Identifier: Apache-2.0
//
// What is made of a response: its head, its encoding, what browsers of other origins are told.

#include <string>

#include <gtest/gtest.h>
#include <libdeflate.h>

#include "http/cors.h"
#include "http/encoding.h"
#include "http/render.h"

namespace quern::http {
namespace {

std::string head_of(Response const& response, ConnectionLine connection = ConnectionLine::none) {
    Buffer output;
    append_head(output, response, "Date: now\r\n", connection);
    return std::string(output.view());
}

TEST(Render, HeadsAreComplete) {
    Response response;
    response.body.append("hello");
    EXPECT_EQ(head_of(response),
              "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5\r\nDate: now\r\n\r\n");
    response.status = 599;
    response.content_type = {};
    response.add_header("ETag", "\"1\"");
    EXPECT_EQ(head_of(response, ConnectionLine::close),
              "HTTP/1.1 599 \r\nContent-Length: 5\r\nDate: now\r\nETag: \"1\"\r\nConnection: close\r\n\r\n");
}

TEST(Render, StatusesWithoutBodyHaveNoLength) {
    Response response;
    for (int const status : {204, 304}) {
        response.status = status;
        EXPECT_EQ(head_of(response).find("Content-"), std::string::npos) << status;
    }
}

TEST(Render, HeadersCannotBeSmuggledIn) {
    Response response;
    EXPECT_DEATH(response.add_header("X", "a\r\nSet-Cookie: b"), "line end");
    EXPECT_DEATH(response.add_header("X", std::string_view("a\0b", 3)), "line end");
}

TEST(Render, DatesOfEveryKind) {
    DateLine date;
    date.update(784111777);
    EXPECT_EQ(date.view(), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    date.update(951782399);
    EXPECT_EQ(date.view(), "Date: Mon, 28 Feb 2000 23:59:59 GMT\r\n");
    date.update(951782400);
    EXPECT_EQ(date.view(), "Date: Tue, 29 Feb 2000 00:00:00 GMT\r\n");
    date.update(0);
    EXPECT_EQ(date.view(), "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
}

TEST(Render, ErrorsHaveTheWireForm) {
    Response response;
    render_error({431, "Too much."}, response);
    EXPECT_EQ(response.status, 431);
    EXPECT_TRUE(response.close);
    EXPECT_EQ(response.body.view(), R"({"status":431,"message":"Too much.","data":{}})");
}

TEST(Encoding, WhatClientsAccept) {
    for (std::string_view const yes :
         {"gzip", "deflate, GZIP", "x-gzip;q=0.5", "*", "br;q=1, *;q=0.1", "gzip ; q=0.001"}) {
        EXPECT_TRUE(accepts_gzip(yes)) << yes;
    }
    for (std::string_view const no :
         {"", "identity", "gzip;q=0", "gzip; Q=0.000", "*;q=0", "gzip;q=0, *", "gzipped"}) {
        EXPECT_FALSE(accepts_gzip(no)) << no;
    }
}

TEST(Encoding, OnlyLargeTextIsCompressed) {
    Header const accept{"accept-encoding", "gzip"};
    Request request;
    request.headers = {&accept, 1};
    Compressor compressor;
    auto const apply = [&](std::size_t bytes, std::string_view type, std::string_view extra = {}) {
        Response response;
        response.content_type = type;
        response.extra_headers.append(extra);
        for (std::size_t i = 0; i < bytes; ++i) response.body.append("abcdefgh"[i % 8]);
        compressor.apply(request, response);
        return std::string(response.extra_headers.view());
    };
    std::string const compressed = "Vary: Accept-Encoding\r\nContent-Encoding: gzip\r\n";
    EXPECT_EQ(apply(compress_bytes_min, content_type_json), compressed);
    EXPECT_EQ(apply(compress_bytes_min, "text/csv; charset=utf-8"), compressed);
    EXPECT_EQ(apply(compress_bytes_min - 1, content_type_json), "");
    EXPECT_EQ(apply(100'000, "image/png"), "");
    EXPECT_EQ(apply(100'000, "text/event-stream"), "");
    EXPECT_EQ(apply(100'000, content_type_json, "Content-Encoding: br\r\n"), "Content-Encoding: br\r\n");
    request.headers = {};
    EXPECT_EQ(apply(100'000, content_type_json), "Vary: Accept-Encoding\r\n");
}

TEST(Encoding, CompressedBodiesComeBackWhole) {
    Header const accept{"accept-encoding", "gzip"};
    Request request;
    request.headers = {&accept, 1};
    Response response;
    std::string original;
    for (int i = 0; i < 5000; ++i) original += "{\"id\":" + std::to_string(i) + "},";
    response.body.append(original);
    Compressor compressor;
    compressor.apply(request, response);
    ASSERT_LT(response.body.size(), original.size() / 2);
    std::string restored(original.size(), '\0');
    auto* const engine = libdeflate_alloc_decompressor();
    std::size_t size = 0;
    EXPECT_EQ(libdeflate_gzip_decompress(engine, response.body.data(), response.body.size(), restored.data(),
                                         restored.size(), &size),
              LIBDEFLATE_SUCCESS);
    libdeflate_free_decompressor(engine);
    EXPECT_EQ(restored, original);
}

TEST(Cors, OriginsAreAdmittedByThePolicy) {
    CorsPolicy const all;
    CorsPolicy const some{.origins = {"https://a.example"}};
    EXPECT_EQ(allowed_origin(all, "https://x"), "*");
    EXPECT_EQ(allowed_origin(some, "https://a.example"), "https://a.example");
    EXPECT_EQ(allowed_origin(some, "https://a.example.evil"), "");
    Response response;
    add_cors_headers(some, "https://b", response);
    EXPECT_EQ(response.extra_headers.view(), "Vary: Origin\r\n");
}

TEST(Cors, PreflightsAreAnswered) {
    Header const headers[] = {{"origin", "https://a"},
                              {"access-control-request-method", "PATCH"},
                              {"access-control-request-headers", "authorization"}};
    Request request;
    request.method = Method::options;
    request.headers = headers;
    ASSERT_TRUE(is_preflight(request));
    Response response;
    answer_preflight({}, request, response);
    EXPECT_EQ(response.status, 204);
    std::string const lines(response.extra_headers.view());
    EXPECT_NE(lines.find("Access-Control-Allow-Origin: *\r\n"), std::string::npos);
    EXPECT_NE(lines.find("PATCH"), std::string::npos);
    EXPECT_NE(lines.find("Access-Control-Allow-Headers: authorization\r\n"), std::string::npos);
    EXPECT_NE(lines.find("Access-Control-Max-Age: 86400\r\n"), std::string::npos);
    request.headers = {headers, 1};
    EXPECT_FALSE(is_preflight(request));
}

}  // namespace
}  // namespace quern::http
