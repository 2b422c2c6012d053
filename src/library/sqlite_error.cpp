// SPDX-License-Identifier: Apache-2.0

// What SQLite says, as an error that names columns.

#include <string>

#include "engine/sqlite/error.h"
#include "library/sqlite_connection.h"

namespace quern::detail {

namespace {

std::string_view behind(std::string_view message, std::string_view prefix) {
    return message.starts_with(prefix) ? message.substr(prefix.size()) : std::string_view();
}

// "UNIQUE constraint failed: todos.title, todos.owner". An index over expressions has no columns there, but
// "index 'name'", which is given as it stands.
Error not_unique(std::string_view message) {
    constexpr std::string_view between = ", ";
    Error error(ErrorCode::conflict);
    std::string_view rest = behind(message, "UNIQUE constraint failed: ");
    while (!rest.empty()) {
        std::size_t const end = std::min(rest.find(between), rest.size());
        error.fields.push_back({std::string(rest.substr(0, end)), "not_unique",
                                std::string(default_message(ErrorCode::conflict))});
        rest.remove_prefix(std::min(end + between.size(), rest.size()));
    }
    return error;
}

Error refused(std::string_view column, std::string_view code, std::string_view why) {
    Error error(ErrorCode::validation);
    error.fields.push_back({std::string(column), std::string(code), std::string(why)});
    return error;
}

Error broken_constraint(int code, std::string_view message) {
    switch (code) {
    case SQLITE_CONSTRAINT_UNIQUE:
    case SQLITE_CONSTRAINT_PRIMARYKEY:
    case SQLITE_CONSTRAINT_ROWID: return not_unique(message);
    case SQLITE_CONSTRAINT_NOTNULL:
        return refused(behind(message, "NOT NULL constraint failed: "), "required", "Is required.");
    case SQLITE_CONSTRAINT_CHECK:
        return refused(behind(message, "CHECK constraint failed: "), "check_failed", "Is not allowed.");
    case SQLITE_CONSTRAINT_DATATYPE: {  // "cannot store TEXT value in INTEGER column todos.id"
        std::size_t const at = message.rfind(' ');
        return refused(message.substr(at + 1), "type_mismatch", message);
    }
    case SQLITE_CONSTRAINT_FOREIGNKEY:
        return Error(ErrorCode::validation, "What is referred to does not exist, or is still referred to.");
    default: return Error(ErrorCode::validation, std::string(message));  // a trigger's words, and the like
    }
}

}  // namespace

Error sql_error(int code, std::string_view message) {
    constexpr int primary = 0xFF;
    switch (code & primary) {
    case SQLITE_CONSTRAINT: return broken_constraint(code, message);
    case SQLITE_MISMATCH: return Error(ErrorCode::validation, std::string(message));
    case SQLITE_ERROR: return Error(ErrorCode::internal, "SQLite: " + std::string(message));
    default: return engine::sqlite::error_of(code, message);
    }
}

}  // namespace quern::detail
