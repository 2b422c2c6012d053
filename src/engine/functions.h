// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of plans that are not plain comparisons, computed once for all engines.
//
// An engine that evaluates plans itself calls them; one that writes SQL registers them where its database
// lets it. So case folding, `~`, geoDistance() and strftime() cannot differ between engines.
//
// Threads: any. Cost: linear in the arguments. Lifetime: a resulting text borrows from the argument or from
// `storage`, which is only written when the result is a new text.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "schema/value.h"

namespace quern::engine {

// Text with case folded; other values unchanged.
[[nodiscard]] Value fold(Value const& value, std::string& storage);

// What `like` looks at on either side: a text or blob as it is, a number as its JSON text. Nothing of null.
[[nodiscard]] std::optional<std::string_view> like_text(Value const& value, std::string& storage);

// Great-circle distance in kilometres on a sphere of radius 6371.0; null if an argument is no finite number.
[[nodiscard]] Value geo_distance(Value const& lon_a, Value const& lat_a, Value const& lon_b,
                                 Value const& lat_b);

// A time formatted with SQLite's letters, in UTC: %d %e %f %F %G %g %H %I %j %J %k %l %m %M %p %P %R %s %S %T
// %u %U %V %w %W %Y %%. `arguments` are the time value and its modifiers: 'N days', 'hours', 'minutes',
// 'seconds', 'months' or 'years' with a sign or without, 'start of day', 'start of month', 'start of year',
// 'weekday N', 'unixepoch'.
//
// A time value is a text date (ISO 8601, with or without time and zone), a time of day (of 2000-01-01), or a
// number, which is a Julian day or with 'unixepoch' the seconds since 1970. There is no clock, so 'now' is no
// time. Nothing for what is no time, a letter or modifier not named here, and years outside 0000..9999.
[[nodiscard]] std::optional<std::string> strftime(std::string_view format, std::span<Value const> arguments);

}  // namespace quern::engine
