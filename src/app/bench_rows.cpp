// SPDX-License-Identifier: Apache-2.0
#include "app/bench_rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace quern::app {

namespace {

constexpr std::string_view sentence =
    "What is measured here is a record of a common size, with a text of some ";
constexpr std::size_t body_bytes = 200;

constexpr std::size_t at(PostField field) { return static_cast<std::size_t>(field); }

}  // namespace

// Multiplication by an odd number permutes the numbers below 2^32: ranks are unique and follow no order.
std::int64_t rank_of(std::size_t number) {
    constexpr std::uint64_t odd = 2'654'435'761;
    constexpr std::uint64_t mask = 0xFFFF'FFFF;
    return static_cast<std::int64_t>((number * odd) & mask);
}

std::size_t category_of(std::size_t number) { return number % bench_groups; }

std::size_t owner_of(std::size_t number) {
    constexpr std::size_t step = 37;  // no common factor with bench_groups
    return (number * step + 1) % bench_groups;
}

std::string category_name(std::size_t category) { return fmt::format("category {}", category); }

PostRow make_post(std::size_t number) {
    PostRow post;
    post.title = fmt::format("Post number {}", number);
    while (post.body.size() < body_bytes) post.body += sentence;
    post.body.resize(body_bytes);
    post.category = category_name(category_of(number));
    post.owner = owner_of(number);
    post.rank = rank_of(number);
    return post;
}

std::vector<std::vector<std::size_t>> best_of_groups(std::size_t rows, GroupOf group_of) {
    std::vector<std::vector<std::size_t>> groups(bench_groups);
    for (std::size_t number = 0; number < rows; ++number) groups[group_of(number)].push_back(number);
    for (auto& numbers : groups) {
        std::ranges::sort(numbers, std::greater(), rank_of);
        numbers.resize(std::min(numbers.size(), bench_list_rows));
    }
    return groups;
}

bool ExpectedPosts::row(std::span<Value const> columns) {
    for (Value const& value : columns) {
        sum_ += value.text.size();
        if (value.kind == ValueKind::integer) sum_ += static_cast<std::uint64_t>(value.integer);
    }
    if (seen_ == numbers_.size() || columns.size() < post_fields) return right_ = false;
    std::size_t const number = numbers_[seen_++];
    right_ = right_ && columns[at(PostField::id)].text == ids_[number] &&
             columns[at(PostField::rank)].integer == rank_of(number);
    return right_;
}

bool is_post(std::span<Value const> columns, std::size_t number, std::string_view owner_id) {
    PostRow const post = make_post(number);
    return columns.size() >= post_fields && columns[at(PostField::title)] == Value::of(post.title) &&
           columns[at(PostField::body)] == Value::of(post.body) &&
           columns[at(PostField::category)] == Value::of(post.category) &&
           columns[at(PostField::owner)] == Value::of(owner_id) &&
           columns[at(PostField::rank)] == Value::of(post.rank);
}

}  // namespace quern::app
