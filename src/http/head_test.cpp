// SPDX-License-Identifier: Apache-2.0
#include "http/head.h"

#include <string>

#include <gtest/gtest.h>

#include "http/byte_class.h"
#include "http/reader.h"

namespace quern::http {
namespace {

constexpr std::uint64_t body_max = 1000;

HeadResult parse(std::string const& bytes, Head& head) { return parse_head(bytes, body_max, head); }

int status_of(std::string const& bytes) {
    Head head;
    HeadResult const result = parse(bytes, head);
    if (result.outcome == HeadOutcome::refused) return result.error.status;
    return result.outcome == HeadOutcome::complete ? 200 : 0;
}

std::string get(std::string const& target) { return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n"; }
std::string with(std::string const& headers) { return "POST / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n"; }

TEST(ByteClass, TokensAreLoweredByteByByteAndNothingElse) {
    std::string every;
    for (char c = 1; c > 0 && c < 127; ++c) {
        if (is(c, token_byte)) every += c;
    }
    for (std::size_t from = 0; from < 9; ++from) {
        std::string token = every.substr(from) + "Z";
        std::string wanted = token;
        for (char& c : wanted) c = to_lower(c);
        token += "VALUE";  // what stands behind the token stays
        to_lower_token(token.data(), wanted.size());
        EXPECT_EQ(token, wanted + "VALUE");
    }
}

TEST(Head, SlicesPointIntoTheBytes) {
    std::string const bytes =
        "POST /a/b?c=d HTTP/1.1\r\nHost: example.org:80\r\nX-One:\t 1 \r\nContent-Length: 12\r\n\r\nrest";
    Head head;
    ASSERT_EQ(parse(bytes, head).outcome, HeadOutcome::complete);
    EXPECT_EQ(head.method, Method::post);
    EXPECT_EQ(head.target.of(bytes.data()), "/a/b?c=d");
    EXPECT_EQ(head.path.of(bytes.data()), "/a/b");
    EXPECT_EQ(head.query.of(bytes.data()), "c=d");
    EXPECT_EQ(head.host.of(bytes.data()), "example.org:80");
    ASSERT_EQ(head.field_count, 3);
    EXPECT_EQ(bytes.substr(head.fields[1].name_offset, head.fields[1].name_size), "X-One");
    EXPECT_EQ(bytes.substr(head.fields[1].value_offset, head.fields[1].value_size), "1");
    EXPECT_EQ(head.framing, BodyFraming::length);
    EXPECT_EQ(head.content_length, 12U);
    EXPECT_EQ(bytes.substr(head.size), "rest");
    EXPECT_TRUE(head.keep_alive);
}

TEST(Head, LimitsOfTheRequestLineAreExact) {
    std::string const rest = " HTTP/1.1\r\nHost: a\r\n\r\n";
    auto const line = [&](std::size_t bytes) {
        std::string const begin = "GET /";
        return begin + std::string(bytes - begin.size() - std::string(" HTTP/1.1").size(), 'a') + rest;
    };
    EXPECT_EQ(status_of(line(limits::request_line_bytes)), 200);
    EXPECT_EQ(status_of(line(limits::request_line_bytes + 1)), 414);
    EXPECT_EQ(status_of("GET /" + std::string(100'000, 'a')), 414);
    EXPECT_EQ(status_of(std::string(limits::method_bytes + 1, 'A')), 400);
}

TEST(Head, LimitsOfHeadersAreExact) {
    auto const line = [](std::size_t bytes) { return "X-A: " + std::string(bytes - 5, 'v') + "\r\n"; };
    EXPECT_EQ(status_of(with(line(limits::header_line_bytes))), 200);
    EXPECT_EQ(status_of(with(line(limits::header_line_bytes + 1))), 431);
    // "Host: a" and the empty line take 11 bytes of the section.
    std::size_t const left = limits::header_section_bytes - 11 - (10'000 + 2);
    EXPECT_EQ(status_of(with(line(10'000) + line(left - 10'000 - 4) + line(10'000))), 200);
    EXPECT_EQ(status_of(with(line(10'000) + line(left - 10'000 - 3) + line(10'000))), 431);
    std::string many;
    for (std::size_t i = 1; i < limits::header_count; ++i) many += "a: b\r\n";
    EXPECT_EQ(status_of(with(many)), 200);
    EXPECT_EQ(status_of(with(many + "a: b\r\n")), 431);
}

TEST(Head, AnnouncedLengthIsCheckedAgainstTheLimit) {
    EXPECT_EQ(status_of(with("Content-Length: 1000\r\n")), 200);
    EXPECT_EQ(status_of(with("Content-Length: 1001\r\n")), 413);
    EXPECT_EQ(status_of(with("Content-Length: 99999999999999999999999999999999\r\n")), 413);
    EXPECT_EQ(status_of(with("Content-Length: 000000000000000000000000000000005\r\n")), 200);
    EXPECT_EQ(status_of(with("Content-Length: 18446744073709551617\r\n")), 413);
}

TEST(Head, TargetsOfEveryForm) {
    EXPECT_EQ(status_of(get("/a?b{}|^`\\")), 200);
    EXPECT_EQ(status_of(get("/a|[b]")), 200);
    EXPECT_EQ(status_of(get("/a\\b")), 400);
    EXPECT_EQ(status_of(get("/a{b}")), 400);
    EXPECT_EQ(status_of(get("*")), 400);
    EXPECT_EQ(status_of("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"), 200);
    EXPECT_EQ(status_of("OPTIONS *a HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
    EXPECT_EQ(status_of(get("HTTPS://example.org")), 200);
    EXPECT_EQ(status_of(get("ftp://example.org/")), 400);
    std::string const absolute = get("http://b.example:8080?x=1");
    Head head;
    ASSERT_EQ(parse(absolute, head).outcome, HeadOutcome::complete);
    EXPECT_EQ(head.host.of(absolute.data()), "b.example:8080");
    EXPECT_EQ(head.path.size, 0U);
    EXPECT_EQ(head.query.of(absolute.data()), "x=1");
}

TEST(Head, ConnectionAndExpectation) {
    Head head;
    ASSERT_EQ(parse(with("Connection: x , Close\r\n"), head).outcome, HeadOutcome::complete);
    EXPECT_FALSE(head.keep_alive);
    ASSERT_EQ(parse("GET / HTTP/1.0\r\n\r\n", head).outcome, HeadOutcome::complete);
    EXPECT_FALSE(head.keep_alive);
    ASSERT_EQ(parse("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", head).outcome, HeadOutcome::complete);
    EXPECT_TRUE(head.keep_alive);
    ASSERT_EQ(parse(with("Expect: 100-Continue\r\nContent-Length: 1\r\n"), head).outcome,
              HeadOutcome::complete);
    EXPECT_TRUE(head.expects_continue);
    EXPECT_EQ(status_of(with("Expect: \r\n")), 417);
    EXPECT_EQ(status_of("GET / HTTP/1.0\r\nExpect: nonsense\r\n\r\n"), 200);
}

TEST(Head, StatusesTellWhatIsWrong) {
    EXPECT_EQ(status_of("BREW / HTTP/1.1\r\nHost: a\r\n\r\n"), 501);
    EXPECT_EQ(status_of("GET / HTTP/3.0\r\nHost: a\r\n\r\n"), 505);
    EXPECT_EQ(status_of("GET / HTTP/1.9\r\nHost: a\r\n\r\n"), 200);
    EXPECT_EQ(status_of(with("Transfer-Encoding: gzip\r\n")), 501);
    EXPECT_EQ(status_of(with("Transfer-Encoding: gzip, chunked\r\n")), 400);
    EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
    for (std::string const host : {"", "a b", "a/b", "[::1", "[g::1]", "a:1:2", "a:65536", "u@a", "%41"}) {
        EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: " + host + "\r\n\r\n"), 400) << host;
    }
}

TEST(Head, EveryByteIsJudgedInValues) {
    for (int byte = 0; byte < 256; ++byte) {
        bool const allowed = byte == '\t' || (byte >= 0x20 && byte != 0x7F);
        // Both in the part that is read sixteen bytes at a time and in the rest.
        for (std::size_t place : {2U, 15U, 16U, 33U}) {
            std::string value(40, 'v');
            value[place] = static_cast<char>(byte);
            EXPECT_EQ(status_of(with("X-A: " + value + "\r\n")), allowed ? 200 : 400)
                << byte << " at " << place;
        }
    }
}

TEST(Reader, KeepsWhatFollowsForTheNextRequest) {
    RequestReader reader;
    Arena arena;
    Request request;
    std::string const bytes = with("Content-Length: 5\r\nX-Name: v\r\n") + "helloGET / HTTP/1.1\r\n";
    auto const progress = reader.feed(bytes, body_max);
    ASSERT_EQ(progress.outcome, RequestReader::Outcome::complete);
    EXPECT_EQ(bytes.substr(progress.consumed), "GET / HTTP/1.1\r\n");
    ASSERT_TRUE(reader.build(request, arena));
    EXPECT_EQ(request.body, "hello");
    EXPECT_EQ(request.header("x-name"), "v");
    EXPECT_EQ(request.header("x-none"), std::nullopt);
    for (std::size_t i = 0; i < Request::body_padding_bytes; ++i) EXPECT_EQ(request.body.data()[5 + i], '\0');
}

TEST(Reader, AnnouncedLengthTakesNoMemory) {
    RequestReader reader;
    std::string const bytes = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n";
    EXPECT_EQ(reader.feed(bytes, 1U << 30).outcome, RequestReader::Outcome::more);
    EXPECT_TRUE(reader.in_body());
    EXPECT_FALSE(reader.awaits_continue());
}

TEST(Reader, AnEmptyLineIsNoRequest) {
    RequestReader reader;
    EXPECT_EQ(reader.feed("\r\n", body_max).outcome, RequestReader::Outcome::more);
    EXPECT_FALSE(reader.started());
    EXPECT_EQ(reader.feed("G", body_max).outcome, RequestReader::Outcome::more);
    EXPECT_TRUE(reader.started());
}

}  // namespace
}  // namespace quern::http
