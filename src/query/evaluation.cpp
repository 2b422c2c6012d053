// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "base/text.h"
#include "json/path.h"
#include "query/convert.h"
#include "query/evaluate.h"
#include "schema/date.h"

namespace quern::query {

namespace {

bool is_zero(Value const& value) {
    switch (value.kind) {
    case ValueKind::null: return true;
    case ValueKind::integer: return value.integer == 0;
    case ValueKind::real: return value.real == 0;
    case ValueKind::text:
    case ValueKind::blob: return value.text.empty();
    }
    return false;
}

bool is_number(Value const& value) {
    return value.kind == ValueKind::integer || value.kind == ValueKind::real;
}

// Makes two values comparable: text beside a number becomes a number, text beside a date a date. False where
// that cannot be; the two are then neither equal nor in any order.
bool align(Value& left, Value& right, bool is_date, Arena& arena) {
    auto const to = [&arena](Value& value, Conversion conversion) {
        auto const converted = convert(value, conversion, arena);
        if (converted) value = *converted;
        return converted.has_value();
    };
    if (is_date) return to(left, Conversion::date) && to(right, Conversion::date);
    if (is_number(left) == is_number(right)) return true;
    Value& text = is_number(left) ? right : left;
    // A flag of the request may be written as a word.
    if (text.text == "true" || text.text == "false") return to(text, Conversion::boolean);
    return to(text, Conversion::number);
}

bool is_in_list(Value const& value, Value const& list, Arena& arena) {
    std::string unescaped;
    for (json::Elements elements(list.text); elements.next();) {
        Value element = element_value(elements.scalar(unescaped), arena);
        Value aligned = value;
        if (value.is_null()
                ? is_zero(element)
                : !element.is_null() && align(aligned, element, false, arena) && aligned == element) {
            return true;
        }
    }
    return false;
}

bool holds(Evaluation const& evaluation, Value left, Value right, Arena& arena) {
    using plan::Comparison;
    if (evaluation.comparison == Comparison::in_list) return is_in_list(left, right, arena);
    bool const equality = evaluation.comparison == Comparison::equal;
    // "Nothing" is what a literal zero says; two missing values are not each other's equal.
    if (equality && evaluation.right.literal && is_zero(right) && left.is_null()) return true;
    if (equality && evaluation.left.literal && is_zero(left) && right.is_null()) return true;
    if (left.is_null() || right.is_null()) return false;
    if (evaluation.comparison == Comparison::like) {
        return LikePattern(text_of(right, arena)).matches(text_of(left, arena));
    }
    if (!align(left, right, evaluation.left.is_date || evaluation.right.is_date, arena)) return false;
    auto const order = compare(left, right);
    switch (evaluation.comparison) {
    case Comparison::equal: return order == 0;
    case Comparison::less: return order < 0;
    case Comparison::less_equal: return order <= 0;
    case Comparison::greater: return order > 0;
    case Comparison::greater_equal: return order >= 0;
    default: return false;
    }
}

// The values of a side: itself, or the elements of an array, or one null where there are none.
std::span<Value const> values_of(Evaluation::Side const& side, Value const& value, Arena& arena) {
    std::size_t const count = side.is_array && value.is_text() ? json::array_length(value.text) : 0;
    auto const values = arena.array<Value>(count == 0 ? 1 : count);
    values[0] = side.is_array ? Value{} : value;
    std::size_t filled = 0;
    std::string unescaped;
    if (count == 0) return values;
    for (json::Elements elements(value.text); filled < count && elements.next(); ++filled) {
        values[filled] = element_value(elements.scalar(unescaped), arena);
    }
    return values.first(filled);
}

}  // namespace

Result<bool> evaluate(Evaluation const& evaluation, Supplies const& supplies) {
    QUERN_TRY(Value const left, value_of(evaluation.left.source, {}, supplies));
    QUERN_TRY(Value const right, value_of(evaluation.right.source, {}, supplies));
    Arena& arena = supplies.arena;
    if (evaluation.quantity == Quantity::one)
        return holds(evaluation, left, right, arena) != evaluation.negated;
    bool const every = evaluation.quantity == Quantity::every;
    for (Value const& one : values_of(evaluation.left, left, arena)) {
        for (Value const& other : values_of(evaluation.right, right, arena)) {
            bool const outcome = holds(evaluation, one, other, arena) != evaluation.negated;
            if (outcome != every) return outcome;
        }
    }
    return every;
}

}  // namespace quern::query
