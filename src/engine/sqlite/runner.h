// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs plans on one connection; readers and the write transaction share it.

#include <string>

#include "engine/engine.h"
#include "engine/sqlite/connection.h"
#include "engine/sqlite/plan_cache.h"

namespace quern::engine::sqlite {

// Threads: one at a time. A sink may run another plan on the same runner.
class Runner {
public:
    Runner(Connection& connection, std::size_t statements_max)
        : connection_(connection), cache_(connection, statements_max) {}

    [[nodiscard]] Result<void> select(plan::BoundPlan bound, RowSink& sink);
    [[nodiscard]] Result<std::int64_t> count(plan::BoundPlan bound);

    // What count() finds out, as a key: the statement and its values. Errors: those of preparing.
    [[nodiscard]] Result<void> write_count_key(plan::BoundPlan bound, std::string& key);

    // Statements that have begun and not ended: more than zero inside of a sink.
    [[nodiscard]] int depth() const { return depth_; }
    [[nodiscard]] PlanCache const& cache() const { return cache_; }

private:
    // The form that is exact for the kinds of these values.
    [[nodiscard]] Result<Entry*> entry_of(plan::BoundPlan bound, Form form, Form exactly);
    [[nodiscard]] Result<void> run(plan::BoundPlan bound, Entry& entry, RowSink& sink);
    [[nodiscard]] Result<void> pour(Statement& statement, std::vector<sql::Binding> const& bindings,
                                    std::vector<Value>& row, plan::BoundPlan bound, RowSink& sink);

    Connection& connection_;
    PlanCache cache_;
    int depth_ = 0;
};

}  // namespace quern::engine::sqlite
