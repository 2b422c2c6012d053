// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this process has used so far.

#include <cstdint>

namespace quern::os {

struct ResourceUse {
    std::int64_t user_us = 0;             // CPU in user mode
    std::int64_t system_us = 0;           // CPU in the kernel
    std::int64_t voluntary_switches = 0;  // waits
    std::int64_t forced_switches = 0;     // pre-emptions
};

// Cost: one system call.
[[nodiscard]] ResourceUse resource_use();

// Resident memory in bytes; 0 when the system does not tell. Cost: reads a file of the kernel.
[[nodiscard]] std::int64_t resident_bytes();

// Descriptors this process may have open.
// Makes freed memory of large answers go back to the system: without it the allocator raises its own
// threshold with each large block that is freed, and keeps what follows.
void return_large_memory();

[[nodiscard]] std::int64_t descriptor_limit();
// Raises the limit as far as the system allows without privileges; the limit afterwards.
std::int64_t raise_descriptor_limit();

}  // namespace quern::os
