// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differs between databases, as a table.

#include <array>
#include <cstddef>
#include <string_view>

#include <quern/dialect.h>

namespace quern::detail {

struct DialectTable {
    std::string_view name;
    bool numbered_parameters = false;  // $1 $2 … instead of ?
    std::size_t parameters_max = 0;    // of one statement
    std::array<bool, ability_count> abilities{};
    std::string_view none;  // a condition that never holds
    std::string_view same;  // equal, or both null
    std::string_view not_same;
    std::string_view no_limit;       // what stands in front of OFFSET alone
    bool nulls_are_smallest = true;  // in an order that does not say
    std::array<std::string_view, plan_function_count> functions;

    [[nodiscard]] bool can(Ability ability) const { return abilities[static_cast<std::size_t>(ability)]; }
};
[[nodiscard]] DialectTable const& dialect_table(Dialect dialect);

}  // namespace quern::detail
