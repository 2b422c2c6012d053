// SPDX-License-Identifier: Apache-2.0
#include "api/answer.h"

#include <quern/json_writer.h>


namespace quern::api {

void write_error(http::Response& response, Error const& error) {
    response.clear();
    response.status = http_status(error.code);
    if (response.status == 503 || response.status == 429)
        response.add_header("Retry-After", std::to_string(retry_after_s));
    json::Writer writer(response.body);
    writer.begin_object();
    writer.member("status", response.status);
    writer.member("message", error.message);
    writer.key("data");
    writer.begin_object();
    for (FieldError const& field : error.fields) {
        writer.key(field.field);
        writer.begin_object();
        writer.member("code", field.code);
        writer.member("message", field.message);
        writer.end_object();
    }
    writer.end_object();
    writer.end_object();
}

void write_no_content(http::Response& response) {
    response.clear();
    response.status = 204;
    response.content_type = {};
}

}  // namespace quern::api
