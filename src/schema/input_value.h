// SPDX-License-Identifier: Apache-2.0
#pragma once

// The reader of single values behind input.h, one function a type.

#include <expected>
#include <span>
#include <string_view>

#include <quern/arena.h>
#include <quern/error.h>
#include "json/reader.h"
#include "schema/collection.h"
#include "schema/input.h"

namespace re2 {
class RE2;
}

namespace quern {

template <class T>
using FieldResult = std::expected<T, FieldError>;

[[nodiscard]] std::unexpected<FieldError> refuse(Field const& field, std::string_view code,
                                                 std::string message);

// One value in its stored form. `pattern` is the field's compiled pattern, or null.
// Lifetime: borrows from the arena and the value.
[[nodiscard]] FieldResult<FieldInput> read_value(Field const& field, re2::RE2 const* pattern,
                                                 json::Node value, Arena& arena);

// The operand of a modifier: a number to add, or values to put in or take out. Bounds are not looked at.
[[nodiscard]] FieldResult<FieldInput> read_operand(Field const& field, InputKind kind, json::Node value,
                                                   Arena& arena);

// Whether a number lies between the field's bounds.
[[nodiscard]] FieldResult<void> check_bounds(Field const& field, Value const& number);
// Whether so many values may be chosen; none always may.
[[nodiscard]] FieldResult<void> check_count(Field const& field, std::size_t count);

// Drops repeated values, keeping the first of each, in place.
[[nodiscard]] std::span<std::string_view const> drop_repeated(std::span<std::string_view> items);

// The stored form of chosen values: JSON text of several, the text of a single one or the field's default.
[[nodiscard]] Value list_value(Field const& field, std::span<std::string_view const> items, Arena& arena);

}  // namespace quern
