// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a query set asks for, as data: no text of any database, no connection, nothing that has been sent.
//
// A plan is a row of small nodes in prefix order, each followed by its operands, and the values apart. The
// nodes are the plan's shape: two sets that differ in values alone have equal shapes, and thus one statement.
// A dialect makes text of the shape (dialect.h); a value never becomes text.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <quern/model.h>

namespace quern {

// A value on its way into a statement; std::monostate is one that cannot be stored, see SqlValue.
using SqlParameter = std::variant<std::monostate, std::nullptr_t, bool, std::int64_t, double, std::string,
                                  std::vector<std::byte>>;

enum class PlanOp : std::uint8_t {
    // Clauses. `from` comes first; of the others in any order. A later one of the same kind replaces the
    // earlier, but for `where` and `having`, which all hold.
    from,  // `table`
    where,
    having,
    order,    // of `order_key`s
    group,    // of expressions
    output,   // of expressions; without it, the whole row of the table
    related,  // of one `row`, behind the table's own
    assign,   // of one expression; `number` is the column that gets it
    distinct,
    distinct_on,  // of expressions
    limit,        // `number` is a value's
    offset,
    lock,

    order_key,  // of one expression; flags: descending, nulls_first, nulls_last
    row,        // all columns of the table at the end of `path`

    // Expressions.
    value,  // `number` is a value's
    null,
    column,        // `path`
    outer_column,  // `path`, from the row of the query around this one
    all_of,
    any_of,
    logical_not,  // of a condition that is never unknown
    not_true,     // true for false and for unknown
    is_true,      // false for false and for unknown
    equal,
    not_equal,
    same,  // as `equal`, and null is the same as null
    not_same,
    less,
    less_equal,
    greater,
    greater_equal,
    between,
    is_null,
    not_null,
    in_list,  // the operand among the `number` values that follow
    in_set,   // the first operand among the rows of the second, a subquery
    exists,
    contains,  // text within text, by its bytes
    starts_with,
    ends_with,
    like,   // % and _, case by the database's own habit; the third operand is the escape character
    regex,  // text against a regular expression
    add,
    subtract,
    multiply,
    divide,
    modulo,
    concatenate,
    when,            // condition, value, condition, value … value otherwise
    function,        // flags: see PlanFunction in `number`
    named_function,  // `name`
    subquery,        // `number` nodes follow that are a plan of their own
    aggregate,  // flags: distinct, filtered (the last operand is the condition); PlanFunction in `number`
    over,       // an aggregate or window function, partition keys (the lower half of `number`), order keys
    random,
};

enum class PlanFunction : std::uint8_t {
    lower,
    upper,
    length,
    trim,
    absolute,
    round,
    coalesce,
    replace,
    substring,
    // aggregates
    count,
    sum,
    average,
    minimum,
    maximum,
    join_text,
    deviation,
    variance,
    // window functions
    row_number,
    rank,
    dense_rank,
    ntile,
    lag,
    lead,
    first_value,
    last_value,
};

// What a query asks of a database beyond what all of them do.
enum class Ability : std::uint8_t {
    distinct_on,    // one row for each value of some expressions
    row_locks,      // rows stay locked until the transaction ends
    regex,          // regular expressions
    deviation,      // standard deviation and variance
    distinct_join,  // join_text() of each value once
    parameters,     // so many values in one statement
    depth,          // expressions so deep within expressions
};
namespace detail {
inline constexpr std::size_t ability_count = static_cast<std::size_t>(Ability::depth) + 1;
inline constexpr std::size_t plan_function_count = static_cast<std::size_t>(PlanFunction::last_value) + 1;
}  // namespace detail
// As in error bodies, e.g. "distinct_on".
[[nodiscard]] std::string_view name(Ability ability);

namespace detail {

struct PathHop {
    TableInfo const& (*table)() = nullptr;  // that the reference is in
    std::uint16_t column = 0;               // the reference
};

// A column, or for rows a table, reached from a query's table through references.
struct FieldPath {
    std::span<PathHop const> hops;
    TableInfo const& (*table)() = nullptr;  // at the end
    std::uint16_t column = 0;               // in it
};

namespace plan_flag {
inline constexpr std::uint8_t descending = 1;
inline constexpr std::uint8_t nulls_first = 2;
inline constexpr std::uint8_t nulls_last = 4;
inline constexpr std::uint8_t distinct = 1;
inline constexpr std::uint8_t filtered = 2;
// The frame of a window: all rows of the partition; this row and the n before, n in the upper half of
// `number`.
inline constexpr std::uint8_t whole_partition = 1;
inline constexpr std::uint8_t rows_before = 2;
}  // namespace plan_flag

struct PlanNode {
    PlanOp op = PlanOp::null;
    std::uint8_t flags = 0;
    std::uint16_t count = 0;   // operands that follow
    std::uint32_t number = 0;  // by `op`
    void const* what = nullptr;

    [[nodiscard]] TableInfo const& table() const { return *static_cast<TableInfo const*>(what); }
    [[nodiscard]] FieldPath const& path() const { return *static_cast<FieldPath const*>(what); }
    [[nodiscard]] std::string_view const& name() const { return *static_cast<std::string_view const*>(what); }
    bool operator==(PlanNode const&) const = default;
};
static_assert(sizeof(PlanNode) == 16, "shapes are hashed as bytes");

enum class PlanFault : std::uint8_t {
    none,
    not_stored,      // a value that its SqlValue cannot store
    negative_bound,  // a limit or offset below 0
};

// How deep expressions and subqueries stand in one another; a && b && c is one level. Deeper is refused with
// `unsupported`. Written by hand no query comes near it, and far below it is all that databases (2 000 levels
// of SQLite, of which one of ours may be several) and the stack of a small thread can take.
inline constexpr std::size_t plan_depth_max = 100;

}  // namespace detail

// Threads: frozen, but for what builds it.
class QueryPlan {
public:
    [[nodiscard]] std::span<detail::PlanNode const> nodes() const { return nodes_; }
    [[nodiscard]] std::span<SqlParameter const> values() const { return values_; }
    [[nodiscard]] bool operator==(QueryPlan const&) const = default;

    // A readable text, for tests and for people; equal plans print equal.
    [[nodiscard]] std::string print() const;

    // Of the shape. Cost: some nanoseconds for each of the nodes.
    [[nodiscard]] std::size_t shape_hash() const;
    [[nodiscard]] bool has_shape_of(QueryPlan const& other) const { return nodes_ == other.nodes_; }

    // For those who write plans: expressions and query sets.
    void push(detail::PlanNode node) { nodes_.push_back(node); }
    void push_value(SqlParameter value) { push_value(PlanOp::value, std::move(value)); }
    void push_value(PlanOp op, SqlParameter value) {
        note_fault(op, value);
        nodes_.push_back({.op = op, .number = static_cast<std::uint32_t>(values_.size())});
        values_.push_back(std::move(value));
    }
    // The nodes of another plan with their values; a subquery is marked as a plan of its own.
    void push_part(QueryPlan const& part);
    void push_subquery(QueryPlan const& inner);
    void reserve(std::size_t nodes, std::size_t values) {
        nodes_.reserve(nodes);
        values_.reserve(values);
    }

    // What is wrong with a value of it; a query with such is refused.
    [[nodiscard]] detail::PlanFault fault() const { return fault_; }

private:
    void note_fault(PlanOp op, SqlParameter const& value) {
        if (std::holds_alternative<std::monostate>(value)) fault_ = detail::PlanFault::not_stored;
        if (op == PlanOp::value) return;
        auto const* const rows = std::get_if<std::int64_t>(&value);
        if (rows != nullptr && *rows < 0) fault_ = detail::PlanFault::negative_bound;
    }

    detail::PlanFault fault_ = detail::PlanFault::none;
    std::vector<detail::PlanNode> nodes_;
    std::vector<SqlParameter> values_;
};

}  // namespace quern
