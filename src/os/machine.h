// SPDX-License-Identifier: Apache-2.0
#pragma once

// What this program runs on, in words, for reports that people compare.

#include <string>
#include <string_view>

namespace quern::os {

struct Machine {
    std::string processor;  // its model as the kernel names it; the architecture where it names none
    std::string kernel;     // "Linux 6.1.0-18-amd64"
};

// Cost: reads a file of the kernel.
[[nodiscard]] Machine machine();

// The first `model name` in the text of /proc/cpuinfo; empty where it has none.
[[nodiscard]] std::string_view processor_model(std::string_view cpuinfo);

}  // namespace quern::os
