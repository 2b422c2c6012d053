// SPDX-License-Identifier: Apache-2.0
#include <quern/json_cursor.h>

#include <emmintrin.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <string>

#include "json/number.h"
#include "json/reader.h"
#include "json/scan.h"
#include "json/utf8.h"

namespace quern::json {

namespace {

constexpr std::size_t step_bytes = 16;
static_assert(padding_bytes >= step_bytes, "a step may begin at the text's last byte");

unsigned digit_of(char c) { return static_cast<unsigned>(static_cast<unsigned char>(c)) - '0'; }

}  // namespace

std::optional<std::int64_t> Number::signed_integer() const { return exact_integer(raw); }

std::optional<std::uint64_t> Number::unsigned_integer() const {
    std::uint64_t value = 0;
    auto const [end, fault] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    if (fault == std::errc() && end == raw.data() + raw.size()) return value;
    auto const exact = exact_integer(raw);
    if (!exact || *exact < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*exact);
}

std::optional<double> Number::slow_real() const { return nearest_real(raw); }

bool Number::is_whole() const {
    bool whole = false;
    (void)number_length(raw, whole);
    return whole || exact_integer(raw);
}

bool Cursor::take_key(std::string_view& key) {
    if (at_ >= end_ || *at_ != '"') [[unlikely]]
        return fail();
    key = string().text;
    return colon();
}

// Stops at the first byte that ends the string or needs a closer look.
Text Cursor::string() {
    char const* const start = at_ + 1;
    char const* place = start;
    unsigned beyond_ascii = 0;
    while (place < end_) {
        __m128i const bytes = _mm_loadu_si128(reinterpret_cast<__m128i const*>(place));
        __m128i const quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
        __m128i const backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
        __m128i const control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
        auto const found =
            static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
        auto const high = static_cast<unsigned>(_mm_movemask_epi8(bytes));
        if (found == 0) {
            beyond_ascii |= high;
            place += step_bytes;
            continue;
        }
        beyond_ascii |= high & ((found & -found) - 1);
        place += std::countr_zero(found);
        if (place >= end_ || static_cast<unsigned char>(*place) < 0x20) break;
        if (*place == '\\') return escaped_string(start, place);
        std::string_view const text(start, static_cast<std::size_t>(place - start));
        if (beyond_ascii != 0 && !is_well_formed(text)) break;
        at_ = place + 1;
        return {text, false};
    }
    fail();
    return {};
}

Text Cursor::escaped_string(char const* start, char const* backslash) {
    char const* place = backslash;
    while (place < end_ && *place != '"' && static_cast<unsigned char>(*place) >= 0x20)
        place += *place == '\\' ? 2 : 1;
    if (place >= end_ || *place != '"') {
        fail();
        return {};
    }
    std::string_view const inside(start, static_cast<std::size_t>(place - start));
    auto* const output = static_cast<char*>(arena_.allocate(inside.size(), 1));
    auto const length = unescape(inside, output, BadEscape::refuse);
    if (!length || !is_well_formed(inside)) {
        fail();
        return {};
    }
    at_ = place + 1;
    return {{output, *length}, std::memchr(output, 0, *length) != nullptr};
}

Number Cursor::number() {
    char const* const start = at_;
    char const* place = at_;
    Number number;
    number.is_negative = *place == '-';
    if (number.is_negative) ++place;
    char const* const first = place;
    while (place < end_ && digit_of(*place) < 10) number.digits = number.digits * 10 + digit_of(*place++);
    auto count = static_cast<std::size_t>(place - first);
    bool fine = count > 0 && (count == 1 || *first != '0');
    if (place < end_ && *place == '.') {
        char const* const fraction = ++place;
        while (place < end_ && digit_of(*place) < 10) number.digits = number.digits * 10 + digit_of(*place++);
        auto const decimals = static_cast<std::size_t>(place - fraction);
        fine = fine && decimals > 0;
        count += decimals;
        number.decimals = static_cast<std::uint16_t>(decimals < 0xFFFF ? decimals : 0xFFFF);
    }
    constexpr std::size_t plain_digits_max = 18;
    number.is_plain = count <= plain_digits_max;
    if (place < end_ && (*place == 'e' || *place == 'E')) [[unlikely]] {
        number.is_plain = false;
        ++place;
        if (place < end_ && (*place == '+' || *place == '-')) ++place;
        char const* const exponent = place;
        while (place < end_ && digit_of(*place) < 10) ++place;
        fine = fine && place > exponent;
    }
    if (!fine) [[unlikely]] {
        fail();
        return {};
    }
    number.raw = {start, static_cast<std::size_t>(place - start)};
    at_ = place;
    return number;
}

bool Cursor::literal(std::string_view word) {
    if (static_cast<std::size_t>(end_ - at_) < word.size() || std::memcmp(at_, word.data(), word.size()) != 0)
        return fail();
    at_ += word.size();
    return true;
}

bool Cursor::boolean() {
    if (*at_ == 't') return literal("true");
    (void)literal("false");
    return false;
}

void Cursor::null() { (void)literal("null"); }

// The cursor counts the depth, so the recursion is bounded.
void Cursor::skip() {
    std::string_view name;
    switch (next()) {
    case Kind::object:
        for (bool more = enter_object(name); more; more = next_member(name)) skip();
        break;
    case Kind::array:
        for (bool more = enter_array(); more; more = next_element()) skip();
        break;
    case Kind::string: (void)string(); break;
    case Kind::number: (void)number(); break;
    case Kind::boolean: (void)boolean(); break;
    case Kind::null: null(); break;
    case Kind::none: break;
    }
}

bool Cursor::finish() {
    if (failed_) return false;
    skip_space();
    return at_ == end_ || fail();
}

// The walk says only that something is wrong; where and what, the checker finds out.
Error Cursor::error() const {
    auto const fault = find_fault(text_, {.depth_max = depth_max})
                           .value_or(Fault{text_.size(), "the text could not be read"});
    return Error(ErrorCode::body_invalid, std::string(default_message(ErrorCode::body_invalid)) +
                                              " At byte " + std::to_string(fault.at) + ": " +
                                              std::string(fault.why) + ".");
}

}  // namespace quern::json
