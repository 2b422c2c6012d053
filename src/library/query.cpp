// SPDX-License-Identifier: Apache-2.0
#include <quern/query.h>

namespace quern::detail {

Result<std::span<http::QueryParameter>> query_of(Call& call) {
    std::span<http::QueryParameter> parameters;
    std::string_view bad_name;
    if (http::parse_query(call.exchange.request.raw_query, call.exchange.arena, parameters, bad_name))
        return parameters;
    Faults faults;
    Place const query{nullptr, "query"};
    faults.add(Place{&query, bad_name}, "invalid_value", "Is not percent-encoded UTF-8.");
    return std::unexpected(faults.take(ErrorCode::parameter_invalid));
}

}  // namespace quern::detail
