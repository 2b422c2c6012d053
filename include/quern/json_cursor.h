// SPDX-License-Identifier: Apache-2.0
#pragma once

// A JSON text as a run of tokens, for code that knows what it expects.
//
// The cursor stands in front of a value; next() tells of what kind it is, and one of the readers takes it. It
// makes no tree: what is read goes straight to where it belongs. Every byte is checked on the way, also of
// what is skipped: grammar, UTF-8, half surrogate pairs, nesting beyond depth_max. Repeated keys are for
// the caller to notice. Once something is wrong the cursor has failed: next() says `none`, objects and arrays
// are at their end, and error() tells what and where.
//
//     std::string_view key;
//     for (bool more = cursor.enter_object(key); more; more = cursor.next_member(key)) cursor.skip();
//     if (!cursor.finish()) return std::unexpected(cursor.error());

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <quern/arena.h>
#include <quern/error.h>

namespace quern::json {

// Arrays and objects within each other.
inline constexpr std::size_t depth_max = 64;

// Keys of fewer bytes, with their quotes, can be compared where they stand: so much is readable behind a
// text.
inline constexpr std::size_t compared_bytes_max = 64;

// A string without its quotes, unescaped.
struct Text {
    std::string_view text;
    bool has_nul = false;  // U+0000 can only come as an escape; whoever knows the place refuses it by name
};

// A number by its digits.
struct Number {
    std::string_view raw;
    std::uint64_t digits = 0;  // all of them as one number, where is_plain
    std::uint16_t decimals = 0;
    bool is_negative = false;
    bool is_plain = false;  // at most 18 digits and no exponent

    // The value, if it is whole and fits: "5", "5.0" and "5e2" are whole.
    template <class T>
    [[nodiscard]] std::optional<T> integer() const {
        if (is_plain && decimals == 0) [[likely]] {
            auto const magnitude = static_cast<std::int64_t>(digits);
            std::int64_t const value = is_negative ? -magnitude : magnitude;
            if (!std::in_range<T>(value)) return std::nullopt;
            return static_cast<T>(value);
        }
        if constexpr (std::numeric_limits<T>::max() > std::numeric_limits<std::int64_t>::max()) {
            return unsigned_integer();
        } else {
            auto const value = signed_integer();
            if (!value || !std::in_range<T>(*value)) return std::nullopt;
            return static_cast<T>(*value);
        }
    }
    // The nearest double; nothing if that is not finite.
    [[nodiscard]] std::optional<double> real() const {
        constexpr double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};
        // Both are exact doubles, so that their quotient is rounded once.
        if (is_plain && digits <= std::uint64_t{1} << 53 && decimals < std::size(powers)) [[likely]] {
            double const magnitude = static_cast<double>(digits) / powers[decimals];
            return is_negative ? -magnitude : magnitude;
        }
        return slow_real();
    }
    // Whether it has neither fraction nor exponent, or is whole all the same.
    [[nodiscard]] bool is_whole() const;

private:
    [[nodiscard]] std::optional<std::int64_t> signed_integer() const;
    [[nodiscard]] std::optional<std::uint64_t> unsigned_integer() const;
    [[nodiscard]] std::optional<double> slow_real() const;
};

// Threads: one at a time. Cost: no allocation but the arena's, and that for strings with escapes only.
class Cursor {
public:
    enum class Kind : std::uint8_t { none, object, array, string, number, boolean, null };

    // `padded_text` has 64 readable bytes behind it.
    // Lifetime: the text and the arena outlive the cursor and every view that it gives.
    Cursor(std::string_view padded_text, Arena& arena)
        : at_(padded_text.data()), end_(at_ + padded_text.size()), text_(padded_text), arena_(arena) {}

    // What the next value is, by its first byte.
    [[nodiscard]] Kind next() {
        skip_space();
        Kind const kind = at_ < end_ ? kinds[static_cast<unsigned char>(*at_)] : Kind::none;
        if (kind == Kind::none) [[unlikely]]
            fail();
        return kind;
    }

    // Precondition of each: next() has just said that kind. A number or literal that is malformed fails.
    // False where the object or array has nothing (more) in it; then the cursor is behind it.
    [[nodiscard]] bool enter_object(std::string_view& key) { return enter_object() && take_key(key); }
    [[nodiscard]] bool next_member(std::string_view& key) { return next_member() && take_key(key); }
    [[nodiscard]] bool enter_array() { return enter(']'); }
    [[nodiscard]] bool next_element() { return step(']'); }
    [[nodiscard]] Text string();
    [[nodiscard]] Number number();
    [[nodiscard]] bool boolean();
    void null();

    // The same with the key left to be taken: a known one is compared where it stands, without being read.
    [[nodiscard]] bool enter_object() { return enter('}'); }
    [[nodiscard]] bool next_member() {
        if (!step('}')) return false;
        skip_space();
        return true;
    }
    // Takes the key if it is written just so: `quoted` is the name in quotes, of less than 64 bytes.
    template <std::size_t Bytes>
    [[nodiscard]] bool take_key(std::array<char, Bytes> const& quoted) {
        static_assert(Bytes < compared_bytes_max);
        // What matches beyond the end is noticed by colon().
        if (std::memcmp(at_, quoted.data(), Bytes) != 0) return false;
        at_ += Bytes;
        return colon();
    }
    // Takes any key; false where it has failed.
    [[nodiscard]] bool take_key(std::string_view& key);

    // Takes a whole number of at most 18 digits. Where the number is another, it is left for number().
    [[nodiscard]] bool take_integer(std::int64_t& value) {
        char const* place = at_;
        bool const is_negative = *place == '-';
        if (is_negative) ++place;
        char const* const first = place;
        std::int64_t digits = 0;
        while (place < end_ && is_digit(*place)) {
            if (place - first == 18) return false;
            digits = digits * 10 + (*place++ - '0');
        }
        if (place == first || (*first == '0' && place - first > 1)) return false;
        if (place < end_ && (*place == '.' || *place == 'e' || *place == 'E')) return false;
        value = is_negative ? -digits : digits;
        at_ = place;
        return true;
    }

    // Passes over a value of any kind, checking it.
    void skip();

    // Whether the text ends here, and nothing has failed.
    [[nodiscard]] bool finish();
    [[nodiscard]] bool failed() const { return failed_; }
    // Precondition: it has failed. Errors: body_invalid, with the reason and the byte.
    [[nodiscard]] Error error() const;

private:
    bool fail() {
        failed_ = true;
        at_ = end_;
        return false;
    }
    void skip_space() {
        while (at_ < end_ && static_cast<unsigned char>(*at_) <= ' ' && is_space(*at_)) ++at_;
    }
    static bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
    static bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }
    // Into an object or array: whether there is something in it.
    bool enter(char close) {
        if (depth_ == depth_max) [[unlikely]]
            return fail();
        ++at_;
        skip_space();
        if (at_ >= end_) [[unlikely]]
            return fail();
        if (*at_ == close) {
            ++at_;
            return false;
        }
        ++depth_;
        return true;
    }
    // Behind a value: whether another follows.
    bool step(char close) {
        skip_space();
        if (at_ >= end_) [[unlikely]]
            return fail();
        char const c = *at_++;
        if (c == ',') [[likely]]
            return true;
        if (c != close) [[unlikely]]
            return fail();
        --depth_;
        return false;
    }
    bool colon() {
        skip_space();
        if (at_ >= end_ || *at_ != ':') [[unlikely]]
            return fail();
        ++at_;
        return true;
    }
    Text escaped_string(char const* start, char const* backslash);
    bool literal(std::string_view word);

    static constexpr std::array<Kind, 256> kinds = [] {
        std::array<Kind, 256> table{};
        table['{'] = Kind::object;
        table['['] = Kind::array;
        table['"'] = Kind::string;
        table['t'] = table['f'] = Kind::boolean;
        table['n'] = Kind::null;
        table['-'] = Kind::number;
        for (std::size_t digit = '0'; digit <= '9'; ++digit) table[digit] = Kind::number;
        return table;
    }();

    char const* at_;
    char const* end_;
    std::string_view text_;
    Arena& arena_;
    std::size_t depth_ = 0;
    bool failed_ = false;
};

}  // namespace quern::json
