// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes the text of a plan: queries here, expressions in query_expression.cpp.
//
// Tables get the names t0, t1 … where there is more than one. A path through references is a join, which all
// paths with the same beginning share: an inner one where the reference is never null, else an outer one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/buffer.h>
#include <quern/dialect.h>
#include "library/query_dialect.h"
#include "library/query_walk.h"

namespace quern::detail {

// The text as it grows. Most pieces are of a few bytes, which std::string appends by calls into a library.
class QueryOutput {
public:
    void operator+=(std::string_view text) { bytes_.append(text); }
    void operator+=(char c) { bytes_.append(c); }
    void append_integer(std::size_t number) { bytes_.append_integer(static_cast<std::int64_t>(number)); }
    void reserve(std::size_t bytes) { (void)bytes_.reserve(bytes); }
    [[nodiscard]] std::string_view view() const { return bytes_.view(); }

private:
    Buffer bytes_;
};

// Threads: one at a time.
class QueryWriter {
public:
    QueryWriter(QueryPlan const& plan, Dialect dialect);
    [[nodiscard]] Result<ShapeText> write(PlanUse use);

private:
    struct Join {
        std::size_t parent = 0;  // alias
        PathHop hop;
        TableInfo const* target = nullptr;
        std::size_t alias = 0;
        bool outer = false;
    };
    // One query, or the statement that updates or removes.
    struct Scope {
        PlanClauses clauses;
        Scope const* around = nullptr;
        std::size_t alias = 0;
        std::vector<Join> joins;
    };

    // --- queries (query_writer.cpp) ---
    [[nodiscard]] Scope open_scope(PlanNodes nodes, Scope const* around);
    void find_joins(PlanNodes nodes, PlanOp wanted, Scope& scope);
    void add_joins(FieldPath const& path, Scope& scope);
    [[nodiscard]] std::size_t alias_of(FieldPath const& path, Scope const& scope) const;
    void write_query(PlanNodes nodes, Scope const* around, PlanUse use);
    void write_rows(Scope const& scope, PlanUse use);
    void write_count(PlanNodes nodes);
    void write_output(Scope const& scope);
    void write_row(FieldPath const& path, Scope const& scope);
    void write_from(Scope const& scope);
    void write_conditions(std::string_view word, std::vector<PlanNodes> const& clauses, Scope const& scope);
    void write_tail(Scope const& scope, PlanUse use);
    void write_limit(PlanClauses const& clauses, PlanUse use);
    void write_order(PlanNodes order, Scope const& scope);
    void write_change(PlanUse use);
    void write_changed_rows(Scope const& scope);
    void write_keys(Scope const& scope);
    void table_name(TableInfo const& table, std::size_t alias);

    // --- expressions (query_expression.cpp) ---
    void expression(PlanNodes nodes, Scope const& scope);
    void operand(PlanNodes nodes, Scope const& scope);  // the same in parentheses where it needs them
    void list(PlanNodes nodes, Scope const& scope);     // of all operands
    void infix(PlanNodes nodes, std::string_view sign, Scope const& scope);
    void connected(std::span<PlanNodes const> parts, std::string_view word, Scope const& scope);
    void text_search(PlanNodes nodes, Scope const& scope);
    void starts_with(PlanNodes text, PlanNodes part, Scope const& scope);
    void ends_with(PlanNodes text, PlanNodes part, Scope const& scope);
    void in_list(PlanNodes nodes, Scope const& scope);
    void case_when(PlanNodes nodes, Scope const& scope);
    void function(PlanNodes nodes, std::string_view name, Scope const& scope);
    void integer(PlanNodes nodes, Scope const& scope);
    void aggregate(PlanNodes nodes, Scope const& scope);
    void over(PlanNodes nodes, Scope const& scope);
    void order_key(PlanNodes nodes, Scope const& scope);
    void column(FieldPath const& path, Scope const& scope);
    void parameter(std::uint32_t value);    // with its type where the dialect wants it
    void placeholder(std::uint32_t value);  // without
    [[nodiscard]] std::size_t shared_number(std::uint32_t value) const;

    void column_name(std::size_t alias, std::string_view name);
    void quoted(std::string_view name);
    void refuse(Ability ability);
    void refuse(std::string_view why);

    QueryPlan const& plan_;
    Dialect dialect_;
    DialectTable const& table_;
    bool qualified_;  // columns are written with their table
    std::size_t aliases_ = 0;
    // While the parts of a query are written that must be the same expressions, as those of GROUP BY and
    // SELECT: equal values are one numbered parameter.
    bool sharing_ = false;
    std::vector<std::size_t> shared_;  // numbers of parameters
    QueryOutput sql_;
    ShapeText text_;              // but for its text
    std::optional<Error> error_;  // the first
};

// Whether a query's parts fit together: groups, aggregates, distinct and its order. `lasting` becomes false
// where the answer holds for the plan's present values only. Errors: parameter_invalid.
[[nodiscard]] Result<void> check_clauses(PlanClauses const& clauses, QueryPlan const& plan, bool& lasting);
// Whether there is an aggregate in it that is not over a window, subqueries aside.
[[nodiscard]] bool has_aggregate(PlanNodes nodes);

}  // namespace quern::detail
