// SPDX-License-Identifier: Apache-2.0
#include "schema/date.h"

#include <algorithm>
#include <chrono>

namespace quern {

namespace {

constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t minute_ms = 60 * second_ms;
constexpr std::int64_t hour_ms = 60 * minute_ms;
constexpr std::int64_t day_ms = 24 * hour_ms;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes a text from the front, piece by piece. Each take either takes its whole piece or nothing.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] bool next_is_digit() const { return !rest_.empty() && is_digit(rest_.front()); }

    bool take(char c) {
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }

    // Exactly `count` digits.
    std::optional<int> number(std::size_t count) {
        if (rest_.size() < count || !std::ranges::all_of(rest_.substr(0, count), is_digit))
            return std::nullopt;
        int value = 0;
        for (char const c : rest_.substr(0, count)) value = value * 10 + (c - '0');
        rest_.remove_prefix(count);
        return value;
    }

    // One digit or more, as thousandths: the fourth and later digits are dropped.
    std::optional<int> thousandths() {
        if (!next_is_digit()) return std::nullopt;
        int value = 0;
        int scale = 100;
        while (next_is_digit()) {
            value += (rest_.front() - '0') * scale;
            scale /= 10;
            rest_.remove_prefix(1);
        }
        return value;
    }

private:
    std::string_view rest_;
};

// `YYYY[-MM[-DD]]` as the day's first millisecond; `whole` tells whether the day was given.
std::optional<std::int64_t> read_day(Reader& reader, bool& whole) {
    auto const year = reader.number(4);
    if (!year) return std::nullopt;
    std::optional<int> month = 1;
    std::optional<int> day = 1;
    whole = false;
    if (reader.take('-')) {
        month = reader.number(2);
        if (!month) return std::nullopt;
        if (reader.take('-')) {
            day = reader.number(2);
            if (!day) return std::nullopt;
            whole = true;
        }
    }
    std::chrono::year_month_day const date(std::chrono::year(*year),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day)));
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date).time_since_epoch().count() * day_ms;
}

// `HH:MM[:SS[.fraction]]`
std::optional<std::int64_t> read_time(Reader& reader) {
    auto const hour = reader.number(2);
    if (!hour || *hour > 23 || !reader.take(':')) return std::nullopt;
    auto const minute = reader.number(2);
    if (!minute || *minute > 59) return std::nullopt;
    std::int64_t time = *hour * hour_ms + *minute * minute_ms;
    if (!reader.take(':')) return time;
    auto const second = reader.number(2);
    if (!second || *second > 59) return std::nullopt;
    time += *second * second_ms;
    if (!reader.take('.') && !reader.take(',')) return time;
    auto const fraction = reader.thousandths();
    if (!fraction) return std::nullopt;
    return time + *fraction;
}

// `Z`, `±HH[[:]MM]` or nothing: what has to be taken off to get UTC.
std::optional<std::int64_t> read_zone(Reader& reader) {
    if (reader.at_end() || reader.take('Z') || reader.take('z')) return 0;
    std::int64_t const sign = reader.take('-') ? -1 : 1;
    if (sign == 1 && !reader.take('+')) return std::nullopt;
    auto const hour = reader.number(2);
    if (!hour || *hour > 23) return std::nullopt;
    bool const colon = reader.take(':');
    std::int64_t offset = *hour * hour_ms;
    if (colon || reader.next_is_digit()) {
        auto const minute = reader.number(2);
        if (!minute || *minute > 59) return std::nullopt;
        offset += *minute * minute_ms;
    }
    return sign * offset;
}

void write_digits(char* end, std::int64_t value, int count) {
    for (int written = 0; written < count; ++written, value /= 10)
        *--end = static_cast<char>('0' + value % 10);
}

}  // namespace

std::optional<std::int64_t> parse_date(std::string_view text) {
    Reader reader(text);
    bool whole_day = false;
    auto moment = read_day(reader, whole_day);
    if (!moment) return std::nullopt;
    if (!reader.at_end()) {
        bool const separated = reader.take('T') || reader.take(' ') || reader.take('t');
        if (!whole_day || !separated) return std::nullopt;
        auto const time = read_time(reader);
        if (!time) return std::nullopt;
        auto const offset = read_zone(reader);
        if (!offset || !reader.at_end()) return std::nullopt;
        *moment += *time - *offset;
    }
    if (*moment < date_min_ms || *moment > date_max_ms) return std::nullopt;
    return moment;
}

std::optional<std::string> normalise_date(std::string_view text) {
    auto const moment = parse_date(text);
    if (!moment) return std::nullopt;
    return format_date(*moment);
}

DateText format_date_text(std::int64_t unix_ms) {
    unix_ms = std::clamp(unix_ms, date_min_ms, date_max_ms);
    auto const moment = std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(unix_ms));
    auto const midnight = std::chrono::floor<std::chrono::days>(moment);
    std::chrono::year_month_day const date(midnight);
    std::int64_t const time = (moment - midnight).count();
    DateText text = {'0', '0', '0', '0', '-', '0', '0', '-', '0', '0', ' ', '0',
                     '0', ':', '0', '0', ':', '0', '0', '.', '0', '0', '0', 'Z'};
    write_digits(text.data() + 4, int{date.year()}, 4);
    write_digits(text.data() + 7, unsigned{date.month()}, 2);
    write_digits(text.data() + 10, unsigned{date.day()}, 2);
    write_digits(text.data() + 13, time / hour_ms, 2);
    write_digits(text.data() + 16, time / minute_ms % 60, 2);
    write_digits(text.data() + 19, time / second_ms % 60, 2);
    write_digits(text.data() + 23, time % second_ms, 3);
    return text;
}

std::string format_date(std::int64_t unix_ms) {
    DateText const text = format_date_text(unix_ms);
    return {text.data(), text.size()};
}

}  // namespace quern
