// SPDX-License-Identifier: Apache-2.0
// From the bytes of a request to its parts: the head alone (`head_`), and the whole way through the reader
// that copies the bytes and splits the path (`request_`).
#include <cstdint>
#include <string>
#include <string_view>

#include <quern/arena.h>
#include <quern/http.h>

#include "http/head.h"
#include "http/reader.h"
#include "micro.h"

namespace bench {

namespace {

namespace http = quern::http;

constexpr std::uint64_t body_bytes_max = 1 << 20;
constexpr std::size_t body_bytes = 1024;

constexpr std::string_view small_get = "GET /users/17 HTTP/1.1\r\nHost: localhost:8090\r\n\r\n";
constexpr std::string_view browser_get =
    "GET /api/collections/posts/records?page=2&perPage=30&sort=-created HTTP/1.1\r\n"
    "Host: quern.example.org\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Language: en-US,en;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br\r\n"
    "Referer: https://quern.example.org/posts?page=1\r\n"
    "Cookie: session=h4k2m8p1q9z3x7c; theme=dark; seen=2026-07-01\r\n"
    "Connection: keep-alive\r\n"
    "Sec-Fetch-Dest: empty\r\n"
    "Sec-Fetch-Mode: cors\r\n"
    "Sec-Fetch-Site: same-origin\r\n"
    "Cache-Control: no-cache\r\n"
    "\r\n";

std::string post() {
    std::string const body = R"({"text":")" + std::string(body_bytes - 11, 'a') + R"("})";
    return "POST /api/collections/posts/records HTTP/1.1\r\nHost: localhost:8090\r\n"
           "Content-Type: application/json\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
}

void count_bytes(benchmark::State& state, std::string_view bytes) {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}

void parse_head(benchmark::State& state, std::string_view bytes, std::size_t headers) {
    http::Head head;
    auto const result = http::parse_head(bytes, body_bytes_max, head);
    require(result.outcome == http::HeadOutcome::complete && head.field_count == headers &&
                head.size == bytes.size(),
            "the head is read wrong");
    measure(state, [&] {
        keep(http::parse_head(bytes, body_bytes_max, head));
        keep(head);
    });
    count_bytes(state, bytes);
}

void read_request(benchmark::State& state, std::string_view bytes, std::size_t headers, std::size_t segments,
                  std::size_t body) {
    http::RequestReader reader;
    quern::Arena arena;
    http::Request request;
    auto const read = [&] {
        reader.reset();
        arena.reset();
        auto const progress = reader.feed(bytes, body_bytes_max);
        return progress.outcome == http::RequestReader::Outcome::complete && reader.build(request, arena);
    };
    require(read(), "the request is refused");
    require(request.headers.size() == headers && request.segments.size() == segments &&
                request.body.size() == body,
            "the request is read wrong");
    measure(state, [&] {
        keep(read());
        keep(request);
    });
    count_bytes(state, bytes);
}

void head_small(benchmark::State& state) { parse_head(state, small_get, 1); }
void head_browser(benchmark::State& state) { parse_head(state, browser_get, 12); }
void request_small(benchmark::State& state) { read_request(state, small_get, 1, 2, 0); }
void request_browser(benchmark::State& state) { read_request(state, browser_get, 12, 4, 0); }
void request_post(benchmark::State& state) { read_request(state, post(), 3, 4, body_bytes); }

}  // namespace

void add_parsing() {
    benchmark::RegisterBenchmark("parsing/head_small_get", head_small);
    benchmark::RegisterBenchmark("parsing/head_browser_get", head_browser);
    benchmark::RegisterBenchmark("parsing/request_small_get", request_small);
    benchmark::RegisterBenchmark("parsing/request_browser_get", request_browser);
    benchmark::RegisterBenchmark("parsing/request_post_1_kib", request_post);
}

}  // namespace bench
