// SPDX-License-Identifier: Apache-2.0
#pragma once

// What std::thread does not offer: names, and binding to a processor.

#include <cstddef>
#include <string_view>

namespace quern::os {

// Names the calling thread, for debuggers and `top`. Limits: 15 bytes, longer names are cut.
void set_thread_name(std::string_view name);

// Binds the calling thread to one processor, 0-based among those this process may use. False when refused.
bool pin_thread(std::size_t processor);

// Processors this process may use, at least 1.
[[nodiscard]] std::size_t processor_count();

}  // namespace quern::os
