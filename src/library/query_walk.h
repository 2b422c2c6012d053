// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finding one's way in a plan's nodes, which stand in prefix order.

#include <cstddef>
#include <span>
#include <vector>

#include <quern/query_plan.h>

namespace quern::detail {

using PlanNodes = std::span<PlanNode const>;

[[nodiscard]] inline std::size_t operand_count(PlanNode const& node) {
    return node.op == PlanOp::in_list ? std::size_t{node.count} + node.number : node.count;
}

// How many nodes the one at the front and its operands are. Precondition: `nodes` is not empty and whole.
[[nodiscard]] std::size_t extent(PlanNodes nodes);

// Calls use(PlanNodes) for each operand of the node at the front, in order; each span begins with its node
// and holds it alone with its operands.
template <class Use>
void for_each_operand(PlanNodes nodes, Use use) {
    PlanNode const& head = nodes.front();
    std::size_t const count = operand_count(head);
    std::size_t at = 1;
    for (std::size_t index = 0; index < count; ++index) {
        std::size_t const size = extent(nodes.subspan(at));
        use(nodes.subspan(at, size));
        at += size;
    }
}

// The operands of a row of && (or of ||) at the front, however they are nested in one another: those of
// (a && b) && (c && d) are four. Cost: linear.
[[nodiscard]] std::vector<PlanNodes> connected_parts(PlanNodes nodes);

// See plan_depth_max. Cost: linear, and no stack.
[[nodiscard]] std::size_t depth_of(PlanNodes nodes);

// One query of a plan, its clauses found. The spans begin with the clause's node; an absent one is empty.
struct PlanClauses {
    TableInfo const* table = nullptr;
    std::vector<PlanNodes> where;
    std::vector<PlanNodes> having;
    std::vector<PlanNodes> related;
    std::vector<PlanNodes> assign;
    PlanNodes order;
    PlanNodes group;
    PlanNodes output;
    PlanNodes distinct;
    PlanNodes distinct_on;
    PlanNodes limit;
    PlanNodes offset;
    PlanNodes lock;
};
// Precondition: `nodes` begins with `from` and holds nothing behind the query.
[[nodiscard]] PlanClauses find_clauses(PlanNodes nodes);

}  // namespace quern::detail
