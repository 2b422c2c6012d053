// SPDX-License-Identifier: Apache-2.0
#include "query/compiler.h"
#include "query/convert.h"

namespace quern::query {

namespace {

Constant constant_of(Value const& value) {
    Constant constant;
    constant.kind = value.kind;
    if (value.kind == ValueKind::integer) constant.integer = value.integer;
    if (value.kind == ValueKind::real) constant.real = value.real;
    constant.text = value.text;
    return constant;
}

}  // namespace

Value Constant::value() const {
    switch (kind) {
    case ValueKind::null: return Value{};
    case ValueKind::integer: return Value::of(integer);
    case ValueKind::real: return Value::of(real);
    case ValueKind::text: return Value::of(std::string_view(text));
    case ValueKind::blob: break;
    }
    Value blob = Value::of(std::string_view(text));
    blob.kind = ValueKind::blob;
    return blob;
}

Conversion conversion_to(Domain domain) {
    switch (domain) {
    case Domain::text: return Conversion::text;
    case Domain::number: return Conversion::number;
    case Domain::boolean: return Conversion::boolean;
    case Domain::date: return Conversion::date;
    case Domain::any: return Conversion::none;
    }
    return Conversion::none;
}

Domain domain_of(Field const& field) {
    switch (field.type) {
    case FieldType::number: return Domain::number;
    case FieldType::boolean: return Domain::boolean;
    case FieldType::date:
    case FieldType::autodate: return Domain::date;
    case FieldType::json:
    case FieldType::geo_point: return Domain::any;
    default: return Domain::text;
    }
}

plan::Operand Compiler::constant(Value value) {
    ParameterSource source;
    source.constant = constant_of(value);
    return parameter(source);
}

// A client's literal is bound with each request; a rule's is converted now and kept.
Result<ParameterSource> Compiler::literal_source(Side const& literal, Conversion conversion,
                                                 Scope const& scope) {
    ParameterSource source;
    bool const is_flag =
        literal.literal->kind == LiteralClass::yes || literal.literal->kind == LiteralClass::no;
    bool const is_fixed = literal.literal->kind == LiteralClass::null ||
                          (is_flag && (conversion == Conversion::boolean || conversion == Conversion::none));
    if (scope.trust != Trust::rule && !is_fixed) {
        source.kind = ParameterSource::Kind::literal;
        source.index = literal.literal->same_as;
        source.conversion = conversion;
        return source;
    }
    auto const value = convert(*literal.literal, conversion, arena_);
    if (!value) {
        std::string const shown(literal.literal->source.substr(0, 200));
        return fail(error_at(scope, literal.offset, "\"" + shown + "\" " + std::string(refusal(conversion))));
    }
    source.constant = constant_of(*value);
    return source;
}

Result<plan::Operand> Compiler::literal_parameter(Side const& literal, Conversion conversion,
                                                  Scope const& scope) {
    QUERN_TRY(auto const source, literal_source(literal, conversion, scope));
    return parameter(source);
}

Result<ParameterSource> Compiler::list_source(Side const& list, Conversion conversion, bool null_as_zero,
                                              Scope const& scope) {
    ParameterSource source;
    if (scope.trust != Trust::rule) {
        source.kind = ParameterSource::Kind::list;
        source.index = list.literal->same_as;
        source.conversion = conversion;
        source.null_as_zero = null_as_zero;
        return source;
    }
    std::string_view bad_source;
    auto const json = convert_list(*list.literal, conversion, null_as_zero, arena_, scratch_, bad_source);
    if (!json) {
        std::string const shown(bad_source.substr(0, 200));
        return fail(error_at(scope, list.offset, "\"" + shown + "\" " + std::string(refusal(conversion))));
    }
    source.constant = constant_of(Value::of(*json));
    return source;
}

Result<plan::Operand> Compiler::list_parameter(Side const& list, Conversion conversion, bool null_as_zero,
                                               Scope const& scope) {
    QUERN_TRY(auto const source, list_source(list, conversion, null_as_zero, scope));
    return parameter(source);
}

plan::Operand Compiler::request_parameter(Side const& side, Conversion conversion) {
    ParameterSource source = side.source;
    if (source.conversion == Conversion::none) source.conversion = conversion;
    return parameter(source);
}

Result<plan::Operand> Compiler::value_operand(Side const& side, Conversion conversion, Scope const& scope) {
    switch (side.kind) {
    case Side::Kind::row:
    case Side::Kind::call: return side.operand;
    case Side::Kind::request: return request_parameter(side, conversion);
    case Side::Kind::literal: return literal_parameter(side, conversion, scope);
    }
    return side.operand;
}

}  // namespace quern::query
