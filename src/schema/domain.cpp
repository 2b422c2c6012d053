// SPDX-License-Identifier: Apache-2.0
#include "schema/domain.h"

#include <algorithm>
#include <charconv>

namespace quern {

namespace {

bool is_beyond_ascii(char c) { return static_cast<unsigned char>(c) >= 0x80; }
bool is_alphanumeric(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_label(std::string_view label) {
    constexpr std::size_t label_bytes_max = 63;
    return !label.empty() && label.size() <= label_bytes_max && label.front() != '-' && label.back() != '-' &&
           std::ranges::all_of(label,
                               [](char c) { return is_alphanumeric(c) || c == '-' || is_beyond_ascii(c); });
}

bool is_atom(std::string_view atom) {
    constexpr std::string_view special = "!#$%&'*+-/=?^_`{|}~";
    return !atom.empty() && std::ranges::all_of(atom, [&](char c) {
        return is_alphanumeric(c) || is_beyond_ascii(c) || special.find(c) != std::string_view::npos;
    });
}

// Whether every part between dots satisfies `is_part`.
template <class Predicate>
bool all_parts(std::string_view text, Predicate is_part) {
    while (true) {
        std::size_t const dot = text.find('.');
        if (!is_part(text.substr(0, dot))) return false;
        if (dot == std::string_view::npos) return true;
        text.remove_prefix(dot + 1);
    }
}

bool is_bracketed_address(std::string_view host) {
    return host.size() > 4 && host.front() == '[' && host.back() == ']' &&
           host.find(':') != std::string_view::npos &&
           host.substr(1, host.size() - 2).find_first_not_of("0123456789abcdefABCDEF:.") ==
               std::string_view::npos;
}

bool is_port(std::string_view text) {
    unsigned port = 0;
    auto const read = std::from_chars(text.data(), text.data() + text.size(), port);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() && port >= 1 && port <= 65535;
}

bool same_domain(std::string_view a, std::string_view b) {
    auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_listed(std::string_view domain, std::vector<std::string> const& list) {
    return std::ranges::any_of(list, [&](std::string const& listed) { return same_domain(domain, listed); });
}

}  // namespace

bool is_domain(std::string_view text) {
    constexpr std::size_t domain_bytes_max = 253;
    return text.size() <= domain_bytes_max && all_parts(text, is_label);
}

std::optional<std::string_view> email_domain(std::string_view address) {
    constexpr std::size_t local_bytes_max = 64;
    std::size_t const at = address.rfind('@');
    if (at == std::string_view::npos || at > local_bytes_max) return std::nullopt;
    std::string_view const domain = address.substr(at + 1);
    bool const good = all_parts(address.substr(0, at), is_atom) && is_domain(domain) &&
                      domain.find('.') != std::string_view::npos;
    if (!good) return std::nullopt;
    return domain;
}

std::optional<std::string_view> url_host(std::string_view url) {
    if (url.find_first_of(" \t\r\n<>\"\\^`{|}") != std::string_view::npos) return std::nullopt;
    if (std::ranges::any_of(url, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; })) {
        return std::nullopt;
    }
    std::size_t const scheme_end = url.find("://");
    if (scheme_end != std::string_view::npos && scheme_end < url.find_first_of("/?#")) {
        std::string_view const scheme = url.substr(0, scheme_end);
        if (!same_domain(scheme, "http") && !same_domain(scheme, "https") && !same_domain(scheme, "ftp")) {
            return std::nullopt;
        }
        url.remove_prefix(scheme_end + 3);
    }
    std::string_view authority = url.substr(0, url.find_first_of("/?#"));
    if (std::size_t const at = authority.rfind('@'); at != std::string_view::npos)
        authority.remove_prefix(at + 1);
    std::string_view host = authority;
    std::size_t const colon = authority.rfind(':');
    if (colon != std::string_view::npos && !authority.ends_with(']')) {
        host = authority.substr(0, colon);
        if (!is_port(authority.substr(colon + 1))) return std::nullopt;
    }
    if (is_bracketed_address(host)) return host;
    bool const named = same_domain(host, "localhost") || host.find('.') != std::string_view::npos;
    if (!named || !is_domain(host)) return std::nullopt;
    return host;
}

bool is_allowed_domain(std::string_view domain, std::vector<std::string> const& only,
                       std::vector<std::string> const& except) {
    if (!only.empty() && !is_listed(domain, only)) return false;
    return !is_listed(domain, except);
}

}  // namespace quern
