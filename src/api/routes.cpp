// SPDX-License-Identifier: Apache-2.0
#include "api/routes.h"

#include <initializer_list>
#include <utility>

namespace quern::api {

namespace {

using http::Method;
using Choice = std::pair<Method, Endpoint>;

// The endpoint for the method among those that the path has; HEAD is answered by GET's.
Route choose(Method method, std::initializer_list<Choice> choices, std::string_view allow) {
    Method const asked = method == Method::head ? Method::get : method;
    for (auto const& [choice, endpoint] : choices) {
        if (choice == asked) return {endpoint, {}, {}, {}};
    }
    return {Endpoint::method_not_allowed, {}, {}, allow};
}

Route of_collections(Method method) {
    return choose(method,
                  {{Method::get, Endpoint::collections_list}, {Method::post, Endpoint::collections_create}},
                  "GET, HEAD, POST, OPTIONS");
}

Route of_collection(Method method, std::string_view name) {
    if (name == "import" && method == Method::put) return {Endpoint::collections_import, {}, {}, {}};
    return choose(method,
                  {{Method::get, Endpoint::collection_view},
                   {Method::patch, Endpoint::collection_update},
                   {Method::del, Endpoint::collection_delete}},
                  name == "import" ? "PUT, OPTIONS" : "GET, HEAD, PATCH, DELETE, OPTIONS");
}

Route of_collection_part(Method method, std::string_view name, std::string_view part) {
    if (part == "records") {
        return choose(method,
                      {{Method::get, Endpoint::records_list}, {Method::post, Endpoint::records_create}},
                      "GET, HEAD, POST, OPTIONS");
    }
    if (part == "truncate") {
        return choose(method, {{Method::del, Endpoint::collection_truncate}}, "DELETE, OPTIONS");
    }
    if (part == "auth-methods")
        return choose(method, {{Method::get, Endpoint::auth_methods}}, "GET, HEAD, OPTIONS");
    if (part == "auth-with-password") {
        return choose(method, {{Method::post, Endpoint::auth_with_password}}, "POST, OPTIONS");
    }
    if (part == "auth-refresh")
        return choose(method, {{Method::post, Endpoint::auth_refresh}}, "POST, OPTIONS");
    if (name == "meta" && part == "scaffolds") {
        return choose(method, {{Method::get, Endpoint::collections_scaffolds}}, "GET, HEAD, OPTIONS");
    }
    return {};
}

Route of_record(Method method) {
    return choose(method,
                  {{Method::get, Endpoint::record_view},
                   {Method::patch, Endpoint::record_update},
                   {Method::del, Endpoint::record_delete}},
                  "GET, HEAD, PATCH, DELETE, OPTIONS");
}

}  // namespace

Route match(http::Request const& request) {
    auto const segments = request.segments;
    if (segments.size() < 2 || segments.size() > 5 || segments[0] != "api") return {};
    if (segments.size() == 2 && segments[1] == "health") {
        return choose(request.method, {{Method::get, Endpoint::health}}, "GET, HEAD, OPTIONS");
    }
    if (segments[1] != "collections") return {};
    Route route;
    switch (segments.size()) {
    case 2: return of_collections(request.method);
    case 3: route = of_collection(request.method, segments[2]); break;
    case 4: route = of_collection_part(request.method, segments[2], segments[3]); break;
    default:
        if (segments[3] != "records") return {};
        route = of_record(request.method);
        route.record = segments[4];
        break;
    }
    route.collection = segments[2];
    return route;
}

}  // namespace quern::api
