// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers as JSON writes them, without locale and without losing a digit unnoticed.
// Threads: any. Cost: no allocation.

#include <cstdint>
#include <optional>
#include <string_view>

namespace quern::json {

// Length of the JSON number at the start of `text`, 0 if there is none; `whole` tells whether it has neither
// fraction nor exponent.
[[nodiscard]] std::size_t number_length(std::string_view text, bool& whole);

// Whether all of `text` is one JSON number.
[[nodiscard]] bool is_number(std::string_view text);

// The value of a JSON number if it is an integer within 64 bits: "5", "-0", "5.0" and "5e2", but not "5.5"
// and not "9223372036854775808".
[[nodiscard]] std::optional<std::int64_t> exact_integer(std::string_view number);

// The nearest double of a JSON number; nothing if that is not finite.
[[nodiscard]] std::optional<double> nearest_real(std::string_view number);

// The double of a JSON number; nothing also where the number is a whole one, written without exponent, and
// the double would change its digits ("9007199254740993"). A fraction is rounded as every double is.
[[nodiscard]] std::optional<double> faithful_real(std::string_view number);

}  // namespace quern::json
