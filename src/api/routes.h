// SPDX-License-Identifier: Apache-2.0
#pragma once

// The route table: which endpoint a request means.

#include <cstdint>
#include <string_view>

#include <quern/http.h>

namespace quern::api {

enum class Endpoint : std::uint8_t {
    none,                // no such path
    method_not_allowed,  // the path is known, the method is not for it; see Route::allow
    health,
    records_list,
    records_create,
    record_view,
    record_update,
    record_delete,
    collections_list,
    collections_create,
    collections_import,
    collections_scaffolds,
    collection_view,
    collection_update,
    collection_delete,
    collection_truncate,
    auth_methods,
    auth_with_password,
    auth_refresh,
};

struct Route {
    Endpoint endpoint = Endpoint::none;
    std::string_view collection;  // name or id, decoded; where the path has one
    std::string_view record;      // id, decoded; where the path has one
    std::string_view allow;       // for method_not_allowed: the value of the Allow header
};

// Cost: a few comparisons, no allocation.
[[nodiscard]] Route match(http::Request const& request);

}  // namespace quern::api
