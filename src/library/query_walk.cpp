// SPDX-License-Identifier: Apache-2.0
#include "library/query_walk.h"

#include <quern/assert.h>

namespace quern::detail {

std::size_t extent(PlanNodes nodes) {
    std::size_t at = 0;
    // Operands that are still to come.
    for (std::size_t open = 1; open > 0; --open) {
        QUERN_ASSERT(at < nodes.size(), "every node has its operands");
        PlanNode const& node = nodes[at++];
        if (node.op == PlanOp::subquery) {
            at += node.number;
        } else {
            open += node.op == PlanOp::in_list ? std::size_t{node.count} + node.number : node.count;
        }
    }
    return at;
}

PlanClauses find_clauses(PlanNodes nodes) {
    QUERN_ASSERT(!nodes.empty() && nodes.front().op == PlanOp::from, "a query begins with its table");
    PlanClauses clauses;
    clauses.table = &nodes.front().table();
    for (std::size_t at = 1; at < nodes.size();) {
        PlanNodes const clause = nodes.subspan(at, extent(nodes.subspan(at)));
        at += clause.size();
        switch (clause.front().op) {
        case PlanOp::where: clauses.where.push_back(clause); break;
        case PlanOp::having: clauses.having.push_back(clause); break;
        case PlanOp::related: clauses.related.push_back(clause); break;
        case PlanOp::assign: clauses.assign.push_back(clause); break;
        case PlanOp::order: clauses.order = clause; break;
        case PlanOp::group: clauses.group = clause; break;
        case PlanOp::output: clauses.output = clause; break;
        case PlanOp::distinct: clauses.distinct = clause; break;
        case PlanOp::distinct_on: clauses.distinct_on = clause; break;
        case PlanOp::limit: clauses.limit = clause; break;
        case PlanOp::offset: clauses.offset = clause; break;
        case PlanOp::lock: clauses.lock = clause; break;
        default: QUERN_ASSERT(false, "only clauses stand in a query");
        }
    }
    return clauses;
}

}  // namespace quern::detail
