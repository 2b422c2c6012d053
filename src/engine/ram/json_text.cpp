// SPDX-License-Identifier: Apache-2.0
#include "engine/ram/json_text.h"

#include <array>
#include <charconv>

#include <quern/assert.h>
#include "base/text.h"

namespace quern::engine::ram {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The value of a hexadecimal digit, or -1.
int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Walks over JSON text. Each skip_… moves behind what it names and says whether that was there.
class Walker {
public:
    explicit Walker(std::string_view text) : text_(text) {}

    [[nodiscard]] std::size_t offset() const { return offset_; }
    [[nodiscard]] bool at_end() const { return offset_ == text_.size(); }
    [[nodiscard]] char peek() const { return at_end() ? '\0' : text_[offset_]; }

    void skip_blanks() {
        while (!at_end() && std::string_view(" \t\n\r").find(text_[offset_]) != std::string_view::npos)
            ++offset_;
    }

    bool skip(char c) {
        if (at_end() || text_[offset_] != c) return false;
        ++offset_;
        return true;
    }

    bool skip_value(int depth) {
        if (depth > json_depth_max) return false;
        switch (peek()) {
        case '{': return skip_object(depth);
        case '[': return skip_array(depth);
        case '"': return skip_string();
        case 't': return skip_word("true");
        case 'f': return skip_word("false");
        case 'n': return skip_word("null");
        default: return skip_number();
        }
    }

    bool skip_string() {
        if (!skip('"')) return false;
        while (!at_end()) {
            char const c = text_[offset_++];
            if (c == '"') return true;
            if (static_cast<unsigned char>(c) < 0x20) return false;
            if (c == '\\' && !skip_escape()) return false;
        }
        return false;
    }

private:
    bool skip_word(std::string_view word) {
        if (text_.substr(offset_, word.size()) != word) return false;
        offset_ += word.size();
        return true;
    }

    bool skip_escape() {
        char const c = peek();
        ++offset_;
        if (c != 'u') return c != '\0' && std::string_view("\"\\/bfnrt").find(c) != std::string_view::npos;
        for (int digit = 0; digit < 4; ++digit, ++offset_) {
            if (hex_digit(peek()) < 0) return false;
        }
        return true;
    }

    bool skip_digits() {
        std::size_t const start = offset_;
        while (is_digit(peek())) ++offset_;
        return offset_ > start;
    }

    bool skip_number() {
        skip('-');
        if (!skip('0') && !skip_digits()) return false;
        if (skip('.') && !skip_digits()) return false;
        if (skip('e') || skip('E')) {
            if (!skip('+')) skip('-');
            return skip_digits();
        }
        return true;
    }

    bool skip_array(int depth) {
        skip('[');
        skip_blanks();
        if (skip(']')) return true;
        do {
            skip_blanks();
            if (!skip_value(depth + 1)) return false;
            skip_blanks();
        } while (skip(','));
        return skip(']');
    }

    bool skip_object(int depth) {
        skip('{');
        skip_blanks();
        if (skip('}')) return true;
        do {
            skip_blanks();
            if (!skip_string()) return false;
            skip_blanks();
            if (!skip(':')) return false;
            skip_blanks();
            if (!skip_value(depth + 1)) return false;
            skip_blanks();
        } while (skip(','));
        return skip('}');
    }

    std::string_view text_;
    std::size_t offset_ = 0;
};

// The one value in `text`, without blanks around it; nothing when it is no JSON.
std::optional<std::string_view> whole_value(std::string_view text) {
    Walker walker(text);
    walker.skip_blanks();
    std::size_t const start = walker.offset();
    if (!walker.skip_value(1)) return std::nullopt;
    std::size_t const end = walker.offset();
    walker.skip_blanks();
    if (!walker.at_end()) return std::nullopt;
    return text.substr(start, end - start);
}

// The next value from the walker's place on. The text has been found valid before.
std::string_view take_value(Walker& walker, std::string_view text) {
    walker.skip_blanks();
    std::size_t const start = walker.offset();
    bool const valid = walker.skip_value(1);
    QUERN_ASSERT(valid, "the text has been checked");
    return text.substr(start, walker.offset() - start);
}

std::uint32_t four_hex_digits(std::string_view text, std::size_t offset) {
    std::uint32_t code = 0;
    for (std::size_t index = 0; index < 4; ++index) {
        code = code * 16 + static_cast<std::uint32_t>(hex_digit(text[offset + index]));
    }
    return code;
}

// Decodes `\uXXXX` (and the second half of a pair) whose digits begin at `offset`; moves behind it.
char32_t decode_unicode(std::string_view text, std::size_t& offset) {
    std::uint32_t const first = four_hex_digits(text, offset);
    offset += 4;
    if (first < 0xD800 || first > 0xDFFF) return first;
    bool const paired = first < 0xDC00 && text.substr(offset, 2) == "\\u";
    if (!paired) return 0xFFFD;
    std::uint32_t const second = four_hex_digits(text, offset + 2);
    if (second < 0xDC00 || second > 0xDFFF) return 0xFFFD;
    offset += 6;
    return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

char simple_escape(char c) {
    switch (c) {
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return c;
    }
}

// The text that a JSON string (with its quotes) means.
std::string decode_string(std::string_view json) {
    std::string_view const inner = json.substr(1, json.size() - 2);
    std::string text;
    for (std::size_t offset = 0; offset < inner.size();) {
        char const c = inner[offset++];
        if (c != '\\') {
            text += c;
            continue;
        }
        char const escape = inner[offset++];
        if (escape == 'u') {
            append_utf8(text, decode_unicode(inner, offset));
        } else {
            text += simple_escape(escape);
        }
    }
    return text;
}

// The text without the blanks between its tokens.
std::string without_blanks(std::string_view json) {
    std::string text;
    bool in_string = false;
    for (std::size_t offset = 0; offset < json.size(); ++offset) {
        char const c = json[offset];
        if (in_string && c == '\\') {
            text += c;
            text += json[++offset];
            continue;
        }
        if (c == '"') in_string = !in_string;
        if (in_string || (c != ' ' && c != '\t' && c != '\n' && c != '\r')) text += c;
    }
    return text;
}

Value number_of(std::string_view json) {
    char const* const end = json.data() + json.size();
    if (json.find_first_of(".eE") == std::string_view::npos) {
        std::int64_t integer = 0;
        if (std::from_chars(json.data(), end, integer).ec == std::errc()) return Value::of(integer);
    }
    double real = 0;
    if (std::from_chars(json.data(), end, real).ec == std::errc()) return Value::of(real);
    // Out of range, above or below: from_chars does not say which.
    bool const tiny = json.find("e-") != std::string_view::npos ||
                      json.find("E-") != std::string_view::npos || json.starts_with("0.") ||
                      json.starts_with("-0.");
    return tiny ? Value::of(0.0) : Value{};
}

bool key_equals(std::string_view json_key, std::string_view key) { return decode_string(json_key) == key; }

std::optional<std::string_view> member_of(std::string_view object, std::string_view key) {
    Walker walker(object);
    walker.skip('{');
    walker.skip_blanks();
    if (walker.peek() == '}') return std::nullopt;
    do {
        std::string_view const name = take_value(walker, object);
        walker.skip_blanks();
        walker.skip(':');
        std::string_view const value = take_value(walker, object);
        if (key_equals(name, key)) return value;
        walker.skip_blanks();
    } while (walker.skip(','));
    return std::nullopt;
}

std::vector<std::string_view> elements_of(std::string_view array) {
    std::vector<std::string_view> elements;
    Walker walker(array);
    walker.skip('[');
    walker.skip_blanks();
    if (walker.peek() == ']') return elements;
    do {
        elements.push_back(take_value(walker, array));
        walker.skip_blanks();
    } while (walker.skip(','));
    return elements;
}

// The array index that a path step means: decimal without leading zeros.
std::optional<std::size_t> index_of(std::string_view step) {
    bool const canonical = step == "0" || (!step.empty() && is_digit(step[0]) && step[0] != '0');
    std::size_t index = 0;
    auto const [end, error] = std::from_chars(step.data(), step.data() + step.size(), index);
    if (!canonical || error != std::errc() || end != step.data() + step.size()) return std::nullopt;
    return index;
}

std::optional<std::string_view> element_at(std::string_view array, std::string_view step) {
    auto const index = index_of(step);
    auto const elements = elements_of(array);
    if (!index || *index >= elements.size()) return std::nullopt;
    return elements[*index];
}

}  // namespace

std::optional<std::string_view> json_at(std::string_view text, std::span<std::string const> path) {
    std::optional<std::string_view> place = whole_value(text);
    for (std::string const& step : path) {
        if (!place) return std::nullopt;
        switch (place->front()) {
        case '{': place = member_of(*place, step); break;
        case '[': place = element_at(*place, step); break;
        default: return std::nullopt;
        }
    }
    return place;
}

std::optional<std::vector<std::string_view>> json_elements(std::string_view text) {
    auto const value = whole_value(text);
    if (!value || value->front() != '[') return std::nullopt;
    return elements_of(*value);
}

Value json_value(std::string_view json, Arena& texts) {
    QUERN_ASSERT(!json.empty(), "a JSON value has at least one character");
    switch (json.front()) {
    case 'n': return {};
    case 't': return Value::of(true);
    case 'f': return Value::of(false);
    case '"': return Value::of(texts.copy(decode_string(json)));
    case '{':
    case '[': return Value::of(texts.copy(without_blanks(json)));
    default: return number_of(json);
    }
}

std::string json_array_of(std::span<std::string const> strings) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string json = "[";
    for (std::string const& string : strings) {
        if (json.size() > 1) json += ',';
        json += '"';
        for (char const c : string) {
            auto const byte = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') {
                json += {'\\', c};
            } else if (byte < 0x20) {
                json += {'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]};
            } else {
                json += c;
            }
        }
        json += '"';
    }
    return json + "]";
}

}  // namespace quern::engine::ram
