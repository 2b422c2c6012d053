// SPDX-License-Identifier: Apache-2.0
// A warm read allocates nothing. (SQLite's own memory does not come from operator new.)
#include <quern/sqlite.h>

#include <gtest/gtest.h>

#include <boost/describe/class.hpp>

#include "base/test_allocations.h"

namespace quern {
namespace {

using test::allocations;

struct Point {
    std::int64_t id = 0;
    double x = 0;
    std::optional<double> y;
};
BOOST_DESCRIBE_STRUCT(Point, (), (id, x, y))

struct Label {
    std::int64_t id = 0;
    std::string_view label;
};
BOOST_DESCRIBE_STRUCT(Label, (), (id, label))

TEST(SqliteAllocation, AWarmReadMakesNone) {
    auto const db = *Database::open_temporary();
    ASSERT_TRUE(
        db->migrate({"CREATE TABLE points (id INTEGER PRIMARY KEY, x REAL, y REAL, label TEXT);"
                     "INSERT INTO points VALUES (1, 0.5, NULL, 'a label that is longer than a short string'),"
                     "(2, 1.5, 2.5, 'another label that is longer than a short string')"}));
    std::size_t bytes = 0;
    auto const read = [&](std::int64_t id) {
        auto const point = db->query_one<"SELECT id, x, y FROM points WHERE id = {id}", Point>(id);
        auto const labels = db->query_each<"SELECT id, label FROM points WHERE label <> {label}", Label>(
            [&](Label const& label) { bytes += label.label.size(); }, std::string_view("none"));
        return point && *point && (*point)->id == id && labels;
    };
    ASSERT_TRUE(read(1));
    std::size_t const before = allocations;
    bool fine = true;
    for (int time = 0; time < 100; ++time) fine = read(1 + time % 2) && fine;
    std::size_t const made = allocations - before;
    EXPECT_TRUE(fine);
    EXPECT_EQ(made, 0U);
    EXPECT_GT(bytes, 0U);
}

}  // namespace
}  // namespace quern
