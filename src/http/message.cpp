// SPDX-License-Identifier: Apache-2.0
#include <quern/http.h>

#include <algorithm>

#include <quern/assert.h>

namespace quern::http {

namespace {

bool is_header_text(std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}

}  // namespace

std::string_view name(Method method) {
    switch (method) {
    case Method::get: return "GET";
    case Method::head: return "HEAD";
    case Method::post: return "POST";
    case Method::put: return "PUT";
    case Method::patch: return "PATCH";
    case Method::del: return "DELETE";
    case Method::options: return "OPTIONS";
    }
    return "";
}

std::optional<std::string_view> Request::header(std::string_view lower_name) const {
    for (auto const& header : headers) {
        if (header.name == lower_name) return header.value;
    }
    return std::nullopt;
}

void Response::add_header(std::string_view name, std::string_view value) {
    QUERN_ASSERT(is_header_text(name) && is_header_text(value), "a header must not hold a line end");
    extra_headers.append(name);
    extra_headers.append(": ");
    extra_headers.append(value);
    extra_headers.append("\r\n");
}

void Response::clear() {
    status = 200;
    content_type = content_type_json;
    body.clear();
    extra_headers.clear();
    close = false;
}

}  // namespace quern::http
