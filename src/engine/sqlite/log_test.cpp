// SPDX-License-Identifier: Apache-2.0

// The log under readers that never rest: it stays small, nothing acknowledged is missed, and a warm read does
// not allocate.

#include <sqlite3.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "engine/sqlite/test_database.h"

namespace {

// On this thread, by operator new and by SQLite.
thread_local std::size_t allocations = 0;

sqlite3_mem_methods sqlite_memory;

// Before SQLite starts.
bool const counting = [] {
    sqlite3_config(SQLITE_CONFIG_GETMALLOC, &sqlite_memory);
    sqlite3_mem_methods counted = sqlite_memory;
    counted.xMalloc = [](int bytes) {
        ++allocations;
        return sqlite_memory.xMalloc(bytes);
    };
    counted.xRealloc = [](void* place, int bytes) {
        ++allocations;
        return sqlite_memory.xRealloc(place, bytes);
    };
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &counted) == SQLITE_OK;
}();

}  // namespace

void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* const place = std::malloc(bytes == 0 ? 1 : bytes)) return place;
    throw std::bad_alloc();
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }

namespace quern::engine::sqlite {
namespace {

class LogTest : public DatabaseTest {
protected:
    static Options small_log() {
        Options options;
        options.checkpoint_bytes = 64 << 10;
        options.restart_bytes = 256 << 10;
        options.synchronous = Synchronous::normal;
        return options;
    }
    LogTest() : DatabaseTest(small_log()) {}

    // One commit that sets a counter, and some bytes around it.
    void write(std::int64_t number) {
        Collection const& posts = *schema->find("posts");
        Transaction* const transaction = must(writer->begin());
        Assignment const change[] = {set(posts, "views", Value::of(number)),
                                     set(posts, "title", Value::of(std::string_view(padding_)))};
        EXPECT_TRUE(must(transaction->update(posts, "p", change)));
        must(writer->commit());
    }

    std::string const padding_ = std::string(6000, 'x');
};

// Readers take a snapshot, read many times, and take the next, as loops do; one never rests and never gives
// its snapshot up by itself.
TEST_F(LogTest, StaysBoundedAndFreshUnderStickyReaders) {
    must(insert("posts", {{"id", Value::of("p")}}));
    auto const plan = by_id("posts", {"views"});
    std::atomic<std::int64_t> acknowledged{0};
    std::atomic<bool> stop{false};
    std::atomic<int> stale{0};
    std::atomic<std::int64_t> reads{0};
    std::vector<std::thread> threads;
    for (int count = 0; count < 2; ++count) {
        threads.emplace_back([&, count] {
            auto const own = must(database->open_reader());
            Value const id = Value::of("p");
            while (!stop) {
                for (int read = 0; read < 100 && !stop; ++read) {
                    std::int64_t const least = acknowledged;
                    std::int64_t seen = -1;
                    RowFunction sink([&](std::span<Value const> row) {
                        seen = row[0].integer;
                        return true;
                    });
                    must(own->select({*plan, std::span(&id, 1)}, sink));
                    if (seen < least) ++stale;
                    ++reads;
                }
                if (count == 0) own->end_snapshot();
            }
        });
    }
    // On a busy machine a reader may sleep on its snapshot longer than a restart waits; the next one finds it
    // awake.
    constexpr std::int64_t commits_min = 2'000;
    constexpr std::int64_t commits_max = 40'000;
    constexpr std::uint64_t restarts_min = 5;
    for (std::int64_t number = 1; number <= commits_max; ++number) {
        write(number);
        acknowledged = number;
        if (number >= commits_min && database->statistics().restarts >= restarts_min) break;
    }
    stop = true;
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(stale, 0);
    EXPECT_GT(reads, 0);
    EXPECT_GE(database->statistics().restarts, restarts_min);
    EXPECT_EQ(database->statistics().checkpoint_failures, 0U);
}

TEST_F(LogTest, AHeldSnapshotPutsTheRestartOff) {
    must(insert("posts", {{"id", Value::of("p")}}));
    reader->hold_snapshot();
    write(1);
    auto const refused = database->checkpoint(true);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::overloaded);
    EXPECT_EQ(database->statistics().snapshots, 1U);
    reader->end_snapshot();
    must(database->checkpoint(true));
    EXPECT_EQ(database->statistics().snapshots, 0U);
}

// One that stays must not make every commit wait for an attempt that is in vain.
TEST_F(LogTest, AHeldSnapshotIsNotAskedWithEveryCommit) {
    close();
    options_.checkpoint_bytes = 1 << 20;
    open();
    must(insert("posts", {{"id", Value::of("p")}}));
    reader->hold_snapshot();
    for (std::int64_t number = 1; number <= 300; ++number) write(number);
    auto const now = database->statistics();
    EXPECT_GT(now.log_bytes, std::uint64_t{2} << 20);
    constexpr std::uint64_t quiet_moments = 10;  // on a busy machine
    EXPECT_LT(now.restarts_put_off, now.log_bytes / options_.checkpoint_bytes + quiet_moments);
    reader->end_snapshot();
}

TEST_F(LogTest, WritesAndReadsGoOnAfterARestart) {
    must(insert("posts", {{"id", Value::of("p")}}));
    auto const plan = by_id("posts", {"views"});
    for (std::int64_t number = 1; number < 20; ++number) {
        write(number);
        EXPECT_EQ(must(rows_of(*reader, *plan, {Value::of("p")})),
                  std::vector<std::string>{std::to_string(number)});
        reader->end_snapshot();
        must(database->checkpoint(true));
    }
}

TEST_F(LogTest, AWarmReadAllocatesNothing) {
    ASSERT_TRUE(counting);
    must(insert("posts",
                {{"id", Value::of("p")}, {"title", Value::of("a title that is no short string at all")}}));
    auto const plan = by_id("posts", {"id", "title", "views"});
    Value const id = Value::of("p");
    std::size_t bytes = 0;
    RowFunction sink([&](std::span<Value const> row) {
        bytes += row[1].text.size();
        return true;
    });
    for (int warm = 0; warm < 3; ++warm) {
        must(reader->select({*plan, std::span(&id, 1)}, sink));
        reader->end_snapshot();
    }
    std::size_t const before = allocations;
    for (int read = 0; read < 100; ++read) {
        bool const good = reader->select({*plan, std::span(&id, 1)}, sink).has_value();
        if (!good || read % 10 == 9) reader->end_snapshot();
    }
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(bytes, 103U * 38U);
}

}  // namespace
}  // namespace quern::engine::sqlite
