// SPDX-License-Identifier: Apache-2.0
#include "schema/input_value.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <quern/json_writer.h>
#include "base/text.h"
#include "json/number.h"
#include "schema/date.h"
#include "schema/domain.h"

namespace quern {

namespace {

FieldInput input_of(Value value) {
    FieldInput input;
    input.value = value;
    return input;
}

std::string number_text(double number) {
    Buffer buffer;
    json::append_real(buffer, number);
    return std::string(buffer.view());
}

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// --- text and its relatives ---

// A string's text, or the JSON text of a number or truth value.
FieldResult<std::string_view> plain_text(Field const& field, json::Node value) {
    switch (value.type()) {
    case json::Type::string:
        if (has_nul(value.text())) return refuse(field, "validation_invalid_format", "Invalid value format.");
        return value.text();
    case json::Type::integer:
    case json::Type::real:
    case json::Type::boolean: return value.raw();
    default: return refuse(field, "validation_not_a_text", "Must be a text.");
    }
}

FieldResult<void> check_text(Field const& field, re2::RE2 const* pattern, std::string_view text,
                             std::size_t chars_max) {
    // A text of n bytes has n/4 to n code points: most need no counting.
    auto const least = static_cast<std::size_t>(field.min.value_or(0));
    bool const count = text.size() > chars_max || text.size() < least * 4;
    std::size_t const chars = count ? code_point_count(text) : text.size();
    if (count && chars < least) {
        return refuse(field, "validation_min_text_constraint",
                      "Must be at least " + std::to_string(least) + " character(s).");
    }
    if (chars > chars_max) {
        return refuse(field, "validation_max_text_constraint",
                      "Must be no more than " + std::to_string(chars_max) + " character(s).");
    }
    if (pattern && !re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *pattern)) {
        return refuse(field, "validation_invalid_format", "Invalid value format.");
    }
    return {};
}

FieldResult<FieldInput> read_text(Field const& field, re2::RE2 const* pattern, std::string_view text) {
    if (text.empty()) return input_of(Value::of(text));
    std::size_t chars_max = text_chars_max_default;
    if (field.max) chars_max = static_cast<std::size_t>(*field.max);
    if (auto checked = check_text(field, pattern, text, chars_max); !checked) {
        return std::unexpected(std::move(checked).error());
    }
    if (field.primary_key && text.size() > record_id_bytes_max) {
        return refuse(field, "validation_max_text_constraint",
                      "Must be no more than " + std::to_string(record_id_bytes_max) + " character(s).");
    }
    return input_of(Value::of(text));
}

FieldResult<FieldInput> read_password(Field const& field, re2::RE2 const* pattern, std::string_view text) {
    if (text.empty()) return input_of(Value::of(text));
    std::size_t chars_max = password_chars_max_default;
    if (field.max) chars_max = static_cast<std::size_t>(*field.max);
    if (auto checked = check_text(field, pattern, text, chars_max); !checked) {
        return std::unexpected(std::move(checked).error());
    }
    FieldInput input = input_of(Value::of(text));
    input.must_hash = true;
    return input;
}

FieldResult<FieldInput> read_editor(Field const& field, std::string_view text) {
    std::int64_t const bytes_max = field.max_size_bytes > 0 ? field.max_size_bytes : editor_bytes_max_default;
    if (static_cast<std::int64_t>(text.size()) > bytes_max) {
        return refuse(field, "validation_content_size_limit",
                      "The maximum allowed content size is " + std::to_string(bytes_max) + " bytes.");
    }
    return input_of(Value::of(text));
}

FieldResult<FieldInput> read_email(Field const& field, std::string_view text) {
    if (text.empty()) return input_of(Value::of(text));
    auto const domain = text.size() <= email_bytes_max ? email_domain(text) : std::nullopt;
    if (!domain) return refuse(field, "validation_is_email", "Must be a valid email address.");
    if (!is_allowed_domain(*domain, field.only_domains, field.except_domains)) {
        return refuse(field, "validation_email_domain_not_allowed", "Email domain is not allowed.");
    }
    return input_of(Value::of(text));
}

FieldResult<FieldInput> read_url(Field const& field, std::string_view text) {
    if (text.empty()) return input_of(Value::of(text));
    auto const host = text.size() <= url_bytes_max ? url_host(text) : std::nullopt;
    if (!host) return refuse(field, "validation_invalid_url", "Must be a valid url.");
    if (!is_allowed_domain(*host, field.only_domains, field.except_domains)) {
        return refuse(field, "validation_url_domain_not_allowed", "Url domain is not allowed.");
    }
    return input_of(Value::of(text));
}

FieldResult<FieldInput> read_date(Field const& field, json::Node value, Arena& arena) {
    auto const moment = value.is(json::Type::string) ? parse_date(value.text()) : std::nullopt;
    if (!moment) return refuse(field, "validation_invalid_date", "Must be a valid date.");
    DateText const formatted = format_date_text(*moment);
    std::string_view const text = arena.copy({formatted.data(), formatted.size()});
    if (!field.min_date.empty() && text < field.min_date) {
        return refuse(field, "validation_min_greater_equal_than_required",
                      "Must be no less than " + field.min_date + ".");
    }
    if (!field.max_date.empty() && text > field.max_date) {
        return refuse(field, "validation_max_less_equal_than_required",
                      "Must be no greater than " + field.max_date + ".");
    }
    return input_of(Value::of(text));
}

// --- numbers and truth ---

FieldResult<FieldInput> read_integer(Field const& field, std::string_view digits) {
    if (auto const exact = json::exact_integer(digits)) return input_of(Value::of(*exact));
    auto const nearest = json::nearest_real(digits);
    if (!nearest) return refuse(field, "validation_not_finite", "Must be a finite number.");
    constexpr double integer_end = 9223372036854775808.0;  // 2^63
    bool whole = false;
    (void)json::number_length(digits, whole);
    if (whole || std::abs(*nearest) >= integer_end) {
        return refuse(field, "validation_number_out_of_range", "Must fit into 64 bits.");
    }
    return refuse(field, "validation_only_int_constraint", "Decimal numbers are not allowed.");
}

FieldResult<FieldInput> read_real(Field const& field, std::string_view digits) {
    if (!json::nearest_real(digits))
        return refuse(field, "validation_not_finite", "Must be a finite number.");
    auto const faithful = json::faithful_real(digits);
    if (!faithful) return refuse(field, "validation_number_precision", "The number would lose digits.");
    return input_of(Value::of(*faithful == 0 ? 0.0 : *faithful));  // no -0
}

FieldResult<FieldInput> read_number(Field const& field, json::Node value) {
    std::string_view const digits = value.is(json::Type::string) ? value.text() : value.raw();
    bool const good = value.is_number() || (value.is(json::Type::string) && json::is_number(digits));
    if (!good) return refuse(field, "validation_not_a_number", "Must be a number.");
    return field.only_int ? read_integer(field, digits) : read_real(field, digits);
}

FieldResult<FieldInput> read_bounded_number(Field const& field, json::Node value) {
    auto input = read_number(field, value);
    if (!input) return input;
    if (auto checked = check_bounds(field, input->value); !checked) {
        return std::unexpected(std::move(checked).error());
    }
    return input;
}

FieldResult<FieldInput> read_bool(Field const& field, json::Node value) {
    if (value.is(json::Type::boolean)) return input_of(Value::of(value.boolean()));
    std::string_view const text = value.is(json::Type::string) ? value.text() : value.raw();
    bool const is_scalar = value.is(json::Type::string) || value.is(json::Type::integer);
    if (is_scalar && (text == "true" || text == "1")) return input_of(Value::of(true));
    if (is_scalar && (text == "false" || text == "0")) return input_of(Value::of(false));
    return refuse(field, "validation_not_a_bool", "Must be true or false.");
}

// --- chosen values ---

// Whether a select's value must be among its choices: one that is to be taken out need not be, any more.
enum class Choice : unsigned char { known, any };

FieldResult<std::string_view> read_item(Field const& field, json::Node value, Choice choice) {
    bool const is_text = value.is(json::Type::string) || value.is(json::Type::integer);
    std::string_view const text = value.is(json::Type::string) ? value.text() : value.raw();
    auto const invalid = [&] {
        constexpr std::size_t shown_bytes_max = 100;
        std::string const shown(text.substr(0, shown_bytes_max));
        return refuse(field, "validation_invalid_value", "Invalid value " + shown + ".");
    };
    if (!is_text || has_nul(text)) return invalid();
    if (text.empty()) return text;
    bool const is_chosen = field.type == FieldType::select && choice == Choice::known;
    if (is_chosen && std::ranges::find(field.values, text) == field.values.end()) return invalid();
    if (field.type == FieldType::relation && text.size() > record_id_bytes_max) return invalid();
    return text;
}

FieldResult<std::span<std::string_view const>> read_items(Field const& field, json::Node value, Choice choice,
                                                          Arena& arena) {
    bool const is_array = value.is(json::Type::array);
    std::span<std::string_view> const items = arena.array<std::string_view>(is_array ? value.size() : 1);
    std::size_t count = 0;
    auto const add = [&](json::Node node) -> FieldResult<void> {
        auto item = read_item(field, node, choice);
        if (!item) return std::unexpected(std::move(item).error());
        if (!item->empty()) items[count++] = *item;
        return {};
    };
    if (!is_array) {
        if (auto added = add(value); !added) return std::unexpected(std::move(added).error());
    } else {
        for (json::Node const element : value) {
            if (auto added = add(element); !added) return std::unexpected(std::move(added).error());
        }
    }
    if (field.type == FieldType::file && count > 0) {
        return refuse(field, "validation_file_unsupported", "Files cannot be stored yet.");
    }
    return drop_repeated(items.first(count));
}

FieldResult<FieldInput> read_list(Field const& field, json::Node value, Arena& arena) {
    auto items = read_items(field, value, Choice::known, arena);
    if (!items) return std::unexpected(std::move(items).error());
    if (auto checked = check_count(field, items->size()); !checked) {
        return std::unexpected(std::move(checked).error());
    }
    FieldInput input = input_of(list_value(field, *items, arena));
    input.items = *items;
    return input;
}

// --- json and points ---

// What a JSON value may not hold, because not every reader of the table could read it back.
bool is_storable(json::Node value) {
    switch (value.type()) {
    case json::Type::string: return !has_nul(value.text());
    case json::Type::real: return value.real().has_value();
    case json::Type::array:
    case json::Type::object:
        return std::all_of(value.begin(), value.end(),
                           [](json::Node child) { return !has_nul(child.key()) && is_storable(child); });
    default: return true;
    }
}

FieldResult<FieldInput> read_json(Field const& field, json::Node value) {
    std::int64_t const bytes_max = field.max_size_bytes > 0 ? field.max_size_bytes : json_bytes_max_default;
    if (static_cast<std::int64_t>(value.raw().size()) > bytes_max) {
        return refuse(field, "validation_json_size_limit",
                      "The maximum allowed JSON size is " + std::to_string(bytes_max) + " bytes.");
    }
    if (!is_storable(value)) {
        return refuse(field, "validation_invalid_format",
                      "Must not hold the character U+0000 or a number that is not finite.");
    }
    return input_of(Value::of(value.raw()));
}

FieldResult<FieldInput> read_geo_point(Field const& field, json::Node value, Arena& arena) {
    auto const coordinate = [&](std::string_view name) {
        auto const member = value.find(name);
        return member && member->is_number() ? member->real() : std::nullopt;
    };
    auto const lon = coordinate("lon");
    auto const lat = coordinate("lat");
    if (!lon || !lat) {
        return refuse(field, "validation_invalid_geo_point",
                      "Must be an object with the numbers lon and lat.");
    }
    if (std::abs(*lon) > 180) {
        return refuse(field, "validation_invalid_longitude",
                      "Longitude must be between -180 and 180 degrees.");
    }
    if (std::abs(*lat) > 90) {
        return refuse(field, "validation_invalid_latitude", "Latitude must be between -90 and 90 degrees.");
    }
    Buffer buffer;
    buffer.append("{\"lon\":");
    json::append_real(buffer, *lon);
    buffer.append(",\"lat\":");
    json::append_real(buffer, *lat);
    buffer.append('}');
    return input_of(Value::of(arena.copy(buffer.view())));
}

// Types for which an empty string means that nothing was given, as forms send it.
bool is_blank(Field const& field, json::Node value) {
    if (value.is_null()) return true;
    bool const empty_text = value.is(json::Type::string) && value.text().empty();
    switch (field.type) {
    case FieldType::number:
    case FieldType::boolean:
    case FieldType::date:
    case FieldType::geo_point:
    case FieldType::select:
    case FieldType::relation:
    case FieldType::file: return empty_text || (value.is(json::Type::array) && value.size() == 0);
    default: return false;
    }
}

}  // namespace

std::unexpected<FieldError> refuse(Field const& field, std::string_view code, std::string message) {
    return std::unexpected(FieldError{field.name, std::string(code), std::move(message)});
}

FieldResult<FieldInput> read_value(Field const& field, re2::RE2 const* pattern, json::Node value,
                                   Arena& arena) {
    if (is_blank(field, value)) {
        // An absent text may still be made by a pattern, so that is looked at when the row is finished.
        if (field.required && field.autogenerate_pattern.empty()) {
            return refuse(field, "validation_required", "Cannot be blank.");
        }
        return input_of(default_value(field));
    }
    switch (field.type) {
    case FieldType::number: return read_bounded_number(field, value);
    case FieldType::boolean: return read_bool(field, value);
    case FieldType::date: return read_date(field, value, arena);
    case FieldType::select:
    case FieldType::relation:
    case FieldType::file: return read_list(field, value, arena);
    case FieldType::json: return read_json(field, value);
    case FieldType::geo_point: return read_geo_point(field, value, arena);
    default: break;
    }
    auto const text = plain_text(field, value);
    if (!text) return std::unexpected(text.error());
    if (text->empty() && field.required && field.autogenerate_pattern.empty()) {
        return refuse(field, "validation_required", "Cannot be blank.");
    }
    switch (field.type) {
    case FieldType::password: return read_password(field, pattern, *text);
    case FieldType::editor: return read_editor(field, *text);
    case FieldType::email: return read_email(field, *text);
    case FieldType::url: return read_url(field, *text);
    default: return read_text(field, pattern, *text);
    }
}

FieldResult<FieldInput> read_operand(Field const& field, InputKind kind, json::Node value, Arena& arena) {
    if (field.type == FieldType::number) return read_number(field, value);
    if (is_blank(field, value)) return FieldInput{};
    auto items = read_items(field, value, kind == InputKind::remove ? Choice::any : Choice::known, arena);
    if (!items) return std::unexpected(std::move(items).error());
    FieldInput input;
    input.items = *items;
    return input;
}

FieldResult<void> check_bounds(Field const& field, Value const& number) {
    if (field.min && compare(number, Value::of(*field.min)) < 0) {
        return refuse(field, "validation_min_number_constraint",
                      "Must be greater or equal than " + number_text(*field.min) + ".");
    }
    if (field.max && compare(number, Value::of(*field.max)) > 0) {
        return refuse(field, "validation_max_number_constraint",
                      "Must be less or equal than " + number_text(*field.max) + ".");
    }
    return {};
}

FieldResult<void> check_count(Field const& field, std::size_t count) {
    auto const chosen = static_cast<std::int64_t>(count);
    if (chosen > field.max_select) {
        return refuse(field, "validation_too_many_values",
                      "Select no more than " + std::to_string(field.max_select) + ".");
    }
    if (chosen > 0 && chosen < field.min_select) {
        return refuse(field, "validation_not_enough_values",
                      "Select at least " + std::to_string(field.min_select) + ".");
    }
    return {};
}

std::span<std::string_view const> drop_repeated(std::span<std::string_view> items) {
    constexpr std::size_t pairwise_max = 32;
    if (items.size() <= pairwise_max) {
        auto end = items.begin();
        for (std::string_view const item : items) {
            if (std::find(items.begin(), end, item) == end) *end++ = item;
        }
        return items.first(static_cast<std::size_t>(end - items.begin()));
    }
    std::unordered_set<std::string_view> seen;
    auto const repeated = std::ranges::remove_if(items, [&](auto item) { return !seen.insert(item).second; });
    return items.first(items.size() - repeated.size());
}

Value list_value(Field const& field, std::span<std::string_view const> items, Arena& arena) {
    if (items.empty()) return default_value(field);
    if (!field.is_multiple()) return Value::of(items.front());
    Buffer buffer;
    json::Writer writer(buffer);
    writer.begin_array();
    for (std::string_view const item : items) writer.string(item);
    writer.end_array();
    return Value::of(arena.copy(buffer.view()));
}

}  // namespace quern
