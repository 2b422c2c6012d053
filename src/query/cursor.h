// SPDX-License-Identifier: Apache-2.0
#pragma once

// The place where a list goes on: the sort values of the last row, with their types.
//
// The bytes are neither secret nor protected; the caller seals them before they leave the house.

#include <span>
#include <string>
#include <string_view>

#include <quern/arena.h>
#include <quern/error.h>
#include "schema/value.h"

namespace quern::query {

// One byte of version, one of count, then for each value a kind byte and its content (numbers: 8 bytes,
// little endian; text and blob: 4 bytes of length, then the bytes).
[[nodiscard]] std::string encode_cursor(std::span<Value const> values);

// Reads back what encode_cursor() wrote.
// Errors:   parameter_invalid — no such bytes.
// Lifetime: texts borrow from `bytes`, the array lives in the arena.
[[nodiscard]] Result<std::span<Value const>> decode_cursor(std::string_view bytes, Arena& arena);

}  // namespace quern::query
