// SPDX-License-Identifier: Apache-2.0
#include "http/cors.h"

#include <array>
#include <charconv>

namespace quern::http {

std::string_view allowed_origin(CorsPolicy const& policy, std::string_view origin) {
    for (auto const& admitted : policy.origins) {
        if (admitted == "*") return "*";
        if (admitted == origin) return origin;
    }
    return {};
}

bool is_preflight(Request const& request) {
    return request.method == Method::options && request.header("origin") &&
           request.header("access-control-request-method");
}

void answer_preflight(CorsPolicy const& policy, Request const& request, Response& response) {
    response.status = 204;
    response.content_type = {};
    response.add_header("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers");
    std::string_view const allowed = allowed_origin(policy, request.header("origin").value_or(""));
    if (allowed.empty()) return;
    response.add_header("Access-Control-Allow-Origin", allowed);
    response.add_header("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    if (auto const headers = request.header("access-control-request-headers"); headers && !headers->empty()) {
        response.add_header("Access-Control-Allow-Headers", *headers);
    }
    std::array<char, 12> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), policy.max_age_s).ptr;
    response.add_header("Access-Control-Max-Age",
                        {digits.data(), static_cast<std::size_t>(end - digits.data())});
}

void add_cors_headers(CorsPolicy const& policy, std::string_view origin, Response& response) {
    std::string_view const allowed = allowed_origin(policy, origin);
    if (allowed != "*") response.add_header("Vary", "Origin");
    if (allowed.empty()) return;
    response.add_header("Access-Control-Allow-Origin", allowed);
    response.add_header("Access-Control-Expose-Headers", "ETag, Location, Retry-After");
}

}  // namespace quern::http
