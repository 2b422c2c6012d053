// SPDX-License-Identifier: Apache-2.0
#include "query/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "query/limits.h"

namespace quern::query {

namespace {

enum CharClass : std::uint8_t { other, blank, digit, word, quote };

constexpr std::array<std::uint8_t, 256> make_classes() {
    std::array<std::uint8_t, 256> classes{};
    for (char const c : {' ', '\t', '\r', '\n'}) classes[static_cast<unsigned char>(c)] = blank;
    for (unsigned c = '0'; c <= '9'; ++c) classes[c] = digit;
    for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = word;
    for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = word;
    // Names of fields are ASCII, but keys inside a json field are not.
    for (unsigned c = 0x80; c <= 0xFF; ++c) classes[c] = word;
    classes['_'] = word;
    classes['@'] = word;
    classes['"'] = quote;
    classes['\''] = quote;
    return classes;
}
constexpr auto classes = make_classes();

std::uint8_t class_of(char c) { return classes[static_cast<unsigned char>(c)]; }
bool is_digit(char c) { return class_of(c) == digit; }
// What may follow the first character of a path.
bool continues_path(char c) { return class_of(c) == word || class_of(c) == digit || c == '.' || c == ':'; }
bool is_ignoring_case(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t index = 0; index < text.size(); ++index) {
        if ((text[index] | 0x20) != lower[index]) return false;
    }
    return true;
}

LiteralClass class_of_number(Value const& value) {
    bool const zero = value.kind == ValueKind::integer ? value.integer == 0 : value.real == 0;
    return zero ? LiteralClass::zero : LiteralClass::number;
}

Literal make_literal(LiteralClass kind, Value value, std::string_view source, std::size_t offset) {
    Literal literal;
    literal.kind = kind;
    literal.value = value;
    literal.source = source;
    literal.offset = offset;
    return literal;
}

}  // namespace

std::size_t position_of(std::string_view text, std::size_t offset) {
    return code_point_count(text.substr(0, offset)) + 1;
}

Result<void> Lexer::check(std::size_t characters_max) {
    if (text_.size() > filter_bytes_max) {
        return fail(ErrorCode::filter_too_large, "The " + std::string(label_) + " has more than " +
                                                     std::to_string(filter_bytes_max) + " bytes.");
    }
    if (!is_utf8(text_))
        return fail(ErrorCode::filter_invalid, "The " + std::string(label_) + " is not valid UTF-8.");
    if (auto const zero = text_.find('\0'); zero != std::string_view::npos) {
        return fail(error_at(zero, "the character U+0000 is not allowed"));
    }
    characters_max_ = characters_max;
    // A text whose bytes are few enough has no more characters than that.
    counts_characters_ = text_.size() > characters_max;
    return {};
}

Error Lexer::error_at(std::size_t offset, std::string_view why, ErrorCode code) const {
    std::string message = "Invalid " + std::string(label_) + " at position " +
                          std::to_string(position_of(text_, offset)) + ": " + std::string(why) + ".";
    return Error(code, std::move(message));
}

bool Lexer::fail_at(std::size_t offset, std::string_view why, ErrorCode code) {
    error_ = error_at(offset, why, code);
    return false;
}

void Lexer::skip_blanks() {
    std::size_t at = offset_;
    while (at < text_.size()) {
        char const c = text_[at];
        if (class_of(c) == blank) {
            ++at;
        } else if (c == '/' && at + 1 < text_.size() && text_[at + 1] == '/') {
            at = std::min(text_.find('\n', at), text_.size());
        } else {
            break;
        }
    }
    offset_ = at;
}

bool Lexer::next(Token& token) {
    std::size_t const before = offset_;
    std::size_t const lists_before = list_bytes_;
    skip_blanks();
    token.offset = offset_;
    token.any = false;
    if (offset_ == text_.size()) {
        token.kind = TokenKind::end;
    } else if (!scan(token)) {
        return false;
    }
    token.text = text_.substr(token.offset, offset_ - token.offset);
    if (!counts_characters_) return true;
    // A character has four bytes at most: what is far too long needs no counting.
    std::size_t const bytes = offset_ - before - (list_bytes_ - lists_before);
    if (bytes <= 4 * characters_max_) characters_ += code_point_count(text_.substr(before, bytes));
    if (bytes > 4 * characters_max_ || characters_ > characters_max_) {
        return fail_at(token.offset,
                       "the text has more than " + std::to_string(characters_max_) + " characters",
                       ErrorCode::filter_too_large);
    }
    return true;
}

bool Lexer::scan(Token& token) {
    char const c = text_[offset_];
    char const following = offset_ + 1 < text_.size() ? text_[offset_ + 1] : '\0';
    switch (class_of(c)) {
    case word: return scan_path(token);
    case quote: token.kind = TokenKind::literal; return scan_string(token.literal);
    case digit: token.kind = TokenKind::literal; return scan_number(token.literal);
    default: break;
    }
    bool const signs = (c == '-' || c == '+') && (is_digit(following) || following == '.');
    if (signs || (c == '.' && is_digit(following))) {
        token.kind = TokenKind::literal;
        return scan_number(token.literal);
    }
    return scan_operator(token);
}

bool Lexer::scan_operator(Token& token) {
    std::size_t at = offset_;
    if (text_[at] == '?') {
        token.any = true;
        ++at;
    }
    char const c = at < text_.size() ? text_[at] : '\0';
    char const following = at + 1 < text_.size() ? text_[at + 1] : '\0';
    auto const take = [&](TokenKind kind, std::size_t length) {
        token.kind = kind;
        offset_ = at + length;
        return true;
    };
    switch (c) {
    case '=': return take(TokenKind::equal, 1);
    case '~': return take(TokenKind::like, 1);
    case '<': return following == '=' ? take(TokenKind::less_equal, 2) : take(TokenKind::less, 1);
    case '>': return following == '=' ? take(TokenKind::greater_equal, 2) : take(TokenKind::greater, 1);
    case '!':
        if (following == '=') return take(TokenKind::not_equal, 2);
        if (following == '~') return take(TokenKind::not_like, 2);
        if (!token.any) return take(TokenKind::negation, 1);
        break;
    case '(':
        if (!token.any) return take(TokenKind::open, 1);
        break;
    case ')':
        if (!token.any) return take(TokenKind::close, 1);
        break;
    case ',':
        if (!token.any) return take(TokenKind::comma, 1);
        break;
    case '&':
        if (!token.any && following == '&') return take(TokenKind::both, 2);
        break;
    case '|':
        if (!token.any && following == '|') return take(TokenKind::either, 2);
        break;
    default: break;
    }
    std::size_t end = offset_;
    (void)next_code_point(text_, end);
    return fail_at(offset_, "unexpected \"" + std::string(text_.substr(offset_, end - offset_)) + "\"");
}

bool Lexer::scan_path(Token& token) {
    std::size_t const start = offset_;
    std::size_t end = start;
    while (end < text_.size() && continues_path(text_[end])) ++end;
    offset_ = end;
    std::string_view const text = text_.substr(start, end - start);
    token.kind = TokenKind::path;
    // A length shuts out nearly every path before its letters are looked at.
    if (text.size() > 5) return true;
    auto const constant = [&](LiteralClass kind, Value value) {
        token.kind = TokenKind::literal;
        token.literal = make_literal(kind, value, text, start);
        return true;
    };
    if (text == "true") return constant(LiteralClass::yes, Value::of(true));
    if (text == "false") return constant(LiteralClass::no, Value::of(false));
    if (text == "null") return constant(LiteralClass::null, Value{});
    if (!is_ignoring_case(text, "in")) return true;
    std::size_t bracket = offset_;
    while (bracket < text_.size() && class_of(text_[bracket]) == blank) ++bracket;
    if (bracket == text_.size() || text_[bracket] != '(') return true;
    offset_ = bracket + 1;
    return scan_list(token);
}

bool Lexer::scan_string(Literal& literal) {
    std::size_t const start = offset_;
    char const end_quote = text_[offset_++];
    bool escapes = false;
    std::size_t at = offset_;
    while (at < text_.size() && text_[at] != end_quote) {
        if (text_[at] == '\\') {
            escapes = true;
            ++at;
        }
        ++at;
    }
    offset_ = at;
    if (at >= text_.size()) {
        offset_ = text_.size();
        return fail_at(start, "the text literal is not closed");
    }
    std::string_view value = text_.substr(start + 1, offset_ - start - 1);
    if (escapes && !unescape(start + 1, offset_, value)) return false;
    ++offset_;
    auto const kind = value.empty() ? LiteralClass::empty_text : LiteralClass::text;
    literal = make_literal(kind, Value::of(value), value, start);
    return true;
}

bool Lexer::unescape(std::size_t start, std::size_t end, std::string_view& output) {
    // No escape is shorter than what it stands for.
    auto const room = arena_.array<char>(end - start);
    std::size_t size = 0;
    for (std::size_t at = start; at < end; ++at) {
        char const c = text_[at];
        if (c != '\\') {
            room[size++] = c;
            continue;
        }
        char const escaped = text_[at + 1];
        switch (escaped) {
        case '"':
        case '\'':
        case '\\':
        case '/': room[size++] = escaped; break;
        case 'n': room[size++] = '\n'; break;
        case 't': room[size++] = '\t'; break;
        case 'r': room[size++] = '\r'; break;
        case 'b': room[size++] = '\b'; break;
        case 'f': room[size++] = '\f'; break;
        // An escape of the pattern, which `~` reads: it stays as it is.
        case '%':
            room[size++] = '\\';
            room[size++] = '%';
            break;
        case 'u': {
            char32_t code_point = 0;
            std::size_t after = at;
            if (!unescape_unicode(after, end, code_point)) return false;
            std::string encoded;
            append_utf8(encoded, code_point);
            std::memcpy(&room[size], encoded.data(), encoded.size());
            size += encoded.size();
            at = after - 2;
            break;
        }
        default: return fail_at(at, "unknown escape in a text literal");
        }
        ++at;
    }
    output = {room.data(), size};
    return true;
}

bool Lexer::unescape_unicode(std::size_t& offset, std::size_t end, char32_t& code_point) {
    std::size_t const start = offset;
    auto const read_unit = [&](char32_t& unit) {
        if (end - offset < 6 || text_[offset] != '\\' || text_[offset + 1] != 'u') return false;
        std::uint32_t number = 0;
        char const* const digits = text_.data() + offset + 2;
        auto const parsed = std::from_chars(digits, digits + 4, number, 16);
        unit = number;
        offset += 6;
        return parsed.ptr == digits + 4;
    };
    if (!read_unit(code_point)) return fail_at(start, "\\u takes four hexadecimal digits");
    bool const high = code_point >= 0xD800 && code_point <= 0xDBFF;
    if (high) {
        char32_t low = 0;
        if (!read_unit(low) || low < 0xDC00 || low > 0xDFFF)
            return fail_at(start, "half of a surrogate pair");
        code_point = 0x10000 + ((code_point - 0xD800) << 10) + (low - 0xDC00);
    } else if (code_point >= 0xDC00 && code_point <= 0xDFFF) {
        return fail_at(start, "half of a surrogate pair");
    }
    if (code_point == 0) return fail_at(start, "the character U+0000 is not allowed");
    return true;
}

bool Lexer::scan_number(Literal& literal) {
    std::size_t const start = offset_;
    std::size_t at = offset_;
    auto const digits = [&] {
        std::size_t const first = at;
        while (at < text_.size() && is_digit(text_[at])) ++at;
        return at - first;
    };
    if (text_[at] == '-' || text_[at] == '+') ++at;
    std::size_t count = digits();
    bool whole = true;
    if (at < text_.size() && text_[at] == '.') {
        whole = false;
        ++at;
        count += digits();
    }
    bool good = count > 0;
    if (at < text_.size() && (text_[at] | 0x20) == 'e') {
        whole = false;
        ++at;
        if (at < text_.size() && (text_[at] == '-' || text_[at] == '+')) ++at;
        good = digits() > 0 && good;
    }
    if (!good || (at < text_.size() && continues_path(text_[at]))) return fail_at(start, "this is no number");
    offset_ = at;
    std::string_view const source = text_.substr(start, at - start);
    std::string_view const unsigned_source = source[0] == '+' ? source.substr(1) : source;
    char const* const last = unsigned_source.data() + unsigned_source.size();
    Value value = Value::of(std::int64_t{0});
    bool const exact =
        whole && std::from_chars(unsigned_source.data(), last, value.integer).ec == std::errc{};
    if (!exact) {
        double real = 0;
        auto const parsed = std::from_chars(unsigned_source.data(), last, real);
        if (parsed.ec != std::errc{} || !std::isfinite(real))
            return fail_at(start, "the number is out of range");
        value = Value::of(real);
    }
    literal = make_literal(class_of_number(value), value, source, start);
    return true;
}

bool Lexer::scan_list(Token& token) {
    token.kind = TokenKind::list;
    std::size_t const start = offset_;
    Literal list;
    list.kind = LiteralClass::list;
    list.offset = token.offset;
    skip_blanks();
    bool const empty = offset_ < text_.size() && text_[offset_] == ')';
    while (!empty) {
        skip_blanks();
        if (!scan_list_value(list)) return false;
        skip_blanks();
        if (offset_ == text_.size()) return fail_at(token.offset, "the list is not closed");
        if (text_[offset_] == ')') break;
        if (text_[offset_] != ',') return fail_at(offset_, "expected \",\" or \")\" in the list");
        ++offset_;
    }
    list.source = text_.substr(start, offset_ - start);
    list_bytes_ += offset_ - start;
    ++offset_;
    token.literal = list;
    return true;
}

bool Lexer::scan_list_value(Literal& list) {
    if (offset_ == text_.size()) return fail_at(list.offset, "the list is not closed");
    std::size_t const start = offset_;
    char const c = text_[offset_];
    // Only what can start a literal, so that lists do not nest.
    bool const number = class_of(c) == digit || c == '-' || c == '+' || c == '.';
    bool const constant = c == 't' || c == 'f' || c == 'n';
    if (!number && !constant && class_of(c) != quote) {
        return fail_at(start, "a list takes texts, numbers, true, false and null");
    }
    Token value;
    if (!scan(value)) return false;
    if (value.kind != TokenKind::literal)
        return fail_at(start, "a list takes texts, numbers, true, false and null");
    if (++list.count > list_values_max) {
        return fail_at(list.offset, "the list has more than " + std::to_string(list_values_max) + " values",
                       ErrorCode::filter_too_large);
    }
    list.has_null |= value.literal.kind == LiteralClass::null;
    list.has_zero |= value.literal.kind == LiteralClass::empty_text ||
                     value.literal.kind == LiteralClass::zero || value.literal.kind == LiteralClass::no;
    return true;
}

bool ListReader::next(Literal& literal) {
    do {
        if (!lexer_.next(token_)) return false;
    } while (token_.kind == TokenKind::comma);
    literal = token_.literal;
    return token_.kind == TokenKind::literal;
}

}  // namespace quern::query
