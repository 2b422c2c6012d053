// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fits values to what they are compared with.

#include <optional>
#include <string_view>

#include <quern/arena.h>
#include <quern/buffer.h>
#include <quern/error.h>
#include "json/path.h"
#include "query/lexer.h"
#include "query/prepared.h"
#include "schema/value.h"

namespace quern::query {

// A literal as `conversion` wants it; nothing if it cannot be.
[[nodiscard]] std::optional<Value> convert(Literal const& literal, Conversion conversion, Arena& arena);
// The same for a value of the request.
[[nodiscard]] std::optional<Value> convert(Value const& value, Conversion conversion, Arena& arena);

// What a literal that convert() refuses should have been: "is no number".
[[nodiscard]] std::string_view refusal(Conversion conversion);

// The zero value that a null stands for.
[[nodiscard]] Value zero_of(Conversion conversion);

// A list literal as JSON array text in the arena. Nothing if a value cannot be converted; `bad_source` is
// then that value as written.
[[nodiscard]] std::optional<std::string_view> convert_list(Literal const& list, Conversion conversion,
                                                           bool null_as_zero, Arena& arena, Buffer& scratch,
                                                           std::string_view& bad_source);

// The number that a text is, exactly where it is a whole one of 64 bits.
[[nodiscard]] std::optional<Value> number_of(std::string_view text);

// A value inside a JSON text, copied into the arena.
[[nodiscard]] Value element_value(json::Scalar const& scalar, Arena& arena);

// A value as text: numbers as JSON writes them.
[[nodiscard]] std::string_view text_of(Value const& value, Arena& arena);

}  // namespace quern::query
