// SPDX-License-Identifier: Apache-2.0
#pragma once

// Collections as tables.
//
// A collection is a STRICT rowid table with one column a field, except that a multiple relation is a table of
// its own, `<collection>__<field>(owner, position, target)`, which the engine shows as the array of its
// targets. Columns are NOT NULL with the type's zero value unless the field is nullable or a single relation.
// Foreign keys are immediate: a statement that breaks one fails alone.

#include <string>
#include <string_view>
#include <vector>

#include "engine/sql/dialect.h"
#include "schema/collection.h"

namespace quern::engine::sql {

// `"name" TYPE constraints`, as in CREATE TABLE and ADD COLUMN. The field is not a multiple relation.
[[nodiscard]] std::string column_definition(Field const& field, Schema const& schema);

// CREATE TABLE for `collection` under the name `table` (which is its own name, or a temporary one).
[[nodiscard]] std::string create_table(Collection const& collection, Schema const& schema,
                                       std::string_view table);

// CREATE TABLE and CREATE INDEX of a multiple relation.
[[nodiscard]] std::vector<std::string> create_join_table(Collection const& collection, Field const& field,
                                                         Schema const& schema);

// One index as it stands in the file.
struct NamedIndex {
    std::string name;
    std::string sql;
};
// The collection's own indexes and one for each single relation. The names of the latter are made of the ids
// of collection and field, so they stay when either is renamed.
[[nodiscard]] std::vector<NamedIndex> indexes(Collection const& collection);
[[nodiscard]] std::string relation_index_name(Collection const& collection, Field const& field);

}  // namespace quern::engine::sql
