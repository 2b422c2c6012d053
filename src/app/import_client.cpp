// SPDX-License-Identifier: Apache-2.0
#include "app/import_client.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include <quern/assert.h>
#include "json/reader.h"

namespace quern::app {

namespace {

constexpr std::size_t shown_bytes_max = 200;  // of an answer that is not ours

std::size_t take_bytes(char* bytes, std::size_t size, std::size_t count, void* output) {
    auto& body = *static_cast<std::string*>(output);
    if (body.size() + size * count > import_answer_bytes_max) return 0;  // ends the transfer
    body.append(bytes, size * count);
    return size * count;
}

std::string members_text(json::Node fields) {
    std::string text;
    for (json::Node const field : fields) {
        if (!text.empty()) text += "; ";
        auto const message = field.find("message");
        text += fmt::format("{}: {}", field.key(), message ? message->text() : field.raw());
    }
    return text;
}

}  // namespace

void prepare_request(CURL* easy) {
    curl().easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl().easy_setopt(easy, CURLOPT_TCP_NODELAY, 1L);
    curl().easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl().easy_setopt(easy, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_1_1});
    curl().easy_setopt(easy, CURLOPT_PROXY, "");  // the flags say where the server is, not the environment
    curl().easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, import_connect_s_max);
    curl().easy_setopt(easy, CURLOPT_TIMEOUT, import_answer_s_max);
    curl().easy_setopt(easy, CURLOPT_WRITEFUNCTION, &take_bytes);
}

HeaderList make_headers(std::string const& token) {
    HeaderList headers(curl().slist_append(nullptr, "Content-Type: application/json"));
    QUERN_ASSERT(headers != nullptr, "memory for a header");
    auto const add = [&headers](char const* line) {
        QUERN_ASSERT(curl().slist_append(headers.get(), line) != nullptr, "memory for a header");
    };
    add("Expect:");  // no waiting for permission to send a body
    if (!token.empty()) add(("Authorization: " + token).c_str());
    return headers;
}

std::string percent_encode(std::string_view text) {
    constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    std::string encoded;
    for (char const c : text) {
        if (plain.find(c) != std::string_view::npos) {
            encoded += c;
        } else {
            encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return encoded;
}

std::string error_text(long status, std::string_view body) {
    if (auto const tree = json::Tree::parse(body)) {
        auto const fields = tree->root().find("data");
        if (fields && fields->size() > 0) return members_text(*fields);
        auto const message = tree->root().find("message");
        if (message && !message->text().empty())
            return fmt::format("{} (status {})", message->text(), status);
    }
    return fmt::format("status {}: {}", status, body.substr(0, shown_bytes_max));
}

ApiClient::ApiClient(ApiTarget target) : target_(std::move(target)), easy_(curl().easy_init()) {
    QUERN_ASSERT(easy_ != nullptr, "memory for a request");
    prepare_request(easy_.get());
    headers_ = make_headers(target_.token);
}

void ApiClient::set_token(std::string token) {
    target_.token = std::move(token);
    headers_ = make_headers(target_.token);
}

Result<ApiAnswer> ApiClient::get(std::string_view path_and_query) { return run(path_and_query, nullptr); }

Result<ApiAnswer> ApiClient::post(std::string_view path_and_query, std::string_view json) {
    return run(path_and_query, &json);
}

Result<ApiAnswer> ApiClient::run(std::string_view path_and_query, std::string_view const* json) {
    ApiAnswer answer;
    std::array<char, CURL_ERROR_SIZE> why{};
    std::string const url = target_.url + std::string(path_and_query);
    CURL* const easy = easy_.get();
    curl().easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl().easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
    curl().easy_setopt(easy, CURLOPT_WRITEDATA, &answer.body);
    curl().easy_setopt(easy, CURLOPT_ERRORBUFFER, why.data());
    if (json != nullptr) {
        curl().easy_setopt(easy, CURLOPT_POST, 1L);
        curl().easy_setopt(easy, CURLOPT_POSTFIELDS, json->data());
        curl().easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(json->size()));
    } else {
        curl().easy_setopt(easy, CURLOPT_HTTPGET, 1L);
    }
    CURLcode const code = curl().easy_perform(easy);
    curl().easy_setopt(easy, CURLOPT_ERRORBUFFER, nullptr);
    if (code != CURLE_OK) {
        char const* const text = why[0] != '\0' ? why.data() : curl().easy_strerror(code);
        return fail(ErrorCode::io, fmt::format("{}: {}", target_.url, text));
    }
    curl().easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer.status);
    return answer;
}

}  // namespace quern::app
