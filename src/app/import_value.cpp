// SPDX-License-Identifier: Apache-2.0
#include "app/import_value.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/number.h"
#include "json/path.h"
#include "schema/date.h"

namespace quern::app {

namespace {

using Outcome = std::expected<void, Refusal>;

constexpr std::size_t shown_bytes_max = 40;

std::unexpected<Refusal> refuse(std::string text) { return std::unexpected(std::move(text)); }

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower, [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
    });
}

bool is_text_like(FieldType type) {
    switch (type) {
    case FieldType::text:
    case FieldType::editor:
    case FieldType::email:
    case FieldType::url:
    case FieldType::password: return true;
    default: return false;
    }
}

Outcome write_number(json::Writer& writer, Field const& field, std::string_view text) {
    if (!json::is_number(text)) return refuse("is not a number");
    if (field.only_int && !json::exact_integer(text)) return refuse("is not a whole number of 64 bits");
    if (!field.only_int && !json::faithful_real(text))
        return refuse("does not fit a number without losing digits");
    writer.raw(text);
    return {};
}

Outcome write_bool(json::Writer& writer, std::string_view text) {
    if (equal_ignoring_case(text, "true") || text == "1") {
        writer.boolean(true);
    } else if (equal_ignoring_case(text, "false") || text == "0") {
        writer.boolean(false);
    } else {
        return refuse("is neither true nor false");
    }
    return {};
}

// Digits of a second behind the third would be cut by the server.
bool is_finer_than_a_millisecond(std::string_view text) {
    std::size_t const dot = text.find('.');
    if (dot == std::string_view::npos) return false;
    std::string_view fraction = text.substr(dot + 1);
    fraction = fraction.substr(0, fraction.find_first_not_of("0123456789"));
    return fraction.size() > 3 && fraction.find_first_not_of('0', 3) != std::string_view::npos;
}

Outcome write_date(json::Writer& writer, std::string_view text) {
    if (!parse_date(text)) return refuse("is not a date");
    if (is_finer_than_a_millisecond(text)) return refuse("is finer than a millisecond, which would be lost");
    writer.string(text);
    return {};
}

// One choice or one id.
Outcome write_choice(json::Writer& writer, std::string_view text, Lookup const* lookup) {
    if (lookup == nullptr) {
        writer.string(text);
        return {};
    }
    auto const found = (*lookup)(text);
    if (!found) return refuse("stands for no record");
    writer.string(*found);
    return {};
}

// What the value says as text: of a string its text, of a number its digits; nothing for other kinds.
std::optional<std::string_view> plain_text(SourceValue const& value) {
    if (!value.is_json()) return value.cell().text;
    json::Node const node = value.node();
    if (node.is(json::Type::string)) return node.text();
    if (node.is_number()) return node.raw();
    return std::nullopt;
}

Outcome write_choices(json::Writer& writer, json::Node array, Lookup const* lookup) {
    writer.begin_array();
    for (json::Node const element : array) {
        auto const text = plain_text(SourceValue(element));
        if (!text) return refuse("holds something else than texts");
        if (auto written = write_choice(writer, *text, lookup); !written) return written;
    }
    writer.end_array();
    return {};
}

Outcome write_select(json::Writer& writer, Field const& field, SourceValue const& value,
                     Lookup const* lookup) {
    if (value.is_json() && value.node().is(json::Type::array)) {
        if (!field.is_multiple()) return refuse("is a list, and the field takes one value");
        return write_choices(writer, value.node(), lookup);
    }
    auto const text = plain_text(value);
    if (!text) return refuse("is not a text");
    if (!field.is_multiple()) return write_choice(writer, *text, lookup);
    if (!value.is_json() && text->starts_with('[')) {
        auto const list = json::Tree::parse(*text);
        if (!list) return refuse("is not a JSON array");
        return write_choices(writer, list->root(), lookup);
    }
    writer.begin_array();
    if (auto written = write_choice(writer, *text, lookup); !written) return written;
    writer.end_array();
    return {};
}

Outcome write_json(json::Writer& writer, SourceValue const& value) {
    if (value.is_json()) {
        writer.raw(value.node().raw());
    } else if (json::is_json(value.cell().text)) {
        writer.raw(value.cell().text);
    } else {
        writer.string(value.cell().text);
    }
    return {};
}

Outcome write_geo_point(json::Writer& writer, SourceValue const& value) {
    if (value.is_json()) {
        if (!value.node().is(json::Type::object)) return refuse("is not a point {\"lon\": …, \"lat\": …}");
        writer.raw(value.node().raw());
        return {};
    }
    if (!value.cell().text.starts_with('{') || !json::is_json(value.cell().text)) {
        return refuse("is not a point {\"lon\": …, \"lat\": …}");
    }
    writer.raw(value.cell().text);
    return {};
}

Outcome write_scalar(json::Writer& writer, Field const& field, SourceValue const& value) {
    if (field.type == FieldType::boolean && value.is_json() && value.node().is(json::Type::boolean)) {
        writer.boolean(value.node().boolean());
        return {};
    }
    auto const text = plain_text(value);
    if (!text) return refuse(fmt::format("does not fit a field of type {}", name(field.type)));
    switch (field.type) {
    case FieldType::number: return write_number(writer, field, *text);
    case FieldType::boolean: return write_bool(writer, *text);
    case FieldType::date:
        if (value.is_json() && value.node().is_number()) return refuse("is a number, not a date");
        return write_date(writer, *text);
    default: writer.string(*text); return {};
    }
}

Outcome write_value(json::Writer& writer, Field const& field, SourceValue const& value,
                    Lookup const* lookup) {
    switch (field.type) {
    case FieldType::select:
    case FieldType::relation: return write_select(writer, field, value, lookup);
    case FieldType::json: return write_json(writer, value);
    case FieldType::geo_point: return write_geo_point(writer, value);
    default: return write_scalar(writer, field, value);
    }
}

bool is_no_value(Field const& field, SourceValue const& value) {
    if (value.is_json()) return value.node().is_null() && field.type != FieldType::json;
    return value.cell().text.empty() && !(value.cell().quoted && is_text_like(field.type));
}

}  // namespace

std::string SourceValue::shown() const {
    std::string_view text = is_json() ? node().raw() : cell_.text;
    if (text.size() <= shown_bytes_max) return is_json() ? std::string(text) : fmt::format("\"{}\"", text);
    text = text.substr(0, shown_bytes_max);
    // Not in the middle of a character.
    while (!text.empty() && !is_utf8(text)) text.remove_suffix(1);
    return fmt::format("{}…", text);
}

std::expected<void, Refusal> check_importable(Field const& field) {
    if (field.type == FieldType::file) return refuse("holds files, which cannot be imported this way");
    if (field.type == FieldType::autodate) return refuse("is filled by the server alone");
    return {};
}

std::expected<void, Refusal> write_member(json::Writer& writer, Field const& field, SourceValue const& value,
                                          Lookup const* lookup) {
    if (!value.is_json() && !is_utf8(value.cell().text)) return refuse("is not UTF-8 text");
    if (is_no_value(field, value)) return {};
    writer.key(field.name);
    return write_value(writer, field, value, lookup);
}

}  // namespace quern::app
