// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/shared.h"

#include <algorithm>

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

// Not by way of SQLite, which would write a byte into each new block: beside a checkpoint that might hit a
// page.
Result<void> Shared::grow_file(std::uint64_t bytes) {
    if (!file) return {};
    QUERN_TRY(std::uint64_t const size, file->size());
    if (size >= bytes) return {};
    std::uint64_t const wanted = (bytes + growth_bytes - 1) / growth_bytes * growth_bytes;
    // The last step may have a hole: where the file has been cut, it may have become longer.
    std::uint64_t const from = size - std::min(size, growth_bytes);
    auto grown = file->allocate(from, wanted - from);
    if (!grown && grown.error().code == ErrorCode::disk_full) return grown;
    return {};  // what else there may be is for the writes themselves to tell
}

void Shared::enter_snapshot() {
    for (;;) {
        holders.fetch_add(1);
        if (!draining.load()) return;
        holders.fetch_sub(1);
        draining.wait(true);
    }
}

}  // namespace quern::engine::sqlite
