// SPDX-License-Identifier: Apache-2.0
// Indexes as SQL text, as far as the product knows them: plain columns, NOCASE, direction, "not empty".

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "schema/collection_json.h"

namespace quern {

namespace {

struct Token {
    enum class Kind { end, word, name, text, sign, bad };
    Kind kind = Kind::end;
    std::string value;  // word: as written; name and text: unquoted
};

bool is_word_char(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool same_word(std::string_view a, std::string_view b) {
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

class Tokens {
public:
    explicit Tokens(std::string_view sql) : rest_(sql) { move(); }

    [[nodiscard]] bool at_end() const { return token_.kind == Token::Kind::end; }

    bool take_word(std::string_view word) {
        if (token_.kind != Token::Kind::word || !same_word(token_.value, word)) return false;
        move();
        return true;
    }
    bool take_sign(std::string_view sign) {
        if (token_.kind != Token::Kind::sign || token_.value != sign) return false;
        move();
        return true;
    }
    bool take_empty_text() {
        if (token_.kind != Token::Kind::text || !token_.value.empty()) return false;
        move();
        return true;
    }
    // A quoted or bare name.
    bool take_name(std::string& name) {
        bool const is_name = token_.kind == Token::Kind::name || token_.kind == Token::Kind::word;
        if (!is_name || token_.value.empty()) return false;
        name = token_.value;
        move();
        return true;
    }

private:
    void move() {
        while (!rest_.empty() &&
               std::string_view(" \t\r\n\f").find(rest_.front()) != std::string_view::npos) {
            rest_.remove_prefix(1);
        }
        token_ = {};
        if (rest_.empty()) return;
        char const c = rest_.front();
        if (c == '"' || c == '`' || c == '\'' || c == '[') {
            quoted(c == '[' ? ']' : c);
        } else if (is_word_char(c)) {
            std::size_t length = 0;
            while (length < rest_.size() && is_word_char(rest_[length])) ++length;
            take(Token::Kind::word, length);
        } else {
            bool const two = rest_.starts_with("!=") || rest_.starts_with("<>");
            take(Token::Kind::sign, two ? 2 : 1);
        }
    }

    void take(Token::Kind kind, std::size_t length) {
        token_ = {kind, std::string(rest_.substr(0, length))};
        rest_.remove_prefix(length);
    }

    // A doubled closing quote stands for itself.
    void quoted(char close) {
        std::string value;
        for (std::size_t offset = 1; offset < rest_.size(); ++offset) {
            if (rest_[offset] != close) {
                value.push_back(rest_[offset]);
            } else if (close != ']' && offset + 1 < rest_.size() && rest_[offset + 1] == close) {
                value.push_back(close);
                ++offset;
            } else {
                rest_.remove_prefix(offset + 1);
                token_ = {close == '\'' ? Token::Kind::text : Token::Kind::name, std::move(value)};
                return;
            }
        }
        token_ = {Token::Kind::bad, {}};
        rest_ = {};
    }

    std::string_view rest_;
    Token token_;
};

// `column [COLLATE NOCASE|BINARY] [ASC|DESC]`
bool read_column(Tokens& tokens, IndexColumn& column) {
    if (!tokens.take_name(column.field)) return false;
    if (tokens.take_word("collate")) {
        column.ignore_case = tokens.take_word("nocase");
        if (!column.ignore_case && !tokens.take_word("binary")) return false;
    }
    if (!tokens.take_word("asc")) column.descending = tokens.take_word("desc");
    return true;
}

bool read_index(Tokens& tokens, Index& index) {
    if (!tokens.take_word("create")) return false;
    index.unique = tokens.take_word("unique");
    if (!tokens.take_word("index")) return false;
    if (tokens.take_word("if") && !(tokens.take_word("not") && tokens.take_word("exists"))) return false;
    if (!tokens.take_name(index.name)) return false;
    // PocketBase's older exports write the name with its schema.
    if (tokens.take_sign(".") && !tokens.take_name(index.name)) return false;
    std::string table;
    if (!tokens.take_word("on") || !tokens.take_name(table) || !tokens.take_sign("(")) return false;
    do {
        if (!read_column(tokens, index.columns.emplace_back())) return false;
    } while (tokens.take_sign(","));
    if (!tokens.take_sign(")")) return false;
    if (tokens.take_word("where")) {
        if (!tokens.take_name(index.where_not_empty)) return false;
        if (!tokens.take_sign("!=") && !tokens.take_sign("<>")) return false;
        if (!tokens.take_empty_text()) return false;
    }
    (void)tokens.take_sign(";");
    return tokens.at_end();
}

std::string quote(std::string_view name) {
    std::string quoted = "`";
    for (char const c : name) {
        if (c == '`') quoted.push_back('`');
        quoted.push_back(c);
    }
    return quoted + "`";
}

}  // namespace

Result<Index> parse_index(std::string_view sql) {
    Tokens tokens(sql);
    Index index;
    if (!read_index(tokens, index)) {
        return fail(
            Error::of_field("", "validation_invalid_index_expression", "Invalid CREATE INDEX expression."));
    }
    return index;
}

std::string print_index(Index const& index, std::string_view table) {
    std::string sql = index.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ";
    sql += quote(index.name) + " ON " + quote(table) + " (";
    for (std::size_t position = 0; position < index.columns.size(); ++position) {
        IndexColumn const& column = index.columns[position];
        if (position > 0) sql += ", ";
        sql += quote(column.field);
        if (column.ignore_case) sql += " COLLATE NOCASE";
        if (column.descending) sql += " DESC";
    }
    sql += ")";
    if (!index.where_not_empty.empty()) sql += " WHERE " + quote(index.where_not_empty) + " != ''";
    return sql;
}

}  // namespace quern
