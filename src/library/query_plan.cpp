// SPDX-License-Identifier: Apache-2.0
#include <quern/query_plan.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <quern/assert.h>
#include "library/query_walk.h"

namespace quern {

namespace {

using detail::PlanNode;
using detail::PlanNodes;

constexpr std::array op_names = std::to_array<std::string_view>({
    "from",    "where",      "having",      "order",         "group",       "output",    "related",
    "assign",  "distinct",   "distinct_on", "limit",         "offset",      "lock",      "key",
    "row",     "value",      "null",        "column",        "outer",       "all_of",    "any_of",
    "not",     "not_true",   "is_true",     "equal",         "not_equal",   "same",      "not_same",
    "less",    "less_equal", "greater",     "greater_equal", "between",     "is_null",   "not_null",
    "in_list", "in_set",     "exists",      "contains",      "starts_with", "ends_with", "like",
    "regex",   "add",        "subtract",    "multiply",      "divide",      "modulo",    "concatenate",
    "when",    "function",   "call",        "subquery",      "aggregate",   "over",      "random",
});
static_assert(op_names.size() == static_cast<std::size_t>(PlanOp::random) + 1);

constexpr std::array function_names = std::to_array<std::string_view>({
    "lower",     "upper",     "length",      "trim",       "absolute", "round",      "coalesce",
    "replace",   "substring", "count",       "sum",        "average",  "minimum",    "maximum",
    "join_text", "deviation", "variance",    "row_number", "rank",     "dense_rank", "ntile",
    "lag",       "lead",      "first_value", "last_value",
});
static_assert(function_names.size() == static_cast<std::size_t>(PlanFunction::last_value) + 1);

constexpr std::array ability_names = std::to_array<std::string_view>(
    {"distinct_on", "row_locks", "regex", "deviation", "distinct_join", "parameters", "depth"});
static_assert(ability_names.size() == detail::ability_count);

void print_path(detail::FieldPath const& path, bool with_column, std::string& text) {
    TableInfo const& first = path.hops.empty() ? path.table() : path.hops.front().table();
    text += first.name;
    for (detail::PathHop const& hop : path.hops) {
        text += '.';
        text += hop.table().columns[hop.column].name;
    }
    if (!with_column) return;
    text += '.';
    text += path.table().columns[path.column].name;
}

void print_value(SqlParameter const& value, std::string& text) {
    struct Printer {
        std::string& text;
        void operator()(std::monostate) const { text += "?"; }
        void operator()(std::nullptr_t) const { text += "null"; }
        void operator()(bool truth) const { text += truth ? "true" : "false"; }
        void operator()(std::int64_t number) const { text += detail::number_text(number); }
        void operator()(double number) const { text += detail::number_text(number); }
        void operator()(std::string const& words) const {
            text += '\'';
            text += words;
            text += '\'';
        }
        void operator()(std::vector<std::byte> const& bytes) const {
            text += detail::number_text(static_cast<std::uint64_t>(bytes.size()));
            text += " bytes";
        }
    };
    std::visit(Printer{text}, value);
}

// What stands behind the operator's name.
void print_details(PlanNode const& node, QueryPlan const& plan, std::string& text) {
    switch (node.op) {
    case PlanOp::from: text += node.table().name; break;
    case PlanOp::value:
    case PlanOp::limit:
    case PlanOp::offset: print_value(plan.values()[node.number], text); break;
    case PlanOp::column:
    case PlanOp::outer_column: print_path(node.path(), true, text); break;
    case PlanOp::row: print_path(node.path(), false, text); break;
    case PlanOp::assign: text += '#' + detail::number_text(std::uint64_t{node.number}); break;
    case PlanOp::function:
    case PlanOp::aggregate: text += function_names[node.number]; break;
    case PlanOp::named_function: text += node.name(); break;
    default: break;
    }
    if (node.flags != 0) text += '/' + detail::number_text(std::uint64_t{node.flags});
}

void print_node(PlanNodes nodes, QueryPlan const& plan, std::size_t level, std::string& text) {
    PlanNode const& node = nodes.front();
    if (level > detail::plan_depth_max) {
        text += "(...)";
        return;
    }
    auto const print_inner = [&](PlanNodes inner) {
        text += ' ';
        print_node(inner, plan, level + 1, text);
    };
    if (node.op == PlanOp::subquery) {
        text += "(query";
        for (PlanNodes rest = nodes.subspan(1); !rest.empty();) {
            std::size_t const size = detail::extent(rest);
            print_inner(rest.first(size));
            rest = rest.subspan(size);
        }
        text += ')';
        return;
    }
    text += '(';
    text += op_names[static_cast<std::size_t>(node.op)];
    std::string about;
    print_details(node, plan, about);
    if (!about.empty()) text += ' ' + about;
    if (node.op == PlanOp::all_of || node.op == PlanOp::any_of) {
        std::ranges::for_each(detail::connected_parts(nodes), print_inner);
    } else {
        detail::for_each_operand(nodes, print_inner);
    }
    text += ')';
}

}  // namespace

std::string_view name(Ability ability) { return ability_names[static_cast<std::size_t>(ability)]; }

std::string QueryPlan::print() const {
    std::string text;
    for (PlanNodes rest = nodes_; !rest.empty();) {
        std::size_t const size = detail::extent(rest);
        if (!text.empty()) text += '\n';
        print_node(rest.first(size), *this, 1, text);
        rest = rest.subspan(size);
    }
    return text;
}

std::size_t QueryPlan::shape_hash() const {
    // Nodes are mixed apart from each other and joined by a rotation, so that the processor works on several
    // at once. A collision costs a comparison.
    constexpr std::uint64_t first_factor = 0x9e37'79b1'85eb'ca87;
    constexpr std::uint64_t second_factor = 0xc2b2'ae3d'27d4'eb4f;
    constexpr int turn = 29;  // bits
    std::uint64_t hash = nodes_.size();
    for (PlanNode const& node : nodes_) {
        auto const words = std::bit_cast<std::array<std::uint64_t, 2>>(node);
        std::uint64_t const mixed = (words[0] * first_factor) ^ std::rotl(words[1] * second_factor, turn);
        hash = std::rotl(hash, 5) ^ mixed;
    }
    hash *= first_factor;
    hash ^= hash >> 32U;
    return hash;
}

void QueryPlan::push_part(QueryPlan const& part) {
    auto const base = static_cast<std::uint32_t>(values_.size());
    std::size_t const first = nodes_.size();
    nodes_.insert(nodes_.end(), part.nodes_.begin(), part.nodes_.end());
    if (base > 0) {
        for (PlanNode& node : std::span(nodes_).subspan(first)) {
            if (node.op == PlanOp::value || node.op == PlanOp::limit || node.op == PlanOp::offset)
                node.number += base;
        }
    }
    values_.insert(values_.end(), part.values_.begin(), part.values_.end());
    fault_ = fault_ != detail::PlanFault::none ? fault_ : part.fault_;
}

void QueryPlan::push_subquery(QueryPlan const& inner) {
    nodes_.push_back({.op = PlanOp::subquery, .number = static_cast<std::uint32_t>(inner.nodes_.size())});
    push_part(inner);
}

}  // namespace quern
