// SPDX-License-Identifier: Apache-2.0
#include "json/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace quern::json {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t offset) {
    std::size_t const start = offset;
    while (offset < text.size() && is_digit(text[offset])) ++offset;
    return offset - start;
}

// A number taken apart: ± whole.fraction × 10^exponent.
struct Parts {
    bool negative = false;
    std::string_view whole;
    std::string_view fraction;
    std::int64_t exponent = 0;  // saturates far beyond what matters
};

Parts take_apart(std::string_view number) {
    Parts parts;
    parts.negative = number.starts_with('-');
    if (parts.negative) number.remove_prefix(1);
    parts.whole = number.substr(0, digits_at(number, 0));
    number.remove_prefix(parts.whole.size());
    if (number.starts_with('.')) {
        parts.fraction = number.substr(1, digits_at(number, 1));
        number.remove_prefix(1 + parts.fraction.size());
    }
    if (number.empty()) return parts;
    number.remove_prefix(1);  // 'e' or 'E'
    bool const negative = number.starts_with('-');
    if (negative || number.starts_with('+')) number.remove_prefix(1);
    constexpr std::int64_t exponent_bound = 1'000'000'000'000;
    for (char const c : number) {
        parts.exponent = std::min(parts.exponent * 10 + (c - '0'), exponent_bound);
    }
    if (negative) parts.exponent = -parts.exponent;
    return parts;
}

// Whether |number| is at least 1, read off its digits: tells a number too large for a double from one too
// small.
bool is_large(std::string_view number) {
    Parts const parts = take_apart(number);
    std::size_t const in_whole = parts.whole.find_first_not_of('0');
    std::size_t const in_fraction = parts.fraction.find_first_not_of('0');
    std::int64_t leading = 0;  // decimal exponent of the first digit that counts
    if (in_whole != std::string_view::npos) {
        leading = static_cast<std::int64_t>(parts.whole.size() - in_whole) - 1;
    } else if (in_fraction != std::string_view::npos) {
        leading = -static_cast<std::int64_t>(in_fraction) - 1;
    }
    return leading + parts.exponent >= 0;
}

}  // namespace

std::size_t number_length(std::string_view text, bool& whole) {
    whole = true;
    std::size_t offset = text.starts_with('-') ? 1 : 0;
    std::size_t const digits = digits_at(text, offset);
    if (digits == 0 || (digits > 1 && text[offset] == '0')) return 0;
    offset += digits;
    if (offset < text.size() && text[offset] == '.') {
        std::size_t const fraction = digits_at(text, offset + 1);
        if (fraction == 0) return 0;
        whole = false;
        offset += 1 + fraction;
    }
    if (offset < text.size() && (text[offset] == 'e' || text[offset] == 'E')) {
        ++offset;
        if (offset < text.size() && (text[offset] == '+' || text[offset] == '-')) ++offset;
        std::size_t const exponent = digits_at(text, offset);
        if (exponent == 0) return 0;
        whole = false;
        offset += exponent;
    }
    return offset;
}

bool is_number(std::string_view text) {
    bool whole = false;
    return !text.empty() && number_length(text, whole) == text.size();
}

std::optional<std::int64_t> exact_integer(std::string_view number) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc() && end == number.data() + number.size()) return value;
    if (!is_number(number)) return std::nullopt;

    // Digits without the zeros at either end, and the power of ten that they are to be taken times.
    Parts const parts = take_apart(number);
    std::int64_t power = parts.exponent - static_cast<std::int64_t>(parts.fraction.size());
    auto const digit = [&](std::size_t index) {
        return index < parts.whole.size() ? parts.whole[index] : parts.fraction[index - parts.whole.size()];
    };
    std::size_t first = 0;
    std::size_t last = parts.whole.size() + parts.fraction.size();
    while (first < last && digit(first) == '0') ++first;
    while (last > first && digit(last - 1) == '0') --last, ++power;
    if (first == last) return 0;
    constexpr std::int64_t digits_max = 19;
    if (power < 0 || static_cast<std::int64_t>(last - first) + power > digits_max) return std::nullopt;
    __extension__ using Wide = unsigned __int128;
    Wide magnitude = 0;
    for (std::size_t index = first; index < last; ++index) {
        magnitude = magnitude * 10 + static_cast<unsigned>(digit(index) - '0');
    }
    for (; power > 0; --power) magnitude *= 10;
    Wide const limit = (Wide{1} << 63) - (parts.negative ? 0 : 1);
    if (magnitude > limit) return std::nullopt;
    auto const bits = static_cast<std::uint64_t>(magnitude);
    return static_cast<std::int64_t>(parts.negative ? ~bits + 1 : bits);
}

std::optional<double> nearest_real(std::string_view number) {
    double value = 0;
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc::result_out_of_range && is_number(number)) {
        if (is_large(number)) return std::nullopt;
        return number.starts_with('-') ? -0.0 : 0.0;
    }
    bool const all = error == std::errc() && end == number.data() + number.size();
    if (!all || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::optional<double> faithful_real(std::string_view number) {
    auto const value = nearest_real(number);
    bool whole = false;
    if (!value || number_length(number, whole) != number.size()) return std::nullopt;
    if (!whole || *value == 0) return value;
    char digits[320];  // DBL_MAX has 309
    auto const printed = std::to_chars(digits, digits + sizeof digits, *value, std::chars_format::fixed, 0);
    if (std::string_view(digits, static_cast<std::size_t>(printed.ptr - digits)) != number)
        return std::nullopt;
    return value;
}

}  // namespace quern::json
