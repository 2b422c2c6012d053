// SPDX-License-Identifier: Apache-2.0
#pragma once

// A table as the file has it.
//
// SQLite tells columns, indexes and foreign keys by its pragmas. Conditions, and what no model can say
// (COLLATE and the like), stand in the text of the CREATE TABLE alone, which is scanned for them.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "engine/sqlite/connection.h"

namespace quern::detail {

struct FileColumn {
    std::string name;
    std::string type;
    bool not_null = false;
    bool is_generated = false;
    std::string default_sql;  // empty: none
};

struct FileIndex {
    std::string name;
    std::string sql;  // empty: it stands in the table's text
    bool unique = false;
    bool is_key = false;
    bool is_plain = false;  // columns alone, ascending, bytewise, of all rows
    std::vector<std::string> columns;
};

struct FileReference {
    std::vector<std::string> columns;
    std::string target;
    std::vector<std::string> target_columns;  // an empty name: the target's key
    std::string on_delete;
};

struct FileCheck {
    std::string condition;  // in its normal form
    std::string column;     // in whose definition it stands; empty: in none
};

struct FileTrigger {
    std::string name;
    std::string sql;
};

struct FileTable {
    std::string name;
    bool is_strict = false;
    bool has_rows = false;
    bool key_is_rowid = false;
    std::vector<std::string> key;
    std::vector<FileColumn> columns;
    std::vector<FileIndex> indexes;
    std::vector<FileReference> references;
    std::vector<FileCheck> checks;
    std::vector<FileTrigger> triggers;
    // What no model can say, for people.
    std::vector<std::string> unsayable;

    [[nodiscard]] FileColumn const* find(std::string_view name) const;
};

// Nothing when the file has no such table.
// Errors: validation — the name is that of a view or a virtual table;
//         those of reading.
[[nodiscard]] Result<std::optional<FileTable>> read_table(engine::sqlite::Connection const& connection,
                                                          std::string_view name);

// Whether the file has a table, view or index of that name.
[[nodiscard]] Result<bool> has_name(engine::sqlite::Connection const& connection, std::string_view name);

// Calls `take` with each row of a statement.
[[nodiscard]] Result<void> each_row(engine::sqlite::Connection const& connection, std::string_view sql,
                                    std::span<Value const> parameters,
                                    std::function<void(engine::sqlite::Statement const&)> const& take);

// The first column of the first row, as the text that it is.
[[nodiscard]] Result<std::optional<std::string>> first_text(engine::sqlite::Connection const& connection,
                                                            std::string_view sql,
                                                            std::span<Value const> parameters = {});

// The triggers and views of the file that do not compile, with what SQLite says of each.
struct BrokenObject {
    std::string name;
    std::string kind;  // "view", "trigger"
    std::string why;
};
[[nodiscard]] Result<std::vector<BrokenObject>> broken_objects(engine::sqlite::Connection const& connection);

}  // namespace quern::detail
