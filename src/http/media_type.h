// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a request calls its body.

#include <quern/error.h>
#include <quern/http.h>

namespace quern::http {

// Whether the body, if there is one, is called JSON: `application/json`, or a type that ends with `+json`. A
// page of another origin can send text, forms and multipart bodies without asking first, and only those;
// whoever says nothing of the type is believed to send JSON.
// Errors: unsupported_media_type — another type, or JSON that is not in UTF-8.
[[nodiscard]] Result<void> check_json_type(Request const& request);

}  // namespace quern::http
