// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/straight.h"

#include <string>

#include "engine/sqlite/test_database.h"

namespace quern::engine::sqlite {
namespace {

TEST(Straight, WhatIsWrittenIsRead) {
    test::TemporaryDirectory const directory;
    Straight straight = must(Straight::open(directory.path() / "straight.db", Synchronous::full));
    must(straight.execute("CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER) STRICT"));
    std::size_t const insert = must(straight.prepare("INSERT INTO t VALUES (?, ?)"));
    std::size_t const select = must(straight.prepare("SELECT n, id FROM t ORDER BY n"));
    std::string rows;
    RowFunction sink([&](std::span<Value const> row) {
        rows += show(row[0]) + show(row[1]) + " ";
        return true;
    });
    for (auto const& [id, number] : {std::pair("a", 2), std::pair("b", 1)}) {
        Value const values[] = {Value::of(id), Value::of(std::int64_t{number})};
        EXPECT_EQ(must(straight.run(insert, values, sink)), 0U);
    }
    EXPECT_EQ(must(straight.run(select, {}, sink)), 2U);
    EXPECT_EQ(rows, "1b 2a ");
}

TEST(Straight, AFailedStatementCanBeRunAgain) {
    test::TemporaryDirectory const directory;
    Straight straight = must(Straight::open(directory.path() / "straight.db", Synchronous::normal));
    must(straight.execute("CREATE TABLE t (id TEXT PRIMARY KEY) STRICT"));
    std::size_t const insert = must(straight.prepare("INSERT INTO t VALUES (?)"));
    RowFunction sink([](std::span<Value const>) { return true; });
    Value const first[] = {Value::of("a")};
    Value const second[] = {Value::of("b")};
    must(straight.run(insert, first, sink));
    EXPECT_FALSE(straight.run(insert, first, sink));
    EXPECT_TRUE(straight.run(insert, second, sink));
    EXPECT_FALSE(straight.prepare("SELECT nothing FROM nowhere"));
}

}  // namespace
}  // namespace quern::engine::sqlite
