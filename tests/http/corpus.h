// SPDX-License-Identifier: Apache-2.0
#pragma once

// The request corpus: one JSON object a line in cases.jsonl.
//
// `expect` says whether the last request is to be served or refused, `status` which answers are right,
// `responses` how many final answers the connection gets, `parsed` what each request given to the handler
// must be.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace quern::http::corpus {

struct ParsedRequest {
    std::string method;
    std::string target;
    std::string body;
    bool operator==(ParsedRequest const&) const = default;
};

struct Case {
    std::string id;
    std::string bytes;
    bool accept = false;
    std::set<int> status;
    std::size_t responses = 0;
    bool half_close = false;       // the client ends its side after the bytes
    bool silent_close_ok = false;  // closing without an answer is as right
    std::vector<ParsedRequest> parsed;
};

// All cases. Aborts when the file is not there or malformed.
[[nodiscard]] std::vector<Case> load();

// Statuses by which a server refuses a request as malformed or too large.
[[nodiscard]] bool is_framing_status(int status);

}  // namespace quern::http::corpus
