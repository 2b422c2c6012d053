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
        if (!clauses_.distinct.empty() && !clauses_.order.empty()) check_distinct();
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

    void check_grouped(PlanNodes nodes) {
        if (nodes.front().op == PlanOp::aggregate || is_among(nodes, clauses_.group)) return;
        if (nodes.front().op == PlanOp::column) {
            FieldPath const& path = nodes.front().path();
            std::string name(path.table().name);
            name += '.';
            name += path.table().columns[path.column].name;
            return refuse("The column " + name + " is neither in group_by() nor in an aggregate.");
        }
        if (nodes.front().op == PlanOp::subquery) return;
        for_each_operand(nodes, [this](PlanNodes one) { check_grouped(one); });
    }

    void check_distinct() {
        for_each_operand(clauses_.order, [this](PlanNodes key) {
            PlanNodes const sorted = key.subspan(1);
            if (clauses_.output.empty() ? !is_of_rows(sorted) : !is_among(sorted, clauses_.output))
                refuse(
                    "distinct() gives rows that are sorted by what they do not hold: select() it as well.");
        });
    }

    // Whether it is made of columns of the rows that are given.
    [[nodiscard]] bool is_of_rows(PlanNodes nodes) const {
        return std::ranges::all_of(nodes, [this](PlanNode const& node) {
            return node.op != PlanOp::column || node.path().hops.empty() || is_related(node.path());
        });
    }
    [[nodiscard]] bool is_related(FieldPath const& path) const {
        return std::ranges::any_of(clauses_.related, [&path](PlanNodes related) {
            return std::ranges::equal(related[1].path().hops, path.hops, [](PathHop a, PathHop b) {
                return a.table == b.table && a.column == b.column;
            });
        });
    }

    // Whether it is one of the operands of `list`, which may be absent.
    [[nodiscard]] bool is_among(PlanNodes nodes, PlanNodes list) {
        if (list.empty()) return false;
        bool found = false;
        for_each_operand(list, [&](PlanNodes one) { found = found || is_equal(nodes, one); });
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
    if (nodes.front().op == PlanOp::aggregate) return true;
    if (nodes.front().op == PlanOp::subquery) return false;
    bool found = false;
    // The function over a window is no aggregate of the query; what it is of may be one.
    bool first_of_window = nodes.front().op == PlanOp::over;
    for_each_operand(nodes, [&](PlanNodes one) {
        if (std::exchange(first_of_window, false)) {
            for_each_operand(one, [&](PlanNodes argument) { found = found || has_aggregate(argument); });
        } else {
            found = found || has_aggregate(one);
        }
    });
    return found;
}

Result<void> check_clauses(PlanClauses const& clauses, QueryPlan const& plan, bool& lasting) {
    return ClauseCheck(clauses, plan, lasting).check();
}

}  // namespace quern::detail
