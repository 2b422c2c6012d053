// SPDX-License-Identifier: Apache-2.0
#pragma once

// `@now` and its relatives: the request's time, in UTC.

#include <optional>
#include <string_view>

#include <quern/arena.h>
#include "query/prepared.h"

namespace quern::query {

[[nodiscard]] std::optional<Macro> macro_of(std::string_view name);
// Whether it is a date; the others are numbers (weekday: 0 = Sunday).
[[nodiscard]] bool is_date(Macro macro);
[[nodiscard]] Value macro_value(Macro macro, std::int64_t now_ms, Arena& arena);

}  // namespace quern::query
