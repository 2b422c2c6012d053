// SPDX-License-Identifier: Apache-2.0
#pragma once

// Assertions, also in release: a failed one is a bug of ours, never bad input, and ends the process.

#include <string_view>

namespace quern {

// Writes the broken expectation to standard error and aborts.
[[noreturn]] void assertion_failed(char const* expression, char const* file, int line, std::string_view why);

}  // namespace quern

#define QUERN_ASSERT(condition, why)                                          \
    do {                                                                      \
        if (!(condition)) [[unlikely]]                                        \
            ::quern::assertion_failed(#condition, __FILE__, __LINE__, (why)); \
    } while (false)
