// SPDX-License-Identifier: Apache-2.0
#include "schema/input.h"

#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include <quern/assert.h>
#include "json/path.h"
#include "schema/date.h"
#include "schema/input_value.h"

namespace quern {

struct RecordInput::Patterns {
    std::vector<std::unique_ptr<re2::RE2>> of_field;  // null where the field has none
    std::size_t password = npos;                      // of an auth collection
    std::size_t email = npos;
    std::size_t token_key = npos;

    static constexpr std::size_t npos = ~std::size_t{0};
};

namespace {

constexpr std::string_view geo_zero = R"({"lon":0,"lat":0})";

// A member's name taken apart: the field, and what is to be done with it.
struct Target {
    std::size_t field;
    InputKind kind;
};

std::optional<Target> find_target(Collection const& collection, std::string_view key) {
    if (auto const field = collection.find(key)) return Target{*field, InputKind::set};
    if (key.size() < 2) return std::nullopt;
    InputKind kind = InputKind::set;
    std::string_view name;
    if (key.ends_with('+') || key.ends_with('-')) {
        kind = key.back() == '+' ? InputKind::append : InputKind::remove;
        name = key.substr(0, key.size() - 1);
    } else if (key.starts_with('+')) {
        kind = InputKind::prepend;
        name = key.substr(1);
    }
    auto const field = name.empty() ? std::nullopt : collection.find(name);
    if (!field) return std::nullopt;
    if (collection.fields[*field].type == FieldType::number) {
        if (kind == InputKind::append) kind = InputKind::add;
        if (kind == InputKind::remove) kind = InputKind::subtract;
    }
    return Target{*field, kind};
}

bool takes_modifier(Field const& field, InputKind kind) {
    switch (field.type) {
    case FieldType::number: return kind == InputKind::add || kind == InputKind::subtract;
    case FieldType::select:
    case FieldType::relation:
    case FieldType::file: return true;
    default: return false;
    }
}

bool may_set(Field const& field, InputOptions options) {
    if (field.type == FieldType::autodate) return false;
    return !field.hidden || options.superuser || field.type == FieldType::password;
}

bool is_same(Value const& left, Value const& right) { return left.kind == right.kind && left == right; }

// Whether a finished value is as good as none.
bool is_blank(Field const& field, Value const& value) {
    if (value.is_null()) return true;
    if (!value.is_text()) return false;
    if (field.is_multiple()) return value.text == "[]" || value.text.empty();
    if (field.type == FieldType::json) return value.text == "null";
    return value.text.empty();
}

Result<std::span<FieldValue>> finish(std::span<FieldValue> values, std::vector<FieldError> errors) {
    if (errors.empty()) return values;
    Error error(ErrorCode::validation);
    error.fields = std::move(errors);
    return fail(std::move(error));
}

// A password must be repeated beside itself, so that a slip of the hand locks nobody out.
void check_confirmation(json::Node body, json::Node password, std::vector<FieldError>& errors) {
    auto const confirm = body.find("passwordConfirm");
    if (!confirm || confirm->is_null() || (confirm->is(json::Type::string) && confirm->text().empty())) {
        errors.push_back({"passwordConfirm", "validation_required", "Cannot be blank."});
    } else if (confirm->type() != password.type() || confirm->text() != password.text()) {
        errors.push_back({"passwordConfirm", "validation_values_mismatch", "Values don't match."});
    }
}

std::string_view date_text(std::int64_t now_ms, Arena& arena) {
    DateText const text = format_date_text(now_ms);
    return arena.copy({text.data(), text.size()});
}

// The values of a list as it is stored.
std::span<std::string_view const> items_of(Field const& field, Value const& value, Arena& arena) {
    if (!value.is_text() || value.text.empty()) return {};
    if (!field.is_multiple()) {
        std::span<std::string_view> const one = arena.array<std::string_view>(1);
        one[0] = value.text;
        return one;
    }
    std::span<std::string_view> const items = arena.array<std::string_view>(json::array_length(value.text));
    std::size_t count = 0;
    std::string scratch;
    for (json::Elements elements(value.text); elements.next();) {
        json::Scalar const scalar = elements.scalar(scratch);
        if (scalar.kind != json::Scalar::Kind::text || scalar.is_json) continue;
        bool const in_scratch = scalar.text.data() == scratch.data();
        items[count++] = in_scratch ? arena.copy(scalar.text) : scalar.text;
    }
    return items.first(count);
}

std::span<std::string_view const> join(std::span<std::string_view const> first,
                                       std::span<std::string_view const> second, Arena& arena) {
    std::span<std::string_view> const joined = arena.array<std::string_view>(first.size() + second.size());
    std::ranges::copy(second, std::ranges::copy(first, joined.begin()).out);
    return drop_repeated(joined);
}

std::span<std::string_view const> without(std::span<std::string_view const> items,
                                          std::span<std::string_view const> removed, Arena& arena) {
    std::span<std::string_view> const left = arena.array<std::string_view>(items.size());
    auto const end = std::ranges::copy_if(items, left.begin(), [&](std::string_view item) {
        return std::ranges::find(removed, item) == removed.end();
    });
    return left.first(static_cast<std::size_t>(end.out - left.begin()));
}

FieldResult<FieldValue> apply_list(Field const& field, FieldInput const& input, Value const& current,
                                   Arena& arena) {
    std::span<std::string_view const> const old = items_of(field, current, arena);
    std::span<std::string_view const> items;
    if (input.kind == InputKind::remove) {
        items = without(old, input.items, arena);
    } else if (!field.is_multiple()) {
        items = input.items.empty() ? old : input.items;  // a single value is replaced
    } else if (input.kind == InputKind::append) {
        items = join(old, input.items, arena);
    } else {
        items = join(input.items, old, arena);
    }
    if (auto checked = check_count(field, items.size()); !checked) {
        return std::unexpected(std::move(checked).error());
    }
    return FieldValue{.field = input.field, .value = list_value(field, items, arena), .items = items};
}

FieldResult<FieldValue> apply_number(Field const& field, FieldInput const& input, Value const& current) {
    bool const add = input.kind == InputKind::add;
    Value sum;
    if (field.only_int) {
        std::int64_t const left = current.kind == ValueKind::integer ? current.integer : 0;
        std::int64_t result = 0;
        bool const overflow = add ? __builtin_add_overflow(left, input.value.integer, &result)
                                  : __builtin_sub_overflow(left, input.value.integer, &result);
        if (overflow) return refuse(field, "validation_number_out_of_range", "Must fit into 64 bits.");
        sum = Value::of(result);
    } else {
        double left = 0;
        if (current.kind == ValueKind::real) left = current.real;
        if (current.kind == ValueKind::integer) left = static_cast<double>(current.integer);
        double const result = add ? left + input.value.real : left - input.value.real;
        if (!std::isfinite(result)) return refuse(field, "validation_not_finite", "Must be a finite number.");
        sum = Value::of(result == 0 ? 0.0 : result);
    }
    if (auto checked = check_bounds(field, sum); !checked) return std::unexpected(std::move(checked).error());
    return FieldValue{.field = input.field, .value = sum, .items = {}};
}

FieldResult<FieldValue> apply_input(Field const& field, FieldInput const& input, Value const& current,
                                    Arena& arena) {
    QUERN_ASSERT(!input.must_hash, "a password is hashed before it is stored");
    switch (input.kind) {
    case InputKind::set: return FieldValue{.field = input.field, .value = input.value, .items = input.items};
    case InputKind::add:
    case InputKind::subtract: return apply_number(field, input, current);
    default: return apply_list(field, input, current, arena);
    }
}

// The text of a field that makes its own.
std::string_view generate(Field const& field, WriteMoment const& moment, Arena& arena) {
    if (!field.autogenerate_pattern.empty()) {
        if (auto const made = autogenerate(field.autogenerate_pattern, moment.random, arena)) return *made;
    }
    return make_record_id(moment.random, arena);
}

}  // namespace

Value default_value(Field const& field) {
    if (field.nullable) return {};
    if (field.is_multiple()) return Value::of("[]");
    switch (field.type) {
    case FieldType::number: return field.only_int ? Value::of(std::int64_t{0}) : Value::of(0.0);
    case FieldType::boolean: return Value::of(false);
    case FieldType::json: return Value::of("null");
    case FieldType::geo_point: return Value::of(geo_zero);
    case FieldType::relation: return {};
    default: return Value::of("");
    }
}

RecordInput::RecordInput(Collection const& collection)
    : collection_(&collection), patterns_(std::make_unique<Patterns>()) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    for (Field const& field : collection.fields) {
        bool const has_pattern =
            !field.pattern.empty() && (field.type == FieldType::text || field.type == FieldType::password);
        patterns_->of_field.push_back(has_pattern ? std::make_unique<re2::RE2>(field.pattern, options)
                                                  : nullptr);
    }
    if (collection.type != CollectionType::auth) return;
    patterns_->password = collection.find("password").value_or(Patterns::npos);
    patterns_->email = collection.find("email").value_or(Patterns::npos);
    patterns_->token_key = collection.find("tokenKey").value_or(Patterns::npos);
}

RecordInput::~RecordInput() = default;
RecordInput::RecordInput(RecordInput&&) noexcept = default;

namespace {

// A new record with wrong values is told of its missing ones at the same time.
void name_missing(Collection const& collection, std::span<FieldInput const> inputs,
                  std::vector<FieldError>& errors) {
    for (std::size_t index = 0; index < collection.fields.size(); ++index) {
        Field const& field = collection.fields[index];
        bool const makes_own = field.primary_key || !field.autogenerate_pattern.empty();
        if (!field.required || makes_own || field.type == FieldType::autodate) continue;
        bool const given = std::ranges::find(inputs, index, &FieldInput::field) != inputs.end() ||
                           std::ranges::find(errors, field.name, &FieldError::field) != errors.end();
        if (!given) errors.push_back({field.name, "validation_required", "Cannot be blank."});
    }
}

}  // namespace

Result<std::span<FieldInput>> RecordInput::read(json::Node body, InputOptions options, Arena& arena) const {
    std::span<FieldInput> const inputs = arena.array<FieldInput>(body.size());
    std::size_t count = 0;
    std::vector<FieldError> errors;
    for (json::Node const member : body) {
        auto const target = find_target(*collection_, member.key());
        if (!target) continue;
        Field const& field = collection_->fields[target->field];
        if (!may_set(field, options)) continue;
        bool const set = target->kind == InputKind::set;
        if (!set && !takes_modifier(field, target->kind)) {
            errors.push_back(
                {field.name, "validation_invalid_modifier", "This modifier does not fit the field."});
            continue;
        }
        auto input = set ? read_value(field, patterns_->of_field[target->field].get(), member, arena)
                         : read_operand(field, target->kind, member, arena);
        if (!input) {
            errors.push_back(std::move(input).error());
            continue;
        }
        input->field = static_cast<std::uint16_t>(target->field);
        input->kind = target->kind;
        if (target->field == patterns_->password && input->must_hash)
            check_confirmation(body, member, errors);
        inputs[count++] = *input;
    }
    if (errors.empty()) return inputs.first(count);
    if (options.creating) name_missing(*collection_, inputs.first(count), errors);
    Error error(ErrorCode::validation);
    error.fields = std::move(errors);
    return fail(std::move(error));
}

Result<FieldValue> RecordInput::apply(FieldInput const& input, Value const& current, Arena& arena) const {
    auto applied = apply_input(collection_->fields[input.field], input, current, arena);
    if (applied) return *applied;
    Error error(ErrorCode::validation);
    error.fields.push_back(std::move(applied).error());
    return fail(std::move(error));
}

Result<std::span<FieldValue>> RecordInput::for_insert(std::span<FieldInput const> inputs, WriteMoment moment,
                                                      Arena& arena) const {
    std::vector<Field> const& fields = collection_->fields;
    std::span<FieldValue> const row = arena.array<FieldValue>(fields.size());
    std::span<bool> const given = arena.array<bool>(fields.size());
    for (std::size_t index = 0; index < fields.size(); ++index) {
        row[index] = {
            .field = static_cast<std::uint16_t>(index), .value = default_value(fields[index]), .items = {}};
        given[index] = false;
    }
    std::vector<FieldError> errors;
    for (FieldInput const& input : inputs) {
        auto applied = apply_input(fields[input.field], input, row[input.field].value, arena);
        given[input.field] = true;
        if (applied) {
            row[input.field] = *applied;
        } else {
            errors.push_back(std::move(applied).error());
        }
    }
    for (std::size_t index = 0; index < fields.size(); ++index) {
        Field const& field = fields[index];
        Value& value = row[index].value;
        if (field.type == FieldType::autodate && field.on_create)
            value = Value::of(date_text(moment.now_ms, arena));
        bool const makes_own = field.primary_key || !field.autogenerate_pattern.empty();
        if (makes_own && is_blank(field, value)) value = Value::of(generate(field, moment, arena));
        if (field.primary_key && (value.text == "." || value.text == "..")) {
            // No URL could name it: a path's dot segments are removed on the way.
            errors.push_back({field.name, "validation_invalid_format", "Invalid value format."});
        }
        if (!field.required) continue;
        if (is_blank(field, value) || !(given[index] || makes_own)) {
            bool const reported = std::ranges::find(errors, field.name, &FieldError::field) != errors.end();
            if (!reported) errors.push_back({field.name, "validation_required", "Cannot be blank."});
        }
    }
    return finish(row, std::move(errors));
}

Result<std::span<FieldValue>> RecordInput::for_update(std::span<FieldInput const> inputs,
                                                      std::span<Value const> current, WriteMoment moment,
                                                      Arena& arena) const {
    std::vector<Field> const& fields = collection_->fields;
    QUERN_ASSERT(current.size() == fields.size(), "the current row has a value for every field");
    std::span<FieldValue> const row = arena.array<FieldValue>(fields.size());
    std::span<bool> const given = arena.array<bool>(fields.size());
    for (std::size_t index = 0; index < fields.size(); ++index) {
        row[index] = {.field = static_cast<std::uint16_t>(index), .value = current[index], .items = {}};
        given[index] = false;
    }
    std::vector<FieldError> errors;
    for (FieldInput const& input : inputs) {
        auto applied = apply_input(fields[input.field], input, row[input.field].value, arena);
        if (!applied) {
            errors.push_back(std::move(applied).error());
            continue;
        }
        row[input.field] = *applied;
        given[input.field] = true;
    }
    auto const changed = [&](std::size_t index) {
        return index != Patterns::npos && given[index] && !is_same(row[index].value, current[index]);
    };
    if (patterns_->token_key != Patterns::npos &&
        (changed(patterns_->password) || changed(patterns_->email))) {
        row[patterns_->token_key].value = Value::of(generate(fields[patterns_->token_key], moment, arena));
        given[patterns_->token_key] = true;
    }
    std::size_t count = 0;
    for (std::size_t index = 0; index < fields.size(); ++index) {
        Field const& field = fields[index];
        if (given[index] && field.required && is_blank(field, row[index].value)) {
            errors.push_back({field.name, "validation_required", "Cannot be blank."});
        }
        if (!changed(index)) continue;
        if (field.primary_key) {
            errors.push_back(
                {field.name, "validation_pk_change", "The record primary key cannot be changed."});
        }
        row[count++] = row[index];
    }
    // Where nothing else changes, the dates of updating do not either.
    for (std::size_t index = 0; count > 0 && index < fields.size(); ++index) {
        if (fields[index].type != FieldType::autodate || !fields[index].on_update) continue;
        row[count++] = {.field = static_cast<std::uint16_t>(index),
                        .value = Value::of(date_text(moment.now_ms, arena)),
                        .items = {}};
    }
    return finish(row.first(count), std::move(errors));
}

}  // namespace quern
