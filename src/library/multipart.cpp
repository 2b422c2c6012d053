// SPDX-License-Identifier: Apache-2.0
#include <quern/multipart.h>

#include <quern/openapi.h>
#include "http/multipart.h"

namespace quern {

Result<Multipart> Extract<Multipart>::from(Call& call) {
    http::Request const& request = call.exchange.request;
    QUERN_TRY(auto const boundary,
              http::multipart_boundary(request.header("content-type").value_or(std::string_view())));
    QUERN_TRY(auto const parts, http::read_parts(request.body, boundary, {}, call.exchange.arena));
    return Multipart{parts};
}

void Extract<Multipart>::describe(openapi::Operation& operation) {
    // Which parts there are is known to the handler alone: any name, once or several times, text or a file.
    constexpr std::string_view part =
        R"({"anyOf":[{"type":"string"},{"type":"string","contentMediaType":"application/octet-stream"}]})";
    operation.body("multipart/form-data", R"({"type":"object","additionalProperties":{"anyOf":[)" +
                                              std::string(part) + R"(,{"type":"array","items":)" +
                                              std::string(part) + "}]}}");
    for (int const status : {400, 413, 415}) operation.problem(status);
}

}  // namespace quern
