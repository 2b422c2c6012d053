// SPDX-License-Identifier: Apache-2.0
#pragma once

// A plan as SQL text with parameters; done once for each plan, never for each request.
//
// No value becomes text: whatever comes from a request is a parameter, and so are paths into JSON.
//
// Logic. A leaf may come out as SQL's unknown only where unknown counts as false (WHERE, ON, EXISTS), and
// conditions are built from leaves by AND and OR alone; a negated leaf is written so that it is true exactly
// when the leaf is not.
//
// Types. Values are ordered by kind first (schema/value.h), but SQLite converts a parameter to the type of
// the column that it is compared with: 5 would equal '5' in a text column. Each binding therefore says which
// kinds of values leave the text exact. When a value of another kind comes, the same plan is written a second
// time with Comparing::exactly, which never converts and cannot use an index for that comparison.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/sql/dialect.h"
#include "plan/plan.h"
#include "schema/value.h"

namespace quern::engine::sql {

// Kinds of values with which a binding's text is exact; a set of bits. Null always is.
enum Accepts : std::uint8_t {
    accepts_text = 1,
    accepts_integer = 2,      // that a double holds exactly
    accepts_big_integer = 4,  // beyond 2^53
    accepts_real = 8,
    accepts_all = 15,
};

// The bit of a value: one of Accepts, or 0 for null and blobs, which never are converted.
[[nodiscard]] inline std::uint8_t accept_bit(Value const& value) {
    switch (value.kind) {
    case ValueKind::null:
    case ValueKind::blob: return 0;
    case ValueKind::integer: {
        constexpr std::int64_t exact_max = std::int64_t{1} << 53;
        return value.integer > exact_max || value.integer < -exact_max ? accepts_big_integer
                                                                       : accepts_integer;
    }
    case ValueKind::real: return accepts_real;
    case ValueKind::text: return accepts_text;
    }
    return 0;
}

// What stands behind one SQL parameter.
struct Binding {
    plan::ParameterIndex parameter = plan::Plan::no_parameter;  // no_parameter: the constant `text`
    std::uint8_t accepts = accepts_all;
    std::string text;
};

struct Statement {
    std::string text;
    std::vector<Binding> bindings;  // of SQL parameters 1, 2, …
};

enum class Comparing : std::uint8_t { by_column_type, exactly };

// Cost: linear in the plan.
[[nodiscard]] Statement select(plan::Plan const& plan, Dialect const& dialect,
                               Comparing comparing = Comparing::by_column_type);
// Without limit, offset, sort, seek, output and the joins that only those need.
[[nodiscard]] Statement count(plan::Plan const& plan, Dialect const& dialect,
                              Comparing comparing = Comparing::by_column_type);

}  // namespace quern::engine::sql
