// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which Quern this is, as the command line and reports tell.

namespace quern::app {

inline constexpr char const* version = "0.1.0";

}  // namespace quern::app
