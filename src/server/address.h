// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where to listen, as people write it.

#include <cstdint>
#include <string>
#include <string_view>

#include <quern/error.h>

namespace quern::server {

struct Address {
    std::string host;  // empty: every address
    std::uint16_t port = 0;
};

// HOST:PORT, [IPV6]:PORT or :PORT.
// Errors: parameter_invalid — it is none of these, the message quotes it.
[[nodiscard]] Result<Address> parse_address(std::string_view text);

}  // namespace quern::server
