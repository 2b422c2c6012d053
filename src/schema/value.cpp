// SPDX-License-Identifier: Apache-2.0
#include "schema/value.h"

#include <cmath>

#include <quern/assert.h>

namespace quern {

namespace {

int rank(ValueKind kind) {
    switch (kind) {
    case ValueKind::null: return 0;
    case ValueKind::integer:
    case ValueKind::real: return 1;
    case ValueKind::text: return 2;
    case ValueKind::blob: return 3;
    }
    return 0;
}

std::strong_ordering of_doubles(double left, double right) {
    if (left < right) return std::strong_ordering::less;
    if (left > right) return std::strong_ordering::greater;
    return std::strong_ordering::equal;
}

// 2^63 as a double is exact; a finite double below it fits int64 after truncation.
std::strong_ordering integer_with_real(std::int64_t left, double right) {
    QUERN_ASSERT(!std::isnan(right), "a stored real is never NaN");
    if (right >= 9223372036854775808.0) return std::strong_ordering::less;
    if (right < -9223372036854775808.0) return std::strong_ordering::greater;
    auto const whole = static_cast<std::int64_t>(right);
    if (left != whole) return left <=> whole;
    return of_doubles(0.0, right - static_cast<double>(whole));
}

std::strong_ordering of_numbers(Value const& left, Value const& right) {
    bool const left_integer = left.kind == ValueKind::integer;
    bool const right_integer = right.kind == ValueKind::integer;
    if (left_integer && right_integer) return left.integer <=> right.integer;
    if (left_integer) return integer_with_real(left.integer, right.real);
    if (right_integer) return 0 <=> integer_with_real(right.integer, left.real);
    return of_doubles(left.real, right.real);
}

}  // namespace

std::strong_ordering compare(Value const& left, Value const& right) {
    int const left_rank = rank(left.kind);
    int const right_rank = rank(right.kind);
    if (left_rank != right_rank) return left_rank <=> right_rank;
    if (left_rank == 0) return std::strong_ordering::equal;
    if (left_rank == 1) return of_numbers(left, right);
    return left.text.compare(right.text) <=> 0;
}

}  // namespace quern
