// SPDX-License-Identifier: Apache-2.0
#pragma once

// A reader: one connection that keeps its snapshot as long as nothing newer was acknowledged.

#include <memory>
#include <string>

#include "engine/sqlite/runner.h"
#include "engine/sqlite/shared.h"

namespace quern::engine::sqlite {

// Threads: its thread.
class SqliteReader final : public Reader {
public:
    [[nodiscard]] static Result<std::unique_ptr<Reader>> open(std::shared_ptr<Shared> shared);
    ~SqliteReader() override;

    [[nodiscard]] Result<void> select(plan::BoundPlan bound, RowSink& sink) override;
    [[nodiscard]] Result<std::int64_t> count(plan::BoundPlan bound) override;
    void set_budget(Budget budget) override { connection_.watch().set_budget(budget); }
    void end_snapshot() override;
    void hold_snapshot() override;

private:
    SqliteReader(std::shared_ptr<Shared> shared, Connection connection);
    [[nodiscard]] Result<void> prepare();

    // Has a snapshot open that holds every acknowledged write.
    [[nodiscard]] Result<void> refresh() {
        if (open_) [[likely]] {
            bool const fresh = shared_->sequence.load(std::memory_order_acquire) == sequence_;
            if (fresh || held_ || runner_.depth() > 0) [[likely]]
                return {};
        }
        return reopen();
    }
    [[nodiscard]] Result<void> reopen();
    void after_error();
    void begin_reading();

    std::shared_ptr<Shared> shared_;
    Connection connection_;
    Statement begin_;
    Statement end_;
    Statement touch_;
    Runner runner_;
    bool open_ = false;
    bool held_ = false;
    std::uint64_t sequence_ = 0;  // of the open snapshot
    std::string key_;             // of the last count
};

}  // namespace quern::engine::sqlite
