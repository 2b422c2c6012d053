// SPDX-License-Identifier: Apache-2.0
#include "library/migration_rows.h"

#include <algorithm>

#include "library/migration_sql.h"

namespace quern::detail {

namespace {

std::string_view const row_name = "\"quern row\"";

Error about(std::string field, std::string_view code, std::string message,
            ErrorCode error_code = ErrorCode::validation) {
    Error error(error_code, std::move(message));
    error.fields.push_back({std::move(field), std::string(code), error.message});
    return error;
}

// A row's key as text.
std::string key_text(FileTable const& file) {
    std::string key;
    for (std::string const& column : file.key)
        key += (key.empty() ? "quote(" : " || ', ' || quote(") + quoted_name(column) + ")";
    return key.empty() ? "quote(rowid)" : key;
}

// Whether `value`, an expression, can be stored in the column, and leads back to itself. Never NULL.
std::string fits(ColumnInfo const& column, std::string const& value) {
    std::string const type = "typeof(" + value + ")";
    auto const cast = [&value](std::string const& type_name) {
        return "CAST(" + value + " AS " + type_name + ")";
    };
    auto const leads_back = [&](std::string const& by, std::string const& stored) {
        return "(" + type + " = '" + stored + "' AND CAST(" + cast(by) + " AS " +
               (stored == "integer" ? "INTEGER"
                : stored == "real"  ? "REAL"
                                    : "TEXT") +
               ") = " + value + ")";
    };
    std::string condition = value + " IS NULL OR ";
    switch (column.type) {
    case ColumnType::integer:
        return condition + type + " = 'integer' OR (" + type + " = 'real' AND " + cast("INTEGER") + " = " +
               value + ") OR " + leads_back("INTEGER", "text");
    case ColumnType::boolean: return condition + type + " <> 'blob' AND " + cast("TEXT") + " IN ('0', '1')";
    case ColumnType::real:
        return condition + type + " = 'real' OR " + leads_back("REAL", "integer") + " OR " +
               leads_back("REAL", "text") + " OR " + leads_back("INTEGER", "text");
    case ColumnType::blob: return condition + type + " = 'blob'";
    case ColumnType::text: break;
    }
    if (column.choices.empty())
        return condition + type + " IN ('text', 'integer') OR " + leads_back("TEXT", "real");
    std::string const chosen = column_condition(column);
    return condition + type + " = 'text' AND " + value +
           chosen.substr(quoted_name(column.name).size());  // IN (…)
}

class RowQuestions {
public:
    RowQuestions(engine::sqlite::Connection const& connection, std::span<TableDiff> diffs)
        : connection_(connection), diffs_(diffs) {}

    Result<void> run() {
        for (TableDiff& diff : diffs_) {
            for (std::size_t column = 0; column < diff.columns.size(); ++column)
                QUERN_CHECK(settle_column(diff, column));
            QUERN_CHECK(look_into_dropped(diff));
        }
        for (TableDiff const& diff : diffs_) {
            if (!diff.file->has_rows || diff.empty()) continue;
            QUERN_CHECK(ask_conditions(diff));
            QUERN_CHECK(ask_unique(diff));
            QUERN_CHECK(ask_references(diff));
        }
        return {};
    }

private:
    // The key of the first row for which the condition holds.
    Result<std::optional<std::string>> first_row(FileTable const& file, std::string const& condition) {
        return first_text(connection_, "SELECT " + key_text(file) + " FROM " + quoted_name(file.name) +
                                           " WHERE " + condition + " LIMIT 1");
    }

    static bool is_given(TableDiff const& diff, std::size_t column) {
        return diff.model->key_is_given && diff.model->key[0] == column;
    }

    Result<void> settle_column(TableDiff& diff, std::size_t column) {
        ColumnDiff& change = diff.columns[column];
        if (change.file == nullptr) return settle_new(diff, column);
        change.source = quoted_name(change.file->name);
        if (!diff.rebuild || !diff.file->has_rows) {
            fill_nulls(diff, column);
            return {};
        }
        if (change.must_fit) QUERN_CHECK(settle_misfits(diff, column));
        return settle_nulls(diff, column);
    }

    static Result<void> settle_new(TableDiff const& diff, std::size_t column) {
        ColumnInfo const& wanted = diff.model->columns[column];
        bool const has_value = wanted.nullable || is_given(diff, column) || !default_sql(wanted).empty();
        if (has_value || !diff.file->has_rows) return {};
        std::string const name = dotted(diff.model->name, wanted.name);
        return fail(about(name, "required",
                          "The column " + name +
                              " cannot be added: the table has rows, and nothing says what they hold there. "
                              "Give it a default_to, or make it a std::optional."));
    }

    Result<void> settle_misfits(TableDiff& diff, std::size_t column) {
        ColumnInfo const& wanted = diff.model->columns[column];
        ColumnDiff& change = diff.columns[column];
        std::string const condition = fits(wanted, change.source);
        QUERN_TRY(auto const row, first_row(*diff.file, "NOT (" + condition + ")"));
        if (!row) return {};
        std::string const name = dotted(diff.model->name, wanted.name);
        std::string const value = default_sql(wanted);
        std::string const what = wanted.choices.empty() ? "does not convert to " + type_for_people(wanted)
                                                        : "is none of its choices";
        if (value.empty() && !wanted.nullable)
            return fail(about(name, "type_mismatch",
                              "The value of " + name + " in the row with the key " + *row + " " + what +
                                  ", and the column has no default to take its place."));
        change.loses_data = true;
        change.changes.push_back("the value in the row with the key " + *row + " " + what + " and becomes " +
                                 (value.empty() ? "NULL" : value));
        change.source = "CASE WHEN " + condition + " THEN " + change.source + " ELSE " +
                        (value.empty() ? "NULL" : value) + " END";
        return {};
    }
    static std::string type_for_people(ColumnInfo const& column) {
        return column.type == ColumnType::boolean ? "0 or 1" : std::string(sql_type(column.type));
    }

    Result<void> settle_nulls(TableDiff& diff, std::size_t column) {
        ColumnInfo const& wanted = diff.model->columns[column];
        ColumnDiff const& change = diff.columns[column];
        if (fill_nulls(diff, column) || wanted.nullable || is_given(diff, column) || change.file->not_null)
            return {};
        QUERN_TRY(auto const row, first_row(*diff.file, quoted_name(change.file->name) + " IS NULL"));
        if (!row) return {};
        std::string const name = dotted(diff.model->name, wanted.name);
        return fail(about(name, "required",
                          "The column " + name + " is NULL in the row with the key " + *row +
                              ". Give it a default_to, or make it a std::optional."));
    }

    // A column that may not be NULL any more gets its default there, also in rows that come later, where a
    // script runs.
    static bool fill_nulls(TableDiff& diff, std::size_t column) {
        ColumnInfo const& wanted = diff.model->columns[column];
        ColumnDiff& change = diff.columns[column];
        std::string const value = default_sql(wanted);
        if (!diff.rebuild || wanted.nullable || change.file->not_null || value.empty()) return false;
        if (is_given(diff, column)) return false;
        change.source = "coalesce(" + change.source + ", " + value + ")";
        return true;
    }

    Result<void> look_into_dropped(TableDiff& diff) {
        for (DroppedColumn& column : diff.dropped) {
            QUERN_TRY(auto const row, first_row(*diff.file, quoted_name(column.file->name) + " IS NOT NULL"));
            column.has_values = row.has_value();
        }
        return {};
    }

    // The rows as they would be.
    [[nodiscard]] static std::string projection(TableDiff const& diff) {
        std::string sql = "(SELECT ";
        for (std::size_t column = 0; column < diff.columns.size(); ++column) {
            ColumnInfo const& wanted = diff.model->columns[column];
            ColumnDiff const& change = diff.columns[column];
            std::string value = change.source;
            if (value.empty()) value = default_sql(wanted);
            if (value.empty()) value = "NULL";
            if (change.file == nullptr || !change.changes.empty())
                value = "CAST(" + value + " AS " + std::string(sql_type(wanted.type)) + ")";
            sql += value + " AS " + quoted_name(wanted.name) + ", ";
        }
        sql += key_text(*diff.file) + " AS ";
        sql += row_name;
        return sql + " FROM " + quoted_name(diff.file->name) + ")";
    }
    [[nodiscard]] static std::string select_row(TableDiff const& diff, std::string const& what) {
        return "SELECT " + what + " FROM " + projection(diff) + " AS " + quoted_name(diff.model->name) +
               " WHERE ";
    }

    // What held for the old values need not hold for those that they become.
    [[nodiscard]] static bool has_changes(TableDiff const& diff) {
        return std::ranges::any_of(diff.columns,
                                   [](ColumnDiff const& column) { return !column.changes.empty(); });
    }
    [[nodiscard]] static bool has_changes(TableDiff const& diff, std::span<std::uint16_t const> columns) {
        return std::ranges::any_of(
            columns, [&diff](std::uint16_t column) { return !diff.columns[column].changes.empty(); });
    }

    Result<void> ask_conditions(TableDiff const& diff) {
        for (std::size_t index = 0; index < diff.has_check.size(); ++index) {
            if (diff.has_check[index] && !has_changes(diff)) continue;
            std::string const condition(diff.model->checks[index]);
            auto const row = first_text(
                connection_, select_row(diff, std::string(row_name)) + "NOT (" + condition + ") LIMIT 1");
            if (!row) {
                Error error = row.error();
                error.message = "The condition " + condition + " of the table \"" +
                                std::string(diff.model->name) + "\": " + error.message;
                return fail(std::move(error));
            }
            if (!*row) continue;
            return fail(about(std::string(diff.model->name), "check_failed",
                              "The row with the key " + **row + " of the table \"" +
                                  std::string(diff.model->name) + "\" breaks the condition " + condition +
                                  "."));
        }
        return {};
    }

    Result<void> ask_unique(TableDiff const& diff) {
        if (diff.key_differs || has_changes(diff, diff.model->key))
            QUERN_CHECK(ask_unique(diff, diff.model->key));
        for (std::size_t index = 0; index < diff.has_index.size(); ++index) {
            IndexInfo const& wanted = diff.model->indexes[index];
            bool const is_sure = diff.has_index[index] && !has_changes(diff, wanted.columns);
            if (wanted.unique && !is_sure) QUERN_CHECK(ask_unique(diff, wanted.columns));
        }
        return {};
    }
    Result<void> ask_unique(TableDiff const& diff, std::span<std::uint16_t const> columns) {
        std::string condition;
        std::string group;
        for (std::uint16_t const column : columns) {
            std::string const name = quoted_name(diff.model->columns[column].name);
            condition += (condition.empty() ? "" : " AND ") + name + " IS NOT NULL";
            group += (group.empty() ? "" : ", ") + name;
        }
        std::string const row(row_name);
        QUERN_TRY(
            auto const rows,
            first_text(connection_, select_row(diff, "min(" + row + ") || ' and ' || max(" + row + ")") +
                                        condition + " GROUP BY " + group + " HAVING count(*) > 1 LIMIT 1"));
        if (!rows) return {};
        Error error(ErrorCode::conflict, "The rows with the keys " + *rows + " of the table \"" +
                                             std::string(diff.model->name) + "\" have the same values in " +
                                             group + ", which must be unique.");
        for (std::uint16_t const column : columns)
            error.fields.push_back(
                {dotted(diff.model->name, diff.model->columns[column].name), "not_unique", error.message});
        return fail(std::move(error));
    }

    Result<void> ask_references(TableDiff const& diff) {
        for (std::size_t index = 0; index < diff.has_reference.size(); ++index) {
            ReferenceInfo const& wanted = diff.model->references[index];
            if (diff.has_reference[index] && !has_changes(diff, std::span(&wanted.column, 1))) continue;
            std::string_view const column = diff.model->columns[wanted.column].name;
            QUERN_TRY(auto const keys, keys_of(wanted.target()));
            std::string sql = select_row(diff, std::string(row_name)) + quoted_name(column) + " IS NOT NULL";
            if (!keys.empty()) sql += " AND " + quoted_name(column) + " NOT IN (" + keys + ")";
            QUERN_TRY(auto const row, first_text(connection_, sql + " LIMIT 1"));
            if (!row) continue;
            std::string const name = dotted(diff.model->name, column);
            return fail(about(name, "foreign_key",
                              "What " + name + " refers to in the row with the key " + *row +
                                  " is not in the table \"" + std::string(wanted.target().name) + "\"."));
        }
        return {};
    }

    // The keys that a reference may hold; empty where the table is to be made.
    Result<std::string> keys_of(TableInfo const& target) {
        std::string const key = quoted_name(target.columns[target.key[0]].name);
        std::string const present = " WHERE " + key + " IS NOT NULL";
        auto const found = std::ranges::find_if(
            diffs_, [&target](TableDiff const& diff) { return is_same_name(diff.model->name, target.name); });
        if (found != diffs_.end()) return "SELECT " + key + " FROM " + projection(*found) + present;
        QUERN_TRY(bool const there, has_name(connection_, target.name));
        if (!there) return std::string();
        return "SELECT " + key + " FROM " + quoted_name(target.name) + present;
    }

    engine::sqlite::Connection const& connection_;
    std::span<TableDiff> diffs_;
};

}  // namespace

Result<void> ask_rows(engine::sqlite::Connection const& connection, std::span<TableDiff> diffs) {
    return RowQuestions(connection, diffs).run();
}

}  // namespace quern::detail
