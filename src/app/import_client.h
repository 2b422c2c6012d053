// SPDX-License-Identifier: Apache-2.0
#pragma once

// Requests to a server, one after the other, on a connection that is kept.

#include "app/late_curl.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <quern/error.h>

namespace quern::app {

inline constexpr long import_connect_s_max = 10;
// Longest wait for one answer.
inline constexpr long import_answer_s_max = 120;
// Largest answer that is kept; a list of 1000 keys is far below.
inline constexpr std::size_t import_answer_bytes_max = std::size_t{64} * 1024 * 1024;

struct CurlDelete {
    void operator()(CURL* easy) const { curl().easy_cleanup(easy); }
    void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
using EasyHandle = std::unique_ptr<CURL, CurlDelete>;
using HeaderList = std::unique_ptr<curl_slist, CurlDelete>;

struct ApiAnswer {
    long status = 0;
    std::string body;
};

// Where the server is and who asks.
struct ApiTarget {
    std::string url;    // without a slash at the end
    std::string token;  // empty = nobody
};

// What every request has: limits, and nothing taken from the environment. The answer's body is appended to
// the string given as CURLOPT_WRITEDATA.
void prepare_request(CURL* easy);
[[nodiscard]] HeaderList make_headers(std::string const& token);

// `text` as it stands in a path or a query.
[[nodiscard]] std::string percent_encode(std::string_view text);

// What an error body says, in one line: the fields with their messages, else the message, else the status.
[[nodiscard]] std::string error_text(long status, std::string_view body);

// One request after the other. Threads: one at a time.
class ApiClient {
public:
    explicit ApiClient(ApiTarget target);

    // Errors: io — no answer, the message says why.
    [[nodiscard]] Result<ApiAnswer> get(std::string_view path_and_query);
    [[nodiscard]] Result<ApiAnswer> post(std::string_view path_and_query, std::string_view json);

    void set_token(std::string token);
    [[nodiscard]] ApiTarget const& target() const { return target_; }

private:
    [[nodiscard]] Result<ApiAnswer> run(std::string_view path_and_query, std::string_view const* json);

    ApiTarget target_;
    EasyHandle easy_;
    HeaderList headers_;
};

}  // namespace quern::app
