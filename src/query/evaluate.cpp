// SPDX-License-Identifier: Apache-2.0
#include "query/evaluate.h"

#include <functional>
#include <string>

#include <quern/assert.h>
#include "base/text.h"
#include "json/path.h"
#include "query/convert.h"
#include "query/macro.h"

namespace quern::query {

namespace {

using Kind = ParameterSource::Kind;

Value text_or_null(std::optional<std::string_view> text) { return text ? Value::of(*text) : Value{}; }

Result<Value> list_value(ParameterSource const& source, Supplies const& supplies) {
    Literal const& list = supplies.literals[source.index];
    std::string_view bad_source;
    auto const json = convert_list(list, source.conversion, source.null_as_zero, supplies.arena,
                                   supplies.scratch, bad_source);
    if (json) return Value::of(*json);
    std::string const why = "\"" + std::string(bad_source) + "\" " + std::string(refusal(source.conversion));
    // The value's own place, unless its escapes were undone elsewhere.
    std::less_equal<> const before;
    char const* const text = supplies.filter.data();
    bool const is_inside =
        before(text, bad_source.data()) && before(bad_source.data(), text + supplies.filter.size());
    auto const offset = is_inside ? static_cast<std::size_t>(bad_source.data() - text) : list.offset;
    return fail(Lexer(supplies.filter, "filter", supplies.arena).error_at(offset, why));
}

Result<Value> literal_value(ParameterSource const& source, Supplies const& supplies) {
    Literal const& literal = supplies.literals[source.index];
    if (source.conversion == Conversion::none) return literal.value;
    if (auto const value = convert(literal, source.conversion, supplies.arena)) return *value;
    std::string const why =
        "\"" + std::string(literal.source) + "\" " + std::string(refusal(source.conversion));
    return fail(Lexer(supplies.filter, "filter", supplies.arena).error_at(literal.offset, why));
}

// The value all elements of a JSON array share; null where they differ or there is none.
Value single_value(Value const& array, Arena& arena) {
    if (!array.is_text()) return Value{};
    Value shared;
    std::string unescaped;
    bool first = true;
    for (json::Elements elements(array.text); elements.next(); first = false) {
        Value const value = element_value(elements.scalar(unescaped), arena);
        if (!first && !(value == shared)) return Value{};
        shared = value;
    }
    return shared;
}

Value body_value(ParameterSource const& source, Supplies const& supplies) {
    if (supplies.request.lookup == nullptr) return Value{};
    return supplies.request.lookup->body(source.name).value_or(Value{});
}

Value caller_value(ParameterSource const& source, Principal const& caller) {
    return source.index < caller.record.size() ? caller.record[source.index] : Value{};
}

bool is_set(ParameterSource const& source, Supplies const& supplies) {
    if (supplies.request.lookup == nullptr) return false;
    RequestLookup const& lookup = *supplies.request.lookup;
    switch (source.kind) {
    case Kind::header_is_set: return lookup.header(source.name).has_value();
    case Kind::query_is_set: return lookup.query(source.name).has_value();
    default: return lookup.body(source.name).has_value();
    }
}

// What the request itself says, before any conversion.
Value request_value(ParameterSource const& source, Supplies const& supplies) {
    Principal const& caller = supplies.request.principal;
    RequestLookup const* const lookup = supplies.request.lookup;
    switch (source.kind) {
    case Kind::method: return Value::of(supplies.request.method);
    case Kind::context: return Value::of(supplies.request.context);
    case Kind::auth_id: return caller.is_anonymous() ? Value{} : Value::of(caller.id);
    case Kind::auth_collection_id:
        return caller.is_anonymous() ? Value{} : Value::of(std::string_view(caller.collection->id));
    case Kind::auth_collection_name:
        return caller.is_anonymous() ? Value{} : Value::of(std::string_view(caller.collection->name));
    case Kind::auth_field: return caller_value(source, caller);
    case Kind::auth_single: return single_value(caller_value(source, caller), supplies.arena);
    case Kind::own_id: return caller.collection == source.collection ? Value::of(caller.id) : Value{};
    case Kind::header: return lookup == nullptr ? Value{} : text_or_null(lookup->header(source.name));
    case Kind::query: return lookup == nullptr ? Value{} : text_or_null(lookup->query(source.name));
    case Kind::body: return body_value(source, supplies);
    case Kind::body_single: return single_value(body_value(source, supplies), supplies.arena);
    case Kind::header_is_set:
    case Kind::query_is_set:
    case Kind::body_is_set: return Value::of(is_set(source, supplies));
    case Kind::body_is_changed: {
        auto const told = lookup == nullptr ? std::nullopt : lookup->body_changed(source.name);
        return told ? Value::of(*told) : Value{};
    }
    default: break;
    }
    QUERN_ASSERT(false, "the other kinds are no values of the request");
}

Value modified(ParameterSource const& source, Value value, Arena& arena) {
    if (source.length) {
        return Value::of(value.is_text() ? static_cast<std::int64_t>(json::array_length(value.text))
                                         : std::int64_t{0});
    }
    if (source.fold && value.is_text()) return Value::of(arena.copy(fold_case(value.text)));
    return value;
}

}  // namespace

Result<Value> value_of(ParameterSource const& source, std::span<Evaluation const> evaluations,
                       Supplies const& supplies) {
    switch (source.kind) {
    case Kind::constant: return source.constant.value();
    case Kind::literal: return literal_value(source, supplies);
    case Kind::list: return list_value(source, supplies);
    case Kind::macro: return macro_value(source.macro, supplies.request.now_ms, supplies.arena);
    case Kind::evaluated: {
        QUERN_TRY(bool const outcome, evaluate(evaluations[source.index], supplies));
        return Value::of(outcome);
    }
    case Kind::record_id: return Value::of(supplies.record_id);
    case Kind::ids: return Value::of(supplies.ids_json);
    case Kind::limit: return Value::of(supplies.limit);
    case Kind::offset: return Value::of(supplies.offset);
    case Kind::seek: return supplies.seek[source.index];
    default: break;
    }
    Value const value = modified(source, request_value(source, supplies), supplies.arena);
    // What does not fit is nobody's equal, and never larger or smaller.
    Value const fitted = convert(value, source.conversion, supplies.arena).value_or(Value{});
    if (source.null_as_zero && fitted.is_null()) return zero_of(source.conversion);
    if (source.empty_as_null && fitted.is_text() && fitted.text.empty()) return Value{};
    return fitted;
}

namespace {

// The kinds that most parameters have and that cannot fail, without the detour over a Result.
bool is_filled_at_once(ParameterSource const& source, Supplies const& supplies, Value& output) {
    switch (source.kind) {
    case Kind::constant: output = source.constant.value(); return true;
    case Kind::limit: output = Value::of(supplies.limit); return true;
    case Kind::offset: output = Value::of(supplies.offset); return true;
    case Kind::record_id: output = Value::of(supplies.record_id); return true;
    case Kind::literal: break;
    default: return false;
    }
    Literal const& literal = supplies.literals[source.index];
    bool const is_text = literal.kind == LiteralClass::text || literal.kind == LiteralClass::empty_text;
    bool const is_number = literal.kind == LiteralClass::number || literal.kind == LiteralClass::zero;
    bool const fits = source.conversion == Conversion::none ||
                      (source.conversion == Conversion::text && is_text) ||
                      (source.conversion == Conversion::number && is_number);
    if (fits) output = literal.value;
    return fits;
}

}  // namespace

Result<std::span<Value const>> bind(Prepared const& prepared, Supplies const& supplies) {
    auto const values = supplies.arena.array<Value>(prepared.parameters.size());
    for (std::size_t index = 0; index < values.size(); ++index) {
        ParameterSource const& source = prepared.parameters[index];
        if (is_filled_at_once(source, supplies, values[index])) continue;
        QUERN_TRY(values[index], value_of(source, prepared.evaluations, supplies));
    }
    return std::span<Value const>(values);
}

}  // namespace quern::query
