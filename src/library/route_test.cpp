// SPDX-License-Identifier: Apache-2.0
#include <quern/route.h>

#include <gtest/gtest.h>

#include <deque>
#include <string>
#include <vector>

namespace quern {
namespace {

using http::Method;

TEST(RoutePattern, IsTakenApart) {
    constexpr auto shape = read_route("/users/{id}/files/{path...}");
    static_assert(shape.fault == RouteFault::none && shape.segment_count == 4 && shape.capture_count == 2);
    EXPECT_EQ(shape.segments[0].text, "users");
    EXPECT_EQ(shape.segments[1].kind, RouteSegment::Kind::capture);
    EXPECT_EQ(shape.segments[1].text, "id");
    EXPECT_EQ(shape.segments[3].kind, RouteSegment::Kind::rest);
    EXPECT_EQ(shape.segments[3].text, "path");
    static_assert(read_route("/").segment_count == 0 && read_route("/").fault == RouteFault::none);
}

TEST(RoutePattern, FaultsAreNamed) {
    auto const fault = [](std::string_view pattern) { return read_route(pattern).fault; };
    EXPECT_EQ(fault(""), RouteFault::no_leading_slash);
    EXPECT_EQ(fault("a"), RouteFault::no_leading_slash);
    EXPECT_EQ(fault("/a//b"), RouteFault::empty_segment);
    EXPECT_EQ(fault("/a/"), RouteFault::empty_segment);
    EXPECT_EQ(fault("/a{b}"), RouteFault::brace);
    EXPECT_EQ(fault("/{b}c"), RouteFault::brace);
    EXPECT_EQ(fault("/{b"), RouteFault::brace);
    EXPECT_EQ(fault("/b}"), RouteFault::brace);
    EXPECT_EQ(fault("/{a}{b}"), RouteFault::brace);
    EXPECT_EQ(fault("/{}"), RouteFault::name);
    EXPECT_EQ(fault("/{1a}"), RouteFault::name);
    EXPECT_EQ(fault("/{a-b}"), RouteFault::name);
    EXPECT_EQ(fault("/{a}/{a}"), RouteFault::repeated_name);
    EXPECT_EQ(fault("/{a...}/b"), RouteFault::rest_not_last);
    EXPECT_EQ(fault("/a?b"), RouteFault::forbidden_character);
    EXPECT_EQ(fault("/a b"), RouteFault::forbidden_character);
    EXPECT_EQ(fault("/a%20b"), RouteFault::forbidden_character);
    EXPECT_EQ(fault("/{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}"), RouteFault::too_many);
    std::string many;
    for (std::size_t count = 0; count <= route_segments_max; ++count) many += "/a";
    EXPECT_EQ(fault(many), RouteFault::too_many);
    EXPECT_EQ(fault(std::string_view(many).substr(2)), RouteFault::none);
}

class Tree {
public:
    bool add(Method method, std::string_view pattern) {
        patterns_.emplace_back(pattern);
        bool const added = builder_.add({method, read_route(patterns_.back())}, patterns_.size() - 1);
        builder_.lay_out(nodes_, methods_);
        return added;
    }
    // "pattern a,b" with the captures, or "".
    std::string find(Method method, std::vector<std::string_view> const& segments) {
        RouteMatch match;
        if (!RouteTreeView{nodes_, methods_}.find(method, segments, match)) return {};
        std::string text = patterns_[match.route];
        std::size_t const captures = read_route(text).capture_count - (match.has_rest ? 1 : 0);
        for (std::size_t index = 0; index < captures; ++index)
            text += " " + std::string(match.captures[index]);
        if (match.has_rest) text += " from " + std::to_string(match.rest_from);
        return text;
    }
    unsigned allowed(std::vector<std::string_view> const& segments) {
        return RouteTreeView{nodes_, methods_}.allowed(segments);
    }

private:
    std::deque<std::string> patterns_;
    RouteTreeBuilder builder_;
    std::vector<RouteNode> nodes_;
    std::vector<RouteMethods> methods_;
};

constexpr unsigned bit(Method method) { return 1U << static_cast<unsigned>(method); }

TEST(RouteTree, LiteralBeforeCaptureBeforeRest) {
    Tree tree;
    EXPECT_TRUE(tree.add(Method::get, "/{any...}"));
    EXPECT_TRUE(tree.add(Method::get, "/todos/{id}"));
    EXPECT_TRUE(tree.add(Method::get, "/todos/latest"));
    EXPECT_TRUE(tree.add(Method::get, "/todos/latest/items"));
    EXPECT_TRUE(tree.add(Method::get, "/{list}/{id}/items"));
    EXPECT_EQ(tree.find(Method::get, {"todos", "latest"}), "/todos/latest");
    EXPECT_EQ(tree.find(Method::get, {"todos", "7"}), "/todos/{id} 7");
    EXPECT_EQ(tree.find(Method::get, {"todos", "latest", "items"}), "/todos/latest/items");
    EXPECT_EQ(tree.find(Method::get, {"todos", "7", "items"}), "/{list}/{id}/items todos 7")
        << "back from the literal to the capture beside it";
    EXPECT_EQ(tree.find(Method::get, {"todos", "7", "else"}), "/{any...} from 0");
    EXPECT_EQ(tree.find(Method::get, {"todos", ""}), "/{any...} from 0") << "a capture is not empty";
    EXPECT_EQ(tree.find(Method::get, {}), "") << "and a rest takes a segment at least";
}

TEST(RouteTree, MethodsAreApart) {
    Tree tree;
    EXPECT_TRUE(tree.add(Method::get, "/todos/{id}"));
    EXPECT_TRUE(tree.add(Method::post, "/todos/search"));
    EXPECT_FALSE(tree.add(Method::get, "/todos/{name}")) << "the same path";
    EXPECT_EQ(tree.find(Method::get, {"todos", "search"}), "/todos/{id} search");
    EXPECT_EQ(tree.find(Method::head, {"todos", "1"}), "/todos/{id} 1");
    EXPECT_EQ(tree.find(Method::put, {"todos", "1"}), "");
    EXPECT_EQ(tree.allowed({"todos", "search"}), bit(Method::get) | bit(Method::post));
    EXPECT_EQ(tree.allowed({"todos", "1"}), bit(Method::get));
    EXPECT_EQ(tree.allowed({"todos"}), 0U);
}

TEST(RouteTree, ManyChildren) {
    Tree tree;
    for (int number = 0; number < 100; ++number)
        ASSERT_TRUE(tree.add(Method::get, "/n" + std::to_string(number) + "/x"));
    for (int number = 0; number < 100; ++number) {
        std::string const segment = "n" + std::to_string(number);
        EXPECT_EQ(tree.find(Method::get, {segment, "x"}), "/" + segment + "/x");
    }
    EXPECT_EQ(tree.find(Method::get, {"n100", "x"}), "");
    EXPECT_EQ(Tree().find(Method::get, {"a"}), "");
}

}  // namespace
}  // namespace quern
