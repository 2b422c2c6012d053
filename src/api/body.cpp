// SPDX-License-Identifier: Apache-2.0
#include "api/body.h"

#include "http/media_type.h"

namespace quern::api {

Result<json::Node> read_json_body(http::Request const& request, json::Document& document) {
    QUERN_CHECK(http::check_json_type(request));
    return document.parse_object(request.body);
}

}  // namespace quern::api
