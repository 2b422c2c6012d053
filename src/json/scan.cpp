// SPDX-License-Identifier: Apache-2.0
#include "json/scan.h"

#include <bitset>
#include <cstdint>
#include <cstring>

#include <quern/assert.h>
#include "base/text.h"
#include "json/number.h"
#include "json/utf8.h"

namespace quern::json {

namespace {

int hex_value(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// The four digits behind `\u`.
std::optional<char32_t> code_unit(std::string_view digits) {
    if (digits.size() < 4) return std::nullopt;
    char32_t value = 0;
    for (char const c : digits.substr(0, 4)) {
        int const digit = hex_value(c);
        if (digit < 0) return std::nullopt;
        value = value << 4 | static_cast<char32_t>(digit);
    }
    return value;
}

constexpr char32_t surrogate_first = 0xD800;
constexpr char32_t surrogate_low = 0xDC00;
constexpr char32_t surrogate_end = 0xE000;

struct Escape {
    char32_t code_point;
    std::size_t length;  // of the escape, from its backslash
};

// The escape at the start of `text`, a backslash. A bad one gives nothing; `length` is then what to step
// over.
std::optional<Escape> read_escape(std::string_view text, std::size_t& length) {
    length = text.size() < 2 ? text.size() : 2;
    if (text.size() < 2) return std::nullopt;
    switch (text[1]) {
    case '"': return Escape{'"', 2};
    case '\\': return Escape{'\\', 2};
    case '/': return Escape{'/', 2};
    case 'b': return Escape{'\b', 2};
    case 'f': return Escape{'\f', 2};
    case 'n': return Escape{'\n', 2};
    case 'r': return Escape{'\r', 2};
    case 't': return Escape{'\t', 2};
    case 'u': break;
    default: return std::nullopt;
    }
    auto const first = code_unit(text.substr(2));
    if (!first) return std::nullopt;
    length = 6;
    if (*first < surrogate_first || *first >= surrogate_end) return Escape{*first, 6};
    if (*first >= surrogate_low || text.substr(6, 2) != "\\u") return std::nullopt;
    auto const second = code_unit(text.substr(8));
    if (!second || *second < surrogate_low || *second >= surrogate_end) return std::nullopt;
    return Escape{0x10000 + ((*first - surrogate_first) << 10) + (*second - surrogate_low), 12};
}

char* put_utf8(char* place, char32_t code_point) {
    auto const put = [&](char32_t byte) { *place++ = static_cast<char>(byte); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xC0 | code_point >> 6);
        put(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        put(0xE0 | code_point >> 12);
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    } else {
        put(0xF0 | code_point >> 18);
        put(0x80 | (code_point >> 12 & 0x3F));
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    }
    return place;
}

std::size_t first_bad_byte(std::string_view text) {
    std::size_t offset = 0;
    while (offset < text.size()) {
        std::size_t const start = offset;
        // A well-formed U+FFFD is three bytes long, the stand-in for a bad byte moves by one.
        if (next_code_point(text, offset) == 0xFFFD && offset - start == 1) return start;
    }
    return offset;
}

// Walks over one JSON text without recursion: a bit a level says whether it is an object.
class Checker {
public:
    Checker(std::string_view text, CheckOptions options) : text_(text), options_(options) {}

    std::optional<Fault> run() {
        bool value_wanted = true;
        do {
            skip_space();
            bool const good = value_wanted ? value(value_wanted) : after_value(value_wanted);
            if (!good) return fault_;
        } while (value_wanted || depth_ > 0);
        skip_space();
        if (at_ < text_.size()) return Fault{at_, "there is more behind the value"};
        return std::nullopt;
    }

private:
    bool fail(std::string_view why) { return fail_at(at_, why); }
    bool fail_at(std::size_t at, std::string_view why) {
        fault_ = Fault{at, why};
        return false;
    }
    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }
    [[nodiscard]] bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }

    bool value(bool& value_wanted) {
        if (at_ == text_.size()) return fail("the text ends too early");
        value_wanted = false;
        switch (text_[at_]) {
        case '{': return open(true, value_wanted);
        case '[': return open(false, value_wanted);
        case '"': return string();
        case 't': return literal("true");
        case 'f': return literal("false");
        case 'n': return literal("null");
        default: return number();
        }
    }

    bool open(bool object, bool& value_wanted) {
        if (depth_ == options_.depth_max) return fail("nested too deeply");
        ++at_;
        objects_[depth_++] = object;
        skip_space();
        if (next_is(object ? '}' : ']')) {
            ++at_;
            --depth_;
            return true;
        }
        value_wanted = true;
        return !object || key();
    }

    // A comma and what follows, or the end of the innermost array or object.
    bool after_value(bool& value_wanted) {
        bool const object = objects_[depth_ - 1];
        if (next_is(object ? '}' : ']')) {
            ++at_;
            --depth_;
            return true;
        }
        if (!next_is(',')) return fail(at_ == text_.size() ? "the text ends too early" : "expected a comma");
        ++at_;
        value_wanted = true;
        skip_space();
        return !object || key();
    }

    bool key() {
        if (!next_is('"')) return fail("expected a key in quotes");
        if (!string()) return false;
        skip_space();
        if (!next_is(':')) return fail("expected a colon");
        ++at_;
        return true;
    }

    bool string() {
        std::size_t const start = ++at_;
        bool ascii = true;
        for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            auto const byte = static_cast<unsigned char>(text_[at_]);
            if (byte < 0x20) return fail("a control character must be escaped");
            if (byte >= 0x80) ascii = false;
            if (byte != '\\') continue;
            std::size_t length = 0;
            auto const escape = read_escape(text_.substr(at_), length);
            if (!escape) return fail("a bad escape");
            at_ += escape->length - 1;
        }
        if (at_ >= text_.size()) return fail_at(start - 1, "a string without end");
        std::string_view const inside = text_.substr(start, at_ - start);
        if (!ascii && !is_well_formed(inside)) return fail_at(start + first_bad_byte(inside), "not UTF-8");
        ++at_;
        return true;
    }

    bool literal(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return fail("expected a value");
        at_ += word.size();
        return true;
    }

    bool number() {
        bool whole = false;
        std::string_view const rest = text_.substr(at_);
        std::size_t const length = number_length(rest, whole);
        if (length == 0) return fail("expected a value");
        // Up to 300 characters without an exponent always fit a double: no need to read them.
        std::string_view const digits = rest.substr(0, length);
        bool const may_overflow =
            length > 300 || (!whole && digits.find_first_of("eE") != std::string_view::npos);
        if (options_.finite && may_overflow && !nearest_real(digits)) {
            return fail("not a finite number");
        }
        at_ += length;
        return true;
    }

    std::string_view text_;
    CheckOptions options_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    std::bitset<depth_bound> objects_;
    std::optional<Fault> fault_;
};

}  // namespace

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

std::optional<std::size_t> unescape(std::string_view inside, char* output, BadEscape bad) {
    char* place = output;
    while (!inside.empty()) {
        std::size_t const run = std::min(inside.find('\\'), inside.size());
        std::memcpy(place, inside.data(), run);
        place += run;
        inside.remove_prefix(run);
        if (inside.empty()) break;
        std::size_t length = 0;
        auto const escape = read_escape(inside, length);
        if (!escape && bad == BadEscape::refuse) return std::nullopt;
        // "\x" is two bytes and U+FFFD is three: an unknown escape becomes '?', only a surrogate U+FFFD.
        char32_t const stand_in = length < 6 ? U'?' : U'\uFFFD';
        place = put_utf8(place, escape ? escape->code_point : stand_in);
        inside.remove_prefix(escape ? escape->length : length);
    }
    return static_cast<std::size_t>(place - output);
}

std::optional<Fault> find_fault(std::string_view text, CheckOptions options) {
    QUERN_ASSERT(options.depth_max <= depth_bound, "the checker has a bit for every level");
    return Checker(text, options).run();
}

}  // namespace quern::json
