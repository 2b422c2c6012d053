// SPDX-License-Identifier: Apache-2.0
#pragma once

// The shape of a filter: what its plan depends on.
//
// That is the text's tokens with every literal replaced by its class, and, for the first few literals, which
// of them are equal. Two filters of one shape have one plan; their values are its parameters.

#include <span>
#include <string_view>

#include <quern/arena.h>
#include <quern/buffer.h>
#include <quern/error.h>
#include "query/lexer.h"

namespace quern::query {

// Appends the shape of `text` to `key` and returns the literals, in order.
//
// Errors:   filter_invalid, filter_too_large — the text has no tokens to speak of; its grammar is not
// checked. Lifetime: the literals live in the arena and borrow from the text. Cost:     one pass; no
// allocation beyond the arena and the key's buffer.
[[nodiscard]] Result<std::span<Literal const>> append_shape(std::string_view text, std::string_view label,
                                                            std::size_t characters_max, Arena& arena,
                                                            Buffer& key);

}  // namespace quern::query
