// SPDX-License-Identifier: Apache-2.0
#include "corpus.h"

#include <cstdint>
#include <string_view>

#include <simdjson.h>

#include <quern/assert.h>

namespace quern::http::corpus {

namespace {

std::string decode_base64(std::string_view text) {
    constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t bits = 0;
    int bit_count = 0;
    for (char const c : text) {
        if (c == '=') break;
        auto const value = alphabet.find(c);
        QUERN_ASSERT(value != std::string_view::npos, "the corpus holds plain base64");
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        bit_count += 6;
        if (bit_count < 8) continue;
        bit_count -= 8;
        bytes.push_back(static_cast<char>(bits >> bit_count & 0xFF));
    }
    return bytes;
}

std::string text(simdjson::dom::element element) { return std::string(element.get_string().value()); }

Case to_case(simdjson::dom::element line) {
    Case result;
    result.id = text(line["id"]);
    result.bytes = decode_base64(text(line["bytes_b64"]));
    result.accept = text(line["expect"]) == "accept";
    for (auto const status : line["status"].get_array())
        result.status.insert(static_cast<int>(status.get_int64()));
    result.responses = static_cast<std::size_t>(line["responses"].get_int64());
    bool flag = false;
    result.half_close = line["eof"].get(flag) == simdjson::SUCCESS && flag;
    result.silent_close_ok = line["silent_close_ok"].get(flag) == simdjson::SUCCESS && flag;
    simdjson::dom::array parsed;
    if (line["parsed"].get(parsed) == simdjson::SUCCESS) {
        for (auto const request : parsed) {
            result.parsed.push_back(
                {text(request["method"]), text(request["target"]), decode_base64(text(request["body_b64"]))});
        }
    }
    return result;
}

}  // namespace

std::vector<Case> load() {
    simdjson::dom::parser parser;
    simdjson::dom::document_stream lines;
    auto const contents = simdjson::padded_string::load(QUERN_SOURCE_DIR "/tests/http/cases.jsonl");
    QUERN_ASSERT(contents.error() == simdjson::SUCCESS, "tests/http/cases.jsonl is there");
    QUERN_ASSERT(parser.parse_many(contents.value_unsafe()).get(lines) == simdjson::SUCCESS,
                 "the corpus is JSON lines");
    std::vector<Case> cases;
    for (auto line : lines) cases.push_back(to_case(line.value()));
    return cases;
}

bool is_framing_status(int status) {
    static std::set<int> const statuses{400, 408, 411, 413, 414, 417, 426, 431, 501, 505};
    return statuses.contains(status);
}

}  // namespace quern::http::corpus
