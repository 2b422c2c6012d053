// SPDX-License-Identifier: Apache-2.0
#include "auth/claims_reader.h"

#include <charconv>

namespace quern::auth {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

bool ClaimsReader::next(std::string_view& name, ClaimValue& value) {
    skip_space();
    if (!started_) {
        if (peek() != '{') return false;
        ++at_;
        started_ = true;
        skip_space();
        if (peek() == '}') {
            ++at_;
            skip_space();
            complete_ = at_ == json_.size();
            return false;
        }
    } else if (peek() == ',') {
        ++at_;
        skip_space();
    } else {
        if (peek() == '}') {
            ++at_;
            skip_space();
            complete_ = at_ == json_.size();
        }
        return false;
    }
    if (!read_string(name)) return false;
    skip_space();
    if (peek() != ':') return false;
    ++at_;
    skip_space();
    return read_value(value);
}

bool ClaimsReader::read_string(std::string_view& text) {
    if (peek() != '"') return false;
    std::size_t const start = ++at_;
    std::size_t written = start;  // behind at_ as soon as an escape has been shortened
    while (at_ < json_.size()) {
        char c = json_[at_];
        if (c == '"') {
            text = {json_.data() + start, written - start};
            ++at_;
            return true;
        }
        if (static_cast<unsigned char>(c) < 0x20) return false;
        ++at_;
        if (c == '\\' && !read_escape(c)) return false;
        json_[written++] = c;
    }
    return false;
}

// Only what a writer must or may write for an ASCII character; the rest of Unicode stands for itself.
bool ClaimsReader::read_escape(char& character) {
    char const c = peek();
    ++at_;
    switch (c) {
    case '"':
    case '\\':
    case '/': character = c; return true;
    case 'b': character = '\b'; return true;
    case 'f': character = '\f'; return true;
    case 'n': character = '\n'; return true;
    case 'r': character = '\r'; return true;
    case 't': character = '\t'; return true;
    case 'u': break;
    default: return false;
    }
    if (json_.size() - at_ < 4) return false;
    unsigned code = 0;
    char const* const digits = json_.data() + at_;
    auto const [end, error] = std::from_chars(digits, digits + 4, code, 16);
    if (error != std::errc{} || end != digits + 4 || code == 0 || code >= 0x80) return false;
    at_ += 4;
    character = static_cast<char>(code);
    return true;
}

bool ClaimsReader::read_value(ClaimValue& value) {
    value = {};
    switch (peek()) {
    case '"': value.kind = ClaimValue::Kind::text; return read_string(value.text);
    case 't':
        value.kind = ClaimValue::Kind::boolean;
        value.flag = true;
        return read_word("true");
    case 'f': value.kind = ClaimValue::Kind::boolean; return read_word("false");
    case 'n': return read_word("null");
    default: return read_number(value);
    }
}

// A number that is not whole, or does not fit, is well-formed but of kind `other`.
bool ClaimsReader::read_number(ClaimValue& value) {
    std::size_t const start = at_;
    if (peek() == '-') ++at_;
    std::size_t const digits = at_;
    while (is_digit(peek())) ++at_;
    if (at_ == digits || (json_[digits] == '0' && at_ - digits > 1)) return false;
    bool whole = true;
    if (peek() == '.') {
        whole = false;
        std::size_t const fraction = ++at_;
        while (is_digit(peek())) ++at_;
        if (at_ == fraction) return false;
    }
    if (peek() == 'e' || peek() == 'E') {
        whole = false;
        ++at_;
        if (peek() == '+' || peek() == '-') ++at_;
        std::size_t const exponent = at_;
        while (is_digit(peek())) ++at_;
        if (at_ == exponent) return false;
    }
    if (!whole) return true;
    auto const [end, error] = std::from_chars(json_.data() + start, json_.data() + at_, value.number);
    if (error == std::errc{} && end == json_.data() + at_) value.kind = ClaimValue::Kind::whole_number;
    return true;
}

bool ClaimsReader::read_word(std::string_view word) {
    if (!std::string_view(json_.data(), json_.size()).substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
}

void ClaimsReader::skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
}

}  // namespace quern::auth
