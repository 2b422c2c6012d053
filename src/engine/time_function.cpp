// SPDX-License-Identifier: Apache-2.0

// strftime: a time is one number, milliseconds since 1970, and its calendar is computed when a letter or a
// modifier needs it. The rules (days that overflow a month, months before their fraction, seconds cut at
// 59.999) are those that SQLite documents for its date functions.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "engine/functions.h"
#include "schema/date.h"

namespace quern::engine {

namespace {

constexpr std::int64_t second_ms = 1000;
constexpr std::int64_t minute_ms = 60 * second_ms;
constexpr std::int64_t hour_ms = 60 * minute_ms;
constexpr std::int64_t day_ms = 24 * hour_ms;
// The Unix epoch as milliseconds since noon of Julian day 0.
constexpr std::int64_t julian_epoch_ms = 210'866'760'000'000;

// A moment; `number` is kept until a modifier says what it counts.
struct Moment {
    std::int64_t unix_ms = 0;
    std::optional<double> number;
    bool valid = true;
};

struct Calendar {
    std::int64_t year = 2000;
    std::int64_t month = 1;  // 1..12
    std::int64_t day = 1;    // 1..31
    std::int64_t ms = 0;     // of the day
};

std::int64_t floor_divide(std::int64_t value, std::int64_t by) {
    return value >= 0 ? value / by : -((-value + by - 1) / by);
}

// Days since 1970-01-01 of a day of the Gregorian calendar; a day beyond its month counts on into the next.
std::int64_t days_of(std::int64_t year, std::int64_t month, std::int64_t day) {
    std::int64_t const shifted =
        month <= 2 ? year - 1 : year;  // years begin in March: the leap day is the last
    std::int64_t const era = floor_divide(shifted, 400);
    std::int64_t const year_of_era = shifted - era * 400;
    std::int64_t const day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

Calendar calendar_of(std::int64_t unix_ms) {
    std::int64_t const days = floor_divide(unix_ms, day_ms);
    std::int64_t const shifted = days + 719'468;
    std::int64_t const era = floor_divide(shifted, 146'097);
    std::int64_t const day_of_era = shifted - era * 146'097;
    std::int64_t const year_of_era =
        (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    std::int64_t const day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    std::int64_t const shifted_month = (5 * day_of_year + 2) / 153;
    Calendar calendar;
    calendar.day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    calendar.month = shifted_month < 10 ? shifted_month + 3 : shifted_month - 9;
    calendar.year = year_of_era + era * 400 + (calendar.month <= 2 ? 1 : 0);
    calendar.ms = unix_ms - days * day_ms;
    return calendar;
}

std::int64_t unix_ms_of(Calendar const& calendar) {
    return days_of(calendar.year, calendar.month, calendar.day) * day_ms + calendar.ms;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Reads a time value from its front.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    [[nodiscard]] bool at_end() const { return text_.empty(); }
    [[nodiscard]] char peek() const { return text_.empty() ? '\0' : text_.front(); }
    void advance() { text_.remove_prefix(1); }

    bool take(char c) {
        if (peek() != c) return false;
        advance();
        return true;
    }
    // Exactly `digits` digits, giving a number of at most `max`.
    bool take_number(std::size_t digits, std::int64_t max, std::int64_t& number) {
        if (text_.size() < digits || !std::ranges::all_of(text_.substr(0, digits), is_digit)) return false;
        std::from_chars(text_.data(), text_.data() + digits, number);
        text_.remove_prefix(digits);
        return number <= max;
    }
    void skip_blanks() {
        while (!at_end() && is_blank(peek())) advance();
    }

private:
    std::string_view text_;
};

// .123456 → milliseconds, never rounded up into the next second.
std::int64_t take_fraction(Scanner& scanner) {
    double fraction = 0;
    double scale = 1;
    while (is_digit(scanner.peek())) {
        fraction = fraction * 10 + (scanner.peek() - '0');
        scale *= 10;
        scanner.advance();
    }
    return static_cast<std::int64_t>(std::min(fraction / scale, 0.999) * 1000 + 0.5);
}

// HH:MM[:SS[.fff]][zone]; `ms` is the time of day in UTC, which may lie outside the day.
bool take_time(Scanner& scanner, std::int64_t& ms) {
    std::int64_t hour = 0;
    std::int64_t minute = 0;
    std::int64_t second = 0;
    std::int64_t fraction_ms = 0;
    if (!scanner.take_number(2, 24, hour) || !scanner.take(':') || !scanner.take_number(2, 59, minute))
        return false;
    if (scanner.take(':')) {
        if (!scanner.take_number(2, 59, second)) return false;
        Scanner ahead = scanner;
        if (ahead.take('.') && is_digit(ahead.peek())) {
            fraction_ms = take_fraction(ahead);
            scanner = ahead;
        }
    }
    ms = hour * hour_ms + minute * minute_ms + second * second_ms + fraction_ms;
    scanner.skip_blanks();
    char const zone = scanner.peek();
    if (zone == '+' || zone == '-') {
        scanner.advance();
        if (!scanner.take_number(2, 14, hour) || !scanner.take(':') || !scanner.take_number(2, 59, minute))
            return false;
        std::int64_t const offset_ms = hour * hour_ms + minute * minute_ms;
        ms += zone == '+' ? -offset_ms : offset_ms;
    } else if (zone == 'Z' || zone == 'z') {
        scanner.advance();
    }
    scanner.skip_blanks();
    return scanner.at_end();
}

std::optional<std::int64_t> parse_text(std::string_view text) {
    Calendar calendar;
    Scanner scanner(text);
    Scanner const start = scanner;
    bool const dated = scanner.take_number(4, 9999, calendar.year) && scanner.take('-') &&
                       scanner.take_number(2, 12, calendar.month) && scanner.take('-') &&
                       scanner.take_number(2, 31, calendar.day);
    if (!dated) {
        calendar = {};
        scanner = start;
        if (!take_time(scanner, calendar.ms)) return std::nullopt;
        return unix_ms_of(calendar);
    }
    if (calendar.month < 1 || calendar.day < 1) return std::nullopt;
    while (is_blank(scanner.peek()) || scanner.peek() == 'T') scanner.advance();
    if (!scanner.at_end() && !take_time(scanner, calendar.ms)) return std::nullopt;
    return unix_ms_of(calendar);
}

std::optional<double> number_of(std::string_view text) {
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number))
        return std::nullopt;
    return number;
}

// A number is a Julian day as long as no modifier says otherwise.
Moment moment_of_number(double number) {
    constexpr double julian_day_end = 5'373'484.5;  // the end of year 9999
    Moment moment;
    moment.number = number;
    moment.valid = number >= 0 && number < julian_day_end;
    if (moment.valid) {
        moment.unix_ms =
            static_cast<std::int64_t>(number * static_cast<double>(day_ms) + 0.5) - julian_epoch_ms;
    }
    return moment;
}

std::optional<Moment> moment_of(Value const& value) {
    switch (value.kind) {
    case ValueKind::null:
    case ValueKind::blob: return std::nullopt;
    case ValueKind::integer: return moment_of_number(static_cast<double>(value.integer));
    case ValueKind::real: return moment_of_number(value.real);
    case ValueKind::text: {
        if (auto const parsed = parse_text(value.text)) return Moment{*parsed, {}, true};
        if (auto const number = number_of(value.text)) return moment_of_number(*number);
        return std::nullopt;
    }
    }
    return std::nullopt;
}

struct Unit {
    std::string_view name;
    double limit;  // beyond it the number is refused: it could not end within the calendar
    double ms;
};
constexpr std::array<Unit, 6> units = {{{"second", 4.6427e+14, 1e3},
                                        {"minute", 7.7379e+12, 60e3},
                                        {"hour", 1.2897e+11, 3'600e3},
                                        {"day", 5'373'485.0, 86'400e3},
                                        {"month", 176'546.0, 2'592'000e3},
                                        {"year", 14'713.0, 31'536'000e3}}};

// Moves by whole months; days that the month does not have run on into the next.
void move_months(Moment& moment, std::int64_t months) {
    Calendar calendar = calendar_of(moment.unix_ms);
    std::int64_t const index = calendar.year * 12 + calendar.month - 1 + months;
    calendar.year = floor_divide(index, 12);
    calendar.month = index - calendar.year * 12 + 1;
    moment.unix_ms = unix_ms_of(calendar);
}

// 'N units'
bool move_by(Moment& moment, std::string_view modifier) {
    auto const blank = std::ranges::find_if(modifier, is_blank);
    auto const digits = modifier.substr(0, static_cast<std::size_t>(blank - modifier.begin()));
    auto const number = number_of(digits);
    if (!number || blank == modifier.end()) return false;
    std::string_view name = modifier.substr(digits.size());
    while (!name.empty() && is_blank(name.front())) name.remove_prefix(1);
    if (name.ends_with('s')) name.remove_suffix(1);
    auto const* const unit = std::ranges::find(units, name, &Unit::name);
    if (unit == units.end() || !(std::abs(*number) < unit->limit)) return false;
    double rest = *number;
    if (name == "month" || name == "year") {
        auto const whole = static_cast<std::int64_t>(rest);
        move_months(moment, name == "month" ? whole : whole * 12);
        rest -= static_cast<double>(whole);
    }
    moment.unix_ms += static_cast<std::int64_t>(rest * unit->ms + (rest < 0 ? -0.5 : 0.5));
    return true;
}

bool move_to_weekday(Moment& moment, std::string_view digits) {
    if (digits.size() != 1 || digits[0] < '0' || digits[0] > '6') return false;
    std::int64_t const wanted = digits[0] - '0';
    std::int64_t const day = floor_divide(moment.unix_ms, day_ms) + 4;  // 1970-01-01 was a Thursday
    std::int64_t const weekday = day - floor_divide(day, 7) * 7;
    moment.unix_ms += (wanted >= weekday ? wanted - weekday : wanted - weekday + 7) * day_ms;
    return true;
}

bool move_to_start(Moment& moment, std::string_view of_what) {
    Calendar calendar = calendar_of(moment.unix_ms);
    calendar.ms = 0;
    if (of_what == "month" || of_what == "year") calendar.day = 1;
    if (of_what == "year") calendar.month = 1;
    moment.unix_ms = unix_ms_of(calendar);
    return of_what == "day" || of_what == "month" || of_what == "year";
}

bool as_unix_epoch(Moment& moment, bool first) {
    if (!first || !moment.number) return false;
    double const ms = *moment.number * 1000.0;
    moment.valid = ms >= static_cast<double>(date_min_ms) && ms <= static_cast<double>(date_max_ms);
    if (moment.valid) {
        moment.unix_ms =
            static_cast<std::int64_t>(ms + static_cast<double>(julian_epoch_ms) + 0.5) - julian_epoch_ms;
    }
    return moment.valid;
}

bool apply_modifier(Moment& moment, Value const& value, bool first) {
    if (!value.is_text()) return false;
    std::string modifier(value.text);
    for (char& c : modifier) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    std::string_view const text = modifier;
    if (text == "unixepoch") return as_unix_epoch(moment, first);
    if (!moment.valid) return false;
    moment.number.reset();
    bool applied = false;
    if (text.starts_with("start of ")) {
        applied = move_to_start(moment, text.substr(9));
    } else if (text.starts_with("weekday ")) {
        applied = move_to_weekday(moment, text.substr(8));
    } else {
        applied = move_by(moment, text);
    }
    return applied && moment.unix_ms >= date_min_ms && moment.unix_ms <= date_max_ms;
}

// What the letters need of a moment.
struct Parts {
    Calendar calendar;
    std::int64_t unix_ms;
    std::int64_t days;         // since 1970-01-01
    std::int64_t day_of_year;  // 0-based
    std::int64_t weekday;      // 0 = Sunday
    std::int64_t hour, minute, second;

    explicit Parts(std::int64_t moment_ms)
        : calendar(calendar_of(moment_ms)),
          unix_ms(moment_ms),
          days(floor_divide(moment_ms, day_ms)),
          day_of_year(days - days_of(calendar.year, 1, 1)),
          weekday((days + 4) - floor_divide(days + 4, 7) * 7),
          hour(calendar.ms / hour_ms),
          minute(calendar.ms / minute_ms % 60),
          second(calendar.ms / second_ms % 60) {}

    // The Thursday of the moment's ISO week, whose year and week number are the week's.
    [[nodiscard]] Parts iso_thursday() const { return Parts(unix_ms + (3 - (weekday + 6) % 7) * day_ms); }
};

void append_clock(std::string& output, char letter, Parts const& at) {
    std::int64_t const half = at.hour % 12 == 0 ? 12 : at.hour % 12;
    auto out = std::back_inserter(output);
    switch (letter) {
    case 'f': fmt::format_to(out, "{:02}.{:03}", at.second, at.calendar.ms % second_ms); break;
    case 'H': fmt::format_to(out, "{:02}", at.hour); break;
    case 'I': fmt::format_to(out, "{:02}", half); break;
    case 'k': fmt::format_to(out, "{:2}", at.hour); break;
    case 'l': fmt::format_to(out, "{:2}", half); break;
    case 'M': fmt::format_to(out, "{:02}", at.minute); break;
    case 'p': output += at.hour >= 12 ? "PM" : "AM"; break;
    case 'P': output += at.hour >= 12 ? "pm" : "am"; break;
    case 'R': fmt::format_to(out, "{:02}:{:02}", at.hour, at.minute); break;
    case 's': fmt::format_to(out, "{}", floor_divide(at.unix_ms, second_ms)); break;
    case 'S': fmt::format_to(out, "{:02}", at.second); break;
    case 'T': fmt::format_to(out, "{:02}:{:02}:{:02}", at.hour, at.minute, at.second); break;
    default: break;
    }
}

// False for a letter that is none.
bool append_letter(std::string& output, char letter, Parts const& at) {
    auto out = std::back_inserter(output);
    Calendar const& date = at.calendar;
    switch (letter) {
    case 'd': fmt::format_to(out, "{:02}", date.day); return true;
    case 'e': fmt::format_to(out, "{:2}", date.day); return true;
    case 'F': fmt::format_to(out, "{:04}-{:02}-{:02}", date.year, date.month, date.day); return true;
    case 'G': fmt::format_to(out, "{:04}", at.iso_thursday().calendar.year); return true;
    case 'g': fmt::format_to(out, "{:02}", at.iso_thursday().calendar.year % 100); return true;
    case 'j': fmt::format_to(out, "{:03}", at.day_of_year + 1); return true;
    case 'J':
        fmt::format_to(out, "{:.16g}",
                       static_cast<double>(at.unix_ms + julian_epoch_ms) / static_cast<double>(day_ms));
        return true;
    case 'm': fmt::format_to(out, "{:02}", date.month); return true;
    case 'u': fmt::format_to(out, "{}", at.weekday == 0 ? 7 : at.weekday); return true;
    case 'U': fmt::format_to(out, "{:02}", (at.day_of_year - at.weekday + 7) / 7); return true;
    case 'V': fmt::format_to(out, "{:02}", at.iso_thursday().day_of_year / 7 + 1); return true;
    case 'w': fmt::format_to(out, "{}", at.weekday); return true;
    case 'W': fmt::format_to(out, "{:02}", (at.day_of_year - (at.weekday + 6) % 7 + 7) / 7); return true;
    case 'Y': fmt::format_to(out, "{:04}", date.year); return true;
    case '%': output += '%'; return true;
    default: break;
    }
    std::size_t const before = output.size();
    append_clock(output, letter, at);
    return output.size() > before;
}

}  // namespace

std::optional<std::string> strftime(std::string_view format, std::span<Value const> arguments) {
    if (arguments.empty()) return std::nullopt;
    auto moment = moment_of(arguments[0]);
    if (!moment) return std::nullopt;
    for (std::size_t index = 1; index < arguments.size(); ++index) {
        if (!apply_modifier(*moment, arguments[index], index == 1)) return std::nullopt;
    }
    if (!moment->valid || moment->unix_ms < date_min_ms || moment->unix_ms > date_max_ms) return std::nullopt;
    Parts const at(moment->unix_ms);
    std::string output;
    for (std::size_t offset = 0; offset < format.size(); ++offset) {
        if (format[offset] != '%') {
            output += format[offset];
        } else if (++offset == format.size() || !append_letter(output, format[offset], at)) {
            return std::nullopt;
        }
    }
    return output;
}

}  // namespace quern::engine
