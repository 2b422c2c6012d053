// SPDX-License-Identifier: Apache-2.0
#include "http/media_type.h"

#include <algorithm>

#include "http/byte_class.h"

namespace quern::http {

namespace {

// Cuts the text up to the next `;` off its start.
std::string_view take_part(std::string_view& rest) {
    std::size_t const end = std::min(rest.find(';'), rest.size());
    std::string_view const part = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}

bool is_json(std::string_view type) {
    constexpr std::string_view suffix = "+json";
    if (equals_ignoring_case(type, content_type_json)) return true;
    return type.size() > suffix.size() &&
           equals_ignoring_case(type.substr(type.size() - suffix.size()), suffix);
}

bool is_utf8(std::string_view parameter) {
    std::size_t const equals = parameter.find('=');
    if (equals == std::string_view::npos) return true;
    if (!equals_ignoring_case(trim(parameter.substr(0, equals)), "charset")) return true;
    std::string_view value = trim(parameter.substr(equals + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
        value = value.substr(1, value.size() - 2);
    return equals_ignoring_case(value, "utf-8") || equals_ignoring_case(value, "utf8");
}

Result<void> check_type(std::string_view content_type) {
    std::string_view rest = content_type;
    if (!is_json(take_part(rest))) {
        return fail(ErrorCode::unsupported_media_type,
                    "Unsupported media type: the body must be sent as application/json.");
    }
    while (!rest.empty()) {
        if (!is_utf8(take_part(rest))) {
            return fail(ErrorCode::unsupported_media_type, "Unsupported media type: JSON is in UTF-8.");
        }
    }
    return {};
}

}  // namespace

Result<void> check_json_type(Request const& request) {
    for (Header const& header : request.headers) {
        if (header.name == "content-type" && !request.body.empty()) QUERN_CHECK(check_type(header.value));
    }
    return {};
}

}  // namespace quern::http
