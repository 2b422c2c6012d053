// SPDX-License-Identifier: Apache-2.0
// Writes: errors, transactions, hooks, group commit.
#include <quern/sqlite.h>

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/test_directory.h"

namespace quern {
namespace {

class SqliteWriteTest : public testing::Test {
protected:
    SqliteWriteTest() {
        EXPECT_TRUE(db->migrate({
            "CREATE TABLE counter (n INTEGER NOT NULL); INSERT INTO counter VALUES (0);"
            "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL CHECK (name <> 'root'),"
            "  boss INTEGER REFERENCES users(id), UNIQUE (boss, name));"
            "CREATE TABLE late (user INTEGER REFERENCES users(id) DEFERRABLE INITIALLY DEFERRED);"
            "CREATE TABLE strict_one (n INTEGER) STRICT;"
            "CREATE TRIGGER no_eve BEFORE INSERT ON users WHEN new.name = 'eve' BEGIN"
            "  SELECT RAISE(ABORT, 'not eve'); END;"
            "CREATE TRIGGER no_mallory BEFORE INSERT ON users WHEN new.name = 'mallory' BEGIN"
            "  SELECT RAISE(ROLLBACK, 'not mallory'); END;",
        }));
    }
    static Result<Changes> add(Transaction& writing, std::string_view name) {
        return writing.execute<"INSERT INTO users (name) VALUES ({name})">(name);
    }
    Result<Changes> add(std::string_view name) {
        return db->execute<"INSERT INTO users (name) VALUES ({name})">(name);
    }
    // The names, in order.
    std::string names() {
        std::string all;
        EXPECT_TRUE((db->query_each<"SELECT name FROM users ORDER BY id", std::string_view>(
            [&](std::string_view name) { all += (all.empty() ? "" : " ") + std::string(name); })));
        return all;
    }
    // Holds the writer until release(), so that what is submitted meanwhile is one batch.
    void hold() {
        std::latch running(1);
        db->submit(
            [&](Transaction&) -> Result<void> {
                running.count_down();
                released.acquire();
                return {};
            },
            [this](Result<void>) { held.release(); });
        running.wait();
    }
    void release() {
        released.release();
        held.acquire();
    }

    std::binary_semaphore released{0}, held{0};
    std::shared_ptr<Database> db = *Database::open_temporary();
};

TEST_F(SqliteWriteTest, AWriteTellsWhatItDid) {
    auto made = add("ann");
    ASSERT_TRUE(made);
    EXPECT_EQ(made->rows, 1);
    EXPECT_EQ(made->last_insert_id, 1);
    add("bob").value();
    auto const updated =
        db->execute<"UPDATE users SET boss = {boss} WHERE name IN ({a}, {b})">(1, "ann", "bob");
    EXPECT_EQ(updated->rows, 2);
    EXPECT_EQ(updated->last_insert_id, 0);
    EXPECT_EQ(db->execute<"DELETE FROM users WHERE id = {id}">(99)->rows, 0);
    EXPECT_EQ(db->execute<"CREATE TABLE more (a)">()->rows, 0);
    EXPECT_EQ(**(db->query_one<"INSERT INTO users (name) VALUES ({name}) RETURNING id", std::int64_t>("cid")),
              3);
    EXPECT_EQ((*db->query<"UPDATE users SET boss = NULL RETURNING name", std::string>()).size(), 3U);
}

TEST_F(SqliteWriteTest, BrokenConstraintsNameTheirColumns) {
    add("ann").value();
    Error const taken = add("ann").error();
    EXPECT_EQ(taken.code, ErrorCode::conflict);
    ASSERT_EQ(taken.fields.size(), 1U);
    EXPECT_EQ(taken.fields[0].field, "users.name");
    EXPECT_EQ(db->execute<"INSERT INTO users (id, name) VALUES (1, 'x')">().error().fields[0].field,
              "users.id");

    Error const null = db->execute<"INSERT INTO users (name) VALUES (NULL)">().error();
    EXPECT_EQ(null.code, ErrorCode::validation);
    EXPECT_EQ(null.fields.at(0).field, "users.name");
    EXPECT_EQ(null.fields.at(0).code, "required");
    EXPECT_EQ(add("root").error().code, ErrorCode::validation);
    EXPECT_EQ(add("root").error().fields.at(0).field, "name <> 'root'");
    EXPECT_EQ(add("eve").error(), Error(ErrorCode::validation, "not eve"));
    EXPECT_EQ(db->execute<"UPDATE users SET boss = 7">().error().code, ErrorCode::validation);
    EXPECT_EQ(db->execute<"INSERT INTO late VALUES (7)">().error().code, ErrorCode::validation);
    EXPECT_EQ(db->execute<"INSERT INTO strict_one VALUES ({n})">("text").error().fields.at(0).field,
              "strict_one.n");
    EXPECT_EQ(names(), "ann");
}

TEST_F(SqliteWriteTest, TwoColumnsThatAreUniqueTogetherAreBothNamed) {
    EXPECT_TRUE(db->execute<"CREATE TABLE pairs (a, b, UNIQUE (a, b))">());
    EXPECT_TRUE(db->execute<"INSERT INTO pairs VALUES (1, 2)">());
    Error const taken = db->execute<"INSERT INTO pairs VALUES (1, 2)">().error();
    ASSERT_EQ(taken.fields.size(), 2U);
    EXPECT_EQ(taken.fields[0].field, "pairs.a");
    EXPECT_EQ(taken.fields[1].field, "pairs.b");
}

TEST_F(SqliteWriteTest, ATransactionIsAllOrNothing) {
    auto const sum = db->transaction([&](Transaction& writing) -> Result<std::int64_t> {
        QUERN_CHECK(add(writing, "ann"));
        QUERN_CHECK(add(writing, "bob"));
        QUERN_TRY(auto const count, writing.query_one<"SELECT count(*) FROM users", std::int64_t>());
        return *count;
    });
    EXPECT_EQ(sum, 2);
    auto const failed = db->transaction([&](Transaction& writing) -> Result<void> {
        QUERN_CHECK(add(writing, "cid"));
        return fail(ErrorCode::forbidden);
    });
    EXPECT_EQ(failed.error().code, ErrorCode::forbidden);
    EXPECT_THROW(static_cast<void>(db->transaction([&](Transaction& writing) -> Result<void> {
                     QUERN_CHECK(add(writing, "dan"));
                     throw std::runtime_error("away");
                 })),
                 std::runtime_error);
    EXPECT_EQ(names(), "ann bob");
}

TEST_F(SqliteWriteTest, AnInnerTransactionIsUndoneAlone) {
    auto const done = db->transaction([&](Transaction& outer) -> Result<void> {
        QUERN_CHECK(add(outer, "ann"));
        auto const inner = outer.transaction([&](Transaction& writing) -> Result<void> {
            QUERN_CHECK(add(writing, "bob"));
            return fail(ErrorCode::forbidden);
        });
        EXPECT_EQ(inner.error().code, ErrorCode::forbidden);
        EXPECT_THROW(static_cast<void>(outer.transaction([&](Transaction& writing) -> Result<void> {
                         QUERN_CHECK(add(writing, "cid"));
                         throw std::runtime_error("away");
                     })),
                     std::runtime_error);
        return outer.transaction([&](Transaction& writing) -> Result<void> {
            QUERN_CHECK(add(writing, "dan"));
            EXPECT_FALSE(writing.transaction([&](Transaction& deepest) -> Result<void> {
                QUERN_CHECK(add(deepest, "fay"));
                QUERN_CHECK(add(deepest, "fay"));
                return {};
            }));
            return {};
        });
    });
    EXPECT_TRUE(done);
    EXPECT_EQ(names(), "ann dan");
}

TEST_F(SqliteWriteTest, HooksRunAfterTheCommitInOrder) {
    std::string told;
    auto const tell = [&](std::string word) { return [&told, word] { told += word + " "; }; };
    auto const done = db->transaction([&](Transaction& outer) -> Result<void> {
        outer.on_commit(tell("one"));
        outer.on_commit([&] { told += names() + " "; });
        EXPECT_FALSE(outer.transaction([&](Transaction& inner) -> Result<void> {
            inner.on_commit(tell("undone"));
            return fail(ErrorCode::forbidden);
        }));
        QUERN_CHECK(outer.transaction([&](Transaction& inner) -> Result<void> {
            inner.on_commit(tell("two"));
            return {};
        }));
        outer.on_commit(tell("three"));
        EXPECT_EQ(told, "");
        return add(outer, "ann").has_value() ? Result<void>() : fail(ErrorCode::internal);
    });
    EXPECT_TRUE(done);
    EXPECT_EQ(told, "one ann two three ");
    told.clear();
    EXPECT_FALSE(db->transaction([&](Transaction& writing) -> Result<void> {
        writing.on_commit(tell("undone"));
        return fail(ErrorCode::forbidden);
    }));
    EXPECT_EQ(told, "");
}

TEST_F(SqliteWriteTest, AHandleRefusesAfterItsEnd) {
    std::optional<Transaction> kept, inner_kept;
    EXPECT_TRUE(db->transaction([&](Transaction& writing) -> Result<void> {
        EXPECT_TRUE(writing.transaction([&](Transaction& inner) -> Result<void> {
            inner_kept.emplace(std::move(inner));
            return {};
        }));
        EXPECT_EQ(add(*inner_kept, "ann").error().code, ErrorCode::transaction_over);
        kept.emplace(std::move(writing));
        return {};
    }));
    EXPECT_EQ(add(*kept, "ann").error().code, ErrorCode::transaction_over);
    // Nor does it speak for the next transaction, which another thread may run.
    hold();
    EXPECT_EQ(add(*kept, "ann").error().code, ErrorCode::transaction_over);
    EXPECT_EQ((kept->query<"SELECT 1", std::int64_t>().error().code), ErrorCode::transaction_over);
    EXPECT_FALSE(kept->transaction([](Transaction&) -> Result<void> { return {}; }));
    release();
    db.reset();
    EXPECT_EQ(add(*kept, "ann").error().code, ErrorCode::transaction_over);
}

TEST_F(SqliteWriteTest, AHandleRefusesAfterSqliteUndidTheTransaction) {
    std::string told;
    auto const done = db->transaction([&](Transaction& writing) -> Result<void> {
        QUERN_CHECK(add(writing, "ann"));
        writing.on_commit([&] { told += "hook"; });
        EXPECT_EQ(add(writing, "mallory").error(), Error(ErrorCode::validation, "not mallory"));
        EXPECT_EQ(add(writing, "bob").error().code, ErrorCode::transaction_over);
        EXPECT_EQ((writing.query<"SELECT 1", std::int64_t>().error().code), ErrorCode::transaction_over);
        EXPECT_FALSE(writing.transaction([](Transaction&) -> Result<void> { return {}; }));
        return {};  // not noticing
    });
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::transaction_over);
    EXPECT_EQ(names() + told, "");

    auto const nested = db->transaction([&](Transaction& outer) -> Result<void> {
        auto const inner = outer.transaction([&](Transaction& writing) -> Result<void> {
            (void)add(writing, "mallory");
            return {};
        });
        EXPECT_EQ(inner.error().code, ErrorCode::transaction_over);
        return inner;
    });
    EXPECT_EQ(nested.error().code, ErrorCode::transaction_over);
    add("ann").value();
}

TEST_F(SqliteWriteTest, AThreadCannotWaitForItself) {
    EXPECT_TRUE(db->transaction([&](Transaction& writing) -> Result<void> {
        EXPECT_EQ(add("ann").error().code, ErrorCode::internal);
        writing.on_commit([&] { EXPECT_EQ(add("ann").error().code, ErrorCode::internal); });
        return {};
    }));
    EXPECT_EQ(names(), "");
}

TEST_F(SqliteWriteTest, MembersOfABatchFailAlone) {
    add("ann").value();
    auto const before = db->statistics();
    std::vector<std::string> ends;
    std::latch all(4);
    hold();
    for (std::string const name : {"bob", "ann", "cid", "eve"}) {
        db->submit(
            [name](Transaction& writing) -> Result<void> {
                QUERN_CHECK(add(writing, name + "'s friend"));
                QUERN_CHECK(add(writing, name));
                return {};
            },
            [&, name](Result<void> result) {
                ends.push_back(name + (result ? " fine" : " failed"));
                all.count_down();
            });
    }
    release();
    all.wait();
    EXPECT_EQ(ends, (std::vector<std::string>{"bob fine", "ann failed", "cid fine", "eve failed"}));
    EXPECT_EQ(names(), "ann bob's friend bob cid's friend cid");
    auto const after = db->statistics();
    EXPECT_EQ(after.commits - before.commits, 2U);  // that which held, and the batch
    EXPECT_EQ(after.writes - before.writes, 3U);
    EXPECT_EQ(after.failures - before.failures, 2U);
}

// What undoes the whole batch, or shows at its commit only, is one member's fault.
TEST_F(SqliteWriteTest, AMemberThatUndoesTheBatchFailsAlone) {
    for (bool const at_commit : {false, true}) {
        std::vector<std::string> ends;
        std::latch all(3);
        hold();
        for (std::string const name : {"bob", "mallory", "cid"}) {
            db->submit(
                [name, at_commit](Transaction& writing) -> Result<void> {
                    if (at_commit && name == "mallory") {
                        QUERN_CHECK(writing.execute<"INSERT INTO late VALUES (77)">());
                    } else {
                        QUERN_CHECK(add(writing, name + (at_commit ? "2" : "")));
                    }
                    return {};
                },
                [&, name](Result<void> result) {
                    ends.push_back(name + (result ? " fine" : " failed"));
                    all.count_down();
                });
        }
        release();
        all.wait();
        EXPECT_EQ(ends, (std::vector<std::string>{"bob fine", "mallory failed", "cid fine"}));
    }
    EXPECT_EQ(names(), "bob cid bob2 cid2");
    EXPECT_EQ(**(db->query_one<"SELECT count(*) FROM late", std::int64_t>()), 0);
}

TEST_F(SqliteWriteTest, SubmittedWorkThatThrowsIsAnError) {
    std::promise<Result<void>> told;
    db->submit([](Transaction&) -> Result<void> { throw std::runtime_error("away"); },
               [&](Result<void> result) { told.set_value(std::move(result)); });
    EXPECT_EQ(told.get_future().get().error(), Error(ErrorCode::internal, "away"));
}

TEST_F(SqliteWriteTest, NoIncrementIsLostAndCommitsAreShared) {
    constexpr int threads = 8;
    constexpr int each = 625;
    test::TemporaryDirectory const directory(test::TemporaryDirectory::Place::memory);
    auto const durable = *Database::open(directory.path() / "db");
    ASSERT_TRUE(
        durable->migrate({"CREATE TABLE counter (n INTEGER NOT NULL); INSERT INTO counter VALUES (0)"}));
    auto const before = durable->statistics();
    {
        std::vector<std::jthread> running;
        for (int thread = 0; thread < threads; ++thread) {
            running.emplace_back([&] {
                for (int time = 0; time < each; ++time) {
                    auto const done = durable->transaction([](Transaction& writing) -> Result<void> {
                        QUERN_TRY(auto const n, writing.query_one<"SELECT n FROM counter", std::int64_t>());
                        QUERN_CHECK(writing.execute<"UPDATE counter SET n = {n}">(*n + 1));
                        return {};
                    });
                    ASSERT_TRUE(done) << done.error().message;
                    ASSERT_TRUE((durable->query_one<"SELECT n FROM counter", std::int64_t>()));
                }
            });
        }
    }
    EXPECT_EQ(**(durable->query_one<"SELECT n FROM counter", std::int64_t>()), threads * each);
    auto const after = durable->statistics();
    EXPECT_EQ(after.writes - before.writes, std::uint64_t{threads} * each);
    EXPECT_LT(after.commits - before.commits, after.writes - before.writes);
    EXPECT_EQ(after.failures, before.failures);
}

TEST_F(SqliteWriteTest, AFullQueueRefusesAtOnce) {
    DatabaseOptions options;
    options.queue_max = 1;
    db = *Database::open_temporary(options);
    hold();
    std::promise<Result<void>> first, second;
    db->submit([](Transaction&) -> Result<void> { return {}; },
               [&](Result<void> result) { first.set_value(std::move(result)); });
    db->submit([](Transaction&) -> Result<void> { return {}; },
               [&](Result<void> result) { second.set_value(std::move(result)); });
    EXPECT_EQ(second.get_future().get().error().code, ErrorCode::overloaded);
    EXPECT_EQ(db->execute<"CREATE TABLE t (a)">().error().code, ErrorCode::overloaded);
    release();
    EXPECT_TRUE(first.get_future().get());
}

TEST_F(SqliteWriteTest, WhatWaitsTooLongIsRefused) {
    DatabaseOptions options;
    options.wait_max = std::chrono::milliseconds(200);
    db = *Database::open_temporary(options);
    hold();
    std::promise<Result<void>> told;
    db->submit([](Transaction&) -> Result<void> { return {}; },
               [&](Result<void> result) { told.set_value(std::move(result)); });
    std::this_thread::sleep_for(2 * options.wait_max);
    release();
    EXPECT_EQ(told.get_future().get().error().code, ErrorCode::timeout);
}

// As two processes do: each has a writer of its own.
TEST_F(SqliteWriteTest, AWriteWaitsForAnotherProcess) {
    test::TemporaryDirectory const directory;
    DatabaseOptions options;
    options.busy_wait = std::chrono::seconds(20);
    auto const one = *Database::open(directory.path() / "db", options);
    auto const other = *Database::open(directory.path() / "db", options);
    std::latch running(1);
    std::jthread const holder([&] {
        EXPECT_TRUE(one->transaction([&](Transaction&) -> Result<void> {
            running.count_down();
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            return {};
        }));
    });
    running.wait();
    auto const made = other->execute<"CREATE TABLE t (a)">();
    EXPECT_TRUE(made) << made.error().message;
}

TEST_F(SqliteWriteTest, TheLastUserMayLeaveFromTheWriter) {
    std::promise<void> left;
    std::weak_ptr<Database> const alive = db;
    auto* const raw = db.get();
    raw->submit([](Transaction&) -> Result<void> { return {}; },
                [&left, last = std::move(db)](Result<void>) mutable {
                    last.reset();
                    left.set_value();
                });
    left.get_future().wait();
    EXPECT_TRUE(alive.expired());
}

TEST_F(SqliteWriteTest, QueuedWritesAreFinishedWhenTheDatabaseCloses) {
    test::TemporaryDirectory const directory;
    std::atomic<int> told = 0;
    {
        auto const closing = *Database::open(directory.path() / "db");
        ASSERT_TRUE(closing->migrate({"CREATE TABLE t (a)"}));
        for (int time = 0; time < 100; ++time) {
            closing->submit(
                [](Transaction& writing) -> Result<void> {
                    QUERN_CHECK(writing.execute<"INSERT INTO t VALUES (1)">());
                    return {};
                },
                [&](Result<void> result) { told += result ? 1 : 0; });
        }
    }
    EXPECT_EQ(told, 100);
    auto const again = *Database::open(directory.path() / "db");
    EXPECT_EQ(**(again->query_one<"SELECT count(*) FROM t", std::int64_t>()), 100);
}

}  // namespace
}  // namespace quern
