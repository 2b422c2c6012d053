// SPDX-License-Identifier: Apache-2.0
#include "query/macro.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "schema/date.h"

namespace quern::query {

namespace {

constexpr std::array<std::string_view, 16> names = {"@now",        "@second",   "@minute",     "@hour",
                                                    "@weekday",    "@day",      "@month",      "@year",
                                                    "@yesterday",  "@tomorrow", "@todayStart", "@todayEnd",
                                                    "@monthStart", "@monthEnd", "@yearStart",  "@yearEnd"};

using std::chrono::days;
using std::chrono::milliseconds;
using std::chrono::sys_days;
using Moment = std::chrono::sys_time<milliseconds>;

}  // namespace

std::optional<Macro> macro_of(std::string_view name) {
    auto const* const found = std::ranges::find(names, name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Macro>(found - names.begin());
}

bool is_date(Macro macro) {
    return macro == Macro::now || static_cast<int>(macro) >= static_cast<int>(Macro::yesterday);
}

Value macro_value(Macro macro, std::int64_t now_ms, Arena& arena) {
    Moment const now{milliseconds(now_ms)};
    auto const today = std::chrono::floor<days>(now);
    std::chrono::year_month_day const date(today);
    std::chrono::hh_mm_ss const time(now - today);
    auto const first_of_month = sys_days(date.year() / date.month() / 1);
    auto const first_of_year = sys_days(date.year() / 1 / 1);
    auto const text = [&](Moment moment) {
        DateText const shown = format_date_text(moment.time_since_epoch().count());
        return Value::of(arena.copy({shown.data(), shown.size()}));
    };
    auto const number = [](auto value) { return Value::of(static_cast<std::int64_t>(value)); };
    milliseconds const tick(1);
    switch (macro) {
    case Macro::now: return text(now);
    case Macro::second: return number(time.seconds().count());
    case Macro::minute: return number(time.minutes().count());
    case Macro::hour: return number(time.hours().count());
    case Macro::weekday: return number(std::chrono::weekday(today).c_encoding());
    case Macro::day: return number(static_cast<unsigned>(date.day()));
    case Macro::month: return number(static_cast<unsigned>(date.month()));
    case Macro::year: return number(static_cast<int>(date.year()));
    case Macro::yesterday: return text(now - days(1));
    case Macro::tomorrow: return text(now + days(1));
    case Macro::today_start: return text(today);
    case Macro::today_end: return text(today + days(1) - tick);
    case Macro::month_start: return text(first_of_month);
    case Macro::month_end:
        return text(sys_days((date.year() / date.month() + std::chrono::months(1)) / 1) - tick);
    case Macro::year_start: return text(first_of_year);
    case Macro::year_end: return text(sys_days((date.year() + std::chrono::years(1)) / 1 / 1) - tick);
    }
    return Value{};
}

}  // namespace quern::query
