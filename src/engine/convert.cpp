// SPDX-License-Identifier: Apache-2.0
#include "engine/convert.h"

#include <charconv>
#include <cmath>

#include <quern/buffer.h>
#include <quern/json_writer.h>
#include "json/path.h"
#include "schema/date.h"

namespace quern::engine {

namespace {

using Converted = std::optional<Value>;

Value kept(std::string_view text, std::string& storage) {
    storage = text;
    return Value::of(std::string_view(storage));
}

// The zero of the type, whether or not the field may be null.
Value type_zero(Field const& field) {
    switch (storage_of(field)) {
    case Storage::text:
    case Storage::date: return Value::of("");
    case Storage::integer:
    case Storage::boolean: return Value::of(std::int64_t{0});
    case Storage::real: return Value::of(0.0);
    case Storage::json: return Value::of("null");
    case Storage::geo_point: return Value::of(R"({"lon":0,"lat":0})");
    case Storage::list: return Value::of("[]");
    case Storage::relation: return {};
    }
    return {};
}

std::string real_text(double number) {
    Buffer buffer;
    json::append_real(buffer, number);
    return std::string(buffer.view());
}

std::string quoted(std::string_view text) {
    Buffer buffer;
    json::append_string(buffer, text);
    return std::string(buffer.view());
}

bool is_whole(double number) { return number >= -0x1p63 && number < 0x1p63 && std::trunc(number) == number; }

// A text that is written exactly as the number it says would be.
Converted integer_of(std::string_view text) {
    std::int64_t number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool const whole = error == std::errc() && end == text.data() + text.size();
    if (!whole || std::to_string(number) != text) return std::nullopt;
    return Value::of(number);
}

Converted real_of(std::string_view text) {
    double number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool const whole = error == std::errc() && end == text.data() + text.size() && std::isfinite(number);
    if (!whole || real_text(number) != text) return std::nullopt;
    return Value::of(number);
}

Converted integer_of(Value const& number) {
    if (number.kind == ValueKind::integer) return number;
    if (number.kind != ValueKind::real || !is_whole(number.real)) return std::nullopt;
    return Value::of(static_cast<std::int64_t>(number.real));
}

Converted real_of(Value const& number) {
    if (number.kind == ValueKind::real) return number;
    constexpr std::int64_t exact_max = std::int64_t{1} << 53;
    if (number.kind != ValueKind::integer || number.integer > exact_max || number.integer < -exact_max) {
        return std::nullopt;
    }
    return Value::of(static_cast<double>(number.integer));
}

bool is_structure(std::string_view text) {
    auto const first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || text[first] == '[') &&
           json::is_json(text);
}

bool is_geo_point(std::string_view text) {
    if (!json::is_json(text)) return false;
    std::string scratch;
    auto const is_number = [&](std::string const& key) {
        auto const found = json::value_at(text, std::span(&key, 1), scratch);
        return found.kind == json::Scalar::Kind::integer || found.kind == json::Scalar::Kind::real;
    };
    return is_number("lon") && is_number("lat");
}

// The elements of a list are texts.
bool is_list(std::string_view text) {
    if (!is_structure(text) || text[text.find_first_not_of(" \t\r\n")] != '[') return false;
    std::string scratch;
    for (json::Elements elements(text); elements.next();) {
        auto const element = elements.scalar(scratch);
        if (element.kind != json::Scalar::Kind::text || element.is_json) return false;
    }
    return true;
}

// The one element of a list.
std::optional<std::string> only_element(std::string_view list) {
    json::Elements elements(list);
    std::string scratch;
    if (!is_list(list) || !elements.next()) return std::nullopt;
    std::string element(elements.scalar(scratch).text);
    if (elements.next()) return std::nullopt;
    return element;
}

Converted to_text(Storage from, Value const& value, std::string& storage) {
    switch (from) {
    case Storage::text:
    case Storage::date:
    case Storage::relation:
    case Storage::geo_point: return value;
    case Storage::integer:
        if (value.kind != ValueKind::integer) return std::nullopt;
        return kept(std::to_string(value.integer), storage);
    case Storage::real:
        if (value.kind == ValueKind::integer) return kept(std::to_string(value.integer), storage);
        if (value.kind != ValueKind::real || !std::isfinite(value.real)) return std::nullopt;
        return kept(real_text(value.real), storage);
    case Storage::boolean: return kept("true", storage);
    case Storage::list: {
        auto const element = only_element(value.text);
        if (!element) return std::nullopt;
        return kept(*element, storage);
    }
    case Storage::json: {
        if (is_structure(value.text)) return value;
        std::string scratch;
        auto const scalar = json::scalar_of(value.text, scratch);
        if (scalar.kind != json::Scalar::Kind::text) return std::nullopt;
        return kept(std::string(scalar.text), storage);
    }
    }
    return std::nullopt;
}

Converted to_json(Storage from, Value const& value, std::string& storage) {
    switch (from) {
    case Storage::json:
    case Storage::geo_point:
    case Storage::list: return value;
    case Storage::integer:
    case Storage::real: return to_text(from, value, storage);
    case Storage::boolean: return kept("true", storage);
    case Storage::text:
        if (is_structure(value.text)) return value;
        return kept(quoted(value.text), storage);
    case Storage::date:
    case Storage::relation: return kept(quoted(value.text), storage);
    }
    return std::nullopt;
}

// What a JSON text says, as the value it would be elsewhere.
Converted scalar_of_json(std::string_view text, std::string& storage) {
    std::string scratch;
    auto const scalar = json::scalar_of(text, scratch);
    switch (scalar.kind) {
    case json::Scalar::Kind::null: return std::nullopt;
    case json::Scalar::Kind::integer: return Value::of(scalar.integer);
    case json::Scalar::Kind::real: return Value::of(scalar.real);
    case json::Scalar::Kind::text: return kept(std::string(scalar.text), storage);
    }
    return std::nullopt;
}

Converted to_number(Storage from, Value const& value, bool whole, std::string& storage) {
    if (from == Storage::text) return whole ? integer_of(value.text) : real_of(value.text);
    if (from == Storage::integer || from == Storage::real || from == Storage::boolean) {
        return whole ? integer_of(value) : real_of(value);
    }
    if (from != Storage::json) return std::nullopt;
    auto const scalar = scalar_of_json(value.text, storage);
    if (!scalar || scalar->is_text() || value.text == "true" || value.text == "false") return std::nullopt;
    return whole ? integer_of(*scalar) : real_of(*scalar);
}

Converted to_boolean(Storage from, Value const& value) {
    bool const is_number = from == Storage::integer || from == Storage::real;
    if (is_number && value == Value::of(true)) return Value::of(true);
    if (from != Storage::text && from != Storage::json) return std::nullopt;
    if (value.text == "true") return Value::of(true);
    if (value.text == "false") return Value::of(false);
    return std::nullopt;
}

Converted to_date(Storage from, Value const& value, std::string& storage) {
    std::string scratch;
    auto const text = to_text(from, value, scratch);
    if (!text || (from != Storage::text && from != Storage::json)) return std::nullopt;
    auto const date = normalise_date(text->text);
    if (!date) return std::nullopt;
    return kept(*date, storage);
}

Converted to_list(Storage from, Value const& value, std::string& storage) {
    if (from == Storage::json || from == Storage::list) {
        if (!is_list(value.text)) return std::nullopt;
        return value;
    }
    if (from != Storage::text && from != Storage::relation) return std::nullopt;
    return kept("[" + quoted(value.text) + "]", storage);
}

Converted to_geo_point(Storage from, Value const& value) {
    bool const may_be = from == Storage::text || from == Storage::json;
    if (!may_be || !is_geo_point(value.text)) return std::nullopt;
    return value;
}

Converted to_relation(Storage from, Value const& value, std::string& storage) {
    if (from == Storage::json && is_structure(value.text)) return std::nullopt;
    bool const may_be = from == Storage::text || from == Storage::json || from == Storage::list;
    return may_be ? to_text(from, value, storage) : std::nullopt;
}

}  // namespace

Storage storage_of(Field const& field) {
    if (field.is_multiple()) return Storage::list;
    switch (field.type) {
    case FieldType::text:
    case FieldType::email:
    case FieldType::url:
    case FieldType::password:
    case FieldType::editor:
    case FieldType::select:
    case FieldType::file: return Storage::text;
    case FieldType::date:
    case FieldType::autodate: return Storage::date;
    case FieldType::number: return field.only_int ? Storage::integer : Storage::real;
    case FieldType::boolean: return Storage::boolean;
    case FieldType::json: return Storage::json;
    case FieldType::geo_point: return Storage::geo_point;
    case FieldType::relation: return Storage::relation;
    }
    return Storage::text;
}

bool keeps_values(Field const& before, Field const& after) {
    Storage const from = storage_of(before);
    Storage const to = storage_of(after);
    bool const was_null = before.nullable || from == Storage::relation;
    bool const may_be_null = after.nullable || to == Storage::relation;
    if (from == Storage::relation && to != Storage::relation)
        return false;  // no value is null there, "" here
    if (before.is_join() != after.is_join()) return false;
    if (was_null && !may_be_null) return false;
    return from == to || (from == Storage::date && to == Storage::text);
}

Value zero_value(Field const& field) { return field.nullable ? Value{} : type_zero(field); }

std::optional<Value> convert(Field const& before, Field const& after, Value const& value,
                             std::string& storage) {
    Storage const from = storage_of(before);
    Storage const to = storage_of(after);
    bool const empty_relation = from == Storage::relation && !before.nullable && value.is_null();
    if (value.is_null() && !empty_relation) {
        if (after.nullable || to == Storage::relation) return value;
        return from == Storage::relation ? Converted(type_zero(after)) : std::nullopt;
    }
    if (empty_relation || value == type_zero(before)) return type_zero(after);
    if (from == to) return value;
    switch (to) {
    case Storage::text: return to_text(from, value, storage);
    case Storage::date: return to_date(from, value, storage);
    case Storage::integer: return to_number(from, value, true, storage);
    case Storage::real: return to_number(from, value, false, storage);
    case Storage::boolean: return to_boolean(from, value);
    case Storage::json: return to_json(from, value, storage);
    case Storage::geo_point: return to_geo_point(from, value);
    case Storage::list: return to_list(from, value, storage);
    case Storage::relation: return to_relation(from, value, storage);
    }
    return std::nullopt;
}

}  // namespace quern::engine
