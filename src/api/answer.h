// SPDX-License-Identifier: Apache-2.0
#pragma once

// Answers in the wire's form that are not records: errors, empty answers.

#include <quern/error.h>
#include <quern/http.h>

namespace quern::api {

// Seconds that a client is asked to wait before it repeats a request that was refused as too much.
inline constexpr int retry_after_s = 1;

// Replaces whatever was written with {"status", "message", "data": {field: {code, message}}}.
void write_error(http::Response& response, Error const& error);

// 204 without a body.
void write_no_content(http::Response& response);

}  // namespace quern::api
