// SPDX-License-Identifier: Apache-2.0
#include "engine/sql/ddl.h"

#include <quern/assert.h>
#include "engine/convert.h"

namespace quern::engine::sql {

namespace {

Dialect const& dialect() { return sqlite_dialect(); }

std::string quoted_name(std::string_view name) { return identifier(dialect(), name); }

// The column's type and its default where it may not be null.
struct ColumnType {
    std::string_view type;
    std::string_view zero;
};

ColumnType column_type(Field const& field) {
    switch (storage_of(field)) {
    case Storage::text:
    case Storage::date: return {"TEXT", "''"};
    case Storage::integer:
    case Storage::boolean: return {"INTEGER", "0"};
    case Storage::real: return {"REAL", "0"};
    case Storage::json: return {"TEXT", "'null'"};
    case Storage::geo_point: return {"TEXT", R"('{"lon":0,"lat":0}')"};
    case Storage::list: return {"TEXT", "'[]'"};
    case Storage::relation: return {"TEXT", "NULL"};
    }
    return {"TEXT", "''"};
}

// Nothing for a relation to a collection that is not (yet) there.
std::string references(Field const& field, Schema const& schema, std::string_view on_delete) {
    Collection const* target = schema.find(field.collection_id);
    if (target == nullptr) return {};
    return " REFERENCES " + quoted_name(target->name) + "(\"id\")" + std::string(on_delete);
}

}  // namespace

std::string column_definition(Field const& field, Schema const& schema) {
    QUERN_ASSERT(!field.is_join(), "a multiple relation is no column");
    std::string const name = quoted_name(field.name);
    if (field.name == "id") return name + " TEXT PRIMARY KEY NOT NULL";
    ColumnType const column = column_type(field);
    bool const relation = storage_of(field) == Storage::relation;
    std::string definition = name + " " + std::string(column.type);
    if (relation || field.nullable) {
        definition += " DEFAULT NULL";
    } else {
        definition += " NOT NULL DEFAULT " + std::string(column.zero);
    }
    if (storage_of(field) == Storage::boolean) definition += " CHECK (" + name + " IN (0, 1))";
    if (relation) definition += references(field, schema, "");
    return definition;
}

std::string create_table(Collection const& collection, Schema const& schema, std::string_view table) {
    std::string sql = "CREATE TABLE " + quoted_name(table) + " (";
    for (Field const& field : collection.fields) {
        if (!field.is_join()) sql += column_definition(field, schema) + ", ";
    }
    return sql + "\"_v\" INTEGER NOT NULL DEFAULT 0) STRICT";
}

std::vector<std::string> create_join_table(Collection const& collection, Field const& field,
                                           Schema const& schema) {
    std::string const name = join_table_name(collection, field);
    std::string const table = quoted_name(name);
    return {
        "CREATE TABLE " + table + " (\"owner\" TEXT NOT NULL REFERENCES " + quoted_name(collection.name) +
            "(\"id\") ON DELETE CASCADE, \"position\" INTEGER NOT NULL, \"target\" TEXT NOT NULL" +
            references(field, schema, " ON DELETE CASCADE") +
            ", PRIMARY KEY (\"owner\", \"position\"), UNIQUE (\"owner\", \"target\")) WITHOUT ROWID, STRICT",
        "CREATE INDEX " + quoted_name(relation_index_name(collection, field)) + " ON " + table +
            " (\"target\")",
    };
}

std::string relation_index_name(Collection const& collection, Field const& field) {
    return "_relation_" + collection.id + "_" + field.id;
}

std::vector<NamedIndex> indexes(Collection const& collection) {
    std::vector<NamedIndex> found;
    std::string const on = " ON " + quoted_name(collection.name) + " (";
    for (Index const& index : collection.indexes) {
        std::string sql = index.unique ? "CREATE UNIQUE INDEX " : "CREATE INDEX ";
        sql += quoted_name(index.name) + on;
        for (std::size_t column = 0; column < index.columns.size(); ++column) {
            IndexColumn const& part = index.columns[column];
            if (column > 0) sql += ", ";
            sql += quoted_name(part.field);
            if (part.ignore_case) sql += " COLLATE NOCASE";
            if (part.descending) sql += " DESC";
        }
        sql += ")";
        if (!index.where_not_empty.empty()) sql += " WHERE " + quoted_name(index.where_not_empty) + " != ''";
        found.push_back({index.name, std::move(sql)});
    }
    for (Field const& field : collection.fields) {
        if (field.type != FieldType::relation || field.is_join()) continue;
        std::string const name = relation_index_name(collection, field);
        found.push_back({name, "CREATE INDEX " + quoted_name(name) + on + quoted_name(field.name) + ")"});
    }
    return found;
}

}  // namespace quern::engine::sql
