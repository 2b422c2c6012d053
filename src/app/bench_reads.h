// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads through the storage layer, in the way in which event loops ask.
//
// Callers are closed loops: each asks again as soon as it has its answer. They are shared out among as many
// threads as the server would have event loops, each with a reader and kept plans of its own. One turn of a
// thread answers each of its callers once, and then gives up the snapshot that the reads of the turn shared.
// A caller's time runs from one answer to the next, so with several it has the wait for the others in it.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <quern/arena.h>
#include <quern/error.h>
#include "app/bench_measure.h"
#include "app/bench_rows.h"
#include "app/bench_stage.h"
#include "query/planner.h"
#include "query/request_values.h"

namespace quern::app {

// Asks for rows of PostTable::kept that are chosen at random, and checks each answer.
// Threads: its thread.
class BenchReader {
public:
    // Precondition: the collection is filled. Lifetime: borrows the stage.
    [[nodiscard]] static Result<std::unique_ptr<BenchReader>> open(BenchStage& stage, BenchKind kind,
                                                                   std::uint64_t seed);

    // One operation: decides by the rules, makes or finds the plan, binds it, reads all values of the rows.
    // Errors: as the engine tells; internal — other rows came than are there.
    [[nodiscard]] Result<void> ask();
    void end_turn() { reader_->end_snapshot(); }

    // Reads `records` records, evenly spread, or all if there are no more, and compares every value with what
    // was written. Errors: as ask().
    [[nodiscard]] Result<void> check_contents(std::size_t records);

private:
    BenchReader(BenchStage& stage, BenchKind kind, std::uint64_t seed);
    [[nodiscard]] Result<void> ask_once();
    [[nodiscard]] Result<void> read_record(std::size_t number, RowSink& sink);
    [[nodiscard]] Result<void> ask_record();
    [[nodiscard]] Result<void> ask_list();
    [[nodiscard]] Result<void> ask_list_by_rule();
    [[nodiscard]] Result<void> list(std::string_view filter, std::vector<std::size_t> const& expected);

    BenchStage& stage_;
    BenchKind kind_;
    BenchRandom random_;
    std::shared_ptr<Schema const> schema_;
    Collection const& posts_;
    Collection const& accounts_;
    std::vector<std::vector<std::size_t>> best_;  // of each category or owner
    std::vector<std::string> filters_;            // of each category
    std::unique_ptr<engine::Reader> reader_;
    query::Planner planner_;
    query::RequestValues values_;
    Arena arena_;
};

// Runs a measure that reads.
// Errors: as BenchReader::ask; interrupted — the run was stopped.
[[nodiscard]] Result<BenchFigures> measure_reads(BenchStage& stage, BenchMeasure const& measure,
                                                 BenchRun const& run);

}  // namespace quern::app
