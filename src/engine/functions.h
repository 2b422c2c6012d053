// SPDX-License-Identifier: Apache-2.0
#pragma once

// The functions of plans, computed once for all engines.
//
// An engine that evaluates plans itself calls them; one that writes SQL registers them where its database lets
// it. So `:lower`, `~`, `:length`, geoDistance() and strftime() cannot differ between engines. The JSON here is
// strict (RFC 8259): a text that is no JSON as a whole is no JSON at all.
//
// Threads: any. Cost: linear in the arguments; `storage` is only written when the result is a new text, and a
// result's text lives as long as the argument's and the storage's bytes.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/text.h"
#include "schema/value.h"

namespace quern::engine {

// Text with case folded; other values unchanged.
[[nodiscard]] Value fold(Value const& value, std::string& storage);

// Whether a value matches. A number is matched as its JSON text; null and blobs match nothing.
[[nodiscard]] bool like(Value const& value, LikePattern const& pattern);

// The JSON text of a number (shortest that reads back the same); not-a-number and the infinities are "null".
[[nodiscard]] std::string number_text(Value const& number);

// Great-circle distance in kilometres on a sphere of radius 6371.0; null if an argument is no finite number.
[[nodiscard]] Value geo_distance(Value const& lon_a, Value const& lat_a, Value const& lon_b, Value const& lat_b);

// A time formatted with SQLite's letters (%d %e %f %F %G %g %H %I %j %J %k %l %m %M %p %P %R %s %S %T %u %U %V
// %w %W %Y %%), UTC. `arguments` are the time value and its modifiers: 'N days|hours|minutes|seconds|months|years'
// with a sign or without, 'start of day|month|year', 'weekday N', 'unixepoch'. A time value is a text date
// (ISO 8601, with or without time and zone) or a Julian day number; there is no clock, so 'now' is no time.
// Nothing for what is no time, a modifier or letter that is not one, and years outside 0000..9999.
[[nodiscard]] std::optional<std::string> strftime(std::string_view format, std::span<Value const> arguments);

// Number of elements of a JSON array; 0 for what is no array.
[[nodiscard]] std::int64_t length(Value const& value);

// The value at `path` inside a JSON text: each step is a key of an object or an index of an array. True and false
// are 1 and 0, objects and arrays their JSON text as it stands; null if absent or no JSON.
// Of repeated keys the first counts. An integer beyond 64 bits is a real.
[[nodiscard]] Value json_at(Value const& json, std::span<std::string const> path, std::string& storage);

// Whether the text is one JSON array.
[[nodiscard]] bool is_json_array(std::string_view text);

// Calls `visit` for each element of a JSON array, as json_at() would give it; false when it is no array (then
// `visit` may have been called for elements before the fault). Lifetime: a value dies on return of `visit`.
bool for_each_element(std::string_view json, std::function<void(Value const&)> const& visit);

// Appends `text` as a JSON string with its quotes.
void append_json_string(std::string& output, std::string_view text);

}  // namespace quern::engine
