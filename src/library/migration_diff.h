// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a table of the file differs from its model.

#include <cstddef>
#include <string>
#include <vector>

#include <quern/model.h>
#include "library/migration_file.h"

namespace quern::detail {

// What becomes of one column of the model. `source` and `loses_data` come from migration_rows.h.
struct ColumnDiff {
    FileColumn const* file = nullptr;  // nullptr: it is new
    // What is to be changed, each for people: "its type from TEXT to INTEGER". Empty: nothing.
    std::vector<std::string> changes;
    bool must_fit = false;  // what it holds may not be of its type, or not among its choices
    // What the row gets for the column, in terms of the file's table. Empty: nothing, and so its default.
    std::string source;
    bool loses_data = false;
};

struct DroppedColumn {
    FileColumn const* file = nullptr;
    bool has_values = false;
};

// Lifetime: `model` and `file` are borrowed.
struct TableDiff {
    TableInfo const* model = nullptr;
    FileTable const* file = nullptr;

    std::vector<ColumnDiff> columns;             // as in the model
    std::vector<DroppedColumn> dropped;          // no member stands for them
    bool key_differs = false;                    // other columns, or not given any more
    bool rebuild = false;                        // ALTER TABLE cannot do it
    std::vector<std::string> reasons;            // to rebuild it, beyond its columns, for people
    std::vector<bool> has_check;                 // for each condition of the model
    std::vector<bool> has_reference;             // for each reference of the model
    std::vector<bool> has_index;                 // for each index of the model
    std::vector<FileIndex const*> old_indexes;   // the models', not wanted any more or not as they are
    std::vector<FileIndex const*> kept_indexes;  // to be made again when the table is rebuilt

    [[nodiscard]] bool empty() const;
};

[[nodiscard]] Result<TableDiff> compare(engine::sqlite::Connection const& connection, TableInfo const& model,
                                        FileTable const& file);

}  // namespace quern::detail
