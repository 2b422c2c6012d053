// SPDX-License-Identifier: Apache-2.0
#include "http/target.h"

#include <algorithm>

#include <quern/http.h>
#include "base/text.h"
#include "http/byte_class.h"
#include "http/limits.h"

namespace quern::http {

namespace {

// Decodes into the arena; with `plus_is_space` for form-encoded text. Text without escapes is returned as it
// is.
std::optional<std::string_view> decode(std::string_view text, Arena& arena, bool plus_is_space) {
    auto const escaped = [plus_is_space](char c) { return c == '%' || (plus_is_space && c == '+'); };
    auto const first = std::ranges::find_if(text, escaped);
    if (first == text.end()) return text;
    std::span<char> const place = arena.array<char>(text.size());
    std::size_t size = static_cast<std::size_t>(first - text.begin());
    std::copy_n(text.data(), size, place.data());
    for (std::size_t i = size; i < text.size(); ++i) {
        char c = text[i];
        if (c == '%') {
            if (text.size() - i < 3) return std::nullopt;
            int const high = hex_value(text[i + 1]);
            int const low = hex_value(text[i + 2]);
            if (high < 0 || low < 0) return std::nullopt;
            c = static_cast<char>(high * 16 + low);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        place[size++] = c;
    }
    return std::string_view(place.data(), size);
}

bool is_safe_segment(std::string_view segment) {
    if (segment == "." || segment == "..") return false;
    auto const control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
    return std::ranges::none_of(segment, control) && is_utf8(segment);
}

}  // namespace

std::optional<std::span<std::string_view const>> split_path(std::string_view path, Arena& arena) {
    if (path.empty() || path == "/") return std::span<std::string_view const>();
    path.remove_prefix(1);
    auto const count = static_cast<std::size_t>(std::ranges::count(path, '/')) + 1;
    if (count > limits::path_segments) return std::nullopt;
    std::span<std::string_view> const segments = arena.array<std::string_view>(count);
    for (auto& segment : segments) {
        auto const slash = std::min(path.find('/'), path.size());
        auto const decoded = decode(path.substr(0, slash), arena, false);
        if (!decoded || !is_safe_segment(*decoded)) return std::nullopt;
        segment = *decoded;
        path.remove_prefix(std::min(slash + 1, path.size()));
    }
    return segments;
}

std::optional<std::string_view> percent_decode(std::string_view text, Arena& arena) {
    return decode(text, arena, false);
}

bool parse_query(std::string_view raw_query, Arena& arena, std::span<QueryParameter>& output,
                 std::string_view& bad_name) {
    output = {};
    if (raw_query.empty()) return true;
    auto const count = static_cast<std::size_t>(std::ranges::count(raw_query, '&')) + 1;
    std::span<QueryParameter> const parameters = arena.array<QueryParameter>(count);
    std::size_t size = 0;
    while (!raw_query.empty()) {
        auto const end = std::min(raw_query.find('&'), raw_query.size());
        std::string_view const pair = raw_query.substr(0, end);
        raw_query.remove_prefix(std::min(end + 1, raw_query.size()));
        if (pair.empty()) continue;
        auto const equals = std::min(pair.find('='), pair.size());
        std::string_view const raw_value = pair.substr(std::min(equals + 1, pair.size()));
        bad_name = pair.substr(0, equals);
        auto const name = decode(pair.substr(0, equals), arena, true);
        if (!name || !is_utf8(*name)) return false;
        bad_name = *name;
        auto const value = decode(raw_value, arena, true);
        if (!value || !is_utf8(*value)) return false;
        parameters[size++] = {*name, *value};
    }
    bad_name = {};
    output = parameters.first(size);
    return true;
}

}  // namespace quern::http
