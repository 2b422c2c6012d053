// SPDX-License-Identifier: Apache-2.0

// Conditions, so that unknown never counts as true: it may only come from leaves that are not negated.

#include <algorithm>
#include <span>

#include <quern/assert.h>
#include "engine/convert.h"
#include "engine/sql/writer.h"

namespace quern::engine::sql {

using plan::Comparison;

namespace {

// More terms than this are put into brackets by halves, so that the depth of the parsed expression stays
// small.
constexpr std::size_t flat_terms_max = 32;

std::string_view sign_of(Comparison comparison) {
    switch (comparison) {
    case Comparison::less: return " < ";
    case Comparison::less_equal: return " <= ";
    case Comparison::greater: return " > ";
    case Comparison::greater_equal: return " >= ";
    default: return " = ";
    }
}

Comparison opposite_of(Comparison comparison) {
    switch (comparison) {
    case Comparison::less: return Comparison::greater_equal;
    case Comparison::less_equal: return Comparison::greater;
    case Comparison::greater: return Comparison::less_equal;
    default: return Comparison::less;
    }
}

}  // namespace

void Writer::condition(Condition const& condition) {
    switch (condition.kind) {
    case Condition::Kind::always: text_ += "TRUE"; break;
    case Condition::Kind::never: text_ += "FALSE"; break;
    case Condition::Kind::compare: leaf(condition); break;
    case Condition::Kind::all_of: parts(condition.parts, " AND "); break;
    case Condition::Kind::any_of: parts(condition.parts, " OR "); break;
    case Condition::Kind::quantified: quantified(condition); break;
    }
}

void Writer::parts(std::span<Condition const> conditions, std::string_view joiner) {
    QUERN_ASSERT(!conditions.empty(), "a list of conditions has parts");
    text_ += '(';
    if (conditions.size() > flat_terms_max) {
        std::size_t const half = conditions.size() / 2;
        parts(conditions.first(half), joiner);
        text_ += joiner;
        parts(conditions.subspan(half), joiner);
    } else {
        for (std::size_t index = 0; index < conditions.size(); ++index) {
            if (index > 0) text_ += joiner;
            condition(conditions[index]);
        }
    }
    text_ += ')';
}

void Writer::leaf(Condition const& leaf) {
    switch (leaf.comparison) {
    case Comparison::equal:
    case Comparison::same: return equality(leaf);
    case Comparison::less:
    case Comparison::less_equal:
    case Comparison::greater:
    case Comparison::greater_equal: return order(leaf);
    case Comparison::in_list: return in_list(leaf);
    case Comparison::is_null:
        operand(leaf.left);
        text_ += leaf.negated ? " IS NOT NULL" : " IS NULL";
        return;
    case Comparison::like:  // the function answers 0 for nulls
        if (leaf.negated) text_ += "NOT ";
        text_ += dialect_.like;
        text_ += '(';
        operand(leaf.left);
        text_ += ", ";
        operand(leaf.right);
        text_ += ')';
        return;
    }
}

// With one side that is never null, `=` and `IS` say the same, and so do their opposites.
void Writer::equality(Condition const& leaf) {
    bool const alike = never_null(leaf.left) || never_null(leaf.right);
    bool const null_safe = leaf.comparison == Comparison::same;
    if (leaf.negated && (alike || null_safe)) return compared(leaf.left, dialect_.not_same, leaf.right);
    if (!leaf.negated) return compared(leaf.left, null_safe && !alike ? dialect_.same : " = ", leaf.right);
    text_ += '(';
    compared(leaf.left, " = ", leaf.right);
    text_ += ") IS NOT TRUE";
}

void Writer::order(Condition const& leaf) {
    if (!leaf.negated) return compared(leaf.left, sign_of(leaf.comparison), leaf.right);
    if (never_null(leaf.left) && never_null(leaf.right)) {
        return compared(leaf.left, sign_of(opposite_of(leaf.comparison)), leaf.right);
    }
    text_ += '(';
    compared(leaf.left, sign_of(leaf.comparison), leaf.right);
    text_ += ") IS NOT TRUE";
}

void Writer::in_list(Condition const& leaf) {
    if (leaf.negated) text_ += '(';
    operand(leaf.left);
    text_ += " IN ";
    text_ += dialect_.list_open;
    operand(leaf.right);
    switch (affinity(leaf.left)) {
    case Affinity::none:
    case Affinity::text: text_ += dialect_.list_close; break;
    case Affinity::integer: text_ += dialect_.list_close_integer; break;
    case Affinity::real: text_ += dialect_.list_close_real; break;
    }
    if (leaf.negated) text_ += ") IS NOT TRUE";
}

// Some row satisfies P: EXISTS (… WHERE P). All do: NOT EXISTS (… WHERE not P).
//
// A source without rows gives one row of nulls. Where P cannot be true of it, the row need not be made and
// the source is joined plainly; else it is joined from the left to a row without columns.
void Writer::quantified(Condition const& condition) {
    QUERN_ASSERT(condition.parts.size() == 1 && !condition.sources.empty(),
                 "one predicate over some sources");
    Condition const predicate =
        condition.every ? plan::negate(condition.parts.front()) : condition.parts.front();
    if (condition.every != condition.negated) text_ += "NOT ";
    text_ += "EXISTS (SELECT 1 FROM ";
    std::string conditions;
    bool first = true;
    for (SourceIndex const source : condition.sources) {
        null_row_[source] = !rejects_nulls(predicate, source);
        if (null_row_[source]) {
            if (first) text_ += "(SELECT 1)";
            outer_hop(source);
        } else {
            inner_hop(source, first, conditions);
        }
        first = false;
    }
    text_ += " WHERE ";
    text_ += conditions;
    this->condition(predicate);
    text_ += ')';
}

bool Writer::descends(SourceIndex source, SourceIndex from) const {
    while (source != plan::no_source) {
        if (source == from) return true;
        source = plan_.sources[source].parent;
    }
    return false;
}

// Whether the operand is null whenever `source` gives the row of nulls.
bool Writer::is_strict(Operand const& operand, SourceIndex source) const {
    switch (operand.kind) {
    case Operand::Kind::null: return true;
    case Operand::Kind::parameter: return false;
    case Operand::Kind::column:
    case Operand::Kind::json_path: return descends(operand.column.source, source);
    case Operand::Kind::element: return descends(operand.index, source);
    case Operand::Kind::call:
        return operand.function != plan::Function::length &&
               std::ranges::any_of(operand.arguments,
                                   [&](Operand const& argument) { return is_strict(argument, source); });
    }
    return false;
}

bool Writer::leaf_rejects_nulls(Condition const& leaf, SourceIndex source) const {
    bool const left = is_strict(leaf.left, source);
    switch (leaf.comparison) {
    case Comparison::is_null: return leaf.negated && left;
    case Comparison::in_list: return !leaf.negated && left;
    case Comparison::same: return false;
    default: return !leaf.negated && (left || is_strict(leaf.right, source));
    }
}

// Whether the condition cannot be true when `source` gives the row of nulls.
bool Writer::rejects_nulls(Condition const& condition, SourceIndex source) const {
    auto const part_rejects = [&](Condition const& part) { return rejects_nulls(part, source); };
    switch (condition.kind) {
    case Condition::Kind::always:
    case Condition::Kind::quantified: return false;
    case Condition::Kind::never: return true;
    case Condition::Kind::compare: return leaf_rejects_nulls(condition, source);
    case Condition::Kind::all_of: return std::ranges::any_of(condition.parts, part_rejects);
    case Condition::Kind::any_of: return std::ranges::all_of(condition.parts, part_rejects);
    }
    return false;
}

}  // namespace quern::engine::sql
