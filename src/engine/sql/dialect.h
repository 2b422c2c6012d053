// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differs between the SQL of one database and another, as a table.

#include <string>
#include <string_view>

namespace quern::engine::sql {

// Threads: frozen.
struct Dialect {
    std::string_view name;
    char quote = '"';                  // around identifiers, doubled inside
    std::string_view parameter = "?";  // in front of a parameter
    bool numbered = true;              // parameters carry their number and may be used again
    std::string_view same = " IS ";    // null-safe equality
    std::string_view not_same = " IS NOT ";
    // Put in front of a column it takes away the column's power to convert what it is compared with; empty
    // where comparing different types never converts.
    std::string_view plain = "+";
    std::string_view random = "random()";
    std::string_view no_limit = "-1";                               // a LIMIT that does not limit
    std::string_view rowid_names[3] = {"rowid", "_rowid_", "oid"};  // the first that no field shadows is used

    // Functions, each called as name(arguments).
    std::string_view like, fold, length, json_at, geo_distance, strftime;
    // A column's JSON array as a table with a column `value`, given between the two; what is no array is
    // empty.
    std::string_view elements_open, elements_close;
    // The elements of a parameter, which is an array, as a list for IN. The end depends on the column in
    // front: only elements are taken that its type would not convert.
    std::string_view list_open, list_close, list_close_integer, list_close_real;
    // Ids gathered into one JSON array: between the two stands a query with one column `target`.
    std::string_view gather_open, gather_close;
};

[[nodiscard]] Dialect const& sqlite_dialect();

// Appends a quoted identifier.
void append_identifier(std::string& sql, Dialect const& dialect, std::string_view identifier);
[[nodiscard]] std::string identifier(Dialect const& dialect, std::string_view name);

}  // namespace quern::engine::sql
