// SPDX-License-Identifier: Apache-2.0
#pragma once

// A path as segments.
//
// The path is split at raw '/' first and each segment is decoded once after that, so a segment may hold a '/'
// that was sent as %2F, and "%41" and "A" are the same. What could mean another place than it says is
// refused: dot segments (also encoded ones), control characters, text that is not UTF-8.

#include <optional>
#include <span>
#include <string_view>

#include <quern/arena.h>

namespace quern::http {

// The segments of `path`; "/" and "" have none, "/a/" has "a" and "". Nothing when the path is to be refused.
// Lifetime: segments without escapes borrow from `path`, the others live in the arena.
[[nodiscard]] std::optional<std::span<std::string_view const>> split_path(std::string_view path,
                                                                          Arena& arena);

}  // namespace quern::http
