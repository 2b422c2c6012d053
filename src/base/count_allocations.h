// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts every allocation of a test program, so that "no allocation" can be tested. Include it in one file of
// the program. All forms are replaced together: a sanitizer brings its own set and does not let them be
// mixed.

#include <cstdlib>
#include <new>

#include "base/test_allocations.h"

void* operator new(std::size_t size) {
    ++quern::test::allocations;
    if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept {
    ++quern::test::allocations;
    return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, std::nothrow_t const& tag) noexcept { return operator new(size, tag); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::nothrow_t const&) noexcept { std::free(memory); }
void operator delete[](void* memory, std::nothrow_t const&) noexcept { std::free(memory); }
