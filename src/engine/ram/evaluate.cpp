// SPDX-License-Identifier: Apache-2.0
#include "engine/ram/evaluate.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <quern/assert.h>
#include "base/text.h"
#include "engine/functions.h"
#include "engine/ram/json_text.h"

namespace quern::engine::ram {

using plan::Comparison;
using plan::Condition;
using plan::Function;
using plan::Hop;
using plan::Operand;
using plan::Source;
using plan::SourceIndex;

namespace {

bool is_less(Value const& left, Value const& right) { return compare(left, right) < 0; }

}  // namespace

Evaluation::Evaluation(plan::BoundPlan bound, RowAccess& rows, std::function<bool()> proceed)
    : bound_(bound), rows_(rows), proceed_(std::move(proceed)), bindings_(bound.plan.sources.size()) {
    QUERN_ASSERT(bound.values.size() >= bound.plan.parameter_count, "every parameter has a value");
}

void Evaluation::enter(RowHandle row) {
    texts_.reset();
    std::ranges::fill(bindings_, Binding{});
    bindings_[0].row = row;
    for (SourceIndex const source : bound_.plan.joined) bindings_[source] = bindings_of(source).front();
}

bool Evaluation::holds(Condition const& condition) {
    switch (condition.kind) {
    case Condition::Kind::always: return true;
    case Condition::Kind::never: return false;
    case Condition::Kind::all_of:
        return std::ranges::all_of(condition.parts, [this](Condition const& part) { return holds(part); });
    case Condition::Kind::any_of:
        return std::ranges::any_of(condition.parts, [this](Condition const& part) { return holds(part); });
    case Condition::Kind::compare:
        if (!stopped_ && proceed_ && !proceed_()) stopped_ = true;
        return !stopped_ && compares(condition) != condition.negated;
    case Condition::Kind::quantified: return quantified(condition) != condition.negated;
    }
    return false;
}

bool Evaluation::compares(Condition const& condition) {
    Value const left = value(condition.left);
    if (condition.comparison == Comparison::is_null) return left.is_null();
    Value const right = value(condition.right);
    if (condition.comparison == Comparison::same) return left == right;
    if (left.is_null() || right.is_null()) return false;
    switch (condition.comparison) {
    case Comparison::equal: return left == right;
    case Comparison::less: return compare(left, right) < 0;
    case Comparison::less_equal: return compare(left, right) <= 0;
    case Comparison::greater: return compare(left, right) > 0;
    case Comparison::greater_equal: return compare(left, right) >= 0;
    case Comparison::like: return matches(left, right);
    case Comparison::in_list: return is_in_list(left, condition.right);
    case Comparison::same:
    case Comparison::is_null: break;
    }
    QUERN_ASSERT(false, "same and is_null were answered above");
}

bool Evaluation::is_in_list(Value const& value, Operand const& list) {
    QUERN_ASSERT(list.kind == Operand::Kind::parameter, "a list is a parameter");
    auto const& elements = list_in(list.index);
    return std::ranges::binary_search(elements, value, is_less, &OwnedValue::view);
}

std::vector<OwnedValue> const& Evaluation::list_in(plan::ParameterIndex parameter) {
    auto const [place, is_new] = lists_.try_emplace(parameter);
    std::vector<OwnedValue>& elements = place->second;
    if (!is_new) return elements;
    for (Binding const& binding : elements_of(bound_.values[parameter])) {
        if (!binding.element.is_null()) elements.emplace_back(binding.element);
    }
    std::ranges::sort(elements, is_less, &OwnedValue::view);
    return elements;
}

bool Evaluation::quantified(Condition const& condition) {
    // All do, unless some does not.
    return condition.every ? !exists(condition, 0, false) : exists(condition, 0, true);
}

bool Evaluation::exists(Condition const& condition, std::size_t depth, bool wanted) {
    if (stopped_) return false;
    if (depth == condition.sources.size()) return holds(condition.parts.front()) == wanted;
    SourceIndex const source = condition.sources[depth];
    for (Binding const& binding : bindings_of(source)) {
        bindings_[source] = binding;
        if (exists(condition, depth + 1, wanted)) return true;
    }
    return false;
}

// Never empty: a source without rows gives the row of nulls.
std::vector<Evaluation::Binding> Evaluation::bindings_of(SourceIndex source) {
    std::vector<Binding> seen = rows_of(source);
    Condition const& guard = bound_.plan.sources[source].guard;
    std::erase_if(seen, [&](Binding const& binding) {
        bindings_[source] = binding;
        return !holds(guard);
    });
    if (seen.empty()) seen.push_back({});
    return seen;
}

// The rows of the hop alone, without its guard.
std::vector<Evaluation::Binding> Evaluation::rows_of(SourceIndex source) {
    Source const& hop = bound_.plan.sources[source];
    std::vector<Binding> rows;
    auto const add = [&rows](RowHandle row) {
        if (row != nullptr) rows.push_back({row, {}});
    };
    switch (hop.hop) {
    case Hop::root: QUERN_ASSERT(false, "the main row is entered, not found");
    case Hop::free:
        for (RowHandle const row : rows_.all(*hop.collection)) add(row);
        break;
    case Hop::to_one: {
        Value const target = column_value({hop.parent, hop.field});
        if (target.is_text()) add(rows_.find(*hop.collection, target.text));
        break;
    }
    case Hop::to_many:
    case Hop::to_many_ids:
        for (Binding const& target : elements_of(column_value({hop.parent, hop.field}))) {
            if (target.element.is_text()) add(rows_.find(*hop.collection, target.element.text));
        }
        break;
    case Hop::back: {
        Value const id = column_value({hop.parent, 0});
        if (!id.is_text()) break;
        for (RowHandle const row : rows_.pointing_at(*hop.collection, hop.field, id.text)) add(row);
        break;
    }
    case Hop::elements: return elements_of(column_value({hop.parent, hop.field}));
    }
    return rows;
}

std::vector<Evaluation::Binding> Evaluation::elements_of(Value const& array) {
    std::vector<Binding> elements;
    if (!array.is_text()) return elements;
    auto const texts = json_elements(array.text);
    if (!texts) return elements;
    for (std::string_view const text : *texts) elements.push_back({nullptr, json_value(text, texts_)});
    return elements;
}

Value Evaluation::value(Operand const& operand) {
    switch (operand.kind) {
    case Operand::Kind::null: return {};
    case Operand::Kind::parameter: return bound_.values[operand.index];
    case Operand::Kind::column: return column_value(operand.column);
    case Operand::Kind::element: return bindings_[operand.index].element;
    case Operand::Kind::call: return call(operand);
    case Operand::Kind::json_path: {
        Value const document = column_value(operand.column);
        if (!document.is_text()) return {};
        auto const place = json_at(document.text, operand.path);
        return place ? json_value(*place, texts_) : Value{};
    }
    }
    return {};
}

Value Evaluation::column_value(plan::Column column) {
    RowHandle const row = bindings_[column.source].row;
    if (row == nullptr) return {};
    return rows_.value(row, *bound_.plan.sources[column.source].collection, column.field);
}

Value Evaluation::call(Operand const& operand) {
    std::vector<Value> arguments;
    for (Operand const& argument : operand.arguments) arguments.push_back(value(argument));
    switch (operand.function) {
    case Function::none: break;
    case Function::fold:
        if (!arguments[0].is_text()) return arguments[0];
        return Value::of(texts_.copy(fold_case(arguments[0].text)));
    case Function::length: return Value::of(static_cast<std::int64_t>(elements_of(arguments[0]).size()));
    case Function::geo_distance: return geo_distance(arguments[0], arguments[1], arguments[2], arguments[3]);
    case Function::strftime: {
        if (!arguments[0].is_text()) return {};
        auto const text = strftime(arguments[0].text, std::span(arguments).subspan(1));
        return text ? Value::of(texts_.copy(*text)) : Value{};
    }
    }
    return {};
}

// Numbers are matched as their JSON text, on either side.
bool Evaluation::matches(Value const& value, Value const& pattern) {
    std::string value_storage;
    std::string pattern_storage;
    auto const text = like_text(value, value_storage);
    auto const pattern_text = like_text(pattern, pattern_storage);
    QUERN_ASSERT(text && pattern_text, "neither side is null");
    return LikePattern(*pattern_text).matches(*text);
}

}  // namespace quern::engine::ram
