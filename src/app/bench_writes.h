// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes through the store's writer, in the way in which requests do it.
//
// Each caller is a job in the store's queue, as a request on an event loop is: one thread, in the place of
// the loops, hands the jobs in; the store's own thread runs what has queued in one transaction, commits, and
// tells each job; the first thread takes the time and hands the caller's next write in. Inside the
// transaction a job does what the endpoint of the API does: it asks the rules, checks and completes the
// values, writes, and reads the written record back for the answer.

#include <cstddef>

#include <quern/error.h>
#include "app/bench_measure.h"
#include "app/bench_stage.h"

namespace quern::app {

// Fills a collection with as many rows as the stage is for, unless it is filled already. Nothing is measured.
// Errors: as the store tells; interrupted — the run was stopped.
[[nodiscard]] Result<void> fill(BenchStage& stage, PostTable table, BenchRun const& run);

// Runs a measure that writes, on the collection that is its own (create: made, update: kept, delete:
// removed), and checks that exactly what was acknowledged is there. A delete ends early when no rows are
// left. Errors: as the store tells; internal — the probe failed; interrupted — the run was stopped.
[[nodiscard]] Result<BenchFigures> measure_writes(BenchStage& stage, BenchMeasure const& measure,
                                                  BenchRun const& run);

}  // namespace quern::app
