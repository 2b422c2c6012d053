// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models as SQL text, and SQL text taken apart so that two texts can be compared.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/model.h>

namespace quern::detail {

// --- writing ---

[[nodiscard]] std::string quoted_name(std::string_view name);
[[nodiscard]] std::string text_literal(std::string_view text);
// table.column, as errors and sentences have it.
[[nodiscard]] std::string dotted(std::string_view table, std::string_view column);
// "a", "b".
[[nodiscard]] std::string quoted_names(TableInfo const& table, std::span<std::uint16_t const> columns);

[[nodiscard]] std::string_view sql_type(ColumnType type);
// Empty: the column has none, which is the same as NULL.
[[nodiscard]] std::string default_sql(ColumnInfo const& column);
// The condition that a boolean or an enumeration keeps to; empty for all else.
[[nodiscard]] std::string column_condition(ColumnInfo const& column);
[[nodiscard]] std::string_view on_delete_sql(OnDelete on_delete);
// `"name" TYPE constraints`, as in CREATE TABLE and ADD COLUMN.
[[nodiscard]] std::string column_definition(TableInfo const& table, std::size_t column);

// Without a semicolon. The table gets `name`: its own, or one for the time of a rebuild.
[[nodiscard]] std::string create_table_sql(TableInfo const& table, std::string_view name);
[[nodiscard]] std::string create_index_sql(TableInfo const& table, IndexInfo const& index);
[[nodiscard]] std::string index_name(TableInfo const& table, IndexInfo const& index);
// Whether a model of the table would give an index such a name.
[[nodiscard]] bool is_index_of_models(std::string_view index, std::string_view table);

// The tables behind those that they refer to.
[[nodiscard]] std::vector<TableInfo const*> in_order_of_references(std::span<TableInfo const* const> tables);

// --- reading ---

struct SqlWord {
    enum class Kind : std::uint8_t { word, name, text, sign };
    Kind kind = Kind::word;
    std::string text;  // of a name without its quotes, of a text as it stands

    [[nodiscard]] bool is(char c) const { return kind == Kind::sign && text[0] == c; }
    [[nodiscard]] bool is(std::string_view word) const {
        return kind == Kind::word && is_same_name(text, word);
    }
};
// Nothing where the text is none of SQLite's.
[[nodiscard]] std::optional<std::vector<SqlWord>> sql_words(std::string_view sql);
// One form for texts that differ in white space, comments, quotes of names and case alone.
[[nodiscard]] std::string normal_form(std::span<SqlWord const> words);
[[nodiscard]] std::string normal_form(std::string_view sql);
// Whether a normal form has the name in it.
[[nodiscard]] bool mentions(std::string_view normal, std::string_view name);

}  // namespace quern::detail
