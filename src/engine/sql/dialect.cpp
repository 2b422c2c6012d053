// SPDX-License-Identifier: Apache-2.0
#include "engine/sql/dialect.h"

namespace quern::engine::sql {

namespace {

constexpr Dialect sqlite{
    .name = "sqlite",
    .like = "quern_like",
    .fold = "quern_fold",
    .length = "quern_length",
    .json_at = "quern_json",
    .geo_distance = "quern_geo_distance",
    .strftime = "quern_strftime",
    .elements_open = "json_each(quern_array(",
    .elements_close = "))",
    .list_open = "(SELECT value FROM json_each(",
    .list_close = "))",  // a text column converts nothing that comes from a table without types, as this one
    .list_close_integer = ") WHERE typeof(value) <> 'text')",
    // An integer that no double holds would be rounded to the column's type and then be found.
    .list_close_real = ") WHERE typeof(value) <> 'text' AND value = CAST(value AS REAL))",
    .gather_open = "(SELECT json_group_array(\"target\") FROM (",
    .gather_close = "))",
};

}  // namespace

Dialect const& sqlite_dialect() { return sqlite; }

void append_identifier(std::string& sql, Dialect const& dialect, std::string_view identifier) {
    sql += dialect.quote;
    for (char const c : identifier) {
        if (c == dialect.quote) sql += c;
        sql += c;
    }
    sql += dialect.quote;
}

std::string identifier(Dialect const& dialect, std::string_view name) {
    std::string quoted;
    append_identifier(quoted, dialect, name);
    return quoted;
}

}  // namespace quern::engine::sql
