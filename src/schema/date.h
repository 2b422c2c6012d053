// SPDX-License-Identifier: Apache-2.0
#pragma once

// Dates, in the one form in which they are stored and shown: `YYYY-MM-DD HH:MM:SS.mmmZ`, always UTC and
// always 24 characters, so that the order of texts is the order of times.
//
// What is read is RFC 3339 and its everyday relatives: `T`, `t` or a space between date and time; seconds and
// their fraction (cut to milliseconds, not rounded) may be missing; the zone is `Z`, `z`, `+HH:MM`, `+HHMM`
// or
// `+HH`, and UTC where it is missing; the time may be missing, and so may the day (`2024-02`) and the month
// (`2024`). A day that the calendar does not have, hour 24 and second 60 are refused.
//
// Neither the process's time zone nor its locale plays a part. Threads: any. Cost: some 30 ns, no allocation
// but for a returned std::string.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace quern {

inline constexpr std::size_t date_length = 24;
using DateText = std::array<char, date_length>;

// The first and the last moment that can be written: years 0000 to 9999. Milliseconds since
// 1970-01-01T00:00:00Z.
inline constexpr std::int64_t date_min_ms = -62'167'219'200'000;
inline constexpr std::int64_t date_max_ms = 253'402'300'799'999;

// Milliseconds since 1970-01-01T00:00:00Z. Nothing for what is no date, or lies outside the years 0000 to
// 9999 once its offset is taken off.
[[nodiscard]] std::optional<std::int64_t> parse_date(std::string_view text);

// The stored form of a date in any accepted form. Nothing for what parse_date() refuses, so also for "".
[[nodiscard]] std::optional<std::string> normalise_date(std::string_view text);

// The stored form of a moment. Limits: a moment before date_min_ms or after date_max_ms is shown as that
// bound.
[[nodiscard]] std::string format_date(std::int64_t unix_ms);
// The same without allocation.
[[nodiscard]] DateText format_date_text(std::int64_t unix_ms);

}  // namespace quern
