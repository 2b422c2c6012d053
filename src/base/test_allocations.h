// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls of operator new in a test program one of whose files includes count_allocations.h.

#include <atomic>
#include <cstddef>

namespace quern::test {

inline std::atomic<std::size_t> allocations = 0;

}  // namespace quern::test
