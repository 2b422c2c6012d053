// SPDX-License-Identifier: Apache-2.0
#pragma once

// Moments as text, in the one form in which Quern stores and shows them: `2026-01-31 23:59:59.123Z`, always
// UTC and always 24 characters, so that the order of texts is the order of times.
//
// What is read is RFC 3339 and its everyday relatives, among them what SQLite's datetime() and
// CURRENT_TIMESTAMP write: `T` or a space between date and time; seconds and their fraction (cut to
// milliseconds, not rounded) may be missing; the zone is `Z`, `+HH:MM`, `+HHMM` or `+HH`, and UTC where it is
// missing; the time may be missing, and so may the day (`2024-02`) and the month (`2024`).
//
// Neither the process's time zone nor its locale plays a part.

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include <quern/capture.h>

namespace quern {

// A moment with milliseconds, without leap seconds: std::chrono::floor<std::chrono::milliseconds> makes one
// of the system clock's time.
using Timestamp = std::chrono::sys_time<std::chrono::milliseconds>;

// Limits: the years 0000 to 9999, in UTC.
inline constexpr Timestamp timestamp_min{std::chrono::milliseconds(-62'167'219'200'000)};
inline constexpr Timestamp timestamp_max{std::chrono::milliseconds(253'402'300'799'999)};

// Nothing for what is no date, as a day that the calendar does not have, or lies outside the limits.
// Threads: any.
[[nodiscard]] std::optional<Timestamp> parse_timestamp(std::string_view text);

// Limits: a moment outside the limits is shown as the nearest bound. Threads: any.
[[nodiscard]] std::string timestamp_text(Timestamp moment);

template <>
struct FromText<Timestamp> {
    static constexpr std::string_view what = "a date";
    static constexpr std::string_view schema = R"({"type":"string","format":"date-time"})";
    static std::optional<Timestamp> read(std::string_view text) { return parse_timestamp(text); }
    static std::string text(Timestamp moment) { return timestamp_text(moment); }
};

}  // namespace quern
