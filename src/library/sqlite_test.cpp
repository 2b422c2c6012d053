// SPDX-License-Identifier: Apache-2.0
// Opening, reading, rows and statements.
#include <quern/sqlite.h>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <boost/describe/class.hpp>

#include "base/test_directory.h"

namespace quern {
namespace {

struct Todo {
    std::int64_t id = 0;
    std::string title;
    std::optional<double> weight;
};
BOOST_DESCRIBE_STRUCT(Todo, (), (id, title, weight))

struct TodoView {
    std::int64_t id = 0;
    std::string_view title;
};
BOOST_DESCRIBE_STRUCT(TodoView, (), (id, title))

using Bytes = std::vector<std::byte>;

class SqliteTest : public testing::Test {
protected:
    SqliteTest() {
        EXPECT_TRUE(
            db->migrate({"CREATE TABLE todos (id INTEGER PRIMARY KEY, title TEXT NOT NULL, weight REAL)",
                         "CREATE TABLE any_type (value)"}));
    }
    std::int64_t add(std::string_view title) {
        auto const made = db->execute<"INSERT INTO todos (title) VALUES ({title})">(title);
        EXPECT_TRUE(made);
        return made ? made->last_insert_id : 0;
    }
    // A value as it comes back through a column without a type.
    template <class T, class Stored>
    Result<std::optional<T>> round_trip(Stored const& value) {
        EXPECT_TRUE(db->execute<"DELETE FROM any_type">());
        EXPECT_TRUE(db->execute<"INSERT INTO any_type VALUES ({value})">(value));
        return db->query_one<"SELECT value FROM any_type", T>();
    }
    template <class T, class Stored>
    Error misfit(Stored const& value) {
        auto const read = round_trip<T>(value);
        EXPECT_FALSE(read);
        return read ? Error(ErrorCode::internal, "it fits") : read.error();
    }

    std::shared_ptr<Database> db = *Database::open_temporary();
};

TEST_F(SqliteTest, RowsComeAsStructsTuplesAndValues) {
    EXPECT_EQ(add("one"), 1);
    EXPECT_EQ(add("two"), 2);
    auto const todos = db->query<"SELECT id, title, weight FROM todos ORDER BY id", Todo>();
    ASSERT_TRUE(todos);
    ASSERT_EQ(todos->size(), 2U);
    EXPECT_EQ((*todos)[1].id, 2);
    EXPECT_EQ((*todos)[1].title, "two");
    EXPECT_EQ((*todos)[1].weight, std::nullopt);
    auto const pair =
        db->query_one<"SELECT title, id FROM todos WHERE id = {id}", std::tuple<std::string, std::int64_t>>(
            2);
    EXPECT_EQ(*pair, (std::tuple<std::string, std::int64_t>("two", 2)));
    EXPECT_EQ(*(db->query_one<"SELECT count(*) FROM todos", std::int64_t>()), 2);
    EXPECT_EQ(*(db->query_one<"SELECT id FROM todos WHERE title = {title}", std::int64_t>("three")),
              std::nullopt);
    EXPECT_EQ(
        (*db->query<"SELECT title FROM todos WHERE id IN ({a}, {b}, {a}) ORDER BY id", std::string>(1, 2)),
        (std::vector<std::string>{"one", "two"}));
}

TEST_F(SqliteTest, ValuesComeBackAsTheyWent) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    constexpr auto smallest = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(**round_trip<std::int64_t>(largest), largest);
    EXPECT_EQ(**round_trip<std::int64_t>(smallest), smallest);
    EXPECT_EQ(**round_trip<std::int64_t>((std::int64_t{1} << 53) + 1), (std::int64_t{1} << 53) + 1);
    EXPECT_EQ(**round_trip<std::uint32_t>(4'000'000'000U), 4'000'000'000U);
    EXPECT_EQ(**round_trip<std::int8_t>(std::int8_t{-128}), -128);
    EXPECT_EQ(**round_trip<bool>(true), true);
    EXPECT_EQ(**round_trip<double>(0.1), 0.1);
    EXPECT_EQ(**round_trip<double>(1.5F), 1.5);
    EXPECT_EQ(**round_trip<double>(7), 7.0);
    std::string const text("\0nul, \xF0\x9F\x98\x80 and '", 16);
    EXPECT_EQ(**round_trip<std::string>(text), text);
    EXPECT_EQ(**round_trip<std::string>(std::string_view()), "");
    EXPECT_EQ(**round_trip<Bytes>(Bytes{std::byte{0}, std::byte{255}}),
              (Bytes{std::byte{0}, std::byte{255}}));
    EXPECT_EQ(**round_trip<Bytes>(Bytes()), Bytes());
    EXPECT_EQ(**round_trip<std::optional<std::int64_t>>(nullptr), std::nullopt);
    EXPECT_EQ(**round_trip<std::optional<std::int64_t>>(std::nullopt), std::nullopt);
    EXPECT_EQ(**round_trip<std::optional<std::string>>(std::optional<std::string>()), std::nullopt);
    EXPECT_EQ(**round_trip<std::optional<std::string>>(std::optional<std::string>("a")), "a");
    EXPECT_EQ(**round_trip<std::optional<std::string>>(static_cast<char const*>(nullptr)), std::nullopt);
}

TEST_F(SqliteTest, WhatDoesNotFitNamesItsColumn) {
    Error const error = misfit<std::int64_t>("text");
    EXPECT_EQ(error.code, ErrorCode::internal);
    ASSERT_EQ(error.fields.size(), 1U);
    EXPECT_EQ(error.fields[0].field, "value");
    EXPECT_EQ(error.fields[0].code, "type_mismatch");
    EXPECT_EQ(error.message, "The column \"value\" holds text where a whole number is wanted.");
    EXPECT_EQ(misfit<std::string>(nullptr).message, "The column \"value\" holds NULL where text is wanted.");
    EXPECT_EQ(misfit<std::string>(1).fields.size(), 1U);
    EXPECT_EQ(misfit<std::string>(Bytes()).fields.size(), 1U);
    EXPECT_EQ(misfit<Bytes>("text").fields.size(), 1U);
    EXPECT_EQ(misfit<std::int64_t>(1.0).fields.size(), 1U);
    EXPECT_EQ(misfit<double>("1").fields.size(), 1U);
    EXPECT_EQ(misfit<double>((std::int64_t{1} << 53) + 1).fields.size(), 1U);
    EXPECT_EQ(misfit<double>(std::numeric_limits<std::int64_t>::max()).fields.size(), 1U);
    EXPECT_EQ(misfit<bool>(2).fields.size(), 1U);
    EXPECT_EQ(misfit<std::int8_t>(128).fields.size(), 1U);
    EXPECT_EQ(misfit<std::uint32_t>(-1).fields.size(), 1U);
    EXPECT_EQ(misfit<std::optional<std::int64_t>>("1").fields.size(), 1U);
    EXPECT_EQ(misfit<std::int64_t>(std::nan("")).fields.size(), 1U);  // which SQLite keeps as NULL
}

TEST_F(SqliteTest, TextStaysAValue) {
    std::string const attack = "'); DROP TABLE todos; --\" {id} ?";
    std::int64_t const id = add(attack);
    auto const found =
        db->query_one<"SELECT id, title, weight FROM todos WHERE title = {title}", Todo>(attack);
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->id, id);
    EXPECT_EQ((*found)->title, attack);
    EXPECT_EQ(*(db->query_one<"SELECT count(*) FROM todos WHERE title = {a}", std::int64_t>("' OR '1'='1")),
              0);
}

TEST_F(SqliteTest, EachRowIsGivenAsAView) {
    for (std::string_view const title : {"one", "two", "three"}) add(title);
    std::string seen;
    EXPECT_TRUE((db->query_each<"SELECT id, title FROM todos ORDER BY id", TodoView>(
        [&](TodoView const& todo) { seen += std::to_string(todo.id) + std::string(todo.title) + " "; })));
    EXPECT_EQ(seen, "1one 2two 3three ");
    int count = 0;
    EXPECT_TRUE((db->query_each<"SELECT id, title FROM todos", TodoView>(
        [&](TodoView const&) { return ++count < 2; })));
    EXPECT_EQ(count, 2);
    auto const stopped = db->query_each<"SELECT id, title FROM todos WHERE id >= {id}", TodoView>(
        [&](TodoView const&) -> Result<void> { return fail(ErrorCode::forbidden); }, 2);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::forbidden);
}

TEST_F(SqliteTest, AStatementMayBeUsedWithinItself) {
    for (std::string_view const title : {"one", "two"}) add(title);
    auto const before = db->statistics().prepared;
    std::string seen;
    auto const walk = [&](auto const& self, int depth) -> void {
        EXPECT_TRUE((db->query_each<"SELECT title FROM todos ORDER BY id", std::string_view>(
            [&](std::string_view title) {
                seen += title;
                if (depth > 0) self(self, depth - 1);
            })));
    };
    walk(walk, 1);
    EXPECT_EQ(seen, "oneonetwotwoonetwo");
    walk(walk, 1);
    EXPECT_EQ(db->statistics().prepared, before + 2);
}

TEST_F(SqliteTest, ATextIsPreparedOnceAConnection) {
    auto const count = [&] { return *(db->query_one<"SELECT count(*) FROM todos", std::int64_t>()); };
    auto const before = db->statistics().prepared;
    for (int time = 0; time < 10; ++time) EXPECT_EQ(count(), 0);
    EXPECT_EQ(db->statistics().prepared, before + 1);
    std::jthread([&] {
        for (int time = 0; time < 10; ++time) EXPECT_EQ(count(), 0);
    }).join();
    EXPECT_EQ(db->statistics().prepared, before + 2);
}

TEST_F(SqliteTest, TextsOfTheRunTimeAreBoundedAndKept) {
    DatabaseOptions options;
    options.dynamic_statements_max = 2;
    auto const small = *Database::open_temporary(options);
    auto const ask = [&](std::string const& sql) {
        return **small->query_one<std::int64_t>(*SqlText::parse("SELECT " + sql + " + {b}"), 1);
    };
    auto const before = small->statistics().prepared;
    EXPECT_EQ(ask("1"), 2);
    EXPECT_EQ(ask("2"), 3);
    EXPECT_EQ(ask("1"), 2);
    EXPECT_EQ(small->statistics().prepared, before + 2);
    EXPECT_EQ(ask("3"), 4);  // takes the place of "2"
    EXPECT_EQ(ask("1"), 2);
    EXPECT_EQ(small->statistics().prepared, before + 3);
    EXPECT_EQ(ask("2"), 3);
    EXPECT_EQ(small->statistics().prepared, before + 4);

    auto const wrong = small->query<std::int64_t>(*SqlText::parse("SELECT {a}"), 1, 2);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, ErrorCode::parameter_invalid);
    EXPECT_TRUE(small->execute(*SqlText::parse("CREATE TABLE t (a)")));
    EXPECT_EQ(**small->query_one<std::int64_t>(*SqlText::parse("INSERT INTO t VALUES ({a}) RETURNING a"), 7),
              7);
    EXPECT_FALSE(small->query_each<std::int64_t>(*SqlText::parse("DELETE FROM t RETURNING a"), [](auto) {}));
    auto const columns = small->query<std::int64_t>(*SqlText::parse("SELECT 1, 2"));
    ASSERT_FALSE(columns);
    EXPECT_EQ(columns.error().message, "The statement gives 2 columns, the row type takes 1.");
}

TEST_F(SqliteTest, ColumnsBehindAStarAreCountedWhenRead) {
    add("one");
    EXPECT_TRUE((db->query<"SELECT * FROM todos", Todo>()));
    EXPECT_TRUE(db->execute<"ALTER TABLE todos ADD COLUMN more">());
    auto const wrong = db->query<"SELECT * FROM todos", Todo>();
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, ErrorCode::internal);
}

TEST_F(SqliteTest, AWrongTextIsAnErrorThatSaysWhy) {
    auto const wrong = db->query<"SELECT missing FROM todos", std::int64_t>();
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, ErrorCode::internal);
    EXPECT_NE(wrong.error().message.find("no such column: missing"), std::string::npos)
        << wrong.error().message;
    EXPECT_FALSE(db->execute<"INSERT INTO missing VALUES (1)">());
    add("it goes on");
}

TEST(SqliteOpen, RefusesWhatIsNoFile) {
    for (char const* const path : {"", ":memory:"}) {
        auto const opened = Database::open(path);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error().code, ErrorCode::parameter_invalid);
    }
    test::TemporaryDirectory const directory;
    auto const missing = Database::open(directory.path() / "no" / "db");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::io);
}

TEST(SqliteOpen, DataAndVersionStayInTheFile) {
    test::TemporaryDirectory const directory;
    auto const path = directory.path() / "db";
    std::initializer_list<std::string_view> const first = {
        "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a_id INTEGER REFERENCES a(id));"};
    {
        auto const db = *Database::open(path);
        ASSERT_TRUE(db->migrate(first));
        ASSERT_TRUE(db->migrate(first));
        ASSERT_TRUE(db->execute<"INSERT INTO a VALUES (1)">());
    }
    auto const db = *Database::open(path, {.exclusive = true});
    ASSERT_TRUE(db->migrate({*first.begin(), "INSERT INTO a VALUES (2); -- the end"}));
    EXPECT_EQ(*(db->query_one<"SELECT sum(id) FROM a", std::int64_t>()), 3);
    auto const older = db->migrate(first);
    ASSERT_FALSE(older);
    EXPECT_EQ(older.error().code, ErrorCode::unsupported);
}

TEST(SqliteMigrate, AFailedScriptLeavesNothing) {
    auto const db = *Database::open_temporary();
    std::string_view const good = "CREATE TABLE a (id INTEGER PRIMARY KEY)";
    auto const tables = [&] {
        return **(db->query_one<"SELECT count(*) FROM sqlite_schema", std::int64_t>());
    };
    EXPECT_EQ(db->migrate({good, "CREATE TABLE b (x); CREATE TABEL c (x)"}).error().code,
              ErrorCode::internal);
    EXPECT_EQ(tables(), 1);
    EXPECT_EQ(db->migrate({good, "CREATE TABLE b (x); /* now */ COMMIT"}).error().code, ErrorCode::internal);
    EXPECT_EQ(tables(), 1);
    std::string_view const dangling = "CREATE TABLE b (a_id REFERENCES a(id)); INSERT INTO b VALUES (7)";
    EXPECT_EQ(db->migrate({good, dangling}).error().code, ErrorCode::validation);
    EXPECT_EQ(tables(), 1);
    // A table that others refer to is built anew, and the keys are enforced again afterwards.
    EXPECT_TRUE(
        db->migrate({good,
                     "CREATE TABLE b (a_id REFERENCES a(id)); INSERT INTO a VALUES (7);"
                     "INSERT INTO b VALUES (7)",
                     "CREATE TABLE n (id INTEGER PRIMARY KEY, more); INSERT INTO n SELECT id, 1 FROM a;"
                     "DROP TABLE a; ALTER TABLE n RENAME TO a"}));
    EXPECT_EQ(db->execute<"DELETE FROM a">().error().code, ErrorCode::validation);
}

TEST(SqliteThreads, AThreadThatEndsClosesItsConnection) {
    auto const db = *Database::open_temporary();
    std::jthread([&] { EXPECT_TRUE((db->query_one<"SELECT 1", std::int64_t>())); }).join();
    EXPECT_EQ(db->statistics().reading_threads, 0U);
    EXPECT_TRUE((db->query_one<"SELECT 1", std::int64_t>()));
    EXPECT_EQ(db->statistics().reading_threads, 1U);
}

TEST(SqliteThreads, ADatabaseMayEndBeforeItsThreads) {
    test::TemporaryDirectory const directory;
    std::jthread([&] {
        for (int time = 0; time < 3; ++time) {
            auto db = *Database::open(directory.path() / "db", {.exclusive = true});
            auto other = *Database::open_temporary();
            EXPECT_TRUE((db->query_one<"SELECT 1", std::int64_t>()));
            EXPECT_TRUE((other->query_one<"SELECT 1", std::int64_t>()));
            EXPECT_TRUE((db->query_one<"SELECT 1", std::int64_t>()));
        }
    }).join();
    EXPECT_FALSE(std::filesystem::exists(directory.path() / "db-wal"));
}

TEST(SqliteThreads, ReadsGoOnWhileATransactionIsOpen) {
    auto const db = *Database::open_temporary();
    ASSERT_TRUE(db->migrate({"CREATE TABLE t (a INTEGER)"}));
    auto const done = db->transaction([&](Transaction& writing) -> Result<void> {
        QUERN_CHECK(writing.execute<"INSERT INTO t VALUES (1)">());
        std::jthread([&] {
            EXPECT_EQ(**(db->query_one<"SELECT count(*) FROM t", std::int64_t>()), 0);
        }).join();
        EXPECT_EQ(**(db->query_one<"SELECT count(*) FROM t", std::int64_t>()), 0);
        EXPECT_EQ(**(writing.query_one<"SELECT count(*) FROM t", std::int64_t>()), 1);
        return {};
    });
    EXPECT_TRUE(done);
    EXPECT_EQ(**(db->query_one<"SELECT count(*) FROM t", std::int64_t>()), 1);
}

}  // namespace
}  // namespace quern
