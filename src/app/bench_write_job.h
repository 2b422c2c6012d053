// SPDX-License-Identifier: Apache-2.0
#pragma once

// One write of `quern bench` on its way through the store, and what all of them share on the writer's thread.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <quern/arena.h>
#include "app/bench_measure.h"
#include "app/bench_rows.h"
#include "app/bench_stage.h"
#include "query/planner.h"
#include "schema/input.h"
#include "store/write_job.h"

namespace quern::app {

class BenchWrite;

// Jobs that have ended, from the writer's thread to the one that hands in. Threads: any.
class FinishedWrites {
public:
    void put(BenchWrite& job);
    // Waits for one at least, and gives all that are there in `jobs`.
    void take(std::vector<BenchWrite*>& jobs);

private:
    std::mutex mutex_;
    std::condition_variable some_;
    std::vector<BenchWrite*> jobs_;
};

// What the jobs need inside the transaction, as the API keeps it for its writer.
// Threads: the writer's.
struct BenchWriter {
    BenchWriter(BenchStage& bench_stage, PostTable table)
        : stage(bench_stage), collection(stage.collection(table)), input(collection) {}

    BenchStage& stage;
    Collection const& collection;
    RecordInput input;
    query::Planner planner;
    Arena arena;
};

enum class WriteKind : std::uint8_t { create, update, remove };

// Threads: that which hands in until submit(), then the writer's until it is in FinishedWrites.
class BenchWrite final : public store::WriteJob {
public:
    BenchWrite(BenchWriter& writer, FinishedWrites& finished, WriteKind kind)
        : writer_(writer), finished_(finished), kind_(kind) {}

    // What is to be written next.
    void prepare(std::size_t number);  // create: the row of that number
    void prepare(std::size_t number, std::string_view id, std::int64_t views);  // update
    void prepare(std::size_t number, std::string_view id);                      // delete

    Result<void> run(store::WriteContext& context) override;
    void done(Result<void> result) override;

    [[nodiscard]] std::size_t number() const { return number_; }
    [[nodiscard]] std::string const& id() const { return id_; }  // create: as the server made it
    [[nodiscard]] std::int64_t views() const { return views_; }
    [[nodiscard]] Result<void> const& result() const { return result_; }

    std::int64_t begin_ns = 0;  // of the caller's wait; for the thread that hands in

private:
    [[nodiscard]] Result<void> create(store::WriteContext& context);
    [[nodiscard]] Result<void> update(store::WriteContext& context);
    [[nodiscard]] Result<void> remove(store::WriteContext& context);
    [[nodiscard]] Result<std::span<Value const>> read_row(store::WriteContext& context, query::Access access);
    [[nodiscard]] Result<void> check_rule(store::WriteContext& context, query::Access access);
    [[nodiscard]] Result<void> read_back(store::WriteContext& context);

    BenchWriter& writer_;
    FinishedWrites& finished_;
    WriteKind kind_;
    std::size_t number_ = 0;
    PostRow post_;
    std::string id_;
    std::int64_t views_ = 0;
    query::RequestValues values_;
    Result<void> result_;
};

}  // namespace quern::app
