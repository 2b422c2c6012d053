// SPDX-License-Identifier: Apache-2.0
// From a path to its route: the tree of the library's App with twenty routes, and the table of the API.
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include <quern/http.h>
#include <quern/route.h>

#include "api/routes.h"
#include "micro.h"

namespace bench {

namespace {

using quern::http::Method;
using Segments = std::span<std::string_view const>;

struct Pattern {
    Method method;
    std::string_view path;
};
constexpr Pattern patterns[] = {
    {Method::get, "/"},
    {Method::get, "/health"},
    {Method::get, "/about"},
    {Method::get, "/users"},
    {Method::post, "/users"},
    {Method::get, "/users/me"},
    {Method::get, "/users/{id}"},
    {Method::patch, "/users/{id}"},
    {Method::del, "/users/{id}"},
    {Method::get, "/users/{id}/posts"},
    {Method::get, "/users/{id}/posts/{post}"},
    {Method::get, "/posts"},
    {Method::post, "/posts"},
    {Method::get, "/posts/{id}"},
    {Method::patch, "/posts/{id}"},
    {Method::get, "/posts/{id}/comments"},
    {Method::post, "/posts/{id}/comments"},
    {Method::post, "/login"},
    {Method::post, "/logout"},
    {Method::get, "/files/{path...}"},
};

class Tree {
public:
    Tree() {
        quern::RouteTreeBuilder builder;
        for (std::size_t route = 0; route < std::size(patterns); ++route) {
            auto const shape = quern::read_route(patterns[route].path);
            require(builder.add({patterns[route].method, shape}, route), "a route is there twice");
        }
        builder.lay_out(nodes_, methods_);
    }
    [[nodiscard]] quern::RouteTreeView view() const { return {nodes_, methods_}; }

private:
    std::vector<quern::RouteNode> nodes_;
    std::vector<quern::RouteMethods> methods_;
};

// Finds the route of a request; `wanted` is its pattern.
void find(benchmark::State& state, Method method, Segments segments, std::string_view wanted) {
    Tree const tree;
    auto const view = tree.view();
    quern::RouteMatch match;
    require(view.find(method, segments, match), "the tree has no such route");
    require(patterns[match.route].path == wanted && patterns[match.route].method == method,
            "the tree finds another route");
    measure(state, [&] {
        keep(segments);
        keep(view.find(method, segments, match));
        keep(match);
    });
}

void find_literal(benchmark::State& state) {
    constexpr std::array<std::string_view, 1> segments{"health"};
    find(state, Method::get, segments, "/health");
}
void find_captures(benchmark::State& state) {
    constexpr std::array<std::string_view, 4> segments{"users", "h4k2m8p1q9z3x7c", "posts", "17"};
    find(state, Method::get, segments, "/users/{id}/posts/{post}");
}
void find_rest(benchmark::State& state) {
    constexpr std::array<std::string_view, 4> segments{"files", "images", "2026", "a.png"};
    find(state, Method::get, segments, "/files/{path...}");
}
void find_nothing(benchmark::State& state) {
    constexpr std::array<std::string_view, 3> segments{"users", "h4k2m8p1q9z3x7c", "friends"};
    Tree const tree;
    auto const view = tree.view();
    quern::RouteMatch match;
    require(!view.find(Method::get, segments, match), "the tree finds what is not there");
    measure(state, [&] {
        keep(segments);
        keep(view.find(Method::get, segments, match));
    });
}

// Finds the endpoint of a request to the API.
void match(benchmark::State& state, Segments segments, quern::api::Endpoint wanted) {
    quern::http::Request request;
    request.segments = segments;
    require(quern::api::match(request).endpoint == wanted, "the API's table finds another endpoint");
    measure(state, [&] {
        keep(request);
        keep(quern::api::match(request));
    });
}

void match_list(benchmark::State& state) {
    constexpr std::array<std::string_view, 4> segments{"api", "collections", "posts", "records"};
    match(state, segments, quern::api::Endpoint::records_list);
}
void match_record(benchmark::State& state) {
    constexpr std::array<std::string_view, 5> segments{"api", "collections", "posts", "records",
                                                       "h4k2m8p1q9z3x7c"};
    match(state, segments, quern::api::Endpoint::record_view);
}

}  // namespace

void add_routing() {
    benchmark::RegisterBenchmark("routing/app_literal", find_literal);
    benchmark::RegisterBenchmark("routing/app_captures", find_captures);
    benchmark::RegisterBenchmark("routing/app_rest", find_rest);
    benchmark::RegisterBenchmark("routing/app_no_such_path", find_nothing);
    benchmark::RegisterBenchmark("routing/api_list", match_list);
    benchmark::RegisterBenchmark("routing/api_record", match_record);
}

}  // namespace bench
