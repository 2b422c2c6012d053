// SPDX-License-Identifier: Apache-2.0
#include "app/bench_score.h"

#include <gtest/gtest.h>

namespace quern::app {
namespace {

BenchLine line(std::string_view name, std::uint64_t count, double seconds) {
    return {.measure = find_measure(name),
            .figures = BenchFigures{.count = count, .seconds = seconds, .median_us = 1, .p99_us = 2},
            .sqlite = {}};
}

BenchReference reference(std::map<std::string, double, std::less<>> per_second) {
    BenchReference made;
    made.per_second = std::move(per_second);
    return made;
}

TEST(BenchMeasure, NamesAreFoundAndUnique) {
    EXPECT_EQ(bench_measures().size(), 12U);
    for (BenchMeasure const& measure : bench_measures()) EXPECT_EQ(find_measure(measure.name), &measure);
    EXPECT_EQ(find_measure("none"), nullptr);
}

TEST(BenchMeasure, FiguresAreThoseOfTheTimes) {
    BenchTimes times;
    for (int time_us = 1; time_us <= 100; ++time_us) times.add_ns(time_us * 1000);
    BenchFigures const figures = figures_of(times, 0.5);
    EXPECT_EQ(figures.count, 100U);
    EXPECT_DOUBLE_EQ(figures.per_second(), 200);
    EXPECT_NEAR(figures.median_us, 50, 50 * 0.016);
    EXPECT_NEAR(figures.p99_us, 99, 99 * 0.016);
    EXPECT_EQ(figures_of(BenchTimes(), 0).per_second(), 0) << "of nothing";
}

TEST(BenchMeasure, TimesBelowAMicrosecondAreTold) {
    BenchTimes times;
    times.add_ns(250);
    EXPECT_NEAR(figures_of(times, 1).median_us, 0.25, 0.01);
}

TEST(BenchScore, IsTheGeometricMeanOfTheRatios) {
    BenchLine const lines[] = {line("create", 400, 2), line("read", 100, 2)};  // 200 and 50 a second
    auto const score = score_of(lines, reference({{"create", 100}, {"read", 100}}));
    ASSERT_TRUE(score);
    EXPECT_NEAR(score->value, 1000, 1e-9) << "twice and half";
    EXPECT_EQ(score->measures, 2U);
}

TEST(BenchScore, OfTheReferenceItselfIsTheReferencesScore) {
    BenchLine const lines[] = {line("create", 123, 2), line("list", 77, 3)};
    auto const score = score_of(lines, reference({{"create", 61.5}, {"list", 77.0 / 3}}));
    EXPECT_NEAR(score.value().value, bench_score_of_reference, 1e-9);
}

TEST(BenchScore, CountsWhatBothHave) {
    BenchLine absent{.measure = find_measure("group_count"), .figures = {}, .sqlite = {}};
    BenchLine const lines[] = {line("create", 300, 1), line("update", 300, 1), line("read", 0, 1), absent};
    auto const score =
        score_of(lines, reference({{"create", 100}, {"read", 100}, {"group_count", 5}, {"delete", 7}}));
    EXPECT_NEAR(score.value().value, 3000, 1e-9);
    EXPECT_EQ(score->measures, 1U);
    EXPECT_FALSE(score_of(lines, reference({{"delete", 7}})));
    EXPECT_FALSE(score_of(lines, reference({{"create", 0}}))) << "nothing to divide by";
    EXPECT_FALSE(score_of({}, reference({{"create", 100}})));
}

TEST(BenchScore, AReferenceIsAReport) {
    auto const read = BenchReference::parse(R"({"date": "2026-01-02 03:04:05.000Z", "commit": "abc",
        "machine": {"processor": "P"}, "durability": "full", "rows": 5000, "measures": [
        {"name": "create", "operations_per_second": 10.5}, {"name": "read", "operations_per_second": 7},
        {"name": "list_as_of", "absent": "not here"}]})");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->processor, "P");
    EXPECT_EQ(read->commit, "abc");
    EXPECT_EQ(read->durability, "full");
    EXPECT_EQ(read->rows, 5000U);
    EXPECT_EQ(read->per_second.size(), 2U);
    EXPECT_DOUBLE_EQ(read->per_second.at("create"), 10.5);
    EXPECT_FALSE(BenchReference::parse("{}"));
    EXPECT_FALSE(BenchReference::parse("no JSON"));
}

TEST(BenchScore, TheBuiltInReferenceCanBeRead) {
    auto const read = BenchReference::parse(built_in_reference());
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->durability, "full");
    for (auto const& [name, per_second] : read->per_second) {
        EXPECT_NE(find_measure(name), nullptr) << name;
        EXPECT_GT(per_second, 0) << name;
    }
    EXPECT_FALSE(read->per_second.empty());
}

}  // namespace
}  // namespace quern::app
