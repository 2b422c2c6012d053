// SPDX-License-Identifier: Apache-2.0
#pragma once

// What becomes of stored values when a field changes its type.
//
// A value is converted only where nothing is lost: converting it back would give it again. The zero value of
// the one type is the zero value of the other. Everything else does not fit, and the change is refused.

#include <optional>
#include <string>

#include "schema/collection.h"
#include "schema/value.h"

namespace quern::engine {

// How a field's values are kept.
enum class Storage : std::uint8_t { text, date, integer, real, boolean, json, geo_point, list, relation };
[[nodiscard]] Storage storage_of(Field const& field);

// Whether stored values of `before` may be kept as they are for `after` without looking at them.
[[nodiscard]] bool keeps_values(Field const& before, Field const& after);

// The value that a field holds when nothing was given: null where the field may be null, else its type's
// zero. Lifetime: for ever.
[[nodiscard]] Value zero_value(Field const& field);

// `value` as `after` stores it (a multiple relation as the JSON array of its ids); nothing if it does not
// fit. Lifetime: a text result borrows from `value` or `storage`.
[[nodiscard]] std::optional<Value> convert(Field const& before, Field const& after, Value const& value,
                                           std::string& storage);

}  // namespace quern::engine
