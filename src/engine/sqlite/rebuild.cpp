// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/rebuild.h"

#include <algorithm>
#include <array>
#include <vector>

#include <quern/assert.h>
#include "engine/convert.h"
#include "engine/sql/ddl.h"
#include "engine/sqlite/constraint.h"
#include "json/path.h"

namespace quern::engine::sqlite {

namespace {

constexpr std::string_view new_table = "_quern_rebuild";

std::string quoted_name(std::string_view name) { return sql::identifier(sql::sqlite_dialect(), name); }

// Renaming otherwise reads all views and triggers, and stumbles over those that name the table just dropped.
class LegacyRename {
public:
    explicit LegacyRename(Connection const& connection) : connection_(connection) { turn(1); }
    LegacyRename(LegacyRename const&) = delete;
    LegacyRename& operator=(LegacyRename const&) = delete;
    ~LegacyRename() { turn(0); }

private:
    void turn(int on) {
        sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_LEGACY_ALTER_TABLE, on, nullptr);
    }
    Connection const& connection_;
};

std::string rowid_name(Collection const& before, Collection const& after) {
    for (std::string const name : {"rowid", "_rowid_", "oid"}) {
        if (!before.find(name) && !after.find(name)) return name;
    }
    return "rowid";
}

class Copy {
public:
    explicit Copy(Rebuild const& rebuild) : rebuild_(rebuild), connection_(rebuild.connection) {}

    Result<void> run() {
        QUERN_CHECK(keep_extras());
        QUERN_CHECK(connection_.execute(sql::create_table(rebuild_.after, rebuild_.schema, new_table)));
        QUERN_CHECK(choose_columns());
        QUERN_CHECK(copy_rows());
        QUERN_CHECK(connection_.execute("DROP TABLE " + quoted_name(rebuild_.after.name)));
        {
            LegacyRename const legacy(connection_);
            QUERN_CHECK(connection_.execute("ALTER TABLE " + quoted_name(new_table) + " RENAME TO " +
                                            quoted_name(rebuild_.after.name)));
        }
        for (std::string const& sql : extras_) QUERN_CHECK(connection_.execute(sql));
        return {};
    }

private:
    // A field that is in both; where its old value stands in the SELECT.
    struct Column {
        Field const* before;
        Field const* after;
        int source;
        Statement add_target;  // of a relation that becomes a multiple one
    };

    // What others have put on the table: triggers, and indexes that are not the collection's.
    Result<void> keep_extras() {
        std::vector<std::string> own;
        for (auto const& index : sql::indexes(rebuild_.before)) own.push_back(index.name);
        Value const table = Value::of(rebuild_.after.name);
        QUERN_TRY(auto statement,
                  connection_.prepare("SELECT name, sql FROM sqlite_schema WHERE type IN ('index', "
                                      "'trigger') AND tbl_name = ?1 AND sql IS NOT NULL",
                                      false));
        (void)statement.bind(1, table);
        int code = statement.step();
        for (; code == SQLITE_ROW; code = statement.step()) {
            std::string const name(statement.column(0).text);
            if (std::ranges::find(own, name) == own.end()) extras_.emplace_back(statement.column(1).text);
        }
        if (code != SQLITE_DONE) return fail(connection_.error(code));
        return {};
    }

    Result<void> choose_columns() {
        std::string const rowid = rowid_name(rebuild_.before, rebuild_.after);
        std::string const table = quoted_name(rebuild_.after.name);
        std::string read = "SELECT " + rowid + ", \"_v\"";
        std::string names = rowid + ", \"_v\"";
        std::string places = "?1, ?2";
        int source = 2;
        int place = 2;
        for (Field const& after : rebuild_.after.fields) {
            auto const found = rebuild_.before.find_by_id(after.id);
            if (!found) continue;
            Field const& before = rebuild_.before.fields[*found];
            if (before.is_join() && after.is_join()) continue;
            read += ", " + source_of(before, table);
            Column column{&before, &after, source++, Statement()};
            if (after.is_join()) {
                std::string const join = join_table_name(rebuild_.after, after);
                rebuild_.to_check[join] = &rebuild_.after;
                QUERN_TRY(
                    column.add_target,
                    connection_.prepare("INSERT INTO " + quoted_name(join) +
                                            " (\"owner\", \"position\", \"target\") VALUES (?1, ?2, ?3)",
                                        false));
            } else {
                names += ", " + quoted_name(after.name);
                places += ", ?" + std::to_string(++place);
            }
            columns_.push_back(std::move(column));
        }
        QUERN_TRY(read_, connection_.prepare(read + " FROM " + table + " ORDER BY " + rowid, false));
        QUERN_TRY(write_, connection_.prepare("INSERT INTO " + quoted_name(new_table) + " (" + names +
                                                  ") VALUES (" + places + ")",
                                              false));
        return {};
    }

    // The old value; a former multiple relation as the array of its targets.
    [[nodiscard]] std::string source_of(Field const& before, std::string const& table) const {
        if (!before.is_join()) return quoted_name(before.name);
        return "(SELECT json_group_array(\"target\") FROM (SELECT \"target\" FROM " +
               quoted_name(rebuild_.join_table_of(before)) + " WHERE \"owner\" = " + table +
               ".\"id\" ORDER BY \"position\"))";
    }

    Result<void> copy_rows() {
        int code = read_.step();
        for (; code == SQLITE_ROW; code = read_.step()) QUERN_CHECK(copy_row());
        if (code != SQLITE_DONE) return fail(connection_.error(code));
        return {};
    }

    Result<void> copy_row() {
        (void)write_.bind(1, read_.column(0));
        (void)write_.bind(2, read_.column(1));
        int place = 2;
        storages_.resize(columns_.size());
        std::string id;
        for (Column const& column : columns_) {
            if (column.after == &rebuild_.after.fields[0]) id = read_.column(column.source).text;
        }
        for (std::size_t index = 0; index < columns_.size(); ++index) {
            Column& column = columns_[index];
            Value const value = read_.column(column.source);
            auto const converted = convert(*column.before, *column.after, value, storages_[index]);
            if (!converted) return fail(misfit(*column.after, id));
            if (column.after->is_join()) {
                QUERN_CHECK(copy_targets(column, id, converted->text));
            } else {
                (void)write_.bind(++place, *converted);
            }
        }
        int const code = write_.step();
        if (code != SQLITE_DONE) return fail(write_error(connection_, code, rebuild_.after, {}));
        write_.reset();
        return {};
    }

    Result<void> copy_targets(Column& column, std::string const& owner, std::string_view list) {
        std::string scratch;
        std::int64_t position = 0;
        for (json::Elements elements(list); elements.next(); ++position) {
            auto const target = elements.scalar(scratch);
            (void)column.add_target.bind(1, Value::of(std::string_view(owner)));
            (void)column.add_target.bind(2, Value::of(position));
            (void)column.add_target.bind(3, Value::of(target.text));
            int const code = column.add_target.step();
            column.add_target.reset();
            if (code != SQLITE_DONE) return fail(misfit(*column.after, owner));
        }
        return {};
    }

    static Error misfit(Field const& field, std::string_view id) {
        Error error(ErrorCode::validation, "The value of field " + field.name + " of record " +
                                               std::string(id) + " does not fit the field's new type.");
        error.fields.push_back({field.name, "validation_invalid_value", error.message});
        return error;
    }

    Rebuild const& rebuild_;
    Connection& connection_;
    std::vector<std::string> extras_;
    std::vector<Column> columns_;
    std::vector<std::string> storages_;
    Statement read_;
    Statement write_;
};

}  // namespace

Result<void> rebuild_table(Rebuild const& rebuild) { return Copy(rebuild).run(); }

}  // namespace quern::engine::sqlite
