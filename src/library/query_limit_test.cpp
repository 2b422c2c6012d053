// SPDX-License-Identifier: Apache-2.0

// Query sets at their limits and beyond: very long, very deep, with odd values, and against their own sense.

#include <array>
#include <cmath>
#include <limits>
#include <thread>

#include "library/query_fixture_test.h"

namespace quern::test {

namespace {

template <class R>
std::string refusal(R const& result) {
    if (result) return "fine";
    std::string text(name(result.error().code));
    text += ": ";
    text += result.error().fields.empty() ? result.error().message : result.error().fields[0].field;
    return text;
}

TEST_F(LibraryTest, LongRowsOfConditionsAreFine) {
    Condition<Book> left(false);
    Condition<Book> right(false);
    auto all = books.query();
    constexpr int words = 2500;  // more than SQLite's depth
    for (int index = 0; index < words; ++index) {
        left = left || field<&Book::year> == index;
        if (index % 8 == 1) right = field<&Book::year> == index || right;
        all = std::move(all).where(field<&Book::year> != index + 2000);
    }
    EXPECT_EQ(books.where(left).count(*db), 7);
    EXPECT_EQ(books.where(right).count(*db), 3);
    EXPECT_EQ(books.where(!left).count(*db), 0);
    EXPECT_EQ(all.count(*db), 7);
}

TEST_F(LibraryTest, DeepConditionsAreRefused) {
    Condition<Book> deep = field<&Book::available>;
    for (std::size_t level = 0; level + 3 < detail::plan_depth_max; ++level) deep = !deep;
    EXPECT_TRUE(books.where(deep).count(*db)) << refusal(books.where(deep).count(*db));
    deep = !(!(!deep));
    auto const set = books.where(deep);
    EXPECT_EQ(refusal(set.count(*db)), "unsupported: depth");
    EXPECT_EQ(refusal(set.all(*db)), "unsupported: depth");
    EXPECT_EQ(refusal(set.exists(*db)), "unsupported: depth");
    EXPECT_EQ(refusal(set.remove(*db)), "unsupported: depth");
    EXPECT_EQ(refusal(set.update(*db, field<&Book::year>.set(1))), "unsupported: depth");
    EXPECT_EQ(refusal(set.sql(Dialect::postgres)), "unsupported: depth");
    // As deep as SQLite's own limit is never reached by what ours lets through.
    Condition<Book> mixed = field<&Book::title>.ends_with("x");
    for (std::size_t level = 0; level + 8 < detail::plan_depth_max; level += 2) {
        mixed = mixed && field<&Book::year> != 1;
        mixed = mixed || field<&Book::year> == 2;
    }
    EXPECT_EQ(books.where(mixed).count(*db), 0);

    QueryPlan endless = books.query().plan();
    endless.push({.op = PlanOp::where, .count = 1});
    constexpr int levels = 100'000;
    for (int level = 0; level < levels; ++level) endless.push({.op = PlanOp::logical_not, .count = 1});
    endless.push_value(true);
    EXPECT_EQ(refusal(detail::query_text(endless, detail::PlanUse::rows, Dialect::sqlite)),
              "unsupported: depth");
    EXPECT_TRUE(endless.print().contains("(...)"));
}

TEST_F(LibraryTest, ListsMayBeAsLongAsAStatementTakes) {
    std::vector<std::int64_t> many(32'766, 10);
    EXPECT_EQ(books.where(field<&Book::id>.in(many)).count(*db), 1);
    many.resize(100'000, 11);
    EXPECT_EQ(refusal(books.where(field<&Book::id>.in(many)).count(*db)), "unsupported: parameters");
}

TEST_F(LibraryTest, WhatIsNoNumberIsNoValue) {
    double const none = std::nan("");
    auto const cannot = "validation: A value of the query cannot be stored.";
    EXPECT_EQ(refusal(books.where(field<&Book::price> == none).count(*db)), cannot);
    EXPECT_EQ(refusal(books.where(!(field<&Book::price> < none)).count(*db)), cannot);
    EXPECT_EQ(refusal(books.where(field<&Book::price>.in({1.0, none})).count(*db)), cannot);
    EXPECT_EQ(refusal(books.query().update(*db, field<&Book::price>.set(none))), cannot);
    EXPECT_EQ(refusal(books.where(field<&Book::binding> == static_cast<Binding>(9)).count(*db)), cannot);
    char const* const nowhere = nullptr;
    EXPECT_EQ(refusal(books.where(!(field<&Book::title> == nowhere)).count(*db)), cannot);
    EXPECT_EQ(refusal(books.insert(*db, {.author = 1, .title = "x", .price = none})),
              "validation: books.price");

    double const endless = std::numeric_limits<double>::infinity();
    ASSERT_TRUE(books.insert(*db, {.id = 50, .author = 1, .title = "x", .price = endless}));
    EXPECT_EQ(books.where(field<&Book::price> == endless).first(*db)->value().price, endless);
    EXPECT_EQ(books.where(field<&Book::price> < endless && field<&Book::price> > -endless).count(*db), 7);
    // Infinity less infinity, and a division by zero, are nothing: the opposite still holds.
    EXPECT_EQ(books.where(field<&Book::price> - endless == 0).count(*db), 0);
    EXPECT_EQ(books.where(!(field<&Book::price> - endless == 0)).count(*db), 8);
    EXPECT_EQ(books.where(field<&Book::year> / 0 != 3).count(*db), 8);
    EXPECT_EQ(books.where(!(field<&Book::year> % 0 < 3)).count(*db), 8);
}

TEST_F(LibraryTest, TextsMayHoldNul) {
    std::string const odd("a\0bc", 4);
    ASSERT_TRUE(authors.insert(*db, {.id = 9, .name = odd}));
    auto const name = field<&Author::name>;
    auto const ids = [this](auto const& condition) {
        return authors.where(condition).select(field<&Author::id>).first(*db)->value_or(0);
    };
    EXPECT_EQ(authors.get(*db, 9)->value().name, odd);
    EXPECT_EQ(ids(name == odd), 9);
    EXPECT_EQ(ids(name == "a"), 0);
    EXPECT_EQ(ids(name.contains(std::string("\0b", 2))), 9);
    EXPECT_EQ(ids(name.starts_with(std::string("a\0", 2))), 9);
    EXPECT_EQ(ids(name.ends_with("bc")), 9);
    EXPECT_EQ(ids(name.ends_with(std::string("\0bc", 3))), 9);
}

TEST_F(LibraryTest, SetsAreSharedByThreadsAndOutliveTheirValues) {
    auto const make = [] {
        std::string word = "Parable of the Sower, which is long enough to be on the heap";
        std::vector<std::string> const list{word.substr(0, 20), "a text of which nobody has heard before"};
        return books.where(field<&Book::title>.in(list) || field<&Book::title>.contains(word));
    };
    auto const set = make();
    std::array<Result<std::int64_t>, 4> counts{0, 0, 0, 0};
    {
        std::vector<std::jthread> threads;
        for (auto& count : counts) {
            threads.emplace_back([&set, &count, this] {
                for (int round = 0; round < 20; ++round) count = set.count(*db);
            });
        }
    }
    for (auto const& count : counts) EXPECT_EQ(count, 1);
}

TEST_F(LibraryTest, ShapesThatDifferInFlagsAloneAreApart) {
    auto const by = field<&Author::country>;
    auto const first = [this](auto const& key) {
        return authors.order_by(key, field<&Author::id>).select(field<&Author::id>).first(*db)->value();
    };
    auto const spread = [this](auto const& count) { return books.select(count).first(*db)->value(); };
    for (int round = 0; round < 2; ++round) {
        EXPECT_EQ(first(by.ascending()), 4);
        EXPECT_EQ(first(by.descending()), 1);
        EXPECT_EQ(first(by.ascending().nulls_last()), 3);
        EXPECT_EQ(first(by.descending().nulls_first()), 4);
        EXPECT_EQ(spread(quern::count(field<&Book::author>)), 7);
        EXPECT_EQ(spread(quern::count(field<&Book::author>).distinct()), 3);
    }
}

TEST_F(LibraryTest, ColumnsAreSetToWhatTheOthersWere) {
    EXPECT_EQ(books.where(field<&Book::id> == 10)
                  .update(*db, field<&Book::year>.set(field<&Book::id>),
                          field<&Book::price>.set(field<&Book::year>)),
              1);
    auto const book = books.get(*db, 10)->value();
    EXPECT_EQ(book.year, 10);
    EXPECT_EQ(book.price, 1979);
}

TEST_F(LibraryTest, RefusesAggregatesInOddPlaces) {
    auto const author = field<&Book::author>;
    EXPECT_EQ(refusal(books.query().update(*db, field<&Book::year>.set(1), field<&Book::year>.set(2))),
              "parameter_invalid: A column is set twice.");
    EXPECT_EQ(refusal(books.order_by(quern::count()).limit(1).remove(*db)),
              "parameter_invalid: An aggregate orders groups, not the rows of a table.");
    EXPECT_EQ(refusal(books.select(quern::count(field<&Book::year>).distinct().over(window)).all(*db)),
              "parameter_invalid: No database looks at distinct() values through a window.");
    auto const column =
        "parameter_invalid: The column books.price is neither in group_by() nor in an "
        "aggregate.";
    EXPECT_EQ(
        refusal(books.group_by(author).select(author, quern::sum(field<&Book::price>).over(window)).all(*db)),
        column);
    auto const dearer = books.where(field<&Book::price> > outer<&Book::price>).select(quern::count());
    EXPECT_EQ(refusal(books.group_by(author).select(author, value_of(dearer)).all(*db)), column);
    EXPECT_EQ(refusal(books.group_by(author).select(quern::count()).for_update().all(*db)),
              "parameter_invalid: for_update() locks rows of the table, and these are made of several.");
    EXPECT_EQ(refusal(books.query().distinct_on(author).order_by(field<&Book::year>).sql(Dialect::postgres)),
              "parameter_invalid: distinct_on() takes the first rows of an order that begins with the same.");
    EXPECT_EQ(books.query().having(quern::count() > 7).select(quern::count()).all(*db)->size(), 0U);
    // What is one value takes one row, whatever the limit.
    EXPECT_EQ(authors.where(field<&Author::id> == 1)
                  .select(value_of(books.order_by(field<&Book::year>).limit(0).select(field<&Book::title>)))
                  .first(*db)
                  ->value(),
              std::nullopt);
}

}  // namespace

}  // namespace quern::test
