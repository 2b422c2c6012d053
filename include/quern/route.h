// SPDX-License-Identifier: Apache-2.0
#pragma once

// Route patterns, read by the compiler, and the tree that finds a request's route.
//
// A pattern is a path whose segments are literal, `{name}`, which captures one segment that is not empty, or,
// at the end only, `{name...}`, which captures the rest of the path with its slashes:
// "/files/{id}/{path...}". A literal wins over a capture, a capture over a rest, decided segment by segment
// from the left; a request that finds no route behind a literal is tried with the capture beside it.
//
// The tree is flat: nodes in one array, the children of a node side by side. The same code builds it while
// compiling, for the routes that are known then, and at run time for those that are added later.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <quern/fixed_string.h>
#include <quern/http.h>

namespace quern {

// Captures of one pattern.
inline constexpr std::size_t captures_max = 8;
// Segments of one pattern.
inline constexpr std::size_t route_segments_max = 32;
// Routes of one tree.
inline constexpr std::size_t routes_max = 65'000;
inline constexpr std::size_t methods_count = 7;  // of http::Method

struct RouteSegment {
    enum class Kind : std::uint8_t { literal, capture, rest };
    Kind kind = Kind::literal;
    std::string_view text;  // the literal, or the capture's name
};

enum class RouteFault : std::uint8_t {
    none,
    no_leading_slash,
    empty_segment,       // "//", or a slash at the end of more than "/"
    brace,               // a brace that is not the first or last character of its segment
    name,                // not a letter or underscore followed by letters, digits, underscores
    repeated_name,       // two captures of one name
    rest_not_last,       // something behind {name...}
    too_many,            // more than captures_max or route_segments_max
    forbidden_character  // a query, a fragment, an escape, white space or a control character
};

// A pattern taken apart. Lifetime: the views are into the pattern's text.
struct RouteShape {
    std::array<RouteSegment, route_segments_max> segments{};
    std::size_t segment_count = 0;
    std::size_t capture_count = 0;  // the rest included
    RouteFault fault = RouteFault::none;

    [[nodiscard]] constexpr std::span<RouteSegment const> parts() const {
        return std::span(segments).first(segment_count);
    }
    // Whether both match the same paths: names of captures do not count.
    [[nodiscard]] constexpr bool is_same(RouteShape const& other) const {
        return std::ranges::equal(parts(), other.parts(), [](RouteSegment const& a, RouteSegment const& b) {
            return a.kind == b.kind && (a.kind != RouteSegment::Kind::literal || a.text == b.text);
        });
    }
};

namespace detail {

constexpr bool is_name(std::string_view name) {
    auto const letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    if (name.empty() || !letter(name[0])) return false;
    return std::ranges::all_of(name, [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

constexpr RouteFault read_segment(std::string_view text, RouteSegment& segment) {
    constexpr std::string_view dots = "...";
    if (text.empty()) return RouteFault::empty_segment;
    for (char const c : text) {
        if (c <= ' ' || c == '\x7f' || c == '?' || c == '#' || c == '%')
            return RouteFault::forbidden_character;
    }
    if (!holds_any(text, "{}")) {
        segment = {RouteSegment::Kind::literal, text};
        return RouteFault::none;
    }
    if (text.size() < 2 || text.front() != '{' || text.back() != '}' ||
        holds_any(text.substr(1, text.size() - 2), "{}"))
        return RouteFault::brace;
    std::string_view name = text.substr(1, text.size() - 2);
    segment.kind = RouteSegment::Kind::capture;
    if (name.ends_with(dots)) {
        segment.kind = RouteSegment::Kind::rest;
        name.remove_suffix(dots.size());
    }
    segment.text = name;
    return is_name(name) ? RouteFault::none : RouteFault::name;
}

constexpr RouteFault add_segment(RouteShape& shape, RouteSegment const& segment) {
    if (shape.segment_count == route_segments_max) return RouteFault::too_many;
    if (segment.kind != RouteSegment::Kind::literal) {
        if (shape.capture_count == captures_max) return RouteFault::too_many;
        for (RouteSegment const& earlier : shape.parts()) {
            if (earlier.kind != RouteSegment::Kind::literal && earlier.text == segment.text)
                return RouteFault::repeated_name;
        }
        ++shape.capture_count;
    }
    shape.segments[shape.segment_count++] = segment;
    return RouteFault::none;
}

}  // namespace detail

// Takes a pattern apart; `fault` of the result says what is wrong with it, if anything.
// Cost: linear in the pattern, no allocation.
[[nodiscard]] constexpr RouteShape read_route(std::string_view pattern) {
    RouteShape shape;
    if (pattern.empty() || pattern[0] != '/') {
        shape.fault = RouteFault::no_leading_slash;
        return shape;
    }
    for (std::string_view rest = pattern.substr(1); pattern.size() > 1;) {
        std::size_t const end = detail::find_char(rest, '/');
        RouteSegment segment;
        shape.fault = detail::read_segment(rest.substr(0, end), segment);
        if (shape.fault == RouteFault::none) shape.fault = detail::add_segment(shape, segment);
        bool const last = end == rest.size();
        if (shape.fault == RouteFault::none && segment.kind == RouteSegment::Kind::rest && !last)
            shape.fault = RouteFault::rest_not_last;
        if (last || shape.fault != RouteFault::none) break;
        rest.remove_prefix(end + 1);
    }
    return shape;
}

// A route of a tree: the caller's number for it comes back from find().
struct RouteKey {
    http::Method method = http::Method::get;
    RouteShape shape;
};

// A route that was found. Lifetime: the captures are views into the request and the exchange's arena.
struct RouteMatch {
    std::size_t route = 0;
    std::array<std::string_view, captures_max> captures{};
    std::size_t rest_from = 0;  // index of the first segment that {name...} took
    bool has_rest = false;
};

struct RouteNode {
    static constexpr std::uint16_t none = 0xFFFF;

    std::string_view literal;
    std::uint16_t child = none;         // the first of `child_count` literal children, sorted
    std::uint16_t child_count = 0;      //
    std::uint16_t capture = none;       // the node behind a {name}
    std::uint16_t rest_methods = none;  // index into the tree's method tables: of {name...}
    std::uint16_t own_methods = none;   // and of the path that ends here
};

// Routes by method; RouteNode::none where there is none.
using RouteMethods = std::array<std::uint16_t, methods_count>;

// A tree as plain arrays, which the compiler may own or a vector.
// Threads: frozen.
struct RouteTreeView {
    std::span<RouteNode const> nodes;  // the root first; empty without routes
    std::span<RouteMethods const> methods;

    // Finds the route of a method and path. HEAD falls back to GET.
    // Cost: no allocation; a comparison a segment where no capture stands beside a literal.
    [[nodiscard]] bool find(http::Method method, std::span<std::string_view const> segments,
                            RouteMatch& match) const;
    // The methods that the path has, as bits 1 << method; 0 where there is no such path.
    [[nodiscard]] unsigned allowed(std::span<std::string_view const> segments) const;
};

// Builds trees.
// Threads: one at a time.
class RouteTreeBuilder {
public:
    // Adds a route under the caller's number. False when the same method and path are there already.
    constexpr bool add(RouteKey const& key, std::size_t route) {
        std::size_t at = 0;
        for (RouteSegment const& segment : key.shape.parts()) {
            if (segment.kind == RouteSegment::Kind::rest) return set(nodes_[at].rest, key.method, route);
            at = segment.kind == RouteSegment::Kind::capture ? step_capture(at)
                                                             : step_literal(at, segment.text);
        }
        return set(nodes_[at].own, key.method, route);
    }

    // Lays the tree out flat: `nodes` and `methods` are filled.
    constexpr void lay_out(std::vector<RouteNode>& nodes, std::vector<RouteMethods>& methods) const {
        nodes.assign(1, RouteNode{});
        fill(0, 0, nodes, methods);
    }

private:
    struct Methods {
        bool used = false;
        RouteMethods routes{};
    };
    struct Node {
        std::string_view literal;
        std::vector<std::size_t> children;
        std::size_t capture = 0;  // 0: none, for the root is nobody's child
        Methods own, rest;
    };

    static constexpr bool set(Methods& methods, http::Method method, std::size_t route) {
        if (!methods.used) methods.routes.fill(RouteNode::none);
        methods.used = true;
        std::uint16_t& place = methods.routes[static_cast<std::size_t>(method)];
        if (place != RouteNode::none) return false;
        place = static_cast<std::uint16_t>(route);
        return true;
    }
    constexpr std::size_t step_capture(std::size_t at) {
        if (nodes_[at].capture == 0) {
            nodes_.emplace_back();
            nodes_[at].capture = nodes_.size() - 1;
        }
        return nodes_[at].capture;
    }
    constexpr std::size_t step_literal(std::size_t at, std::string_view literal) {
        for (std::size_t const child : nodes_[at].children) {
            if (nodes_[child].literal == literal) return child;
        }
        nodes_.emplace_back();
        nodes_.back().literal = literal;
        nodes_[at].children.push_back(nodes_.size() - 1);
        return nodes_.size() - 1;
    }
    static constexpr std::uint16_t keep(Methods const& from, std::vector<RouteMethods>& methods) {
        if (!from.used) return RouteNode::none;
        methods.push_back(from.routes);
        return static_cast<std::uint16_t>(methods.size() - 1);
    }
    constexpr void fill(std::size_t from, std::size_t into, std::vector<RouteNode>& nodes,
                        std::vector<RouteMethods>& methods) const {
        Node const& node = nodes_[from];
        nodes[into].literal = node.literal;
        nodes[into].own_methods = keep(node.own, methods);
        nodes[into].rest_methods = keep(node.rest, methods);
        std::vector<std::size_t> children = node.children;
        std::ranges::sort(children, {}, [this](std::size_t child) { return nodes_[child].literal; });
        std::size_t const first = nodes.size();
        nodes.resize(first + children.size() + (node.capture != 0 ? 1 : 0));
        if (!children.empty()) nodes[into].child = static_cast<std::uint16_t>(first);
        nodes[into].child_count = static_cast<std::uint16_t>(children.size());
        for (std::size_t index = 0; index < children.size(); ++index)
            fill(children[index], first + index, nodes, methods);
        if (node.capture == 0) return;
        nodes[into].capture = static_cast<std::uint16_t>(first + children.size());
        fill(node.capture, first + children.size(), nodes, methods);
    }

    std::vector<Node> nodes_ = std::vector<Node>(1);
};

namespace detail {

// The tree of routes that are known to the compiler, in its read-only data.
template <class Keys>
struct StaticRouteTree {
    static constexpr auto built() {
        struct Built {
            std::vector<RouteNode> nodes;
            std::vector<RouteMethods> methods;
        } built;
        RouteTreeBuilder builder;
        for (std::size_t index = 0; index < Keys::value.size(); ++index)
            builder.add(Keys::value[index], index);
        builder.lay_out(built.nodes, built.methods);
        return built;
    }
    static constexpr std::size_t node_count = built().nodes.size();
    static constexpr std::size_t method_count = built().methods.size();
    static constexpr auto nodes = [] {
        std::array<RouteNode, node_count> all{};
        std::ranges::copy(built().nodes, all.begin());
        return all;
    }();
    static constexpr auto methods = [] {
        std::array<RouteMethods, method_count> all{};
        std::ranges::copy(built().methods, all.begin());
        return all;
    }();
    static constexpr RouteTreeView view{nodes, methods};
};

}  // namespace detail

}  // namespace quern
