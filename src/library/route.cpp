// SPDX-License-Identifier: Apache-2.0
#include <quern/route.h>

namespace quern {

namespace {

// One search: where it stands, and what it has captured so far.
struct Search {
    RouteTreeView const& tree;
    std::span<std::string_view const> segments;
    http::Method method;
    RouteMatch& match;

    [[nodiscard]] std::uint16_t route_of(std::uint16_t table) const {
        if (table == RouteNode::none) return RouteNode::none;
        RouteMethods const& methods = tree.methods[table];
        std::uint16_t const route = methods[static_cast<std::size_t>(method)];
        if (route != RouteNode::none || method != http::Method::head) return route;
        return methods[static_cast<std::size_t>(http::Method::get)];
    }

    [[nodiscard]] RouteNode const* literal_child(RouteNode const& node, std::string_view text) const {
        constexpr std::size_t scanned_max = 8;
        auto const children = tree.nodes.subspan(node.child_count == 0 ? 0 : node.child, node.child_count);
        if (children.size() <= scanned_max) {
            for (RouteNode const& child : children) {
                if (child.literal == text) return &child;
            }
            return nullptr;
        }
        auto const found = std::ranges::lower_bound(children, text, {}, &RouteNode::literal);
        return found != children.end() && found->literal == text ? &*found : nullptr;
    }

    bool run(RouteNode const& node, std::size_t depth, std::size_t captured) {
        if (depth == segments.size()) {
            std::uint16_t const route = route_of(node.own_methods);
            match.route = route;
            return route != RouteNode::none;
        }
        if (RouteNode const* const child = literal_child(node, segments[depth])) {
            if (run(*child, depth + 1, captured)) return true;
        }
        if (node.capture != RouteNode::none && !segments[depth].empty()) {
            match.captures[captured] = segments[depth];
            if (run(tree.nodes[node.capture], depth + 1, captured + 1)) return true;
        }
        std::uint16_t const route = route_of(node.rest_methods);
        if (route == RouteNode::none) return false;
        match.route = route;
        match.has_rest = true;
        match.rest_from = depth;
        return true;
    }
};

unsigned bits(RouteMethods const& methods) {
    unsigned found = 0;
    for (std::size_t method = 0; method < methods_count; ++method) {
        if (methods[method] != RouteNode::none) found |= 1U << method;
    }
    return found;
}

// Every method of every route that the path could mean.
unsigned gather(RouteTreeView const& tree, RouteNode const& node, std::span<std::string_view const> rest) {
    if (rest.empty()) return node.own_methods == RouteNode::none ? 0 : bits(tree.methods[node.own_methods]);
    unsigned found = node.rest_methods == RouteNode::none ? 0 : bits(tree.methods[node.rest_methods]);
    for (std::size_t index = 0; index < node.child_count; ++index) {
        RouteNode const& child = tree.nodes[node.child + index];
        if (child.literal == rest[0]) found |= gather(tree, child, rest.subspan(1));
    }
    if (node.capture != RouteNode::none && !rest[0].empty())
        found |= gather(tree, tree.nodes[node.capture], rest.subspan(1));
    return found;
}

}  // namespace

bool RouteTreeView::find(http::Method method, std::span<std::string_view const> segments,
                         RouteMatch& match) const {
    if (nodes.empty()) return false;
    match.has_rest = false;
    return Search{*this, segments, method, match}.run(nodes[0], 0, 0);
}

unsigned RouteTreeView::allowed(std::span<std::string_view const> segments) const {
    return nodes.empty() ? 0 : gather(*this, nodes[0], segments);
}

}  // namespace quern
