// SPDX-License-Identifier: Apache-2.0
#include "library/query_walk.h"

#include <algorithm>

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
            open += operand_count(node);
        }
    }
    return at;
}

std::vector<PlanNodes> connected_parts(PlanNodes nodes) {
    std::vector<PlanNodes> parts;
    PlanOp const op = nodes.front().op;
    std::size_t at = 0;
    for (std::size_t open = 1; open > 0;) {
        if (nodes[at].op == op) {
            ++at;
            ++open;
            continue;
        }
        PlanNodes const rest = nodes.subspan(at);
        parts.push_back(rest.first(extent(rest)));
        at += parts.back().size();
        --open;
    }
    return parts;
}

std::size_t depth_of(PlanNodes nodes) {
    struct Open {
        PlanOp op = PlanOp::null;
        std::size_t level = 0;
        std::size_t operands = 0;  // to come
        std::size_t end = 0;       // of a subquery
    };
    std::vector<Open> open;
    std::size_t deepest = 0;
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        PlanNode const& node = nodes[at];
        auto const is_done = [at](Open const& one) {
            return one.op == PlanOp::subquery ? at >= one.end : one.operands == 0;
        };
        while (!open.empty() && is_done(open.back())) open.pop_back();
        std::size_t level = 1;
        if (!open.empty()) {
            bool const goes_on =
                node.op == open.back().op && (node.op == PlanOp::all_of || node.op == PlanOp::any_of);
            level = open.back().level + (goes_on ? 0 : 1);
            if (open.back().op != PlanOp::subquery) --open.back().operands;
        }
        deepest = std::max(deepest, level);
        open.push_back({node.op, level, operand_count(node), at + 1 + node.number});
    }
    return deepest;
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
