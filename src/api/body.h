// SPDX-License-Identifier: Apache-2.0
#pragma once

// The JSON body of a request.

#include <quern/error.h>
#include <quern/http.h>
#include "json/reader.h"

namespace quern::api {

// Reads the body as a JSON object, when that is what the request calls it: `application/json`, or a type that
// ends with `+json`. A page of another origin can send text, forms and multipart bodies without asking first,
// and only those; whoever says nothing of the type is believed to send JSON. Errors: unsupported_media_type —
// another type, or JSON that is not in UTF-8; body_invalid — no JSON object. Lifetime: `document` and the
// request.
[[nodiscard]] Result<json::Node> read_json_body(http::Request const& request, json::Document& document);

}  // namespace quern::api
