// SPDX-License-Identifier: Apache-2.0
#include "json/path.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

#include "json/number.h"
#include "json/scan.h"

namespace quern::json {

namespace {

void skip_space(std::string_view& rest) {
    while (!rest.empty() && is_space(rest.front())) rest.remove_prefix(1);
}

// Length of the string at the start of `rest`, with its quotes; 0 if it does not end.
std::size_t string_length(std::string_view rest) {
    std::size_t offset = 1;
    while (true) {
        std::size_t const quote = rest.find('"', offset);
        if (quote == std::string_view::npos) return 0;
        std::size_t backslashes = 0;
        while (quote - backslashes > 1 && rest[quote - backslashes - 1] == '\\') ++backslashes;
        if (backslashes % 2 == 0) return quote + 1;
        offset = quote + 1;
    }
}

// Length of the array or object at the start of `rest`; 0 if it does not end. Brackets are only counted.
std::size_t nest_length(std::string_view rest) {
    std::size_t depth = 0;
    for (std::size_t offset = 0; offset < rest.size(); ++offset) {
        char const c = rest[offset];
        if (c == '"') {
            std::size_t const length = string_length(rest.substr(offset));
            if (length == 0) return 0;
            offset += length - 1;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            if (--depth == 0) return offset + 1;
        }
    }
    return 0;
}

// Takes one value off the front; empty if there is none.
std::string_view take_value(std::string_view& rest) {
    skip_space(rest);
    if (rest.empty()) return {};
    std::size_t length = 0;
    if (rest.front() == '"') {
        length = string_length(rest);
    } else if (rest.front() == '{' || rest.front() == '[') {
        length = nest_length(rest);
    } else {
        while (length < rest.size() && !is_space(rest[length]) && !std::strchr(",]}:", rest[length]))
            ++length;
    }
    std::string_view const value = rest.substr(0, length);
    rest.remove_prefix(length);
    return value;
}

bool take(std::string_view& rest, char c) {
    skip_space(rest);
    if (rest.empty() || rest.front() != c) return false;
    rest.remove_prefix(1);
    return true;
}

// A string's text; borrows from `raw` unless it has escapes.
std::string_view text_of(std::string_view raw, std::string& scratch) {
    std::string_view const inside = raw.substr(1, raw.size() - 2);
    if (inside.find('\\') == std::string_view::npos) return inside;
    scratch.resize(inside.size());
    auto const length = unescape(inside, scratch.data(), BadEscape::replace);
    return std::string_view(scratch).substr(0, length.value_or(0));
}

bool is_key(std::string_view raw, std::string_view name) {
    std::string_view const inside = raw.substr(1, raw.size() - 2);
    if (inside.find('\\') == std::string_view::npos) return inside == name;
    std::string scratch;
    return text_of(raw, scratch) == name;
}

std::string_view member(std::string_view object, std::string_view name) {
    object.remove_prefix(1);
    do {
        std::string_view const key = take_value(object);
        if (key.size() < 2 || key.front() != '"' || !take(object, ':')) return {};
        std::string_view const value = take_value(object);
        if (value.empty() || is_key(key, name)) return value;
    } while (take(object, ','));
    return {};
}

std::string_view element(std::string_view array, std::string_view index_text) {
    std::size_t index = 0;
    char const* const end = index_text.data() + index_text.size();
    auto const read = std::from_chars(index_text.data(), end, index);
    if (read.ec != std::errc() || read.ptr != end) return {};
    Elements elements(array);
    for (std::size_t at = 0; elements.next(); ++at) {
        if (at == index) return elements.raw();
    }
    return {};
}

Scalar text_scalar(std::string_view text, bool is_json) {
    Scalar scalar;
    scalar.kind = Scalar::Kind::text;
    scalar.text = text;
    scalar.is_json = is_json;
    return scalar;
}

Scalar integer_scalar(std::int64_t integer) {
    Scalar scalar;
    scalar.kind = Scalar::Kind::integer;
    scalar.integer = integer;
    return scalar;
}

Scalar number_scalar(std::string_view raw) {
    bool whole = false;
    if (number_length(raw, whole) != raw.size()) return {};
    if (whole) {
        std::int64_t integer = 0;
        auto const read = std::from_chars(raw.data(), raw.data() + raw.size(), integer);
        if (read.ec == std::errc()) return integer_scalar(integer);
    }
    auto const real = nearest_real(raw);
    if (!real) return {};
    Scalar scalar;
    scalar.kind = Scalar::Kind::real;
    scalar.real = *real;
    return scalar;
}

}  // namespace

Scalar scalar_of(std::string_view json, std::string& scratch) {
    std::string_view rest = json;
    std::string_view const raw = take_value(rest);
    if (raw.empty()) return {};
    switch (raw.front()) {
    case '"': return raw.size() < 2 ? Scalar{} : text_scalar(text_of(raw, scratch), false);
    case '{':
    case '[': return text_scalar(raw, true);
    case 't': return raw == "true" ? integer_scalar(1) : Scalar{};
    case 'f': return raw == "false" ? integer_scalar(0) : Scalar{};
    default: return number_scalar(raw);
    }
}

std::string_view raw_at(std::string_view json, std::span<std::string const> path) {
    std::string_view current = take_value(json);
    for (std::string const& part : path) {
        if (current.empty()) return {};
        if (current.front() == '{') {
            current = member(current, part);
        } else if (current.front() == '[') {
            current = element(current, part);
        } else {
            return {};
        }
    }
    return current;
}

Scalar value_at(std::string_view json, std::span<std::string const> path, std::string& scratch) {
    return scalar_of(raw_at(json, path), scratch);
}

Elements::Elements(std::string_view json) : rest_(json) {
    if (!take(rest_, '[')) rest_ = {};
}

bool Elements::next() {
    if (!first_ && !take(rest_, ',')) return false;
    first_ = false;
    raw_ = take_value(rest_);
    if (raw_.empty()) rest_ = {};
    return !raw_.empty();
}

std::size_t array_length(std::string_view json) {
    std::size_t count = 0;
    for (Elements elements(json); elements.next();) ++count;
    return count;
}

bool is_json(std::string_view text) {
    static_assert(check_depth_max <= depth_bound);
    return !find_fault(text, {.depth_max = check_depth_max, .finite = true});
}

}  // namespace quern::json
