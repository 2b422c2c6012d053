// SPDX-License-Identifier: Apache-2.0
#pragma once

// The words of a filter or rule.
//
// The scanner allocates nothing: literals with escapes are unescaped into the arena, all others are views
// into the text. A whole `in ( … )` list is one token, whose values are checked here and read again when it
// is bound, so that ten thousand values cost neither tokens nor shape.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <quern/arena.h>
#include <quern/error.h>
#include "schema/value.h"

namespace quern::query {

// What the shape of a plan may depend on. The value itself is a parameter.
enum class LiteralClass : std::uint8_t { null, yes, no, zero, number, empty_text, text, list };

struct Literal {
    LiteralClass kind = LiteralClass::null;
    Value value;              // of a number: exact integer where it is one; of yes/no: 1/0
    std::string_view source;  // as written; of a list: between its brackets
    std::size_t offset = 0;   // byte offset of the token in the text
    // Of a list: what it has in it, and how much.
    std::uint32_t count = 0;
    bool has_null = false;
    bool has_zero = false;  // "", 0 or false
    // The first literal of the text that is equal to this one in class and value (itself if none is).
    std::uint16_t same_as = 0;
};

enum class TokenKind : std::uint8_t {
    end,
    path,     // field path, macro, request path, or function name; `text`
    literal,  // `literal`
    list,     // in (…): `literal`
    open,
    close,
    comma,
    both,
    either,
    negation,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    like,
    not_like,
};

struct Token {
    TokenKind kind = TokenKind::end;
    bool any = false;        // an operator with a leading '?'
    std::size_t offset = 0;  // byte offset
    std::string_view text;   // the token as written
    Literal literal;
};

// Names a place in a text for people: the 1-based number of the character at a byte offset.
[[nodiscard]] std::size_t position_of(std::string_view text, std::size_t offset);

// Lifetime: borrows text and arena; tokens borrow from both.
class Lexer {
public:
    // `label` is what messages call the text: "filter", "listRule".
    Lexer(std::string_view text, std::string_view label, Arena& arena)
        : text_(text), label_(label), arena_(arena) {}

    // Checks size and encoding; call once before next().
    // Errors: filter_too_large, filter_invalid.
    [[nodiscard]] Result<void> check(std::size_t characters_max);

    // Reads the next token into `token`. False on an error, which error() then gives.
    [[nodiscard]] bool next(Token& token);
    [[nodiscard]] Error const& error() const { return error_; }

    [[nodiscard]] std::string_view text() const { return text_; }
    [[nodiscard]] std::string_view label() const { return label_; }

    // `Invalid filter at position 7: why.`
    [[nodiscard]] Error error_at(std::size_t offset, std::string_view why,
                                 ErrorCode code = ErrorCode::filter_invalid) const;

private:
    bool fail_at(std::size_t offset, std::string_view why, ErrorCode code = ErrorCode::filter_invalid);
    void skip_blanks();
    bool scan(Token& token);
    bool scan_operator(Token& token);
    bool scan_path(Token& token);
    bool scan_string(Literal& literal);
    bool scan_number(Literal& literal);
    bool scan_list(Token& token);
    bool scan_list_value(Literal& list);
    bool unescape(std::size_t start, std::size_t end, std::string_view& output);
    bool unescape_unicode(std::size_t& offset, std::size_t end, char32_t& code_point);

    std::string_view text_;
    std::string_view label_;
    Arena& arena_;
    std::size_t offset_ = 0;
    std::size_t list_bytes_ = 0;  // inside lists so far; they do not count towards the text's limit
    std::size_t characters_ = 0;
    std::size_t characters_max_ = 0;
    bool counts_characters_ = false;
    Error error_{ErrorCode::filter_invalid};
};

// Reads a list's values again, one after the other. The text was checked by a Lexer.
class ListReader {
public:
    ListReader(std::string_view source, Arena& arena) : lexer_(source, "filter", arena) {}
    [[nodiscard]] bool next(Literal& literal);

private:
    Lexer lexer_;
    Token token_;
};

}  // namespace quern::query
