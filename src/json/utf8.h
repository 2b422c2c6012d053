// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fast validity of UTF-8 (base/text.h has the readable one).

#include <string_view>

namespace quern::json {

// The same answer as is_utf8(). Threads: any. Cost: some 10 GB a second on long texts.
[[nodiscard]] bool is_well_formed(std::string_view text);

}  // namespace quern::json
