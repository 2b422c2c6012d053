// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/constraint.h"

#include <algorithm>

#include "engine/convert.h"
#include "engine/sql/dialect.h"

namespace quern::engine::sqlite {

namespace {

Error invalid(std::string field) {
    return Error::of_field(std::move(field), "validation_invalid_value", "Invalid value.");
}

// SQLite joins names with dots and commas and quotes nothing. So the message is not taken apart: what it
// would be for each index is compared with it.
std::string unique_message(Collection const& collection, std::span<std::string const> fields) {
    std::string message = "UNIQUE constraint failed: ";
    for (std::size_t index = 0; index < fields.size(); ++index) {
        if (index > 0) message += ", ";
        message += collection.name + "." + fields[index];
    }
    return message;
}

std::vector<std::string> fields_of(Index const& index) {
    std::vector<std::string> names;
    for (IndexColumn const& column : index.columns) names.push_back(column.field);
    return names;
}

// The table that a column refers to.
Result<std::string> target_of(Connection const& connection, std::string_view table, std::string_view column) {
    Value const parameters[] = {Value::of(table), Value::of(column)};
    return connection.query_text("SELECT \"table\" FROM pragma_foreign_key_list(?1) WHERE \"from\" = ?2",
                                 parameters);
}

// A column of what is written: its value, and the id of the row.
Result<bool> target_is_missing(Connection const& connection, Collection const& collection, Field const& field,
                               Value const& value, Value const& id) {
    QUERN_TRY(auto const target, target_of(connection, collection.name, field.name));
    if (target.empty() || (target == collection.name && value == id)) return false;
    QUERN_TRY(auto const found, connection.query_integer("SELECT count(*) FROM " +
                                                             sql::identifier(sql::sqlite_dialect(), target) +
                                                             " WHERE \"id\" = ?1",
                                                         std::span(&value, 1)));
    return found == 0;
}

Error foreign_key_error(Connection const& connection, Collection const& collection,
                        std::span<Assignment const> row) {
    Value id;
    for (Assignment const& assignment : row) {
        if (assignment.field == 0) id = assignment.value;
    }
    Error error(ErrorCode::validation);
    for (Assignment const& assignment : row) {
        if (assignment.field == Collection::version_field) continue;
        Field const& field = collection.fields[assignment.field];
        if (storage_of(field) != Storage::relation || assignment.value.is_null()) continue;
        auto const missing = target_is_missing(connection, collection, field, assignment.value, id);
        if (!missing) return missing.error();
        if (*missing) error.fields.push_back(missing_target(field).fields.front());
    }
    if (!error.fields.empty()) return error;
    return Error(ErrorCode::conflict, "The record is still referred to by others.");
}

Error typed_error(std::string_view message, Collection const& collection) {
    for (Field const& field : collection.fields) {
        std::string const column = collection.name + "." + field.name;
        if (message == "NOT NULL constraint failed: " + column) return invalid(field.name);
        if (message.ends_with(" column " + column)) return invalid(field.name);
        // SQLite names a check by its text, taken out of its quotes: what is left of ours is the column.
        bool const named = message == "CHECK constraint failed: " + field.name;
        if (named) return invalid(field.name);
    }
    return Error(ErrorCode::validation, std::string(message));
}

}  // namespace

Error missing_target(Field const& field) {
    return Error::of_field(field.name, "validation_missing_rel_records",
                           "Failed to find all relation records with the provided ids.");
}

Error not_unique(std::span<std::string const> fields) {
    Error error(ErrorCode::conflict);
    for (std::string const& field : fields) {
        error.fields.push_back({field, "validation_not_unique", "Value must be unique."});
    }
    return error;
}

std::vector<std::string> fields_not_unique(std::string_view message, Collection const& collection) {
    std::string const id = "id";
    if (message == unique_message(collection, std::span(&id, 1))) return {id};
    for (Index const& index : collection.indexes) {
        if (!index.unique) continue;
        auto names = fields_of(index);
        bool const about = message == unique_message(collection, names) ||
                           message == "UNIQUE constraint failed: index '" + index.name + "'";
        if (about) return names;
    }
    return {};
}

Error write_error(Connection const& connection, int code, Collection const& collection,
                  std::span<Assignment const> row) {
    std::string const message = sqlite3_errmsg(connection.get());
    switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
        if (auto const fields = fields_not_unique(message, collection); !fields.empty())
            return not_unique(fields);
        return Error(ErrorCode::conflict, message);
    case SQLITE_CONSTRAINT_FOREIGNKEY: return foreign_key_error(connection, collection, row);
    case SQLITE_CONSTRAINT_NOTNULL:
    case SQLITE_CONSTRAINT_CHECK:
    case SQLITE_CONSTRAINT_DATATYPE:
    case SQLITE_MISMATCH: return typed_error(message, collection);
    default: return connection.error(code);
    }
}

}  // namespace quern::engine::sqlite
