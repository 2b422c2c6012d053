// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls of operator new in this room's test program, counted by allocation_test.cpp.

#include <atomic>
#include <cstddef>

namespace quern::test {

extern std::atomic<std::size_t> allocations;

}  // namespace quern::test
