// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/error.h"

#include <sqlite3.h>

namespace quern::engine::sqlite {

namespace {

ErrorCode code_of(int code, std::string_view message) {
    switch (code & 0xFF) {
    case SQLITE_FULL: return ErrorCode::disk_full;
    case SQLITE_IOERR: return code == SQLITE_IOERR_NOMEM ? ErrorCode::overloaded : ErrorCode::io;
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM: return ErrorCode::io;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return ErrorCode::corrupt;
    case SQLITE_NOMEM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return ErrorCode::overloaded;
    case SQLITE_INTERRUPT: return ErrorCode::interrupted;
    case SQLITE_CONSTRAINT: return ErrorCode::conflict;
    case SQLITE_TOOBIG: return ErrorCode::too_large;
    default: break;
    }
    // The tables changed between the making of a plan and its run: the next try is made with the new schema.
    if (message.starts_with("no such table") || message.starts_with("no such column"))
        return ErrorCode::overloaded;
    return ErrorCode::internal;
}

}  // namespace

Error error_of(int code, std::string_view message) {
    std::string text(default_message(code_of(code, message)));
    text += " (SQLite ";
    text += std::to_string(code);
    text += ": ";
    text += message;
    text += ")";
    return Error(code_of(code, message), std::move(text));
}

}  // namespace quern::engine::sqlite
