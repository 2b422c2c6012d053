// SPDX-License-Identifier: Apache-2.0

// Texts of the statements of a table. They are made once a model.

#include <quern/table.h>

#include <algorithm>

#include "engine/sql/dialect.h"
#include "library/sql_text_maker.h"

namespace quern::detail {

namespace {

void append_name(std::string& sql, std::string_view name) {
    engine::sql::append_identifier(sql, engine::sql::sqlite_dialect(), name);
}

void append_columns(std::string& sql, TableInfo const& table, std::span<std::uint16_t const> columns,
                    std::string_view behind, std::string_view between) {
    bool first = true;
    for (std::uint16_t const column : columns) {
        if (!std::exchange(first, false)) sql += between;
        append_name(sql, table.columns[column].name);
        sql += behind;
    }
}

std::string where_key(TableInfo const& table) {
    std::string sql = " WHERE ";
    append_columns(sql, table, table.key, " = ?", " AND ");
    return sql;
}

void append_conflict(std::string& sql, InsertForm const& form) {
    sql += " ON CONFLICT (";
    append_columns(sql, *form.table, form.target, "", ", ");
    if (form.conflict == Conflict::ignored) {
        sql += ") DO NOTHING";
        return;
    }
    sql += ") DO UPDATE SET ";
    bool first = true;
    for (std::uint16_t const column : form.updated) {
        if (!std::exchange(first, false)) sql += ", ";
        append_name(sql, form.table->columns[column].name);
        sql += " = excluded.";
        append_name(sql, form.table->columns[column].name);
    }
}

}  // namespace

SqlText insert_text(InsertForm const& form, std::size_t rows) {
    TableInfo const& table = *form.table;
    std::string sql = "INSERT INTO ";
    append_name(sql, table.name);
    sql += " (";
    std::string row = "(";
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        if (column > 0) {
            sql += ", ";
            row += ", ";
        }
        append_name(sql, table.columns[column].name);
        row += '?';
    }
    row += ')';
    sql += ") VALUES ";
    for (std::size_t index = 0; index < rows; ++index) {
        if (index > 0) sql += ", ";
        sql += row;
    }
    if (form.conflict != Conflict::fails) append_conflict(sql, form);
    return SqlTextMaker::make(std::move(sql), SqlKind::write, rows * table.columns.size());
}

SqlText get_text(TableInfo const& table) {
    std::string sql = "SELECT ";
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        if (column > 0) sql += ", ";
        append_name(sql, table.columns[column].name);
    }
    sql += " FROM ";
    append_name(sql, table.name);
    return SqlTextMaker::make(sql + where_key(table), SqlKind::read, table.key.size());
}

SqlText update_text(TableInfo const& table) {
    std::string sql = "UPDATE ";
    append_name(sql, table.name);
    sql += " SET ";
    bool first = true;
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
        if (std::ranges::find(table.key, column) != table.key.end()) continue;
        if (!std::exchange(first, false)) sql += ", ";
        append_name(sql, table.columns[column].name);
        sql += " = ?";
    }
    return SqlTextMaker::make(sql + where_key(table), SqlKind::write, table.columns.size());
}

SqlText remove_text(TableInfo const& table) {
    std::string sql = "DELETE FROM ";
    append_name(sql, table.name);
    return SqlTextMaker::make(sql + where_key(table), SqlKind::write, table.key.size());
}

}  // namespace quern::detail
