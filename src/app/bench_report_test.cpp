// SPDX-License-Identifier: Apache-2.0
#include "app/bench_report.h"

#include <gtest/gtest.h>

#include "json/reader.h"

namespace quern::app {
namespace {

BenchReport report() {
    BenchReport made;
    made.version = "1.2.3";
    made.date = "2026-01-02 03:04:05.000Z";
    made.machine = {.processor = "A \"fast\" one", .kernel = "Linux 6"};
    made.processors = 4;
    made.file_system.type = "ext4";
    made.rows = 10'000;
    made.seconds = 2;
    BenchFigures const figures{.count = 2000, .seconds = 2, .median_us = 12.25, .p99_us = 99};
    made.lines = {{find_measure("create"), figures, BenchFigures{.count = 4000, .seconds = 2}},
                  {find_measure("list_as_of"), {}, {}}};
    made.reference.date = "2025-12-31 00:00:00.000Z";
    made.reference.commit = "abc";
    made.reference.processor = "Another";
    made.reference.durability = "full";
    made.reference.rows = 10'000;
    made.reference.per_second = {{"create", 500}};
    return made;
}

json::Tree json_of(BenchReport const& made) {
    Buffer text;
    print_json(made, text);
    return json::Tree::parse(text.view()).value();
}

TEST(BenchReport, JsonTellsAll) {
    json::Tree const tree = json_of(report());
    json::Node const root = tree.root();
    EXPECT_EQ(root.at("machine.processor")->text(), "A \"fast\" one");
    EXPECT_EQ(root.at("machine.processors")->integer(), 4);
    EXPECT_EQ(root.at("file_system.type")->text(), "ext4");
    EXPECT_EQ(root.at("durability")->text(), "full");
    EXPECT_EQ(root.at("measures.0.name")->text(), "create");
    EXPECT_EQ(root.at("measures.0.operations_per_second")->real(), 1000);
    EXPECT_EQ(root.at("measures.0.median_us")->real(), 12.25);
    EXPECT_EQ(root.at("measures.0.count")->integer(), 2000);
    EXPECT_FALSE(root.at("measures.0.absent"));
    EXPECT_FALSE(root.at("measures.1.count")) << "what is absent has no figures";
    EXPECT_NE(root.at("measures.1.absent")->text(), "");
    EXPECT_EQ(root.at("sqlite")->size(), 1U);
    EXPECT_EQ(root.at("sqlite.0.operations_per_second")->real(), 2000);
    EXPECT_EQ(root.at("score.value")->real(), 2000);
    EXPECT_EQ(root.at("score.relative_to")->text(), "the run of 2025-12-31 at abc on Another");
}

TEST(BenchReport, CanBeTheNextReference) {
    Buffer text;
    print_json(report(), text);
    auto const reference = BenchReference::parse(text.view());
    ASSERT_TRUE(reference);
    BenchReport again = report();
    again.reference = *reference;
    EXPECT_EQ(why_no_score(again), "");
    EXPECT_NE(print_text(again).find("score 1000:"), std::string::npos) << print_text(again);
}

TEST(BenchReport, RunsThatAreNotAlikeHaveNoScore) {
    BenchReport relaxed = report();
    relaxed.relaxed = true;
    EXPECT_NE(why_no_score(relaxed), "");
    EXPECT_TRUE(json_of(relaxed).root().at("score")->is_null());
    EXPECT_EQ(json_of(relaxed).root().at("score_absent")->text(), why_no_score(relaxed));
    BenchReport small = report();
    small.rows = 2000;
    EXPECT_NE(why_no_score(small), "");
    BenchReport in_memory = report();
    in_memory.file_system.volatile_memory = true;
    EXPECT_NE(why_no_score(in_memory), "");
    BenchReport others = report();
    others.reference.per_second = {{"read", 500}};
    EXPECT_NE(why_no_score(others), "");
    EXPECT_NE(print_text(others).find("no score: "), std::string::npos);
}

TEST(BenchReport, TextHasALineForEachMeasure) {
    std::string const text = print_text(report());
    EXPECT_NE(text.find("create, 1 caller"), std::string::npos);
    EXPECT_NE(text.find("list of 20 as of a time   absent: "), std::string::npos) << text;
    EXPECT_NE(text.find("score 2000: "), std::string::npos) << text;
}

}  // namespace
}  // namespace quern::app
