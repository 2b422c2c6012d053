// SPDX-License-Identifier: Apache-2.0
#pragma once

// The same questions asked of SQLite without an engine, in the same directory and as durably: what Quern's
// storage layer adds is the difference. Its tables and indexes are made by the engine's own definitions, its
// rows and ids are those of the stage.

#include <filesystem>
#include <memory>

#include <quern/error.h>
#include "app/bench_measure.h"
#include "app/bench_stage.h"

namespace quern::app {

class BenchStraight {
public:
    virtual ~BenchStraight() = default;

    // Makes a file of its own in the directory and copies the posts of PostTable::kept that there are.
    // Lifetime: borrows the stage. Errors: as SQLite tells.
    [[nodiscard]] static Result<std::unique_ptr<BenchStraight>> open(BenchStage& stage,
                                                                     std::filesystem::path const& directory,
                                                                     bool relaxed);

    // Precondition: measure.beside_sqlite. Errors: as SQLite tells; internal — the probe failed; interrupted.
    [[nodiscard]] virtual Result<BenchFigures> measure(BenchMeasure const& measure, BenchRun const& run) = 0;
};

}  // namespace quern::app
