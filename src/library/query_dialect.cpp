// SPDX-License-Identifier: Apache-2.0
#include "library/query_dialect.h"

namespace quern::detail {

namespace {

constexpr std::array common_functions = std::to_array<std::string_view>({
    "lower", "upper",      "length", "trim", "abs",  "round",       "coalesce",    "replace",  "substr",
    "count", "sum",        "avg",    "min",  "max",  "string_agg",  "stddev_samp", "var_samp", "row_number",
    "rank",  "dense_rank", "ntile",  "lag",  "lead", "first_value", "last_value",
});

constexpr DialectTable sqlite = [] {
    DialectTable table{.name = "SQLite",
                       .numbered_parameters = false,
                       .parameters_max = 32'766,  // SQLITE_MAX_VARIABLE_NUMBER
                       .abilities = {},
                       .none = "0",
                       .same = " IS ",
                       .not_same = " IS NOT ",
                       .no_limit = "LIMIT -1 ",
                       .nulls_are_smallest = true,
                       .functions = common_functions};
    table.functions[static_cast<std::size_t>(PlanFunction::join_text)] = "group_concat";
    return table;
}();

constexpr DialectTable postgres{.name = "PostgreSQL",
                                .numbered_parameters = true,
                                .parameters_max = 65'535,  // a 16-bit count in the protocol
                                .abilities = {true, true, true, true, true, true},
                                .none = "FALSE",
                                .same = " IS NOT DISTINCT FROM ",
                                .not_same = " IS DISTINCT FROM ",
                                .no_limit = "",
                                .nulls_are_smallest = false,
                                .functions = common_functions};

}  // namespace

DialectTable const& dialect_table(Dialect dialect) { return dialect == Dialect::sqlite ? sqlite : postgres; }

}  // namespace quern::detail
