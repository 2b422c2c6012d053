// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which web pages of other origins may read our answers (the Fetch standard's CORS protocol).
//
// Credentials travel in the Authorization header and never in cookies, so every origin may be admitted.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <quern/http.h>

namespace quern::http {

struct CorsPolicy {
    // Origins admitted, as browsers write them ("https://app.example"); "*" admits all; none admits no page.
    std::vector<std::string> origins{"*"};
    // How long a browser may keep a preflight's answer, in seconds. Browsers cap it (2 h in Chromium).
    std::uint32_t max_age_s = 86'400;
};

// What Access-Control-Allow-Origin says to that origin; empty when it is not admitted.
[[nodiscard]] std::string_view allowed_origin(CorsPolicy const& policy, std::string_view origin);

// An OPTIONS request by which a browser asks whether it may send another one.
[[nodiscard]] bool is_preflight(Request const& request);

// Answers a preflight: 204, with what is allowed.
void answer_preflight(CorsPolicy const& policy, Request const& request, Response& response);

// Adds the headers that let a page of `origin` read the answer.
void add_cors_headers(CorsPolicy const& policy, std::string_view origin, Response& response);

}  // namespace quern::http
