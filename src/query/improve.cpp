// SPDX-License-Identifier: Apache-2.0
#include "query/improve.h"

#include <utility>

namespace quern::query {

namespace {

using plan::Condition;
using plan::Operand;
using plan::Plan;

// Calls `visit` for every operand of a condition, arguments of calls included.
template <class Visit>
void each_operand(Operand& operand, Visit const& visit) {
    visit(operand);
    for (Operand& argument : operand.arguments) each_operand(argument, visit);
}

template <class Visit>
void each_operand(Condition& condition, Visit const& visit) {
    each_operand(condition.left, visit);
    each_operand(condition.right, visit);
    for (Condition& part : condition.parts) each_operand(part, visit);
}

template <class Visit>
void each_operand(Plan& plan, Visit const& visit) {
    each_operand(plan.where, visit);
    for (plan::SortKey& key : plan.sort) each_operand(key.operand, visit);
    for (Operand& operand : plan.output) each_operand(operand, visit);
    for (plan::Source& source : plan.sources) each_operand(source.guard, visit);
}

bool reads_column(Operand const& operand) {
    return operand.kind == Operand::Kind::column || operand.kind == Operand::Kind::json_path;
}

void mark_sources(Condition& condition, Plan& plan, std::vector<bool>& used) {
    each_operand(condition, [&used](Operand& operand) {
        if (reads_column(operand)) used[operand.column.source] = true;
    });
    auto const quantified = [&](auto const& self, Condition& part) -> void {
        for (plan::SourceIndex const source : part.sources) {
            if (used[source]) continue;
            used[source] = true;
            mark_sources(plan.sources[source].guard, plan, used);
        }
        for (Condition& inner : part.parts) self(self, inner);
    };
    quantified(quantified, condition);
}

}  // namespace

void drop_unused_joins(Plan& plan) {
    std::vector<bool> used(plan.sources.size(), false);
    used[0] = true;
    mark_sources(plan.where, plan, used);
    auto const mark = [&used](Operand& operand) {
        if (reads_column(operand)) used[operand.column.source] = true;
    };
    for (plan::SortKey& key : plan.sort) each_operand(key.operand, mark);
    for (Operand& operand : plan.output) each_operand(operand, mark);
    // Children stand behind their parents, and a guard's sources behind the guarded one.
    for (std::size_t index = plan.sources.size(); index-- > 0;) {
        if (used[index] && plan.sources[index].parent != plan::no_source)
            used[plan.sources[index].parent] = true;
    }
    for (plan::SourceIndex const source : plan.joined) {
        if (used[source]) mark_sources(plan.sources[source].guard, plan, used);
    }
    std::erase_if(plan.joined, [&used](plan::SourceIndex source) { return !used[source]; });
    for (std::size_t index = 0; index < plan.sources.size(); ++index) {
        if (!used[index]) plan.sources[index].guard = {};
    }
}

void drop_unused_parameters(Plan& plan, std::vector<ParameterSource>& parameters) {
    std::vector<bool> used(parameters.size(), false);
    each_operand(plan, [&used](Operand& operand) {
        if (operand.kind == Operand::Kind::parameter) used[operand.index] = true;
    });
    if (plan.limit != Plan::no_parameter) used[plan.limit] = true;
    if (plan.offset != Plan::no_parameter) used[plan.offset] = true;
    for (plan::ParameterIndex const value : plan.seek.values) used[value] = true;

    std::vector<plan::ParameterIndex> renumbered(parameters.size(), Plan::no_parameter);
    std::vector<ParameterSource> kept;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
        if (!used[index]) continue;
        renumbered[index] = static_cast<plan::ParameterIndex>(kept.size());
        kept.push_back(std::move(parameters[index]));
    }
    parameters = std::move(kept);
    each_operand(plan, [&renumbered](Operand& operand) {
        if (operand.kind == Operand::Kind::parameter) operand.index = renumbered[operand.index];
    });
    if (plan.limit != Plan::no_parameter) plan.limit = renumbered[plan.limit];
    if (plan.offset != Plan::no_parameter) plan.offset = renumbered[plan.offset];
    for (plan::ParameterIndex& value : plan.seek.values) value = renumbered[value];
    plan.parameter_count = static_cast<std::uint16_t>(parameters.size());
}

}  // namespace quern::query
