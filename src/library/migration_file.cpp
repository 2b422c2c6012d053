// SPDX-License-Identifier: Apache-2.0
#include "library/migration_file.h"

#include <algorithm>

#include <quern/sql_text.h>
#include "library/migration_sql.h"
#include "library/sqlite_connection.h"

namespace quern::detail {

namespace sqlite = engine::sqlite;

namespace {

Result<sqlite::Statement> prepare(sqlite::Connection const& connection, std::string_view sql) {
    sqlite3_stmt* handle = nullptr;
    int const code =
        sqlite3_prepare_v3(connection.get(), sql.data(), static_cast<int>(sql.size()), 0, &handle, nullptr);
    sqlite::Statement statement(handle);
    if (code != SQLITE_OK) return fail(sql_error(code, sqlite3_errmsg(connection.get())));
    return statement;
}

}  // namespace

Result<void> each_row(sqlite::Connection const& connection, std::string_view sql,
                      std::span<Value const> parameters,
                      std::function<void(sqlite::Statement const&)> const& take) {
    QUERN_TRY(auto statement, prepare(connection, sql));
    for (std::size_t index = 0; index < parameters.size(); ++index)
        (void)statement.bind(static_cast<int>(index + 1), parameters[index]);
    int code = statement.step();
    for (; code == SQLITE_ROW; code = statement.step()) take(statement);
    if (code != SQLITE_DONE) return fail(sql_error(code, sqlite3_errmsg(connection.get())));
    return {};
}

Result<bool> has_name(sqlite::Connection const& connection, std::string_view name) {
    Value const wanted = Value::of(name);
    QUERN_TRY(auto const found,
              first_text(connection, "SELECT name FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE",
                         std::span(&wanted, 1)));
    return found.has_value();
}

Result<std::optional<std::string>> first_text(sqlite::Connection const& connection, std::string_view sql,
                                              std::span<Value const> parameters) {
    std::optional<std::string> first;
    QUERN_CHECK(each_row(connection, sql, parameters, [&first](sqlite::Statement const& row) {
        if (!first) first = std::string(row.column(0).text);
    }));
    return first;
}

FileColumn const* FileTable::find(std::string_view wanted) const {
    auto const found = std::ranges::find_if(
        columns, [wanted](FileColumn const& column) { return is_same_name(column.name, wanted); });
    return found == columns.end() ? nullptr : &*found;
}

namespace {

std::string text_of(sqlite::Statement const& row, int column) { return std::string(row.column(column).text); }
bool flag_of(sqlite::Statement const& row, int column) { return row.column(column).integer != 0; }

// Reads the text of a CREATE TABLE.
class TableText {
public:
    TableText(std::span<SqlWord const> words, FileTable& table) : words_(words), table_(table) {}

    void read() {
        while (at_ < words_.size() && !words_[at_].is('(')) ++at_;
        ++at_;
        int depth = 1;
        bool item_starts = true;
        std::string column;
        for (; at_ < words_.size() && depth > 0; ++at_) {
            SqlWord const& word = words_[at_];
            if (item_starts) {
                item_starts = false;
                column = is_table_constraint(word) ? std::string() : word.text;
                if (!column.empty()) continue;
            }
            if (word.is('(')) ++depth;
            if (word.is(')')) --depth;
            if (depth != 1) continue;
            if (word.is(',')) {
                item_starts = true;
            } else if (word.is("check") && next_is('(')) {
                read_check(column);
            } else {
                read_unsayable(word, column);
            }
        }
        read_options();
    }

private:
    static bool is_table_constraint(SqlWord const& word) {
        return word.is("constraint") || word.is("primary") || word.is("unique") || word.is("check") ||
               word.is("foreign");
    }
    [[nodiscard]] bool next_is(char c) const { return at_ + 1 < words_.size() && words_[at_ + 1].is(c); }
    [[nodiscard]] std::string next_text() const {
        return at_ + 1 < words_.size() ? words_[at_ + 1].text : std::string();
    }

    // Ends at the closing parenthesis.
    void read_check(std::string const& column) {
        std::size_t const from = at_ + 2;
        int depth = 0;
        for (++at_; at_ < words_.size(); ++at_) {
            if (words_[at_].is('(')) ++depth;
            if (words_[at_].is(')') && --depth == 0) break;
        }
        table_.checks.push_back(
            {normal_form(words_.subspan(from, std::min(at_, words_.size()) - from)), column});
    }

    void read_unsayable(SqlWord const& word, std::string const& column) {
        if (word.is("collate") && !is_same_name(next_text(), "binary")) add("COLLATE " + next_text(), column);
        if (word.is("autoincrement")) add("AUTOINCREMENT", column);
        if (word.is("conflict")) add("ON CONFLICT", column);
        if (word.is("deferrable") && !words_[at_ - 1].is("not")) add("DEFERRABLE", column);
    }
    void add(std::string what, std::string const& column) {
        if (!column.empty()) what += " of " + column;
        table_.unsayable.push_back(std::move(what));
    }

    void read_options() {
        for (; at_ < words_.size(); ++at_) {
            if (words_[at_].is("strict")) table_.is_strict = true;
            if (words_[at_].is("rowid")) table_.unsayable.emplace_back("WITHOUT ROWID");
        }
    }

    std::span<SqlWord const> words_;
    FileTable& table_;
    std::size_t at_ = 0;
};

class TableReader {
public:
    TableReader(sqlite::Connection const& connection, FileTable& table)
        : connection_(connection), table_(table), name_(Value::of(std::string_view(table.name))) {}

    Result<void> read(std::string_view sql) {
        auto const words = sql_words(sql);
        if (!words)
            return fail(ErrorCode::internal, "The text of the table \"" + table_.name + "\" is unreadable.");
        TableText(*words, table_).read();
        QUERN_CHECK(read_columns());
        QUERN_CHECK(read_indexes());
        QUERN_CHECK(read_references());
        QUERN_CHECK(read_triggers());
        bool has_key_index = std::ranges::any_of(table_.indexes, &FileIndex::is_key);
        bool const has_rowid = std::ranges::find(table_.unsayable, "WITHOUT ROWID") == table_.unsayable.end();
        table_.key_is_rowid = has_rowid && !has_key_index && table_.key.size() == 1;
        QUERN_TRY(auto const row,
                  first_text(connection_, "SELECT '' FROM " + quoted_name(table_.name) + " LIMIT 1"));
        table_.has_rows = row.has_value();
        return {};
    }

private:
    using Row = sqlite::Statement const&;
    Result<void> each(std::string_view sql, std::function<void(Row)> const& take) {
        return each_row(connection_, sql, std::span(&name_, 1), take);
    }

    Result<void> read_columns() {
        std::vector<std::pair<std::int64_t, std::string>> key;
        QUERN_CHECK(each("SELECT name, type, \"notnull\", dflt_value, pk, hidden FROM pragma_table_xinfo(?1)",
                         [&](Row row) {
                             FileColumn column{text_of(row, 0), text_of(row, 1), flag_of(row, 2),
                                               flag_of(row, 5), text_of(row, 3)};
                             if (is_same_name(column.default_sql, "null")) column.default_sql.clear();
                             if (flag_of(row, 4)) key.emplace_back(row.column(4).integer, column.name);
                             if (column.is_generated)
                                 table_.unsayable.push_back("GENERATED of " + column.name);
                             table_.columns.push_back(std::move(column));
                         }));
        std::ranges::sort(key);
        for (auto& [place, name] : key) table_.key.push_back(std::move(name));
        return {};
    }

    Result<void> read_indexes() {
        QUERN_CHECK(
            each("SELECT l.name, l.\"unique\", l.origin = 'pk', NOT l.partial, s.sql FROM "
                 "pragma_index_list(?1) AS l LEFT JOIN sqlite_schema AS s ON s.type = 'index' AND "
                 "s.name = l.name ORDER BY l.name",
                 [&](Row row) {
                     table_.indexes.push_back({.name = text_of(row, 0),
                                               .sql = text_of(row, 4),
                                               .unique = flag_of(row, 1),
                                               .is_key = flag_of(row, 2),
                                               .is_plain = flag_of(row, 3),
                                               .columns = {}});
                 }));
        for (FileIndex& index : table_.indexes) {
            Value const name = Value::of(std::string_view(index.name));
            QUERN_CHECK(each_row(connection_,
                                 "SELECT name, \"desc\" OR coll <> 'BINARY' COLLATE NOCASE FROM "
                                 "pragma_index_xinfo(?1) WHERE key ORDER BY seqno",
                                 std::span(&name, 1), [&](Row row) {
                                     bool const is_column = row.column(0).is_text();
                                     if (!is_column || flag_of(row, 1)) index.is_plain = false;
                                     index.columns.push_back(text_of(row, 0));
                                 }));
        }
        return {};
    }

    Result<void> read_references() {
        std::int64_t last = -1;
        return each(
            "SELECT id, \"from\", \"table\", \"to\", on_delete, on_update FROM pragma_foreign_key_list(?1) "
            "ORDER BY id, seq",
            [&](Row row) {
                if (row.column(0).integer != last) {
                    last = row.column(0).integer;
                    table_.references.push_back({{}, text_of(row, 2), {}, text_of(row, 4)});
                    if (text_of(row, 5) != "NO ACTION")
                        table_.unsayable.push_back("ON UPDATE of " + text_of(row, 1));
                }
                table_.references.back().columns.push_back(text_of(row, 1));
                table_.references.back().target_columns.push_back(text_of(row, 3));
            });
    }

    Result<void> read_triggers() {
        return each(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?1 COLLATE NOCASE "
            "ORDER BY name",
            [&](Row row) {
                table_.triggers.push_back({text_of(row, 0), text_of(row, 1)});
            });
    }

    sqlite::Connection const& connection_;
    FileTable& table_;
    Value name_;
};

}  // namespace

Result<std::optional<FileTable>> read_table(sqlite::Connection const& connection, std::string_view name) {
    FileTable table;
    std::string type;
    std::string sql;
    Value const wanted = Value::of(name);
    QUERN_CHECK(each_row(connection,
                         "SELECT type, name, sql FROM sqlite_schema WHERE name = ?1 COLLATE NOCASE AND type "
                         "IN ('table', 'view')",
                         std::span(&wanted, 1), [&](sqlite::Statement const& row) {
                             type = text_of(row, 0);
                             table.name = text_of(row, 1);
                             sql = text_of(row, 2);
                         }));
    if (type.empty()) return std::nullopt;
    constexpr std::string_view start = "create virtual";
    bool const is_virtual = is_same_name(std::string_view(sql).substr(0, start.size()), start);
    if (type == "view" || is_virtual)
        return fail(ErrorCode::validation, "The table \"" + table.name +
                                               "\" cannot be made: the file has a " +
                                               (is_virtual ? "virtual table" : "view") + " of that name.");
    QUERN_CHECK(TableReader(connection, table).read(sql));
    return table;
}

// --- what does not compile ---

namespace {

Result<std::vector<std::string>> plain_columns(sqlite::Connection const& connection, std::string_view table) {
    Value const name = Value::of(table);
    std::vector<std::string> columns;
    QUERN_CHECK(each_row(connection, "SELECT name FROM pragma_table_xinfo(?1) WHERE hidden = 0",
                         std::span(&name, 1),
                         [&](sqlite::Statement const& row) { columns.push_back(text_of(row, 0)); }));
    return columns;
}

std::string update_of_all(std::string const& table, std::span<std::string const> columns) {
    std::string sql = "UPDATE " + quoted_name(table) + " SET ";
    for (std::string const& column : columns)
        sql += (&column == columns.data() ? "" : ", ") + quoted_name(column) + " = " + quoted_name(column);
    return sql;
}

// Has SQLite compile a trigger, with a statement that fires it.
Result<void> compile_trigger(sqlite::Connection const& connection, std::string const& table,
                             std::string_view sql) {
    QUERN_TRY(auto const columns, plain_columns(connection, table));
    auto const words = sql_words(sql);
    if (!words) return fail(ErrorCode::internal);
    auto word = std::ranges::find_if(
        *words, [](SqlWord const& one) { return one.is("delete") || one.is("insert") || one.is("update"); });
    if (word == words->end()) return fail(ErrorCode::internal);
    std::string firing = update_of_all(table, columns);
    if (word->is("delete")) firing = "DELETE FROM " + quoted_name(table);
    if (word->is("insert")) firing = "INSERT INTO " + quoted_name(table) + " DEFAULT VALUES";
    QUERN_CHECK(prepare(connection, firing));
    // UPDATE OF a column that is not there is never fired, and no error of SQLite's.
    if (++word == words->end() || !word->is("of")) return {};
    for (++word; word != words->end() && !word->is("on"); ++word) {
        bool const is_there = std::ranges::any_of(
            columns, [&](std::string const& column) { return is_same_name(column, word->text); });
        if (!is_there && !word->is(','))
            return fail(ErrorCode::internal, "It is for updates of " + word->text + ", which is not there.");
    }
    return {};
}

Result<void> compile_view(sqlite::Connection const& connection, std::string_view name) {
    QUERN_CHECK(prepare(connection, "SELECT * FROM " + quoted_name(name)));
    return {};
}

}  // namespace

Result<std::vector<BrokenObject>> broken_objects(sqlite::Connection const& connection) {
    struct Object {
        std::string kind, name, table, sql;
    };
    std::vector<Object> objects;
    QUERN_CHECK(
        each_row(connection,
                 "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE type IN ('view', "
                 "'trigger') ORDER BY type DESC, name",
                 {}, [&](sqlite::Statement const& row) {
                     objects.push_back({text_of(row, 0), text_of(row, 1), text_of(row, 2), text_of(row, 3)});
                 }));
    std::vector<BrokenObject> broken;
    for (Object const& object : objects) {
        auto const compiled = object.kind == "view" ? compile_view(connection, object.name)
                                                    : compile_trigger(connection, object.table, object.sql);
        if (!compiled) broken.push_back({object.name, object.kind, compiled.error().message});
    }
    return broken;
}

}  // namespace quern::detail
