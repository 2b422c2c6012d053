// SPDX-License-Identifier: Apache-2.0
#pragma once

// SQLite's result codes as ours.

#include <string_view>

#include <quern/error.h>

namespace quern::engine::sqlite {

// `code` is an extended result code, `message` what SQLite says to it.
[[nodiscard]] Error error_of(int code, std::string_view message);

}  // namespace quern::engine::sqlite
