// SPDX-License-Identifier: Apache-2.0
#pragma once

// SQL text with placeholders, read by the compiler.
//
// A statement is written with the names of its values in braces: "SELECT id, title FROM todos WHERE id =
// {id}". Read, each name becomes one bound parameter of SQLite, numbered in the order of first appearance; a
// name that stands there twice is one value. Values never become text. Inside quotes ('text', "name", `name`,
// [name]) and comments braces are plain text; outside, {{ and }} stand for a single brace. SQLite's own
// parameters (?, :x, @x, $x) are refused, so that nothing is bound twice, and so is a second statement.
//
// The text also tells, where it is simple, what comes back: the columns of the outermost SELECT list or of
// RETURNING are counted unless one is a star, and a column that is a plain name, or has one after AS, is
// known by it. The same code reads texts while compiling and, for SqlText, at run time.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <quern/error.h>
#include <quern/fixed_string.h>

namespace quern {

// Values of one statement.
inline constexpr std::size_t sql_binds_max = 64;
// Columns whose names are known while compiling; further ones are counted only.
inline constexpr std::size_t sql_named_columns_max = 64;

enum class SqlFault : std::uint8_t {
    none,
    empty,               // no statement in the text
    quote,               // a quote, bracket or comment is not closed
    parenthesis,         // one is not closed, or closed twice
    placeholder,         // a brace that is not part of {name}, {{ or }}
    native_parameter,    // ?, :x, @x or $x
    several_statements,  // something behind a semicolon
    too_many_binds,      // more than sql_binds_max
    forbidden,           // BEGIN, COMMIT, SAVEPOINT, PRAGMA, ATTACH, VACUUM and their kin
    unknown,             // begins with no verb of SQL
    nul,                 // a NUL character
};

enum class SqlKind : std::uint8_t {
    read,    // SELECT, VALUES, EXPLAIN
    write,   // INSERT, REPLACE, UPDATE, DELETE
    schema,  // CREATE, DROP, ALTER, REINDEX, ANALYZE
};

// A statement taken apart. Lifetime: the views are into the statement's text.
struct SqlShape {
    static constexpr std::size_t unknown_count = static_cast<std::size_t>(-1);

    SqlFault fault = SqlFault::none;
    SqlKind kind = SqlKind::read;
    std::size_t bind_count = 0;
    std::array<std::string_view, sql_binds_max> binds{};            // names, in order
    std::size_t column_count = unknown_count;                       // 0 where nothing comes back
    std::array<std::string_view, sql_named_columns_max> columns{};  // empty where the name is not known
};

namespace detail {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_same_name(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    for (std::size_t index = 0; index < a.size(); ++index) {
        if (lower(a[index]) != lower(b[index])) return false;
    }
    return true;
}
constexpr bool is_any_of(std::string_view word, std::span<std::string_view const> words) {
    for (std::string_view const other : words) {
        if (is_same_name(word, other)) return true;
    }
    return false;
}

struct SqlToken {
    enum class Kind : std::uint8_t { end, word, name, text, sign, placeholder, brace, space, fault };
    Kind kind = Kind::end;
    std::string_view text;  // of a name without its quotes, of a placeholder without its braces
    SqlFault fault = SqlFault::none;

    [[nodiscard]] constexpr bool is(char c) const { return kind == Kind::sign && text[0] == c; }
    [[nodiscard]] constexpr bool is(std::string_view other) const {
        return kind == Kind::word && is_same_name(text, other);
    }
    [[nodiscard]] constexpr bool is_name() const { return kind == Kind::word || kind == Kind::name; }
};

// Cuts SQL text into tokens.
class SqlScanner {
public:
    constexpr explicit SqlScanner(std::string_view sql) : sql_(sql) {}

    // Where the next token begins, in bytes.
    [[nodiscard]] constexpr std::size_t position() const { return at_; }

    // The next token; white space and comments are tokens of kind `space`.
    constexpr SqlToken next() {
        if (at_ == sql_.size()) return {};
        char const c = sql_[at_];
        std::size_t const from = at_;
        switch (c) {
        case '\'': return quoted(c, SqlToken::Kind::text);
        case '"':
        case '`': return quoted(c, SqlToken::Kind::name);
        case '[': return quoted(']', SqlToken::Kind::name);
        case '{':
        case '}': return braces(c);
        case '?':
        case ':':
        case '@':
        case '$': return {SqlToken::Kind::fault, {}, SqlFault::native_parameter};
        case '\0': return {SqlToken::Kind::fault, {}, SqlFault::nul};
        default: break;
        }
        if (is_space(c) || starts("--") || starts("/*")) return space();
        if (!is_word(c)) {
            ++at_;
            return {SqlToken::Kind::sign, sql_.substr(from, 1)};
        }
        while (at_ < sql_.size() && (is_word(sql_[at_]) || sql_[at_] == '$')) ++at_;
        return {SqlToken::Kind::word, sql_.substr(from, at_ - from)};
    }
    // The same without white space.
    constexpr SqlToken next_solid() {
        SqlToken token = next();
        while (token.kind == SqlToken::Kind::space) token = next();
        return token;
    }

private:
    static constexpr bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    static constexpr bool is_word(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               static_cast<unsigned char>(c) >= 0x80;
    }
    [[nodiscard]] constexpr bool starts(std::string_view with) const {
        return sql_.substr(at_).starts_with(with);
    }
    constexpr SqlToken quoted(char end, SqlToken::Kind kind) {
        std::size_t const from = ++at_;
        bool doubled = false;  // then the name is not what stands there
        for (; at_ < sql_.size(); ++at_) {
            if (sql_[at_] == '\0') return {SqlToken::Kind::fault, {}, SqlFault::nul};
            if (sql_[at_] != end) continue;
            if (end == ']' || at_ + 1 == sql_.size() || sql_[at_ + 1] != end) {
                std::string_view const inside = sql_.substr(from, at_++ - from);
                return {doubled ? SqlToken::Kind::text : kind, inside};
            }
            doubled = true;
            ++at_;
        }
        return {SqlToken::Kind::fault, {}, SqlFault::quote};
    }
    constexpr SqlToken space() {
        std::size_t const from = at_;
        if (starts("--")) {
            while (at_ < sql_.size() && sql_[at_] != '\n' && sql_[at_] != '\0') ++at_;
        } else if (starts("/*")) {
            std::size_t const end = sql_.find("*/", at_ + 2);
            if (end == std::string_view::npos) return {SqlToken::Kind::fault, {}, SqlFault::quote};
            at_ = end + 2;
        } else {
            ++at_;
        }
        if (sql_.substr(from, at_ - from).find('\0') != std::string_view::npos)
            return {SqlToken::Kind::fault, {}, SqlFault::nul};
        return {SqlToken::Kind::space, sql_.substr(from, at_ - from)};
    }
    constexpr SqlToken braces(char c) {
        if (at_ + 1 < sql_.size() && sql_[at_ + 1] == c) {
            at_ += 2;
            return {SqlToken::Kind::brace, sql_.substr(at_ - 1, 1)};
        }
        std::size_t const from = at_ + 1;
        std::size_t end = from;
        while (end < sql_.size() && is_word(sql_[end])) ++end;
        bool const fine = c == '{' && end > from && end < sql_.size() && sql_[end] == '}' &&
                          !(sql_[from] >= '0' && sql_[from] <= '9');
        if (!fine) return {SqlToken::Kind::fault, {}, SqlFault::placeholder};
        at_ = end + 1;
        return {SqlToken::Kind::placeholder, sql_.substr(from, end - from)};
    }

    std::string_view sql_;
    std::size_t at_ = 0;
};

constexpr SqlFault kind_of_verb(SqlToken const& verb, SqlKind& kind) {
    constexpr std::string_view reads[] = {"select", "values", "explain"};
    constexpr std::string_view writes[] = {"insert", "replace", "update", "delete"};
    constexpr std::string_view schemas[] = {"create", "drop", "alter", "reindex", "analyze"};
    constexpr std::string_view forbidden[] = {"begin",   "commit", "end",    "rollback", "savepoint",
                                              "release", "pragma", "attach", "detach",   "vacuum"};
    if (verb.kind == SqlToken::Kind::end || verb.is(';')) return SqlFault::empty;
    if (verb.kind != SqlToken::Kind::word) return SqlFault::unknown;
    if (is_any_of(verb.text, forbidden)) return SqlFault::forbidden;
    if (is_any_of(verb.text, reads)) {
        kind = SqlKind::read;
    } else if (is_any_of(verb.text, writes)) {
        kind = SqlKind::write;
    } else if (is_any_of(verb.text, schemas)) {
        kind = SqlKind::schema;
    } else {
        return SqlFault::unknown;
    }
    return SqlFault::none;
}

// Finds the list of columns that come back, and counts it. Precondition: the scanner finds no fault.
class SqlColumns {
public:
    constexpr SqlColumns(std::string_view sql, SqlShape& shape) : scanner_(sql), shape_(shape) {}

    constexpr void read() {
        SqlToken token = scanner_.next_solid();
        if (token.is("explain") || token.is("values")) return;
        bool const with = token.is("with");
        bool found = token.is("select");
        for (; !found && token.kind != SqlToken::Kind::end; found = is_list_start(token, with))
            token = step();
        if (!found) {
            if (shape_.kind != SqlKind::read) shape_.column_count = 0;
            return;
        }
        list();
    }

private:
    constexpr SqlToken step() {
        SqlToken const token = scanner_.next_solid();
        if (token.is('(')) ++depth_;
        if (token.is(')')) --depth_;
        return token;
    }
    [[nodiscard]] constexpr bool is_list_start(SqlToken const& token, bool with) const {
        if (depth_ != 0) return false;
        if (shape_.kind == SqlKind::read) return with && token.is("select");
        return token.is("returning");
    }
    // Whether the list ends in front of this token, which follows `before`.
    [[nodiscard]] static constexpr bool is_list_end(SqlToken const& token, SqlToken const& before) {
        constexpr std::string_view ends[] = {"where", "group", "having",    "order",
                                             "limit", "union", "intersect", "except"};
        if (token.kind == SqlToken::Kind::end || token.is(';')) return true;
        if (token.is("from")) return !before.is("distinct");  // a IS DISTINCT FROM b
        return token.kind == SqlToken::Kind::word && is_any_of(token.text, ends);
    }
    constexpr void list() {
        std::size_t count = 0;
        SqlToken before;
        SqlToken token = step();
        if (token.is("distinct") || token.is("all")) token = step();
        while (true) {
            start_item();
            while (!(depth_ == 0 && (token.is(',') || is_list_end(token, before)))) {
                if (item(token, before)) return;  // a star: nobody knows how many
                before = token;
                token = step();
            }
            if (count < sql_named_columns_max) shape_.columns[count] = plain_ ? name_ : std::string_view();
            ++count;
            if (!token.is(',')) break;
            before = token;
            token = step();
        }
        shape_.column_count = count;
    }
    constexpr void start_item() {
        plain_ = true;
        tokens_ = 0;
        name_ = {};
    }
    // Takes one token of an item: `a`, `t.a` and `... AS a` have a plain name. True for a star.
    constexpr bool item(SqlToken const& token, SqlToken const& before) {
        if (depth_ == 0 && token.is('*') && (tokens_ == 0 || before.is('.'))) return true;
        if (tokens_ > 0 && before.is("as") && depth_ == 0 && token.is_name()) {
            plain_ = true;
        } else if (tokens_ % 2 == 0) {
            plain_ = plain_ && token.is_name() && !is_digit(token);
        } else {
            plain_ = plain_ && token.is('.');
        }
        if (plain_) name_ = token.is_name() ? token.text : std::string_view();
        ++tokens_;
        return false;
    }
    static constexpr bool is_digit(SqlToken const& token) {
        return token.kind == SqlToken::Kind::word && token.text[0] >= '0' && token.text[0] <= '9';
    }

    SqlScanner scanner_;
    SqlShape& shape_;
    int depth_ = 0;
    bool plain_ = true;
    std::size_t tokens_ = 0;
    std::string_view name_;
};

// Number of the placeholder, 1-based; 0 when there are too many.
constexpr std::size_t bind_number(SqlShape& shape, std::string_view name) {
    for (std::size_t index = 0; index < shape.bind_count; ++index) {
        if (shape.binds[index] == name) return index + 1;
    }
    if (shape.bind_count == sql_binds_max) return 0;
    shape.binds[shape.bind_count] = name;
    return ++shape.bind_count;
}

// Writes SQLite's text. It is never longer than what it was made from: "{a}" is at most "?64".
class SqlOutput {
public:
    constexpr SqlOutput(char* output, std::size_t& size) : output_(output), size_(size) { size_ = 0; }
    constexpr void text(std::string_view text) {
        for (char const c : text) put(c);
    }
    constexpr void parameter(std::size_t number) {
        put('?');
        if (number >= 10) put(static_cast<char>('0' + number / 10));
        put(static_cast<char>('0' + number % 10));
    }

private:
    constexpr void put(char c) {
        if (output_ != nullptr) output_[size_] = c;
        ++size_;
    }
    char* output_;
    std::size_t& size_;
};

// Copies the text and numbers the placeholders.
constexpr SqlFault translate(std::string_view sql, SqlShape& shape, SqlOutput writer) {
    SqlScanner scanner(sql);
    int depth = 0;
    bool ended = false;
    while (true) {
        std::size_t const from = scanner.position();
        SqlToken const token = scanner.next();
        if (token.kind == SqlToken::Kind::end) break;
        if (token.kind == SqlToken::Kind::fault) return token.fault;
        if (ended && token.kind != SqlToken::Kind::space && !token.is(';'))
            return SqlFault::several_statements;
        if (token.is(';')) {
            ended = true;
            continue;
        }
        if (token.is('(')) ++depth;
        if (token.is(')') && --depth < 0) return SqlFault::parenthesis;
        if (token.kind == SqlToken::Kind::placeholder) {
            std::size_t const number = bind_number(shape, token.text);
            if (number == 0) return SqlFault::too_many_binds;
            writer.parameter(number);
        } else {
            writer.text(token.kind == SqlToken::Kind::brace ? token.text
                                                            : sql.substr(from, scanner.position() - from));
        }
    }
    return depth == 0 ? SqlFault::none : SqlFault::parenthesis;
}

// Finds the verb, behind the tables of a WITH.
constexpr SqlFault find_kind(std::string_view sql, SqlKind& kind) {
    SqlScanner scanner(sql);
    SqlToken token = scanner.next_solid();
    if (!token.is("with")) return kind_of_verb(token, kind);
    int depth = 0;
    while (token.kind != SqlToken::Kind::end) {
        token = scanner.next_solid();
        if (token.is('(')) ++depth;
        if (token.is(')')) --depth;
        if (depth == 0 && token.kind == SqlToken::Kind::word && kind_of_verb(token, kind) == SqlFault::none &&
            kind != SqlKind::schema)
            return SqlFault::none;
    }
    return SqlFault::unknown;
}

// Takes a statement apart and writes SQLite's text, which has `size` bytes. `output` has room for the text,
// or is null.
constexpr SqlShape read_sql(std::string_view sql, char* output, std::size_t& size) {
    SqlShape shape;
    shape.fault = translate(sql, shape, SqlOutput(output, size));
    if (shape.fault == SqlFault::none) shape.fault = find_kind(sql, shape.kind);
    if (shape.fault == SqlFault::none) SqlColumns(sql, shape).read();
    return shape;
}

}  // namespace detail

// Takes a statement apart; `fault` of the result says what is wrong with it, if anything.
// Cost: linear in the text, no allocation.
[[nodiscard]] constexpr SqlShape read_sql(std::string_view sql) {
    std::size_t size = 0;
    return detail::read_sql(sql, nullptr, size);
}

namespace detail {
struct SqlTextMaker;
}

// A statement whose text is made at run time. Its values are bound like all others: what a user typed goes
// into an argument, never into the text.
//
// Threads: frozen.
class SqlText {
public:
    // Errors: parameter_invalid — the text is not one statement, or has a fault that SqlFault names.
    // Cost: allocates the text. Statements are kept ready by text, DatabaseOptions::dynamic_statements_max of
    //       them a connection, so a few texts that come again are as fast as those of the compiler.
    [[nodiscard]] static Result<SqlText> parse(std::string_view sql);

    [[nodiscard]] std::string const& sql() const { return sql_; }
    [[nodiscard]] SqlKind kind() const { return kind_; }
    [[nodiscard]] std::size_t bind_count() const { return bind_count_; }
    [[nodiscard]] std::size_t hash() const { return hash_; }

private:
    friend struct detail::SqlTextMaker;
    SqlText() = default;

    std::string sql_;
    std::size_t hash_ = 0;
    SqlKind kind_ = SqlKind::read;
    std::size_t bind_count_ = 0;
};

namespace detail {

// A text's place among the statements of a connection: numbered when first used.
struct SqlKey {
    std::string_view sql;                  // what SQLite gets
    std::atomic<std::uint32_t> number{0};  // 0: not yet
};

// What is known of a statement that the compiler has read. There is one for each text.
template <FixedString Sql>
struct SqlStatement {
    static constexpr SqlShape shape = quern::read_sql(Sql.view());
    static constexpr auto translated = [] {
        std::pair<std::array<char, sizeof(Sql.bytes)>, std::size_t> made{};
        read_sql(Sql.view(), made.first.data(), made.second);
        return made;
    }();
    static inline constinit SqlKey key{std::string_view(translated.first.data(), translated.second), {}};
};

// Says in the compiler's words what is wrong with a statement.
template <FixedString Sql>
consteval void check_sql() {
    constexpr SqlFault fault = SqlStatement<Sql>::shape.fault;
    static_assert(fault != SqlFault::empty, "the SQL text holds no statement");
    static_assert(fault != SqlFault::quote, "a quote, bracket or comment of the SQL text is not closed");
    static_assert(fault != SqlFault::parenthesis, "the parentheses of the SQL text do not match");
    static_assert(fault != SqlFault::placeholder,
                  "a placeholder of the SQL text is '{name}'; a brace of its own is doubled");
    static_assert(fault != SqlFault::native_parameter,
                  "the SQL text takes values as '{name}', not as '?', ':x', '@x' or '$x'");
    static_assert(fault != SqlFault::several_statements, "the SQL text holds more than one statement");
    static_assert(fault != SqlFault::too_many_binds, "the SQL text has at most 64 placeholders");
    static_assert(fault != SqlFault::forbidden,
                  "transactions, PRAGMA, ATTACH and VACUUM are not for SQL texts: use db.transaction() and "
                  "quern::DatabaseOptions");
    static_assert(fault != SqlFault::unknown, "the SQL text begins with no verb of SQL");
    static_assert(fault != SqlFault::nul, "the SQL text holds a NUL character");
}

}  // namespace detail

}  // namespace quern
