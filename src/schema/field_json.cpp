// SPDX-License-Identifier: Apache-2.0
// Fields as JSON: one table says which option stands under which name in which types.

#include <array>
#include <initializer_list>
#include <variant>

#include "json/number.h"
#include "schema/collection_json.h"
#include "schema/field_options.h"

namespace quern {

namespace {

using enum FieldType;

using TypeSet = std::uint32_t;

constexpr TypeSet types(std::initializer_list<FieldType> list) {
    TypeSet set = 0;
    for (FieldType const type : list) set |= TypeSet{1} << static_cast<unsigned>(type);
    return set;
}

constexpr TypeSet every_type = ~TypeSet{0};
constexpr TypeSet typed_in = every_type & ~types({autodate});  // whose values come from clients

using Member = std::variant<bool Field::*, std::int64_t Field::*, std::string Field::*,
                            std::vector<std::string> Field::*, std::optional<double> Field::*>;

struct Option {
    std::string_view name;
    TypeSet types;
    Member member;
};

// `type` itself is not among them.
std::array<Option, 32> const options = {{
    {"id", every_type, &Field::id},
    {"name", every_type, &Field::name},
    {"system", every_type, &Field::system},
    {"hidden", every_type, &Field::hidden},
    {"presentable", every_type, &Field::presentable},
    {"required", typed_in, &Field::required},
    {"nullable", typed_in, &Field::nullable},
    {"help", typed_in, &Field::help},
    {"primaryKey", types({text}), &Field::primary_key},
    {"min", types({text, number, password}), &Field::min},
    {"max", types({text, number, password}), &Field::max},
    {"min", types({date}), &Field::min_date},
    {"max", types({date}), &Field::max_date},
    {"pattern", types({text, password}), &Field::pattern},
    {"autogeneratePattern", types({text}), &Field::autogenerate_pattern},
    {"onlyInt", types({number}), &Field::only_int},
    {"values", types({select}), &Field::values},
    {"maxSelect", types({select, file, relation}), &Field::max_select},
    {"minSelect", types({select, relation}), &Field::min_select},
    {"collectionId", types({relation}), &Field::collection_id},
    {"cascadeDelete", types({relation}), &Field::cascade_delete},
    {"onCreate", types({autodate}), &Field::on_create},
    {"onUpdate", types({autodate}), &Field::on_update},
    {"maxSize", types({FieldType::json, editor, file}), &Field::max_size_bytes},
    {"onlyDomains", types({email, url}), &Field::only_domains},
    {"exceptDomains", types({email, url}), &Field::except_domains},
    {"mimeTypes", types({file}), &Field::mime_types},
    {"thumbs", types({file}), &Field::thumbs},
    {"protected", types({file}), &Field::protected_file},
    {"cost", types({password}), &Field::cost},
    {"convertURLs", types({editor}), &Field::convert_urls},
    // The form of this option in files of older versions.
    {"convertUrls", 0, &Field::convert_urls},
}};

bool has(Option const& option, FieldType type) { return (option.types & types({type})) != 0; }

void write_option(Option const& option, Field const& field, json::Writer& writer) {
    writer.key(option.name);
    if (auto const* flag = std::get_if<bool Field::*>(&option.member)) {
        writer.boolean(field.**flag);
    } else if (auto const* count = std::get_if<std::int64_t Field::*>(&option.member)) {
        writer.integer(field.**count);
    } else if (auto const* string = std::get_if<std::string Field::*>(&option.member)) {
        writer.string(field.**string);
    } else if (auto const* list = std::get_if<std::vector<std::string> Field::*>(&option.member)) {
        writer.begin_array();
        for (std::string const& element : field.**list) writer.string(element);
        writer.end_array();
    } else {
        auto const& bound = field.*std::get<std::optional<double> Field::*>(option.member);
        // A length without bound is 0 to clients, a number without bound null.
        if (bound) {
            writer.real(*bound);
        } else if (field.type == number) {
            writer.null();
        } else {
            writer.integer(0);
        }
    }
}

// The readers below return false where the JSON type is wrong. null resets to the default.
bool read_member(json::Node value, bool& flag) {
    if (!value.is(json::Type::boolean) && !value.is_null()) return false;
    flag = value.boolean();
    return true;
}

bool read_member(json::Node value, std::int64_t& count) {
    if (value.is_null()) {
        count = 0;
        return true;
    }
    auto const exact = value.is_number() ? json::exact_integer(value.raw()) : std::nullopt;
    if (exact) count = *exact;
    return exact.has_value();
}

bool read_member(json::Node value, std::string& string) {
    bool const clean = value.text().find('\0') == std::string_view::npos;
    if ((!value.is(json::Type::string) && !value.is_null()) || !clean) return false;
    string = value.text();
    return true;
}

bool read_member(json::Node value, std::vector<std::string>& list) {
    if (!value.is(json::Type::array) && !value.is_null()) return false;
    list.clear();
    for (json::Node const element : value) {
        if (!element.is(json::Type::string) || !read_member(element, list.emplace_back())) return false;
    }
    return true;
}

bool read_member(json::Node value, std::optional<double>& bound) {
    bound = value.real();
    return bound.has_value() || value.is_null();
}

bool read_option(Option const& option, json::Node value, Field& field) {
    return std::visit([&](auto member) { return read_member(value, field.*member); }, option.member);
}

}  // namespace

void write_field(Field const& field, json::Writer& writer) {
    writer.begin_object();
    for (Option const& option : options) {
        if (has(option, field.type)) write_option(option, field, writer);
    }
    writer.member("type", name(field.type));
    writer.end_object();
}

void read_field_options(json::Node body, Field& field, std::vector<FieldError>& errors) {
    for (json::Node const member : body) {
        for (Option const& option : options) {
            bool const older = option.types == 0 && field.type == editor;
            if (option.name != member.key() || !(has(option, field.type) || older)) continue;
            if (read_option(option, member, field)) continue;
            errors.push_back(
                {std::string(option.name), "validation_invalid_type", "The value has the wrong type."});
        }
    }
    if (field.max_select < 1) field.max_select = 1;
    // A length bound of 0 is none.
    bool const lengths = field.type == text || field.type == password;
    if (lengths && field.min == 0.0) field.min.reset();
    if (lengths && field.max == 0.0) field.max.reset();
}

Result<Field> read_field(json::Node body) {
    Field field;
    Error error(ErrorCode::validation);
    auto const type_member = body.find("type");
    auto const type = type_member ? field_type_of(type_member->text()) : std::nullopt;
    if (!type) {
        error.fields.push_back({"type", "validation_in_invalid", "Must be a valid value."});
        return fail(std::move(error));
    }
    field.type = *type;
    read_field_options(body, field, error.fields);
    if (!error.fields.empty()) return fail(std::move(error));
    return field;
}

}  // namespace quern
