// SPDX-License-Identifier: Apache-2.0
#include "app/bench_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace quern::app {
namespace {

constexpr std::size_t fewest_rows = bench_groups * bench_list_rows;

TEST(BenchRows, RanksAreUnique) {
    std::set<std::int64_t> ranks;
    for (std::size_t number = 0; number < 20'000; ++number) ranks.insert(rank_of(number));
    EXPECT_EQ(ranks.size(), 20'000U);
}

TEST(BenchRows, EveryGroupFillsAList) {
    for (GroupOf const group_of : {&category_of, &owner_of}) {
        auto const groups = best_of_groups(fewest_rows, group_of);
        ASSERT_EQ(groups.size(), bench_groups);
        for (auto const& numbers : groups) {
            EXPECT_EQ(numbers.size(), bench_list_rows);
            EXPECT_TRUE(std::ranges::is_sorted(numbers, std::greater(), rank_of));
        }
    }
}

TEST(BenchRows, AListHoldsTheBestOfItsGroup) {
    auto const groups = best_of_groups(fewest_rows * 3, &owner_of);
    for (std::size_t number = 0; number < fewest_rows * 3; ++number) {
        auto const& best = groups[owner_of(number)];
        bool const listed = std::ranges::find(best, number) != best.end();
        EXPECT_EQ(listed, rank_of(number) >= rank_of(best.back()));
    }
}

// A row of the post as an engine pours it.
std::vector<Value> row_of(PostRow const& post, std::string_view id, std::string_view owner) {
    return {Value::of(id),        Value::of(post.title),      Value::of(post.body), Value::of(post.category),
            Value::of(owner),     Value::of(post.rank),       Value::of(false),     Value::of("created"),
            Value::of("updated"), Value::of(std::int64_t{12})};
}

TEST(BenchRows, ExpectedRowsAreThoseInOrderAndNoMore) {
    std::vector<std::string> const ids{"a", "b", "c"};
    std::size_t const numbers[] = {2, 0};
    PostRow const first = make_post(2);
    PostRow const second = make_post(0);
    ExpectedPosts right(ids, numbers);
    EXPECT_TRUE(right.row(row_of(first, "c", "o")));
    EXPECT_FALSE(right.came()) << "one is missing";
    EXPECT_TRUE(right.row(row_of(second, "a", "o")));
    EXPECT_TRUE(right.came());
    EXPECT_FALSE(right.row(row_of(second, "a", "o")));
    EXPECT_FALSE(right.came()) << "one too many";
    ExpectedPosts turned(ids, numbers);
    EXPECT_FALSE(turned.row(row_of(second, "a", "o")));
    EXPECT_FALSE(turned.came());
}

TEST(BenchRows, AContentThatDiffersIsSeen) {
    PostRow const post = make_post(7);
    EXPECT_TRUE(is_post(row_of(post, "a", "owner"), 7, "owner"));
    EXPECT_FALSE(is_post(row_of(post, "a", "owner"), 8, "owner"));
    EXPECT_FALSE(is_post(row_of(post, "a", "owner"), 7, "another"));
    PostRow changed = post;
    changed.body[3] = '!';
    EXPECT_FALSE(is_post(row_of(changed, "a", "owner"), 7, "owner"));
}

}  // namespace
}  // namespace quern::app
