// SPDX-License-Identifier: Apache-2.0
#include "query/plan_maker.h"

#include <algorithm>
#include <utility>

#include <quern/assert.h>
#include "query/compiler.h"
#include "query/improve.h"
#include "query/limits.h"

namespace quern::query {

namespace {

using plan::Condition;
using plan::Plan;

constexpr std::size_t id_field = 0;

ParameterSource source_of(ParameterSource::Kind kind, std::size_t index = 0) {
    ParameterSource source;
    source.kind = kind;
    source.index = static_cast<std::uint16_t>(index);
    return source;
}

// Which rows the question itself is about.
Condition key_condition(QuestionData const& question, Compiler& compiler) {
    using Kind = ParameterSource::Kind;
    if (question.kind == QuestionKind::view || question.kind == QuestionKind::check) {
        return plan::compare(plan::column(0, id_field), plan::Comparison::equal,
                             compiler.parameter(source_of(Kind::record_id)));
    }
    if (question.kind != QuestionKind::related) return {};
    plan::Operand const ids = compiler.parameter(source_of(Kind::ids));
    if (!question.back) return plan::compare(plan::column(0, id_field), plan::Comparison::in_list, ids);
    Field const& relation = question.collection.fields[question.field];
    QUERN_ASSERT(relation.type == FieldType::relation, "records belong together by a relation");
    if (!relation.is_join()) {
        return plan::compare(plan::column(0, question.field), plan::Comparison::in_list, ids);
    }
    Collection const* const target = compiler.plan().schema->find(relation.collection_id);
    Condition some;
    some.kind = Condition::Kind::quantified;
    some.sources.push_back(compiler.add_source(target, 0, plan::Hop::to_many_ids, question.field));
    some.parts.push_back(
        plan::compare(plan::column(some.sources.front(), id_field), plan::Comparison::in_list, ids));
    return some;
}

Result<Condition> rule_condition(QuestionData const& question, PlanContext const& context,
                                 Compiler& compiler) {
    if (question.access.kind() == Access::Kind::all) return Condition{};
    if (question.access.kind() == Access::Kind::by_text) {
        return compiler.lower_rule(question.access.text(), "rule", 0, true, nullptr);
    }
    Rule const& rule = rule_of(question.collection, question.access.action());
    Condition condition;
    if (!rule) {
        condition.kind = Condition::Kind::never;
        return condition;
    }
    Settlement settlement;
    settlement.outcomes = context.outcomes;
    settlement.known = true;
    return compiler.lower_rule(*rule, rule_name(question.access.action()), 0, true, &settlement);
}

Result<Condition> filter_condition(QuestionData const& question, PlanContext const& context,
                                   Compiler& compiler) {
    if (!context.has_filter) return Condition{};
    Scope scope;
    scope.trust = context.superuser ? Trust::superuser : Trust::client;
    scope.literals = context.literals;
    return compiler.lower_text(question.filter, std::move(scope));
}

Result<void> choose_columns(QuestionData const& question, PlanContext const& context, Prepared& prepared,
                            Plan& plan) {
    prepared.collection = &question.collection;
    QUERN_TRY(prepared.selection, parse_fields(question.fields));
    QUERN_TRY(prepared.expand,
              parse_expand(question.expand, *context.schema, question.collection, context.superuser));
    apply_selection(prepared.expand, prepared.selection, context.superuser);
    auto& fields = prepared.fields;
    if (question.kind == QuestionKind::check) {
        fields.push_back(id_field);
    } else if (!question.output.columns.empty()) {
        fields.assign(question.output.columns.begin(), question.output.columns.end());
    } else if (question.kind != QuestionKind::count) {
        fields = fields_to_read(question.collection, prepared.selection, prepared.expand, context.superuser);
    }
    if (question.kind == QuestionKind::related) {
        std::uint16_t const key = question.back ? question.field : std::uint16_t{id_field};
        auto found = std::ranges::find(fields, key);
        if (found == fields.end()) found = fields.insert(fields.end(), key);
        prepared.key_column = static_cast<std::size_t>(found - fields.begin());
    }
    for (std::uint16_t const field : fields) plan.output.push_back(plan::column(0, field));
    if (question.output.version) {
        prepared.version_column = plan.output.size();
        plan.output.push_back(plan::column(0, Collection::version_field));
    }
    return {};
}

Result<void> add_order(QuestionData const& question, PlanContext const& context, Compiler& compiler,
                       Prepared& prepared) {
    Plan& plan = compiler.plan();
    bool const has_order = question.kind == QuestionKind::list || (question.kind == QuestionKind::related &&
                                                                   (question.back || !question.sort.empty()));
    if (has_order) QUERN_CHECK(compiler.lower_sort(question.sort, context.superuser));
    bool const is_random = std::ranges::any_of(
        plan.sort, [](plan::SortKey const& key) { return key.kind == plan::SortKey::Kind::random; });
    if (is_random && (question.has_seek || question.output.sort_values)) {
        return fail(ErrorCode::sort_invalid, "A cursor needs an order that lasts, @random does not.");
    }
    prepared.sort_columns_start = plan.output.size();
    if (question.output.sort_values) {
        prepared.sort_columns_count = plan.sort.size();
        for (plan::SortKey const& key : plan.sort) plan.output.push_back(key.operand);
    }
    return {};
}

Result<void> add_bounds(QuestionData const& question, Compiler& compiler) {
    using Kind = ParameterSource::Kind;
    Plan& plan = compiler.plan();
    if (question.limit > 0) plan.limit = compiler.parameter_index(source_of(Kind::limit));
    if (question.offset > 0) plan.offset = compiler.parameter_index(source_of(Kind::offset));
    if (!question.has_seek) return {};
    if (question.seek.size() != plan.sort.size()) {
        return fail(ErrorCode::parameter_invalid, "The cursor does not belong to this list.");
    }
    plan.has_seek = true;
    for (std::size_t index = 0; index < question.seek.size(); ++index) {
        plan.seek.values.push_back(compiler.parameter_index(source_of(Kind::seek, index)));
        plan.seek.null.push_back(question.seek[index].is_null());
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<Prepared const>> make_plan(QuestionData const& question, PlanContext const& context,
                                                  Arena& arena) {
    auto prepared = std::make_shared<Prepared>();
    Compiler compiler(context.schema, question.collection, context.caller, arena);
    Plan& plan = compiler.plan();

    // The rule stands before the filter: what it hides is not even compared.
    std::vector<Condition> parts;
    parts.push_back(key_condition(question, compiler));
    auto rule = rule_condition(question, context, compiler);
    if (!rule) {
        return fail(ErrorCode::internal, "A rule of \"" + question.collection.name + "\" is broken.");
    }
    parts.push_back(*std::move(rule));
    QUERN_TRY(parts.emplace_back(), filter_condition(question, context, compiler));
    plan.where = plan::all_of(std::move(parts));

    QUERN_CHECK(choose_columns(question, context, *prepared, plan));
    QUERN_CHECK(add_order(question, context, compiler, *prepared));
    QUERN_CHECK(add_bounds(question, compiler));
    drop_unused_joins(plan);
    drop_unused_parameters(plan, compiler.parameters());

    prepared->parameters = std::move(compiler.parameters());
    prepared->evaluations = std::move(compiler.evaluations());
    prepared->plan = plan::seal(std::move(plan));
    return prepared;
}

Result<std::vector<Evaluation>> row_free_comparisons(std::shared_ptr<Schema const> const& schema,
                                                     Collection const& collection, Action action,
                                                     Collection const* caller, Arena& arena) {
    Compiler compiler(schema, collection, caller, arena);
    Settlement settlement;
    Rule const& rule = rule_of(collection, action);
    QUERN_ASSERT(rule.has_value(), "a rule that is not there compares nothing");
    QUERN_TRY(auto const ignored, compiler.lower_rule(*rule, rule_name(action), 0, true, &settlement));
    (void)ignored;
    auto comparisons = std::move(settlement.gathered);
    if (comparisons.size() > settled_comparisons_max) comparisons.resize(settled_comparisons_max);
    return comparisons;
}

Result<void> check_rule(std::shared_ptr<Schema const> const& schema, Collection const& collection,
                        std::string_view name, std::string_view text) {
    // A rule may read differently for each kind of caller.
    std::vector<Collection const*> callers{nullptr};
    for (auto const& candidate : schema->collections()) {
        if (candidate->type == CollectionType::auth) callers.push_back(candidate.get());
    }
    for (Collection const* const caller : callers) {
        Arena arena;
        Compiler compiler(schema, collection, caller, arena);
        QUERN_TRY(auto const condition, compiler.lower_rule(text, name, 0, true, nullptr));
        (void)condition;
    }
    return {};
}

std::optional<std::size_t> Prepared::column_of(std::size_t field) const {
    auto const found = std::ranges::find(fields, static_cast<std::uint16_t>(field));
    if (found == fields.end()) return std::nullopt;
    return static_cast<std::size_t>(found - fields.begin());
}

}  // namespace quern::query
