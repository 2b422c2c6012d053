// SPDX-License-Identifier: Apache-2.0
#pragma once

// One value of a row or of a parameter, borrowed.
//
// A boolean is the integer 0 or 1. A json field, a geo point and every field of several values (select, file,
// relation with max_select > 1) are JSON text. A date is text `YYYY-MM-DD HH:MM:SS.mmmZ`, so that text order
// is time order. An empty single relation is null.

#include <compare>
#include <cstdint>
#include <string_view>

namespace quern {

enum class ValueKind : std::uint8_t { null, integer, real, text, blob };

// Lifetime: a text or blob borrows its bytes from wherever the value came.
struct Value {
    ValueKind kind = ValueKind::null;
    union {
        std::int64_t integer = 0;
        double real;
    };
    std::string_view text;  // of text and blob

    [[nodiscard]] static Value of(std::int64_t number) {
        Value value;
        value.kind = ValueKind::integer;
        value.integer = number;
        return value;
    }
    [[nodiscard]] static Value of(bool flag) { return of(std::int64_t{flag ? 1 : 0}); }
    [[nodiscard]] static Value of(double number) {
        Value value;
        value.kind = ValueKind::real;
        value.real = number;
        return value;
    }
    [[nodiscard]] static Value of(std::string_view bytes) {
        Value value;
        value.kind = ValueKind::text;
        value.text = bytes;
        return value;
    }
    [[nodiscard]] static Value of(char const* bytes) { return of(std::string_view(bytes)); }

    [[nodiscard]] bool is_null() const { return kind == ValueKind::null; }
    [[nodiscard]] bool is_text() const { return kind == ValueKind::text; }
};

// The one total order of values, the same on every engine: null < numbers < text < blob; an integer and a
// real compare exactly (no rounding to double); text compares bytewise, which is code point order.
[[nodiscard]] std::strong_ordering compare(Value const& left, Value const& right);

inline bool operator==(Value const& left, Value const& right) { return compare(left, right) == 0; }

}  // namespace quern
