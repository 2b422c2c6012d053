// SPDX-License-Identifier: Apache-2.0
#include "library/migration_sql.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <quern/assert.h>
#include <quern/sql_text.h>
#include "engine/sql/dialect.h"

namespace quern::detail {

namespace {

std::string real_literal(double value) {
    if (std::isnan(value)) return {};
    if (std::isinf(value)) return value < 0 ? "-9e999" : "9e999";
    std::array<char, 32> digits;
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    std::string text(digits.data(), end);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

std::string_view const index_prefix = "index_";
std::string_view const unique_prefix = "unique_";
std::string_view const between_names = "__";

ReferenceInfo const* find_reference(TableInfo const& table, std::size_t column, std::size_t& at) {
    for (; at < table.references.size(); ++at) {
        if (table.references[at].column == column) return &table.references[at++];
    }
    return nullptr;
}

}  // namespace

std::string quoted_name(std::string_view name) {
    return engine::sql::identifier(engine::sql::sqlite_dialect(), name);
}

std::string text_literal(std::string_view text) {
    std::string literal = "'";
    for (char const c : text) {
        if (c == '\'') literal += c;
        literal += c;
    }
    return literal + '\'';
}

std::string dotted(std::string_view table, std::string_view column) {
    std::string name(table);
    name += '.';
    name += column;
    return name;
}

std::string quoted_names(TableInfo const& table, std::span<std::uint16_t const> columns) {
    std::string names;
    for (std::uint16_t const column : columns) {
        if (!names.empty()) names += ", ";
        names += quoted_name(table.columns[column].name);
    }
    return names;
}

std::string_view sql_type(ColumnType type) {
    switch (type) {
    case ColumnType::integer:
    case ColumnType::boolean: return "INTEGER";
    case ColumnType::real: return "REAL";
    case ColumnType::text: return "TEXT";
    case ColumnType::blob: return "BLOB";
    }
    QUERN_ASSERT(false, "every type of a column has a name");
    return {};
}

std::string default_sql(ColumnInfo const& column) {
    struct Literal {
        std::string operator()(std::monostate) const { return {}; }
        std::string operator()(std::nullptr_t) const { return {}; }
        std::string operator()(bool value) const { return value ? "1" : "0"; }
        std::string operator()(std::int64_t value) const { return std::to_string(value); }
        std::string operator()(double value) const { return real_literal(value); }
        std::string operator()(std::string_view value) const { return text_literal(value); }
    };
    return std::visit(Literal(), column.default_value);
}

std::string column_condition(ColumnInfo const& column) {
    if (column.type == ColumnType::boolean) return quoted_name(column.name) + " IN (0, 1)";
    if (column.choices.empty()) return {};
    std::string choices;
    for (std::string_view const choice : column.choices) {
        if (!choices.empty()) choices += ", ";
        choices += text_literal(choice);
    }
    return quoted_name(column.name) + " IN (" + choices + ")";
}

std::string_view on_delete_sql(OnDelete on_delete) {
    switch (on_delete) {
    case OnDelete::no_action: return "NO ACTION";
    case OnDelete::restrict: return "RESTRICT";
    case OnDelete::cascade: return "CASCADE";
    case OnDelete::set_null: return "SET NULL";
    case OnDelete::set_default: return "SET DEFAULT";
    }
    QUERN_ASSERT(false, "every action has a name");
    return {};
}

std::string column_definition(TableInfo const& table, std::size_t column) {
    ColumnInfo const& info = table.columns[column];
    std::string sql = quoted_name(info.name);
    sql += ' ';
    sql += sql_type(info.type);
    if (table.key_is_given && table.key[0] == column) {
        sql += " PRIMARY KEY";
    } else if (!info.nullable) {
        sql += " NOT NULL";
    }
    if (std::string const value = default_sql(info); !value.empty()) sql += " DEFAULT " + value;
    std::size_t at = 0;
    while (ReferenceInfo const* reference = find_reference(table, column, at)) {
        TableInfo const& target = reference->target();
        sql += " REFERENCES " + quoted_name(target.name) + " (" + quoted_names(target, target.key) + ")";
        if (reference->on_delete != OnDelete::no_action) {
            sql += " ON DELETE ";
            sql += on_delete_sql(reference->on_delete);
        }
    }
    if (std::string const condition = column_condition(info); !condition.empty())
        sql += " CHECK (" + condition + ")";
    return sql;
}

std::string create_table_sql(TableInfo const& table, std::string_view name) {
    std::string sql = "CREATE TABLE " + quoted_name(name) + " (";
    for (std::size_t column = 0; column < table.columns.size(); ++column)
        sql += (column == 0 ? "\n  " : ",\n  ") + column_definition(table, column);
    if (!table.key_is_given) sql += ",\n  PRIMARY KEY (" + quoted_names(table, table.key) + ")";
    for (std::string_view const condition : table.checks) {
        sql += ",\n  CHECK (";
        sql += condition;
        sql += ')';
    }
    return sql + "\n) STRICT";
}

std::string create_index_sql(TableInfo const& table, IndexInfo const& index) {
    return std::string(index.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ") +
           quoted_name(index_name(table, index)) + " ON " + quoted_name(table.name) + " (" +
           quoted_names(table, index.columns) + ")";
}

std::string index_name(TableInfo const& table, IndexInfo const& index) {
    std::string name(index.unique ? unique_prefix : index_prefix);
    name += table.name;
    for (std::uint16_t const column : index.columns) {
        name += between_names;
        name += table.columns[column].name;
    }
    return name;
}

bool is_index_of_models(std::string_view index, std::string_view table) {
    if (table.empty()) return false;
    for (std::string_view const prefix : {index_prefix, unique_prefix}) {
        std::string start(prefix);
        start += table;
        start += between_names;
        if (is_same_name(index.substr(0, start.size()), start)) return true;
    }
    return false;
}

// --- order ---

namespace {

// Depth first; a table that is being visited already closes a circle, and stays behind.
class ReferenceOrder {
public:
    explicit ReferenceOrder(std::span<TableInfo const* const> tables) : tables_(tables) {}

    std::vector<TableInfo const*> run() {
        for (TableInfo const* table : tables_) visit(*table);
        return std::move(ordered_);
    }

private:
    void visit(TableInfo const& table) {
        if (std::ranges::find(seen_, &table) != seen_.end()) return;
        seen_.push_back(&table);
        for (ReferenceInfo const& reference : table.references) {
            auto const target = std::ranges::find(tables_, &reference.target());
            if (target != tables_.end()) visit(**target);
        }
        ordered_.push_back(&table);
    }

    std::span<TableInfo const* const> tables_;
    std::vector<TableInfo const*> seen_;
    std::vector<TableInfo const*> ordered_;
};

}  // namespace

std::vector<TableInfo const*> in_order_of_references(std::span<TableInfo const* const> tables) {
    return ReferenceOrder(tables).run();
}

// --- reading ---

namespace {

// What stands between the quotes, with doubled ones as one.
std::string unquoted(std::string_view inside, char quote) {
    std::string text;
    for (std::size_t index = 0; index < inside.size(); ++index) {
        text += inside[index];
        if (inside[index] == quote && quote != '[') ++index;
    }
    return text;
}

SqlWord word_of(SqlToken const& token, char first) {
    switch (token.kind) {
    case SqlToken::Kind::word: return {SqlWord::Kind::word, std::string(token.text)};
    case SqlToken::Kind::name:
    case SqlToken::Kind::text:
        // The scanner calls a name with doubled quotes a text.
        if (first == '\'') return {SqlWord::Kind::text, text_literal(unquoted(token.text, first))};
        return {SqlWord::Kind::name, unquoted(token.text, first)};
    default: return {SqlWord::Kind::sign, std::string(token.text)};
    }
}

}  // namespace

std::optional<std::vector<SqlWord>> sql_words(std::string_view sql) {
    std::vector<SqlWord> words;
    SqlScanner scanner(sql);
    while (true) {
        std::size_t const from = scanner.position();
        SqlToken const token = scanner.next();
        if (token.kind == SqlToken::Kind::end) return words;
        if (token.kind == SqlToken::Kind::fault || token.kind == SqlToken::Kind::placeholder ||
            token.kind == SqlToken::Kind::brace)
            return std::nullopt;
        if (token.kind != SqlToken::Kind::space) words.push_back(word_of(token, sql[from]));
    }
}

std::string normal_form(std::span<SqlWord const> words) {
    std::string normal;
    for (SqlWord const& word : words) {
        if (!normal.empty()) normal += ' ';
        bool const folds = word.kind != SqlWord::Kind::text;
        for (char const c : word.text) normal += folds ? lower(c) : c;
    }
    return normal;
}

std::string normal_form(std::string_view sql) {
    auto const words = sql_words(sql);
    return words ? normal_form(*words) : std::string(sql);
}

bool mentions(std::string_view normal, std::string_view name) {
    std::string wanted(1, ' ');
    for (char const c : name) wanted += lower(c);
    wanted += ' ';
    std::string padded(1, ' ');
    padded += normal;
    padded += ' ';
    return padded.find(wanted) != std::string::npos;
}

}  // namespace quern::detail
