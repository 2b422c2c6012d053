// SPDX-License-Identifier: Apache-2.0
#include "server/address.h"

#include <charconv>

namespace quern::server {

Result<Address> parse_address(std::string_view text) {
    std::size_t const colon = text.rfind(':');
    if (colon != std::string_view::npos) {
        std::string_view host = text.substr(0, colon);
        std::string_view const digits = text.substr(colon + 1);
        if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
        Address address{std::string(host), 0};
        auto const [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
        if (!digits.empty() && fault == std::errc() && end == digits.data() + digits.size()) return address;
    }
    return fail(ErrorCode::parameter_invalid, "\"" + std::string(text) + "\" is not HOST:PORT.");
}

}  // namespace quern::server
