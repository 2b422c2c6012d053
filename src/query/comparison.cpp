// SPDX-License-Identifier: Apache-2.0

// One comparison: what equality means where null and zero meet, and how related rows are quantified.

#include <algorithm>
#include <utility>

#include "query/compiler.h"
#include "query/convert.h"
#include "query/limits.h"

namespace quern::query {

namespace {

using plan::Comparison;
using plan::Condition;

struct Sign {
    Comparison comparison;
    bool negated;
};

Sign sign_of(Operator sign) {
    switch (sign) {
    case Operator::equal: return {Comparison::equal, false};
    case Operator::not_equal: return {Comparison::equal, true};
    case Operator::less: return {Comparison::less, false};
    case Operator::less_equal: return {Comparison::less_equal, false};
    case Operator::greater: return {Comparison::greater, false};
    case Operator::greater_equal: return {Comparison::greater_equal, false};
    case Operator::like: return {Comparison::like, false};
    case Operator::not_like: return {Comparison::like, true};
    case Operator::in: return {Comparison::in_list, false};
    case Operator::not_in: return {Comparison::in_list, true};
    }
    return {Comparison::equal, false};
}

Comparison mirrored(Comparison comparison) {
    switch (comparison) {
    case Comparison::less: return Comparison::greater;
    case Comparison::less_equal: return Comparison::greater_equal;
    case Comparison::greater: return Comparison::less;
    case Comparison::greater_equal: return Comparison::less_equal;
    default: return comparison;
    }
}

Condition never() {
    Condition condition;
    condition.kind = Condition::Kind::never;
    return condition;
}

Condition either(Condition first, Condition second) {
    std::vector<Condition> parts;
    parts.push_back(std::move(first));
    parts.push_back(std::move(second));
    return plan::any_of(std::move(parts));
}

Condition both(Condition first, Condition second) {
    std::vector<Condition> parts;
    parts.push_back(std::move(first));
    parts.push_back(std::move(second));
    return plan::all_of(std::move(parts));
}

bool is_of_row(Side const& side) { return side.kind == Side::Kind::row || side.kind == Side::Kind::call; }

bool may_be_null(Side const& side) {
    return side.nullable || side.absent || side.stored_null || side.domain == Domain::any;
}

// Null on this side may mean "zero".
bool null_is_zero(Side const& side) { return may_be_null(side) && !side.nullable; }

}  // namespace

Result<Condition> Compiler::lower_comparison(Expression const& expression, Scope& scope) {
    comparison_.clear();
    comparison_aliases_.clear();
    scope.any = expression.any;
    QUERN_TRY(auto changed, lower_changed(expression, scope));
    if (changed) return *std::move(changed);
    if (expression.bare) return lower_bare(expression, scope);
    QUERN_TRY(Side left, lower_side(expression.left, scope));
    QUERN_TRY(Side right, lower_side(expression.right, scope));
    return compare_sides(std::move(left), std::move(right), expression, scope);
}

// A path alone stands for `path = true`.
Result<Condition> Compiler::lower_bare(Expression const& expression, Scope& scope) {
    static Literal const yes = [] {
        Literal literal;
        literal.kind = LiteralClass::yes;
        literal.value = Value::of(true);
        literal.source = "true";
        return literal;
    }();
    QUERN_TRY(Side left, lower_side(expression.left, scope));
    if (left.domain != Domain::boolean && left.domain != Domain::any) {
        std::string const shown(expression.left.text.substr(0, 200));
        return fail(
            error_at(scope, expression.left.offset, "\"" + shown + "\" is no bool, an operator is expected"));
    }
    Side right;
    right.kind = Side::Kind::literal;
    right.literal = &yes;
    right.domain = Domain::boolean;
    right.offset = expression.left.offset;
    return compare_sides(std::move(left), std::move(right), expression, scope);
}

Result<Condition> Compiler::compare_sides(Side left, Side right, Expression const& expression, Scope& scope) {
    Sign const sign = sign_of(expression.sign);
    if (!is_of_row(left) && !is_of_row(right)) return row_free(left, right, expression, scope);

    // The row's side comes first, except for `~`, which is not symmetrical.
    Comparison comparison = sign.comparison;
    if (!is_of_row(left) && comparison != Comparison::like && comparison != Comparison::in_list) {
        std::swap(left, right);
        comparison = mirrored(comparison);
    }
    Condition condition;
    bool const meets_array = (right.is_array || left.is_array) && comparison != Comparison::in_list;
    if (meets_array) {
        QUERN_TRY(condition, compare_with_array(left, right, expression, scope));
    } else {
        QUERN_CHECK(check_domains(left, right, comparison, scope));
        QUERN_TRY(condition, positive(left, right, comparison, scope));
    }
    // A value that the caller may not see is nobody's equal, larger, smaller or alike.
    for (Side* const side : {&left, &right}) {
        for (Condition& mask : side->masks) condition = both(std::move(mask), std::move(condition));
    }
    if (sign.negated) condition = plan::negate(std::move(condition));
    return quantify(std::move(condition), left, right, expression);
}

Condition Compiler::quantify(Condition inner, Side const& left, Side const& right,
                             Expression const& expression) {
    std::vector<plan::SourceIndex> sources = left.nested;
    for (plan::SourceIndex const source : right.nested) {
        if (std::ranges::find(sources, source) == sources.end()) sources.push_back(source);
    }
    if (sources.empty()) return inner;
    bool const habit = expression.sign == Operator::like && (left.contains_habit || right.contains_habit);
    Condition quantified;
    quantified.kind = Condition::Kind::quantified;
    quantified.every = (left.many || right.many) && !expression.any && !habit;
    quantified.sources = std::move(sources);
    quantified.parts.push_back(std::move(inner));
    return quantified;
}

Result<void> Compiler::check_domains(Side const& left, Side const& right, Comparison comparison,
                                     Scope const& scope) const {
    if (comparison == Comparison::like || !is_of_row(left) || !is_of_row(right)) return {};
    auto const is_number = [](Side const& side) {
        return side.domain == Domain::number || side.domain == Domain::boolean;
    };
    bool const any = left.domain == Domain::any || right.domain == Domain::any;
    if (any || is_number(left) == is_number(right)) return {};
    return fail(error_at(scope, right.offset, "a number is compared with a text"));
}

Result<Condition> Compiler::positive(Side const& left, Side const& right, Comparison comparison,
                                     Scope& scope) {
    switch (comparison) {
    case Comparison::in_list: return in_list(left, right, scope);
    case Comparison::like: {
        QUERN_TRY(auto text, pattern_operand(left, scope));
        QUERN_TRY(auto pattern, pattern_operand(right, scope));
        return plan::compare(std::move(text), Comparison::like, std::move(pattern));
    }
    case Comparison::equal: {
        if (right.kind == Side::Kind::literal) return equal_to_literal(left, right, scope);
        if (is_of_row(right)) return equal_rows(left, right);
        // A value of the request that is missing never equals a row's value.
        return plan::compare(left.operand, Comparison::equal,
                             request_parameter(right, conversion_to(left.domain)));
    }
    default: break;
    }
    Conversion const conversion = conversion_to(left.domain);
    bool const is_empty =
        right.kind == Side::Kind::literal &&
        (right.literal->kind == LiteralClass::null || right.literal->kind == LiteralClass::empty_text);
    if (is_empty) {
        bool const is_null = right.literal->kind == LiteralClass::null;
        if (is_null && (left.nullable || left.domain == Domain::any)) return never();
        return plan::compare(left.operand, comparison, constant(zero_of(conversion)));
    }
    QUERN_TRY(auto value, value_operand(right, conversion, scope));
    return plan::compare(left.operand, comparison, std::move(value));
}

// A side of `~`: a literal null is the empty text.
Result<plan::Operand> Compiler::pattern_operand(Side const& side, Scope const& scope) {
    if (side.kind == Side::Kind::literal && side.literal->kind == LiteralClass::null)
        return constant(Value::of(""));
    return value_operand(side, Conversion::text, scope);
}

// On a field that is not nullable, null and the zero value are the same: a stored zero, and null where there
// is no row. On a nullable one null is only null, and "" only "".
Result<Condition> Compiler::equal_to_literal(Side const& row, Side const& literal, Scope& scope) {
    LiteralClass const kind = literal.literal->kind;
    Conversion const conversion = conversion_to(row.domain);
    bool const numeric = row.domain == Domain::number || row.domain == Domain::boolean;
    bool const is_empty = kind == LiteralClass::null || kind == LiteralClass::empty_text;
    bool const is_zero = is_empty || kind == LiteralClass::zero || kind == LiteralClass::no;
    if (row.nullable && kind == LiteralClass::null) return plan::is_null(row.operand);
    if (row.nullable && kind == LiteralClass::empty_text && numeric) return never();
    if (!row.nullable && is_empty && row.stored_null) return plan::is_null(row.operand);

    Condition equal;
    if (is_empty || (is_zero && numeric)) {
        equal = plan::compare(row.operand, Comparison::equal, constant(zero_of(conversion)));
    } else {
        QUERN_TRY(auto value, literal_parameter(literal, conversion, scope));
        equal = plan::compare(row.operand, Comparison::equal, std::move(value));
    }
    // "Some element is empty text" asks for that element, not for an empty list.
    if (row.is_element && scope.any && kind == LiteralClass::empty_text) return equal;
    bool const null_too =
        !row.nullable && ((row.absent && is_zero) || (row.domain == Domain::any && is_empty));
    if (!null_too) return equal;
    return either(plan::is_null(row.operand), std::move(equal));
}

// The same idea for two columns.
Result<Condition> Compiler::equal_rows(Side const& left, Side const& right) {
    if (left.unrelated || right.unrelated) {
        return plan::compare(left.operand, Comparison::equal, right.operand);
    }
    bool const both_null = may_be_null(left) && may_be_null(right);
    Condition equal =
        plan::compare(left.operand, both_null ? Comparison::same : Comparison::equal, right.operand);
    auto const null_beside_zero = [&](Side const& missing, Side const& present) {
        Condition zero = plan::compare(present.operand, Comparison::equal,
                                       constant(zero_of(conversion_to(present.domain))));
        return both(plan::is_null(missing.operand), std::move(zero));
    };
    if (null_is_zero(left) && !right.nullable && !right.never_zero) {
        equal = either(std::move(equal), null_beside_zero(left, right));
    }
    if (null_is_zero(right) && !left.nullable && !left.never_zero) {
        equal = either(std::move(equal), null_beside_zero(right, left));
    }
    return equal;
}

Result<Condition> Compiler::in_list(Side const& row, Side const& list, Scope& scope) {
    if (list.kind != Side::Kind::literal || list.literal->kind != LiteralClass::list) {
        return fail(error_at(scope, list.offset, "expected a list"));
    }
    if (list.literal->count == 0) return never();
    QUERN_TRY(auto values, list_parameter(list, conversion_to(row.domain), !row.nullable, scope));
    Condition found = plan::compare(row.operand, Comparison::in_list, std::move(values));
    bool const null_too = row.nullable
                              ? list.literal->has_null
                              : may_be_null(row) && (list.literal->has_null || list.literal->has_zero);
    if (!null_too) return found;
    return either(plan::is_null(row.operand), std::move(found));
}

// A row's value against an array of the request, such as the caller's teams. "Some element is equal" is a
// look-up in the list; "every element is equal" means that they are all one value, and this the row's.
Result<Condition> Compiler::compare_with_array(Side const& left, Side const& right,
                                               Expression const& expression, Scope& scope) {
    Side const& row = left.is_array ? right : left;
    Side const& array = left.is_array ? left : right;
    Sign const sign = sign_of(expression.sign);
    if (sign.comparison != Comparison::equal) {
        return fail(error_at(scope, array.offset, "an array of the request takes only =, !=, ?= and ?!="));
    }
    // What is given back is negated by the caller for `!=`: every element differs = no element is equal.
    bool const some = expression.any != sign.negated;
    ParameterSource source = array.source;
    if (some) return plan::compare(row.operand, Comparison::in_list, parameter(source));
    source.kind = source.kind == ParameterSource::Kind::body ? ParameterSource::Kind::body_single
                                                             : ParameterSource::Kind::auth_single;
    return plan::compare(row.operand, Comparison::equal, parameter(source));
}

// Neither side needs a row: the request decides.
Result<Condition> Compiler::row_free(Side const& left, Side const& right, Expression const& expression,
                                     Scope& scope) {
    Sign const sign = sign_of(expression.sign);
    // `"name" = "x"` is a quoted field name far more often than it is meant.
    bool const is_quoted = left.kind == Side::Kind::literal && left.literal->value.is_text() &&
                           right.kind == Side::Kind::literal;
    if (is_quoted)
        return fail(error_at(scope, left.offset, "a text is compared with a value, names have no quotes"));
    Evaluation evaluation;
    auto const fill = [&](Side const& side, Evaluation::Side& output) -> Result<void> {
        output.is_array = side.is_array;
        output.is_date = side.domain == Domain::date;
        output.literal = side.kind == Side::Kind::literal;
        if (!output.literal) {
            output.source = side.source;
            return {};
        }
        bool const is_list = side.literal->kind == LiteralClass::list;
        QUERN_TRY(output.source, is_list ? list_source(side, Conversion::none, false, scope)
                                         : literal_source(side, Conversion::none, scope));
        return {};
    };
    QUERN_CHECK(fill(left, evaluation.left));
    QUERN_CHECK(fill(right, evaluation.right));
    evaluation.comparison = sign.comparison;
    evaluation.negated = sign.negated;
    bool const habit = expression.sign == Operator::like && (left.contains_habit || right.contains_habit);
    if (left.is_array || right.is_array) {
        evaluation.quantity = expression.any || habit ? Quantity::some : Quantity::every;
    }

    Condition condition;
    if (scope.settlement != nullptr) {
        std::size_t const number = scope.settlement->gathered.size();
        scope.settlement->gathered.push_back(evaluation);
        if (scope.settlement->known && number < settled_comparisons_max) {
            bool const holds = (scope.settlement->outcomes >> number & 1U) != 0;
            condition.kind = holds ? Condition::Kind::always : Condition::Kind::never;
            return condition;
        }
    }
    auto found = std::ranges::find(evaluations_, evaluation);
    std::size_t const index = static_cast<std::size_t>(found - evaluations_.begin());
    if (found == evaluations_.end()) evaluations_.push_back(std::move(evaluation));
    ParameterSource outcome;
    outcome.kind = ParameterSource::Kind::evaluated;
    outcome.index = static_cast<std::uint16_t>(index);
    return plan::compare(parameter(outcome), Comparison::equal, constant(Value::of(true)));
}

}  // namespace quern::query
