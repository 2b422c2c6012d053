// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rows that `quern bench` works on: made of their number alone, so that every answer can be foretold.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/row_sink.h"
#include "schema/value.h"

namespace quern::app {

// Rows are spread evenly over so many categories, and over as many owners.
inline constexpr std::size_t bench_groups = 100;
// Rows of a list.
inline constexpr std::size_t bench_list_rows = 20;

// Every collection of posts has these fields, in this order.
enum class PostField : std::uint8_t { id, title, body, category, owner, rank, views, created, updated };
inline constexpr std::size_t post_fields = 9;

// One post without what the server fills in.
struct PostRow {
    std::string title;
    std::string body;
    std::string category;
    std::size_t owner = 0;  // number of an account
    std::int64_t rank = 0;  // no two rows have the same
};

[[nodiscard]] PostRow make_post(std::size_t number);
[[nodiscard]] std::int64_t rank_of(std::size_t number);
[[nodiscard]] std::size_t category_of(std::size_t number);
[[nodiscard]] std::size_t owner_of(std::size_t number);
[[nodiscard]] std::string category_name(std::size_t category);

// For each group, the numbers of its bench_list_rows rows of highest rank, highest first, among rows 0 to
// `rows`-1.
using GroupOf = std::size_t (*)(std::size_t number);
[[nodiscard]] std::vector<std::vector<std::size_t>> best_of_groups(std::size_t rows, GroupOf group_of);

// Reads every value of the rows it is given, and compares them with those that must come.
// Threads: one at a time.
class ExpectedPosts final : public RowSink {
public:
    // Lifetime: borrows both. `ids` holds the id of each row number.
    ExpectedPosts(std::span<std::string const> ids, std::span<std::size_t const> numbers)
        : ids_(ids), numbers_(numbers) {}

    bool row(std::span<Value const> columns) override;
    // Whether exactly these rows came, in this order.
    [[nodiscard]] bool came() const { return right_ && seen_ == numbers_.size(); }
    // Bytes and numbers of all values: keeps their reading from being left out.
    [[nodiscard]] std::uint64_t sum() const { return sum_; }

private:
    std::span<std::string const> ids_;
    std::span<std::size_t const> numbers_;
    std::size_t seen_ = 0;
    std::uint64_t sum_ = 0;
    bool right_ = true;
};

// Whether a whole record of a post is that of `number`, owned by the account `owner_id`.
[[nodiscard]] bool is_post(std::span<Value const> columns, std::size_t number, std::string_view owner_id);

// Numbers that look random and are the same in each run (splitmix64). Threads: one at a time.
class BenchRandom {
public:
    explicit BenchRandom(std::uint64_t seed) : state_(seed) {}
    // 0 to `bound`-1. Precondition: bound > 0.
    [[nodiscard]] std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

private:
    std::uint64_t next() {
        std::uint64_t value = state_ += 0x9E3779B97F4A7C15;
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }
    std::uint64_t state_;
};

}  // namespace quern::app
