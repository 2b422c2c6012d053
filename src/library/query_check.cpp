// SPDX-License-Identifier: Apache-2.0

// Whether the parts of a query fit together, which SQLite would not always say: it answers a column that is
// neither grouped nor in an aggregate with that of any row.

#include <algorithm>

#include "library/query_writer.h"

namespace quern::detail {

namespace {

// Threads: one at a time.
class ClauseCheck {
public:
    ClauseCheck(PlanClauses const& clauses, QueryPlan const& plan, bool& lasting)
        : clauses_(clauses), plan_(plan), lasting_(lasting) {}

    Result<void> check() {
        if (is_grouped()) check_groups();
        // Whole rows are distinct by themselves.
        if (!clauses_.distinct.empty() && !clauses_.order.empty() && !clauses_.output.empty())
            check_distinct();
        if (!clauses_.distinct_on.empty() && !clauses_.order.empty()) check_distinct_on();
        if (!clauses_.lock.empty()) check_lock();
        if (error_) return fail(*std::move(error_));
        return {};
    }

private:
    [[nodiscard]] bool is_grouped() const {
        return !clauses_.group.empty() || !clauses_.having.empty() ||
               (!clauses_.output.empty() && has_aggregate(clauses_.output)) ||
               (!clauses_.order.empty() && has_aggregate(clauses_.order));
    }

    void check_groups() {
        if (clauses_.output.empty()) return refuse("Groups have no rows of their own: say what to select().");
        for_each_operand(clauses_.output, [this](PlanNodes one) { check_grouped(one); });
        for (PlanNodes const condition : clauses_.having) check_grouped(condition.subspan(1));
        if (!clauses_.order.empty())
            for_each_operand(clauses_.order, [this](PlanNodes key) { check_grouped(key.subspan(1)); });
    }

    // Each column is grouped, in a grouped expression, or in an aggregate.
    void check_grouped(PlanNodes nodes) {
        for (std::size_t at = 0; at < nodes.size();) {
            PlanNodes const rest = nodes.subspan(at);
            if (std::size_t const grouped = begins_with_any(rest, clauses_.group); grouped > 0) {
                at += grouped;
            } else if (rest.front().op == PlanOp::aggregate) {
                at += extent(rest);
            } else if (rest.front().op == PlanOp::over) {
                at += 2;  // with its function, which looks at what the groups give
            } else if (rest.front().op == PlanOp::subquery) {
                check_looks(rest.subspan(1, rest.front().number));
                at += extent(rest);
            } else {
                if (rest.front().op == PlanOp::column) refuse_column(rest.front().path());
                ++at;
            }
        }
    }
    // What a subquery looks at of the query.
    void check_looks(PlanNodes nodes) {
        for (std::size_t at = 0; at < nodes.size(); ++at) {
            if (nodes[at].op == PlanOp::subquery)
                at += nodes[at].number;
            else if (nodes[at].op == PlanOp::outer_column && !is_grouped_column(nodes[at]))
                refuse_column(nodes[at].path());
        }
    }
    [[nodiscard]] bool is_grouped_column(PlanNode const& looked_at) {
        if (clauses_.group.empty()) return false;
        bool found = false;
        for_each_operand(clauses_.group, [&](PlanNodes one) {
            found = found || (one.front().op == PlanOp::column && one.front().what == looked_at.what);
        });
        return found;
    }
    void refuse_column(FieldPath const& path) {
        std::string name(path.table().name);
        name += '.';
        name += path.table().columns[path.column].name;
        refuse("The column " + name + " is neither in group_by() nor in an aggregate.");
    }

    void check_distinct() {
        for_each_operand(clauses_.order, [this](PlanNodes key) {
            if (begins_with_any(key.subspan(1), clauses_.output) == 0)
                refuse(
                    "distinct() gives rows that are sorted by what they do not hold: select() it as well.");
        });
    }

    // The first rows by an order are those of groups only when it begins with what makes the groups.
    void check_distinct_on() {
        std::size_t left = clauses_.distinct_on.front().count;
        for_each_operand(clauses_.order, [&](PlanNodes key) {
            if (left == 0) return;
            --left;
            if (begins_with_any(key.subspan(1), clauses_.distinct_on) == 0)
                refuse("distinct_on() takes the first rows of an order that begins with the same.");
        });
    }

    void check_lock() {
        bool const of_rows = !is_grouped() && clauses_.distinct_on.empty() &&
                             (clauses_.distinct.empty() || clauses_.output.empty()) &&
                             std::ranges::none_of(clauses_.output, [](PlanNode const& node) {
                                 return node.op == PlanOp::over;
                             });
        if (!of_rows) refuse("for_update() locks rows of the table, and these are made of several.");
    }

    // How many nodes the operand of `list` is that stands at the front of `nodes`; 0 where none does. What
    // has the same front is the same, because the number of operands is a part of each node.
    [[nodiscard]] std::size_t begins_with_any(PlanNodes nodes, PlanNodes list) {
        if (list.empty()) return 0;
        std::size_t found = 0;
        for_each_operand(list, [&](PlanNodes one) {
            if (found == 0 && one.size() <= nodes.size() && is_equal(nodes.first(one.size()), one))
                found = one.size();
        });
        return found;
    }
    [[nodiscard]] bool is_equal(PlanNodes a, PlanNodes b) {
        bool has_values = false;
        bool const equal = std::ranges::equal(a, b, [&](PlanNode const& one, PlanNode const& other) {
            if (one.op != PlanOp::value || other.op != PlanOp::value) return one == other;
            has_values = true;
            return plan_.values()[one.number] == plan_.values()[other.number];
        });
        if (has_values) lasting_ = false;
        return equal;
    }

    void refuse(std::string why) {
        if (!error_) error_.emplace(ErrorCode::parameter_invalid, std::move(why));
    }

    PlanClauses const& clauses_;
    QueryPlan const& plan_;
    bool& lasting_;
    std::optional<Error> error_;
};

}  // namespace

bool has_aggregate(PlanNodes nodes) {
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        switch (nodes[at].op) {
        case PlanOp::aggregate: return true;
        case PlanOp::subquery: at += nodes[at].number; break;
        // The function over a window is no aggregate of the query; what it is of may be one.
        case PlanOp::over: ++at; break;
        default: break;
        }
    }
    return false;
}

Result<void> check_clauses(PlanClauses const& clauses, QueryPlan const& plan, bool& lasting) {
    return ClauseCheck(clauses, plan, lasting).check();
}

}  // namespace quern::detail
