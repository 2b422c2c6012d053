// SPDX-License-Identifier: Apache-2.0
#include "engine/ram/select.h"

#include <algorithm>
#include <limits>

#include <quern/assert.h>

namespace quern::engine::ram {

using plan::Plan;
using plan::SortKey;

namespace {

// A row that satisfies the condition, with what it is ordered by.
struct Candidate {
    RowHandle row = nullptr;
    std::vector<OwnedValue> keys;
};

std::vector<OwnedValue> sort_keys(Plan const& plan, Evaluation& evaluation, std::mt19937_64& random) {
    std::vector<OwnedValue> keys;
    for (SortKey const& key : plan.sort) {
        if (key.kind == SortKey::Kind::random) {
            keys.emplace_back(Value::of(static_cast<std::int64_t>(random() >> 1)));
        } else {
            keys.emplace_back(evaluation.value(key.operand));
        }
    }
    return keys;
}

// The order of two rows by the plan's sort keys.
std::strong_ordering order(Plan const& plan, std::vector<OwnedValue> const& left,
                           std::vector<OwnedValue> const& right) {
    for (std::size_t index = 0; index < plan.sort.size(); ++index) {
        auto const by_key = compare(left[index].view(), right[index].view());
        if (by_key != 0) return plan.sort[index].descending ? 0 <=> by_key : by_key;
    }
    return std::strong_ordering::equal;
}

std::vector<OwnedValue> seek_keys(plan::BoundPlan bound) {
    plan::Seek const& seek = bound.plan.seek;
    QUERN_ASSERT(seek.values.size() == bound.plan.sort.size() && seek.null.size() == bound.plan.sort.size(),
                 "a seek has a value for every sort key");
    std::vector<OwnedValue> keys;
    for (std::size_t index = 0; index < seek.values.size(); ++index) {
        QUERN_ASSERT(bound.plan.sort[index].kind != SortKey::Kind::random,
                     "there is no way back into chance");
        keys.emplace_back(seek.null[index] ? Value{} : bound.values[seek.values[index]]);
    }
    return keys;
}

// The value of a row bound; `otherwise` when the plan has none.
std::size_t row_bound(plan::BoundPlan bound, plan::ParameterIndex parameter, std::size_t otherwise) {
    if (parameter == Plan::no_parameter) return otherwise;
    Value const value = bound.values[parameter];
    QUERN_ASSERT(value.kind == ValueKind::integer && value.integer >= 0, "a row bound is a number of rows");
    return static_cast<std::size_t>(value.integer);
}

}  // namespace

Result<void> select(plan::BoundPlan bound, Tables const& tables, Run run, RowSink& sink) {
    Plan const& plan = bound.plan;
    TableAccess access(tables);
    Evaluation evaluation(bound, access, run.proceed);

    // Which rows.
    std::vector<Candidate> candidates;
    std::vector<OwnedValue> const seek = plan.has_seek ? seek_keys(bound) : std::vector<OwnedValue>{};
    for (RowHandle const row : access.all(*plan.sources[0].collection)) {
        evaluation.enter(row);
        bool const holds = evaluation.holds(plan.where);
        if (evaluation.was_stopped() || !run.proceed()) return fail(run.stopped);
        if (!holds) continue;
        auto keys = sort_keys(plan, evaluation, run.random);
        if (plan.has_seek && order(plan, keys, seek) <= 0) continue;
        candidates.push_back({row, std::move(keys)});
    }

    // In which order; equal ones stay in the order of insertion.
    std::ranges::stable_sort(candidates, [&plan](Candidate const& left, Candidate const& right) {
        return order(plan, left.keys, right.keys) < 0;
    });

    // Between which bounds.
    std::size_t const first = std::min(row_bound(bound, plan.offset, 0), candidates.size());
    std::size_t const rest = candidates.size() - first;
    std::size_t const last = first + std::min(row_bound(bound, plan.limit, rest), rest);

    std::vector<Value> columns(plan.output.size());
    for (std::size_t index = first; index < last; ++index) {
        if (!run.proceed()) return fail(run.stopped);
        evaluation.enter(candidates[index].row);
        std::ranges::transform(plan.output, columns.begin(),
                               [&](plan::Operand const& operand) { return evaluation.value(operand); });
        if (!sink.row(columns)) break;
    }
    return {};
}

Result<std::int64_t> count(plan::BoundPlan bound, Tables const& tables, Run run) {
    TableAccess access(tables);
    Evaluation evaluation(bound, access, run.proceed);
    std::int64_t found = 0;
    for (RowHandle const row : access.all(*bound.plan.sources[0].collection)) {
        evaluation.enter(row);
        if (evaluation.holds(bound.plan.where)) ++found;
        if (evaluation.was_stopped() || !run.proceed()) return fail(run.stopped);
    }
    return found;
}

}  // namespace quern::engine::ram
