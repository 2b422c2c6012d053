// SPDX-License-Identifier: Apache-2.0
#pragma once

// The reference engine: everything in memory, correct rather than fast.
//
// It answers every plan by the words of plan.h and is the oracle that the other engines are compared with. A
// commit makes a new frozen state; readers see the state that was the last one when their statement (or their
// held snapshot) began.

#include <cstdint>
#include <memory>

#include "engine/engine.h"
#include "os/clock.h"

namespace quern::engine::ram {

struct Options {
    // For budgets. Borrowed as long as the engine lives.
    os::Clock const& clock;
    // Where the order of `random` sort keys starts: equal seeds give equal orders.
    std::uint64_t random_seed = 1;
};

// An empty database.
//
// Limits: what memory holds. Nothing survives the process (Abilities::durable is false).
// Cost:   a statement reads every row of its root collection; the first write to a table within a transaction
//         or savepoint copies that table's list of rows.
// Lifetime: readers and the writer keep the data alive and may outlive the engine.
[[nodiscard]] std::unique_ptr<Engine> open(Options options);

}  // namespace quern::engine::ram
