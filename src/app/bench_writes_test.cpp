// SPDX-License-Identifier: Apache-2.0
#include "app/bench_writes.h"

#include <gtest/gtest.h>

#include "app/bench_reads.h"
#include "app/bench_straight.h"
#include "base/test_directory.h"
#include "store/removal.h"

namespace quern::app {
namespace {

class BenchRuns : public ::testing::Test {
protected:
    void SetUp() override {
        auto opened = BenchStage::open(
            {.directory = directory_.path(), .relaxed = true, .rows = 2'000, .on_fatal = {}}, clock_);
        ASSERT_TRUE(opened) << opened.error().message;
        stage_ = std::move(*opened);
    }
    Result<BenchFigures> writes(std::string_view name) {
        return measure_writes(*stage_, *find_measure(name), run_);
    }
    Result<BenchFigures> reads(std::string_view name) {
        return measure_reads(*stage_, *find_measure(name), run_);
    }
    // Behind the back of the measures.
    Result<void> remove(PostTable table, std::size_t number) {
        return stage_->store().write_now(
            [&](store::WriteContext& context) -> Result<void> {
                QUERN_TRY(bool const removed, store::remove_record(context, stage_->collection(table),
                                                                   stage_->ids(table)[number]));
                EXPECT_TRUE(removed);
                return {};
            },
            false);
    }

    test::TemporaryDirectory directory_{test::TemporaryDirectory::Place::memory};
    os::SystemClock clock_;
    std::atomic<bool> stopped_ = false;
    BenchRun run_{clock_, 0.02, stopped_};
    std::unique_ptr<BenchStage> stage_;
};

TEST_F(BenchRuns, EveryMeasureOfThisBuildPassesItsProbe) {
    ASSERT_TRUE(fill(*stage_, PostTable::kept, run_));
    ASSERT_TRUE(fill(*stage_, PostTable::removed, run_));
    for (BenchMeasure const& measure : bench_measures()) {
        if (!measure.absent.empty()) continue;
        bool const is_read = measure.kind == BenchKind::read || measure.kind == BenchKind::list ||
                             measure.kind == BenchKind::list_rule;
        auto const figures = is_read ? reads(measure.name) : writes(measure.name);
        ASSERT_TRUE(figures) << measure.name << ": " << figures.error().message;
        EXPECT_GT(figures->count, 0U) << measure.name;
        EXPECT_LE(figures->median_us, figures->p99_us) << measure.name;
    }
}

TEST_F(BenchRuns, SqliteAloneAnswersTheSame) {
    ASSERT_TRUE(fill(*stage_, PostTable::kept, run_));
    auto const straight = BenchStraight::open(*stage_, directory_.path(), true);
    ASSERT_TRUE(straight) << straight.error().message;
    for (BenchMeasure const& measure : bench_measures()) {
        if (!measure.beside_sqlite) continue;
        auto const figures = (*straight)->measure(measure, run_);
        ASSERT_TRUE(figures) << measure.name << ": " << figures.error().message;
        EXPECT_GT(figures->count, 0U) << measure.name;
    }
}

TEST_F(BenchRuns, ALostRecordIsSeen) {
    ASSERT_TRUE(fill(*stage_, PostTable::kept, run_));
    ASSERT_TRUE(remove(PostTable::kept, 0));
    auto const figures = reads("read");
    ASSERT_FALSE(figures);
    EXPECT_EQ(figures.error().code, ErrorCode::internal);
    EXPECT_NE(figures.error().message.find("probe"), std::string::npos);
}

TEST_F(BenchRuns, ARowTooFewIsSeen) {
    ASSERT_TRUE(writes("create_32"));
    ASSERT_TRUE(remove(PostTable::made, 3));
    auto const figures = writes("create");
    ASSERT_FALSE(figures);
    EXPECT_NE(figures.error().message.find("posts_made has"), std::string::npos) << figures.error().message;
}

TEST_F(BenchRuns, AnOldValueIsSeen) {
    ASSERT_TRUE(fill(*stage_, PostTable::kept, run_));
    stage_->views().assign(stage_->rows(), 7);  // as if such writes had been acknowledged
    EXPECT_FALSE(writes("update"));
}

TEST_F(BenchRuns, ARunCanBeStopped) {
    ASSERT_TRUE(fill(*stage_, PostTable::kept, run_));
    run_.seconds = 100;
    stopped_ = true;
    EXPECT_EQ(reads("read_32").error().code, ErrorCode::interrupted);
    EXPECT_EQ(writes("create_32").error().code, ErrorCode::interrupted);
}

}  // namespace
}  // namespace quern::app
