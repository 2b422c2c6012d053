// SPDX-License-Identifier: Apache-2.0
#include "app/load_histogram.h"

#include <gtest/gtest.h>

namespace quern::app {
namespace {

TEST(LoadHistogram, ShortTimesAreExact) {
    LoadHistogram times;
    for (int time = 1; time <= 50; ++time) times.add(time);
    EXPECT_EQ(times.count(), 50U);
    EXPECT_EQ(times.percentile_us(0.5), 25);
    EXPECT_EQ(times.percentile_us(0.99), 50);
    EXPECT_EQ(times.percentile_us(0), 1);
    EXPECT_EQ(times.percentile_us(1), 50);
    EXPECT_DOUBLE_EQ(times.mean_us(), 25.5);
}

TEST(LoadHistogram, LongTimesAreNearlyExactAndNeverTooLow) {
    for (std::int64_t const time : {64LL, 65LL, 127LL, 128LL, 1000LL, 99'999LL, 3'600'000'000LL}) {
        LoadHistogram times;
        times.add(time);
        times.add(time * 4);
        EXPECT_GE(times.percentile_us(0.5), time);
        EXPECT_LE(static_cast<double>(times.percentile_us(0.5)), static_cast<double>(time) * 1.016);
        EXPECT_EQ(times.percentile_us(1), time * 4) << "the largest is exact";
    }
}

TEST(LoadHistogram, TakesWhatNoClockTells) {
    LoadHistogram times;
    times.add(-5);
    times.add(INT64_MAX / 2);
    EXPECT_EQ(times.count(), 2U);
    EXPECT_EQ(times.percentile_us(0.5), 0);
    EXPECT_EQ(LoadHistogram().percentile_us(0.5), 0);
}

TEST(LoadHistogram, ThoseOfSeveralThreadsAreOne) {
    LoadHistogram one;
    LoadHistogram other;
    for (int time = 0; time < 10; ++time) {
        one.add(10);
        other.add(1000);
    }
    one.add(other);
    EXPECT_EQ(one.count(), 20U);
    EXPECT_EQ(one.percentile_us(0.5), 10);
    EXPECT_GE(one.percentile_us(0.55), 1000);
    EXPECT_EQ(one.max_us(), 1000);
}

}  // namespace
}  // namespace quern::app
