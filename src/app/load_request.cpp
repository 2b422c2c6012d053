// SPDX-License-Identifier: Apache-2.0
#include "app/load_request.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "http/byte_class.h"

namespace quern::app {

namespace {

bool holds_line_end(std::string_view text) {
    return text.find_first_of(std::string_view("\r\n\0", 3)) != text.npos;
}

bool is_token(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        bool const letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        return letter || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
}

}  // namespace

Result<LoadTarget> LoadTarget::parse(std::string_view url) {
    constexpr std::string_view scheme = "http://";
    if (!url.starts_with(scheme))
        return fail(ErrorCode::parameter_invalid,
                    "The URL begins with http://, as http://127.0.0.1:8090/api/health.");
    url.remove_prefix(scheme.size());
    LoadTarget target;
    std::size_t const slash = std::min(url.find_first_of("/?"), url.size());
    target.authority = url.substr(0, slash);
    std::string_view const behind = url.substr(slash);
    target.path = behind.starts_with('/') ? std::string(behind) : "/" + std::string(behind);
    target.path.resize(std::min(target.path.find('#'), target.path.size()));

    std::string_view host = target.authority;
    if (std::size_t const colon = host.rfind(':'); colon != host.npos && !host.ends_with(']')) {
        std::string_view const digits = host.substr(colon + 1);
        auto const [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), target.port);
        if (fault != std::errc{} || end != digits.data() + digits.size() || target.port == 0)
            return fail(ErrorCode::parameter_invalid, "The URL's port is no number from 1 to 65535.");
        host = host.substr(0, colon);
    }
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    if (host.empty() || holds_line_end(target.path) || target.path.find(' ') != std::string::npos)
        return fail(ErrorCode::parameter_invalid, "The URL has no host, or a blank in its path.");
    target.host = host;
    return target;
}

// --- templates ---

Result<LoadTemplate> LoadTemplate::parse(std::string_view text) {
    constexpr std::string_view mark = "{key";
    LoadTemplate made;
    std::string before;
    while (true) {
        std::size_t const at = text.find(mark);
        if (at == text.npos) break;
        before += text.substr(0, at);
        text.remove_prefix(at + mark.size());
        std::size_t width = 1;
        std::size_t const end = std::min(text.find('}'), text.size());
        if (text.starts_with(':')) {
            std::string_view const digits = text.substr(1, end - 1);
            auto const [last, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), width);
            if (fault != std::errc{} || last != digits.data() + digits.size() || width == 0 ||
                width > key_width_max)
                return fail(ErrorCode::parameter_invalid, "{key:N} has a width from 1 to 20.");
        } else if (end != 0) {
            before += mark;  // {keys} and the like: plain text
            continue;
        }
        if (end == text.size()) return fail(ErrorCode::parameter_invalid, "{key is not closed.");
        text.remove_prefix(end + 1);
        made.pieces_.push_back({std::exchange(before, {}), width});
    }
    made.rest_ = before + std::string(text);
    return made;
}

void LoadTemplate::write(std::uint64_t key, Buffer& output) const {
    for (Piece const& piece : pieces_) {
        output.append(piece.before);
        std::array<char, key_width_max> digits{};
        auto const [end, fault] = std::to_chars(digits.data(), digits.data() + digits.size(), key);
        auto const count = static_cast<std::size_t>(end - digits.data());
        for (std::size_t index = count; index < piece.width; ++index) output.append('0');
        output.append(std::string_view(digits.data(), count));
    }
    output.append(rest_);
}

// --- requests ---

Result<LoadRequest> LoadRequest::make(LoadTarget const& target, LoadRequestOptions const& options) {
    if (!is_token(options.method))
        return fail(ErrorCode::parameter_invalid, "\"" + options.method + "\" is no method of HTTP.");
    std::string head = options.method + " " + target.path + " HTTP/1.1\r\nHost: " + target.authority + "\r\n";
    bool typed = false;
    for (std::string const& header : options.headers) {
        std::size_t const colon = header.find(':');
        if (colon == header.npos || !is_token(std::string_view(header).substr(0, colon)) ||
            holds_line_end(header))
            return fail(ErrorCode::parameter_invalid, "A header is \"Name: value\", not \"" + header + "\".");
        typed = typed || http::equals_ignoring_case(header.substr(0, colon), "content-type");
        head += header + "\r\n";
    }
    LoadRequest request;
    request.has_body_ = !options.body.empty() || options.method == "POST" || options.method == "PUT" ||
                        options.method == "PATCH";
    request.is_head_ = options.method == "HEAD";
    if (!options.body.empty() && !typed) head += "Content-Type: application/json\r\n";
    QUERN_TRY(request.head_, LoadTemplate::parse(head));
    QUERN_TRY(request.body_, LoadTemplate::parse(options.body));
    return request;
}

void LoadRequest::write(std::uint64_t key, Buffer& output) const {
    head_.write(key, output);
    if (!has_body_) return output.append(std::string_view("\r\n"));
    Buffer body;
    body_.write(key, body);
    output.append(std::string_view("Content-Length: "));
    output.append_integer(static_cast<std::int64_t>(body.size()));
    output.append(std::string_view("\r\n\r\n"));
    output.append(body.view());
}

}  // namespace quern::app
