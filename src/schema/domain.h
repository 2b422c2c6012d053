// SPDX-License-Identifier: Apache-2.0
#pragma once

// Email addresses, urls and the domains in them, as far as a form needs them checked.
// Threads: any. Cost: no allocation.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

// Dot-separated labels of letters, digits, '-' and bytes beyond ASCII, 1 to 63 bytes each, 253 in all; no
// label begins or ends with '-'.
[[nodiscard]] bool is_domain(std::string_view text);

// The domain of an address like local@domain, without display name or comments; nothing if it is none.
// The local part is dot-separated atoms of the characters that RFC 5322 allows there, or beyond ASCII.
[[nodiscard]] std::optional<std::string_view> email_domain(std::string_view address);

// The host of a url: [http|https|ftp://][user@]host[:port][/path][?query][#fragment]. The host is a domain
// with a dot, localhost, or an IP address; nothing if it is none.
[[nodiscard]] std::optional<std::string_view> url_host(std::string_view url);

// Whether a domain passes a field's lists: among `only` if that has any, and not among `except`; ASCII case
// ignored.
[[nodiscard]] bool is_allowed_domain(std::string_view domain, std::vector<std::string> const& only,
                                     std::vector<std::string> const& except);

}  // namespace quern
