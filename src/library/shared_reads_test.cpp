// SPDX-License-Identifier: Apache-2.0
// Reads of one iteration share a snapshot, which never hides what was acknowledged.
#include "library/shared_reads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include <quern/app.h>
#include <quern/sqlite.h>
#include "base/test_directory.h"

namespace quern {
namespace {

class SharedReads : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(db->migrate({"CREATE TABLE t (a INTEGER)"}));
        // As another process would have it: a commit that this Database does not know of.
        other = *Database::open(directory.path() / "db");
    }
    ~SharedReads() override { detail::end_shared_reads(); }

    static std::int64_t count(Database& database) {
        auto const found = database.query_one<"SELECT count(*) FROM t", std::int64_t>();
        EXPECT_TRUE(found);
        return found ? **found : -1;
    }
    static void add(Database& database) { EXPECT_TRUE(database.execute<"INSERT INTO t VALUES (1)">()); }
    void add_elsewhere() {
        std::jthread([this] { add(*other); }).join();
    }

    test::TemporaryDirectory directory;
    std::shared_ptr<Database> db = *Database::open(directory.path() / "db");
    std::shared_ptr<Database> other;
};

TEST_F(SharedReads, OneSnapshotUntilTheIterationEnds) {
    detail::begin_shared_reads();
    EXPECT_EQ(count(*db), 0);
    add_elsewhere();
    EXPECT_EQ(count(*db), 0);
    detail::end_shared_reads();
    EXPECT_EQ(count(*db), 1);
    add_elsewhere();
    EXPECT_EQ(count(*db), 2) << "reads of other threads are snapshots of their own";
}

TEST_F(SharedReads, AnAcknowledgedWriteIsSeenAtOnce) {
    detail::begin_shared_reads();
    EXPECT_EQ(count(*db), 0);
    add(*db);
    EXPECT_EQ(count(*db), 1);
    std::jthread([this] { add(*db); }).join();
    EXPECT_EQ(count(*db), 2);

    std::atomic<bool> told = false;
    db->submit(
        [](Transaction& transaction) -> Result<void> {
            QUERN_CHECK(transaction.execute<"INSERT INTO t VALUES (1)">());
            return {};
        },
        [&](Result<void>) {
            told = true;
            told.notify_all();
        });
    told.wait(false);
    EXPECT_EQ(count(*db), 3);
}

TEST_F(SharedReads, AnOpenSnapshotStaysWhileRowsAreRead) {
    add(*db);
    add(*db);
    detail::begin_shared_reads();
    std::int64_t rows = 0;
    auto const read = db->query_each<"SELECT a FROM t", std::int64_t>([&](std::int64_t) {
        add_elsewhere();
        EXPECT_EQ(count(*db), 2);
        detail::drop_shared_snapshots();
        EXPECT_EQ(count(*db), 2);
        ++rows;
    });
    EXPECT_TRUE(read);
    EXPECT_EQ(rows, 2);
    detail::end_shared_reads();
    EXPECT_EQ(count(*db), 4);
}

TEST_F(SharedReads, AFailedReadLeavesTheNextOnesWhole) {
    detail::begin_shared_reads();
    EXPECT_EQ(count(*db), 0);
    EXPECT_FALSE((db->query_one<"SELECT abs(-9223372036854775808) FROM t UNION SELECT "
                                "abs(-9223372036854775808)",
                                std::int64_t>()));
    EXPECT_EQ(count(*db), 0);
    add(*db);
    EXPECT_EQ(count(*db), 1);
}

TEST_F(SharedReads, ADatabaseMayEndWithinTheIteration) {
    detail::begin_shared_reads();
    EXPECT_EQ(count(*db), 0);
    EXPECT_EQ(count(*other), 0);
    db.reset();
    EXPECT_EQ(count(*other), 0);
    detail::end_shared_reads();
    add(*other);
    EXPECT_EQ(count(*other), 1);
}

TEST_F(SharedReads, AThreadMayEndWithinTheIteration) {
    std::jthread([this] {
        detail::begin_shared_reads();
        EXPECT_EQ(count(*db), 0);
    }).join();
    EXPECT_EQ(db->statistics().reading_threads, 0U);
    add(*db);
    EXPECT_EQ(count(*db), 1);
}

TEST_F(SharedReads, ManyWritesDoNotWaitForALoopThatReads) {
    std::atomic<bool> stop = false;
    std::jthread const loop([&] {
        while (!stop) {
            detail::begin_shared_reads();
            for (int time = 0; time < 10; ++time) (void)count(*db);
            detail::end_shared_reads();
        }
    });
    for (int time = 0; time < 300; ++time) {
        std::int64_t const before = count(*db);
        add(*db);
        ASSERT_EQ(count(*db), before + 1);
    }
    stop = true;
}

TEST_F(SharedReads, AnAppsOwnRequestSharesNothing) {
    App app;
    app.get<"/count">([this] { return std::to_string(count(*db)); });
    EXPECT_EQ(app.request(http::Method::get, "/count").body, "0");
    add_elsewhere();
    EXPECT_EQ(app.request(http::Method::get, "/count").body, "1");
    EXPECT_FALSE(detail::are_reads_shared());
}

}  // namespace
}  // namespace quern
