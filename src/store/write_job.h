// SPDX-License-Identifier: Apache-2.0
#pragma once

// One write waiting for its turn.
//
// The writer takes jobs in the order they came, runs each inside a savepoint of a shared transaction, commits
// once, and only then tells each job how it ended. A job that fails is undone alone.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include <quern/error.h>
#include "engine/engine.h"
#include "schema/collection.h"

namespace quern::store {

class RemovalPlans;

// What a job sees while it runs.
//
// Lifetime: one run() call. Threads: the writer's.
struct WriteContext {
    engine::Transaction& transaction;
    // The schema as it is inside this transaction. A job prepared against another version must prepare again.
    std::shared_ptr<Schema const> schema;
    // UTC milliseconds, one value for the whole batch.
    std::int64_t now_ms = 0;

    // A record version that no other write has (see Collection::version_field).
    [[nodiscard]] std::int64_t next_version() { return ++*last_version; }
    std::int64_t* last_version = nullptr;

    // Counts one record that the run goes through beyond its own; on an event loop there may be only so many.
    // Errors: interrupted — the run takes too long where it is: give it up with this error. The store undoes
    // it
    //         and runs it again, from the start, where nobody waits for it.
    [[nodiscard]] Result<void> count_record() {
        if (records_left == 0) return fail(ErrorCode::interrupted);
        --records_left;
        return {};
    }
    std::size_t records_left = std::numeric_limits<std::size_t>::max();

    // Kept from one removal to the next (removal.h).
    RemovalPlans* removal_plans = nullptr;

    // Set by a job that changed the schema; becomes the store's schema when the commit is durable.
    std::shared_ptr<Schema const> next_schema;
};

class WriteJob {
public:
    // Does the work. May be called again when the engine undid the whole batch, or on another thread when it
    // took too long on the loop, so it must start afresh.
    [[nodiscard]] virtual Result<void> run(WriteContext& context) = 0;

    // Told exactly once: after the commit that holds the write is durable, or with the reason it failed.
    // The job may delete itself here. Threads: the writer's.
    virtual void done(Result<void> result) = 0;

    // A schema change, or what takes long: runs in a transaction of its own, and never on a loop.
    bool alone = false;

    // When waiting in the queue ends with `timeout` (monotonic microseconds). Set by Store::submit.
    std::int64_t deadline_us = 0;

protected:
    ~WriteJob() = default;
};

}  // namespace quern::store
