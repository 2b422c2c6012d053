// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/alter.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/convert.h"
#include "engine/sql/ddl.h"
#include "engine/sqlite/constraint.h"
#include "engine/sqlite/rebuild.h"

namespace quern::engine::sqlite {

namespace {

std::string quoted_name(std::string_view name) { return sql::identifier(sql::sqlite_dialect(), name); }

// PRAGMA foreign_keys does nothing inside a transaction, this switch does. It is safe here: all our keys are
// immediate, so no check is pending when it is turned.
class WithoutForeignKeys {
public:
    explicit WithoutForeignKeys(Connection const& connection) : connection_(connection) { turn(0); }
    WithoutForeignKeys(WithoutForeignKeys const&) = delete;
    WithoutForeignKeys& operator=(WithoutForeignKeys const&) = delete;
    ~WithoutForeignKeys() { turn(1); }

private:
    void turn(int on) { sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_ENABLE_FKEY, on, nullptr); }
    Connection const& connection_;
};

Field const* field_with_id(Collection const& collection, std::string_view id) {
    auto const found = collection.find_by_id(id);
    return found ? &collection.fields[*found] : nullptr;
}

// Whether the column can stay as it is, but for its name.
bool is_same_column(Field before, Field const& after, Schema const& schema) {
    before.name = after.name;
    return keeps_values(before, after) &&
           sql::column_definition(before, schema) == sql::column_definition(after, schema);
}

bool needs_rebuild(Collection const& before, Collection const& after, Schema const& schema) {
    for (Field const& old : before.fields) {
        Field const* now = field_with_id(after, old.id);
        bool const was_column = !old.is_join();
        bool const is_column = now != nullptr && !now->is_join();
        if (was_column != is_column && (was_column || now != nullptr)) return true;
        if (was_column && is_column && !is_same_column(old, *now, schema)) return true;
    }
    return false;
}

// An index with fields in place of their names, so that renaming changes nothing.
Index by_ids(Index index, Collection const& collection) {
    auto const id_of = [&](std::string const& name) {
        auto const found = collection.find(name);
        return found ? collection.fields[*found].id : name;
    };
    for (IndexColumn& column : index.columns) column.field = id_of(column.field);
    if (!index.where_not_empty.empty()) index.where_not_empty = id_of(index.where_not_empty);
    return index;
}

class Alteration {
public:
    Alteration(Connection& connection, std::span<TableChange const> changes, Schema const& schema)
        : connection_(connection), changes_(changes), schema_(schema) {}

    Result<void> run() {
        QUERN_CHECK(check_changes());
        QUERN_CHECK(drop_tables());
        QUERN_CHECK(drop_indexes());
        QUERN_CHECK(rename_tables());
        QUERN_CHECK(create_tables());
        for (TableChange const& change : changes_) {
            if (change.before != nullptr && change.after != nullptr)
                QUERN_CHECK(reshape(*change.before, *change.after));
        }
        QUERN_CHECK(drop_leftovers());
        QUERN_CHECK(create_indexes());
        for (auto const& [table, collection] : to_check_) QUERN_CHECK(check_foreign_keys(table, *collection));
        return {};
    }

private:
    struct Rename {
        std::string from;
        std::string to;
    };

    Result<void> check_changes() {
        for (TableChange const& change : changes_) {
            if (change.after != nullptr && change.after->type == CollectionType::view) {
                return fail(ErrorCode::unsupported, "A view is no table.");
            }
            if (change.after == nullptr) QUERN_CHECK(check_unreferenced(*change.before));
        }
        return {};
    }

    Result<void> check_unreferenced(Collection const& dropped) {
        for (auto const& collection : schema_.collections()) {
            for (Field const& field : collection->fields) {
                if (field.type != FieldType::relation || field.collection_id != dropped.id) continue;
                return fail(ErrorCode::conflict, "The collection is still referred to by " +
                                                     collection->name + "." + field.name + ".");
            }
        }
        return {};
    }

    Result<void> drop_table(std::string_view name) {
        return connection_.execute("DROP TABLE " + quoted_name(name));
    }

    Result<void> drop_tables() {
        for (TableChange const& change : changes_) {
            if (change.after != nullptr) continue;
            for (Field const& field : change.before->fields) {
                if (field.is_join()) QUERN_CHECK(drop_table(join_table_name(*change.before, field)));
            }
            QUERN_CHECK(drop_table(change.before->name));
        }
        return {};
    }

    Result<void> drop_index(std::string_view name) {
        return connection_.execute("DROP INDEX IF EXISTS " + quoted_name(name));
    }

    // Those that are not wanted any more, or not as they are.
    Result<void> drop_indexes() {
        for (auto const& [before, after] : changes_) {
            if (before == nullptr || after == nullptr) continue;
            std::vector<Index> wanted;
            for (Index const& index : after->indexes) wanted.push_back(by_ids(index, *after));
            for (Index const& index : before->indexes) {
                if (std::ranges::find(wanted, by_ids(index, *before)) != wanted.end()) continue;
                QUERN_CHECK(drop_index(index.name));
            }
            for (Field const& field : before->fields) {
                Field const* now = field_with_id(*after, field.id);
                bool const stays = now != nullptr && now->type == FieldType::relation &&
                                   now->is_join() == field.is_join() &&
                                   (!field.is_join() || now->collection_id == field.collection_id);
                if (field.type != FieldType::relation || stays) continue;
                QUERN_CHECK(drop_index(sql::relation_index_name(*before, field)));
            }
        }
        return {};
    }

    std::string temporary_name() { return "_quern_alter_" + std::to_string(++temporaries_); }

    // All at once, by way of temporary names: names may be exchanged.
    Result<void> rename_tables() {
        std::vector<Rename> renames;
        for (auto const& [before, after] : changes_) {
            if (before == nullptr || after == nullptr) continue;
            if (before->name != after->name) renames.push_back({before->name, after->name});
            for (Field const& field : before->fields) {
                if (!field.is_join()) continue;
                std::string const name = join_table_name(*before, field);
                Field const* now = field_with_id(*after, field.id);
                if (now != nullptr && now->is_join() && now->collection_id == field.collection_id) {
                    std::string const next = join_table_name(*after, *now);
                    if (name != next) renames.push_back({name, next});
                } else {
                    leftovers_[{before->id, field.id}] = temporary_name();
                    QUERN_CHECK(rename_table(name, leftovers_[{before->id, field.id}]));
                    QUERN_CHECK(drop_index(sql::relation_index_name(*before, field)));
                }
            }
        }
        for (Rename& rename : renames) {
            std::string const between = temporary_name();
            QUERN_CHECK(rename_table(rename.from, between));
            rename.from = between;
        }
        for (Rename const& rename : renames) QUERN_CHECK(rename_table(rename.from, rename.to));
        return {};
    }

    Result<void> rename_table(std::string_view from, std::string_view to) {
        return connection_.execute("ALTER TABLE " + quoted_name(from) + " RENAME TO " + quoted_name(to));
    }

    Result<void> create_tables() {
        for (auto const& [before, after] : changes_) {
            if (before != nullptr || after == nullptr) continue;
            QUERN_CHECK(connection_.execute(sql::create_table(*after, schema_, after->name)));
        }
        // Join tables afterwards: their targets may be among the new ones.
        for (auto const& [before, after] : changes_) {
            if (before != nullptr || after == nullptr) continue;
            for (Field const& field : after->fields) {
                if (field.is_join()) QUERN_CHECK(create_join_table(*after, field));
            }
        }
        return {};
    }

    Result<void> create_join_table(Collection const& collection, Field const& field) {
        for (std::string const& sql : sql::create_join_table(collection, field, schema_)) {
            QUERN_CHECK(connection_.execute(sql));
        }
        return {};
    }

    Result<void> reshape(Collection const& before, Collection const& after) {
        for (Field const& field : after.fields) {
            if (!field.is_join()) continue;
            Field const* old = field_with_id(before, field.id);
            bool const stays =
                old != nullptr && old->is_join() && !leftovers_.contains({before.id, field.id});
            if (stays) continue;
            QUERN_CHECK(create_join_table(after, field));
            if (old != nullptr && old->is_join())
                QUERN_CHECK(retarget(after, field, leftovers_[{before.id, field.id}]));
        }
        if (needs_rebuild(before, after, schema_)) {
            to_check_[after.name] = &after;
            return rebuild_table({.connection = connection_,
                                  .before = before,
                                  .after = after,
                                  .schema = schema_,
                                  .join_table_of =
                                      [&](Field const& field) {
                                          return leftovers_[{before.id, field.id}];
                                      },
                                  .to_check = to_check_});
        }
        QUERN_CHECK(rename_columns(before, after));
        for (Field const& field : after.fields) {
            if (field.is_join() || field_with_id(before, field.id) != nullptr) continue;
            QUERN_CHECK(connection_.execute("ALTER TABLE " + quoted_name(after.name) + " ADD COLUMN " +
                                            sql::column_definition(field, schema_)));
        }
        return {};
    }

    // The same ids in a table whose foreign key names another collection.
    Result<void> retarget(Collection const& after, Field const& field, std::string const& from) {
        std::string const to = join_table_name(after, field);
        to_check_[to] = &after;
        return connection_.execute("INSERT INTO " + quoted_name(to) +
                                   " SELECT \"owner\", \"position\", \"target\" FROM " + quoted_name(from));
    }

    Result<void> rename_columns(Collection const& before, Collection const& after) {
        std::vector<Rename> renames;
        for (Field const& old : before.fields) {
            Field const* now = field_with_id(after, old.id);
            if (now == nullptr || old.is_join() || now->name == old.name) continue;
            renames.push_back({old.name, now->name});
        }
        auto const rename_all = [&](auto const& names) -> Result<void> {
            for (Rename& rename : renames) {
                auto const [from, to] = names(rename);
                QUERN_CHECK(connection_.execute("ALTER TABLE " + quoted_name(after.name) + " RENAME COLUMN " +
                                                quoted_name(from) + " TO " + quoted_name(to)));
            }
            return {};
        };
        QUERN_CHECK(rename_all([&](Rename& rename) {
            std::string const between = temporary_name();
            return std::pair(std::exchange(rename.from, between), between);
        }));
        return rename_all([](Rename& rename) { return std::pair(rename.from, rename.to); });
    }

    Result<void> drop_leftovers() {
        for (auto const& [field, table] : leftovers_) QUERN_CHECK(drop_table(table));
        return {};
    }

    Result<void> create_indexes() {
        for (auto const& [before, after] : changes_) {
            if (after == nullptr) continue;
            for (sql::NamedIndex const& index : sql::indexes(*after)) {
                Value const name = Value::of(index.name);
                QUERN_TRY(auto const there,
                          connection_.query_integer(
                              "SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = ?1",
                              std::span(&name, 1)));
                if (there > 0) continue;
                auto const made = connection_.execute(index.sql);
                if (made) continue;
                auto const fields = fields_not_unique(sqlite3_errmsg(connection_.get()), *after);
                return fail(fields.empty() ? made.error()
                                           : name_duplicates(not_unique(fields), index.name, *after));
            }
        }
        return {};
    }

    // Adds to the error which records a new unique index found alike.
    Error name_duplicates(Error error, std::string_view index_name, Collection const& collection) {
        auto const index = std::ranges::find(collection.indexes, index_name, &Index::name);
        if (index == collection.indexes.end()) return error;
        std::string columns;
        std::string sql =
            "SELECT min(id) || ' and ' || max(id) FROM " + quoted_name(collection.name) + " WHERE TRUE";
        for (IndexColumn const& column : index->columns) {
            columns += (columns.empty() ? "" : ", ") + quoted_name(column.field);
            if (column.ignore_case) columns += " COLLATE NOCASE";
            sql +=
                " AND " + quoted_name(column.field) + " IS NOT NULL";  // nulls are alike, but no duplicates
        }
        if (!index->where_not_empty.empty()) sql += " AND " + quoted_name(index->where_not_empty) + " != ''";
        sql += " GROUP BY " + columns + " HAVING count(*) > 1 LIMIT 1";
        auto const alike = connection_.query_text(sql, {});
        if (!alike || alike->empty()) return error;
        error.message = "Values must be unique: the records " + *alike + " have the same.";
        for (FieldError& field : error.fields) field.message = error.message;
        return error;
    }

    Result<void> check_foreign_keys(std::string const& table, Collection const& collection) {
        Value const name = Value::of(table);
        QUERN_TRY(auto const column,
                  connection_.query_text("SELECT l.\"from\" FROM pragma_foreign_key_check(?1) AS c JOIN "
                                         "pragma_foreign_key_list(?1) AS l ON l.id = c.fkid LIMIT 1",
                                         std::span(&name, 1)));
        if (column.empty()) return {};
        for (Field const& field : collection.fields) {
            bool const about =
                field.is_join() ? join_table_name(collection, field) == table : field.name == column;
            if (about) return fail(missing_target(field));
        }
        return fail(ErrorCode::conflict,
                    "A relation of " + collection.name + " points at a record that is not there.");
    }

    Connection& connection_;
    std::span<TableChange const> changes_;
    Schema const& schema_;
    int temporaries_ = 0;
    // Join tables that are read once more and then dropped, by collection and field id.
    std::map<std::pair<std::string, std::string>, std::string> leftovers_;
    std::map<std::string, Collection const*> to_check_;
};

}  // namespace

Result<void> alter_tables(Connection& connection, std::span<TableChange const> changes,
                          Schema const& schema) {
    WithoutForeignKeys const off(connection);
    return Alteration(connection, changes, schema).run();
}

}  // namespace quern::engine::sqlite
