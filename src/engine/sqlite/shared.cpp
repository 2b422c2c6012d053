// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/shared.h"

namespace quern::engine::sqlite {

void Gate::enter_writer() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !taken_ && checkpoints_waiting_ == 0; });
    taken_ = true;
}

void Gate::enter_checkpoint() {
    std::unique_lock lock(mutex_);
    ++checkpoints_waiting_;
    changed_.wait(lock, [this] { return !taken_; });
    --checkpoints_waiting_;
    taken_ = true;
}

void Gate::leave() {
    {
        std::lock_guard const lock(mutex_);
        taken_ = false;
    }
    changed_.notify_all();
}

Error sync_error() { return Error(ErrorCode::io, "The data file could not be synced; the log is kept."); }

void Shared::enter_snapshot() {
    for (;;) {
        holders.fetch_add(1);
        if (!draining.load()) return;
        holders.fetch_sub(1);
        draining.wait(true);
    }
}

}  // namespace quern::engine::sqlite
