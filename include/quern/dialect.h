// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a plan to the text of a database.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include <quern/query_plan.h>
#include <quern/sql_text.h>
#include <quern/sqlite_row.h>

namespace quern {

enum class Dialect : std::uint8_t {
    sqlite,
    postgres,  // text only: for those who send it through a driver of their own
};

// A statement with its values, in the order of its parameters (?, or $1 $2 …).
struct QueryText {
    std::string sql;
    std::vector<SqlParameter> values;
};

namespace detail {

// What is asked of the rows of a plan.
enum class PlanUse : std::uint8_t { rows, first, count, exists, update, remove };

// Text for a shape, and which of the plan's values each parameter takes.
struct ShapeText {
    std::string sql;
    std::vector<std::uint32_t> values;
    bool is_lasting = true;  // false: the text is right for the plan's present values only
};

// Errors: unsupported — the dialect lacks an ability, `fields` names it;
//         parameter_invalid — the plan contradicts itself: a column that is neither grouped nor in an
//         aggregate, an order that distinct() has lost, an update of groups.
// Cost:   some 10 ns a node.
[[nodiscard]] Result<ShapeText> shape_text(QueryPlan const& plan, PlanUse use, Dialect dialect);

[[nodiscard]] Result<QueryText> query_text(QueryPlan const& plan, PlanUse use, Dialect dialect);

// A plan's statement for SQLite, kept by the thread for the next plan of the same shape.
struct PlanStatement {
    SqlText text;
    std::vector<std::uint32_t> values;
};
// Errors: those of shape_text(); validation — a value that cannot be stored.
// Cost:   with a known shape some nanoseconds for each node.
[[nodiscard]] Result<std::shared_ptr<PlanStatement const>> plan_statement(QueryPlan const& plan, PlanUse use);

// Binds one value, or those of the statement. Lifetime: the value, the plan must outlive the run.
void bind_parameter(SqlRun& run, int index, SqlParameter const& value);
void bind_values(SqlRun& run, PlanStatement const& statement, QueryPlan const& plan);

}  // namespace detail

}  // namespace quern
