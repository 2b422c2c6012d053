// SPDX-License-Identifier: Apache-2.0
// A count that was kept is the one that would be found out now.
#include "engine/sqlite/count_cache.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>

#include "engine/sqlite/test_database.h"
#include "os/clock.h"

namespace quern::engine::sqlite {
namespace {

// Every count seems slow.
class SlowClock final : public os::Clock {
public:
    [[nodiscard]] std::int64_t monotonic_us() const override { return now_us_ += CountCache::slow_us; }
    [[nodiscard]] std::int64_t realtime_us() const override { return 0; }

private:
    mutable std::atomic<std::int64_t> now_us_ = 0;
};

Options shared_with_slow_clock(os::Clock const& clock) {
    Options options;
    options.exclusive = false;
    options.clock = &clock;
    options.checkpoint_thread = false;
    return options;
}

class KeptCounts : public DatabaseTest {
protected:
    KeptCounts() : DatabaseTest(shared_with_slow_clock(clock())) {}
    static os::Clock const& clock() {
        static SlowClock const clock;
        return clock;
    }

    void SetUp() override {
        DatabaseTest::SetUp();
        auto counted = test::from(schema, "users");
        counted.where =
            plan::compare(test::column(counted, 0, "name"), plan::Comparison::equal, plan::parameter(0));
        counted.parameter_count = 1;
        plan_ = plan::seal(std::move(counted));
        add("u1", "Ann");
    }
    void add(std::string_view id, std::string_view name) {
        must(insert("users", {{"id", Value::of(id)}, {"name", Value::of(name)}}));
    }
    std::int64_t count(Value const& name = Value::of("Ann")) { return count(*reader, name); }
    std::int64_t count(Reader& from, Value const& name = Value::of("Ann")) {
        std::vector<Value> const values = {name};
        auto const counted = must(from.count({*plan_, values}));
        from.end_snapshot();
        return counted;
    }
    std::uint64_t kept() { return database->statistics().counts_kept; }

    std::shared_ptr<plan::Plan const> plan_;
};

TEST_F(KeptCounts, TheSameQuestionToTheSameSnapshotIsAnsweredOnce) {
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(kept(), 0U);
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(kept(), 1U);
    auto const other = must(database->open_reader());
    auto same = *plan_;
    plan_ = plan::seal(std::move(same));
    EXPECT_EQ(count(*other), 1);
    EXPECT_EQ(kept(), 2U) << "readers share them, and so do plans that were made apart";
}

TEST_F(KeptCounts, ValuesAreToldApartWithTheirKinds) {
    Value const names[] = {Value::of("Ann"),           Value::of("Bob"), Value::of(""),
                           Value::of(std::int64_t{0}), Value::of(0.0),   Value{}};
    for (Value const& name : names) (void)count(name);
    EXPECT_EQ(kept(), 0U);
    EXPECT_EQ(count(Value::of("Ann")), 1);
    EXPECT_EQ(count(Value::of("Bob")), 0);
    EXPECT_EQ(kept(), 2U);
}

TEST_F(KeptCounts, ACommitEndsThem) {
    EXPECT_EQ(count(), 1);
    add("u2", "Ann");
    EXPECT_EQ(count(), 2);
    add("u3", "Bob");
    EXPECT_EQ(count(), 2);
    EXPECT_EQ(kept(), 0U);
}

TEST_F(KeptCounts, ACommitOfAnotherProcessEndsThem) {
    EXPECT_EQ(count(), 1);
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open((directory_.path() / "data.db").c_str(), &raw), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(raw, "UPDATE users SET name = 'Bob'", nullptr, nullptr, nullptr), SQLITE_OK);
    EXPECT_EQ(count(), 0);
    // The log starts over with other content of the same length.
    ASSERT_EQ(sqlite3_exec(raw, "PRAGMA wal_checkpoint(TRUNCATE); UPDATE users SET name = 'Ann'", nullptr,
                           nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(raw);
    EXPECT_EQ(count(), 1);
}

TEST_F(KeptCounts, TheyOutliveThatTheLogStartsOver) {
    EXPECT_EQ(count(), 1);
    must(database->checkpoint(true));
    EXPECT_EQ(count(), 1);
    add("u2", "Ann");
    EXPECT_EQ(count(), 2);
    EXPECT_EQ(count(), 2);
}

TEST_F(KeptCounts, AFileThatWasJustOpenedKeepsThemToo) {
    close();
    open();
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(kept(), 1U);
}

TEST_F(KeptCounts, FastCountsAreNotKept) {
    close();
    options_.clock = nullptr;
    open();
    for (int time = 0; time < 10; ++time) EXPECT_EQ(count(), 1);
    EXPECT_LT(kept(), 10U) << "but one that did not get to run may be";
}

TEST(CountCache, IsBounded) {
    CountCache cache;
    SnapshotId snapshot{};
    snapshot[0] = 1;
    for (std::size_t number = 0; number < 2 * CountCache::counts_max; ++number)
        cache.keep(snapshot, std::to_string(number), 1);
    EXPECT_TRUE(cache.find(snapshot, "0"));
    EXPECT_FALSE(cache.find(snapshot, std::to_string(CountCache::counts_max)));
    cache.keep(snapshot, std::string(CountCache::key_bytes_max + 1, 'x'), 1);
    EXPECT_FALSE(cache.find(snapshot, std::string(CountCache::key_bytes_max + 1, 'x')));
}

}  // namespace
}  // namespace quern::engine::sqlite
