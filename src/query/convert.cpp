// SPDX-License-Identifier: Apache-2.0
#include "query/convert.h"

#include <quern/json_writer.h>
#include "json/number.h"
#include "schema/date.h"

namespace quern::query {

namespace {

std::optional<Value> date_of(std::string_view text, Arena& arena) {
    if (text.empty()) return Value::of("");
    auto const moment = parse_date(text);
    if (!moment) return std::nullopt;
    DateText const shown = format_date_text(*moment);
    return Value::of(arena.copy({shown.data(), shown.size()}));
}

std::optional<Value> boolean_of(Value const& value) {
    if (value.is_text()) {
        if (value.text == "true" || value.text == "1") return Value::of(true);
        if (value.text == "false" || value.text == "0" || value.text.empty()) return Value::of(false);
        return std::nullopt;
    }
    if (value == Value::of(true)) return Value::of(true);
    if (value == Value::of(false)) return Value::of(false);
    return std::nullopt;
}

std::optional<Value> number_or_zero(Value const& value) {
    if (!value.is_text()) return value;
    return value.text.empty() ? Value::of(std::int64_t{0}) : number_of(value.text);
}

void append_element(Buffer& output, Value const& value) {
    switch (value.kind) {
    case ValueKind::null: output.append("null"); break;
    case ValueKind::integer: output.append_integer(value.integer); break;
    case ValueKind::real: json::append_real(output, value.real); break;
    case ValueKind::text:
    case ValueKind::blob: json::append_string(output, value.text); break;
    }
}

}  // namespace

std::optional<Value> number_of(std::string_view text) {
    if (!json::is_number(text)) return std::nullopt;
    if (auto const whole = json::exact_integer(text)) return Value::of(*whole);
    auto const real = json::nearest_real(text);
    if (!real) return std::nullopt;
    return Value::of(*real);
}

Value element_value(json::Scalar const& scalar, Arena& arena) {
    switch (scalar.kind) {
    case json::Scalar::Kind::null: return Value{};
    case json::Scalar::Kind::integer: return Value::of(scalar.integer);
    case json::Scalar::Kind::real: return Value::of(scalar.real);
    case json::Scalar::Kind::text: return Value::of(arena.copy(scalar.text));
    }
    return Value{};
}

std::string_view text_of(Value const& value, Arena& arena) {
    if (value.is_null()) return {};
    if (value.kind == ValueKind::text || value.kind == ValueKind::blob) return value.text;
    Buffer shown;
    append_element(shown, value);
    return arena.copy(shown.view());
}

Value zero_of(Conversion conversion) {
    bool const numeric = conversion == Conversion::number || conversion == Conversion::boolean;
    return numeric ? Value::of(std::int64_t{0}) : Value::of("");
}

std::string_view refusal(Conversion conversion) {
    switch (conversion) {
    case Conversion::none:
    case Conversion::text: return "is not accepted";
    case Conversion::number: return "is no number";
    case Conversion::boolean: return "is neither true nor false";
    case Conversion::date: return "is no date";
    }
    return {};
}

std::optional<Value> convert(Literal const& literal, Conversion conversion, Arena& arena) {
    // A null is a value for none of them: who compares with it decides what it means.
    if (literal.kind == LiteralClass::null) return Value{};
    bool const is_flag = literal.kind == LiteralClass::yes || literal.kind == LiteralClass::no;
    switch (conversion) {
    case Conversion::none: return literal.value;
    case Conversion::text: return Value::of(literal.source);
    case Conversion::number: return number_or_zero(literal.value);
    case Conversion::boolean: return boolean_of(literal.value);
    case Conversion::date: return is_flag ? std::nullopt : date_of(literal.source, arena);
    }
    return std::nullopt;
}

std::optional<Value> convert(Value const& value, Conversion conversion, Arena& arena) {
    if (value.is_null()) return value;
    switch (conversion) {
    case Conversion::none: return value;
    case Conversion::text: return Value::of(text_of(value, arena));
    case Conversion::number: return value.is_text() ? number_of(value.text) : value;
    case Conversion::boolean: return boolean_of(value);
    case Conversion::date: return value.is_text() ? date_of(value.text, arena) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<std::string_view> convert_list(Literal const& list, Conversion conversion, bool null_as_zero,
                                             Arena& arena, Buffer& scratch, std::string_view& bad_source) {
    scratch.clear();
    scratch.append('[');
    ListReader reader(list.source, arena);
    for (Literal literal; reader.next(literal);) {
        auto value = convert(literal, conversion, arena);
        if (!value) {
            bad_source = literal.source;
            return std::nullopt;
        }
        if (value->is_null() && null_as_zero) value = zero_of(conversion);
        if (scratch.size() > 1) scratch.append(',');
        append_element(scratch, *value);
    }
    scratch.append(']');
    return arena.copy(scratch.view());
}

}  // namespace quern::query
