// SPDX-License-Identifier: Apache-2.0
#pragma once

// Looks into JSON text the way plans need it: the value at a path, the elements of an array.
//
// A small reader of its own on purpose: the oracle shall not share a parser with the engines it judges, and
// numbers beyond 64 bits must not spoil the rest of a text. Text that is no JSON by RFC 8259 has no values.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/arena.h>
#include "schema/value.h"

namespace quern::engine::ram {

// Deeper nesting is no JSON (the bound that SQLite has, too).
inline constexpr int json_depth_max = 1000;

// The text of the value at `path`: keys of objects (the first of equal ones) or indexes of arrays in decimal.
// Nothing when the text is no JSON or the path leads nowhere. Lifetime: a part of `text`.
[[nodiscard]] std::optional<std::string_view> json_at(std::string_view text,
                                                      std::span<std::string const> path);

// The texts of an array's elements; nothing when `text` is no JSON array. Lifetime: parts of `text`.
[[nodiscard]] std::optional<std::vector<std::string_view>> json_elements(std::string_view text);

// What a JSON value is as a Value: true and false are 1 and 0; a number without fraction and exponent that
// fits 64 bits is an integer, any other a real, one beyond the reals null; objects and arrays are their text
// without blanks. `json` is the text of one valid value, as the functions above give it. Lifetime: until
// `texts` is reset.
[[nodiscard]] Value json_value(std::string_view json, Arena& texts);

// A JSON array of strings.
[[nodiscard]] std::string json_array_of(std::span<std::string const> strings);

}  // namespace quern::engine::ram
