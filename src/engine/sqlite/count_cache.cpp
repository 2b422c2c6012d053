// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/count_cache.h"

#include <cstring>

namespace quern::engine::sqlite {

std::optional<SnapshotId> snapshot_id(Connection const& connection) {
    sqlite3_snapshot* snapshot = nullptr;
    if (sqlite3_snapshot_get(connection.get(), "main", &snapshot) != SQLITE_OK) return std::nullopt;
    SnapshotId id{};
    std::memcpy(id.data(), snapshot, id.size());
    sqlite3_snapshot_free(snapshot);
    return id;
}

std::optional<std::int64_t> CountCache::find(SnapshotId const& snapshot, std::string const& key) {
    std::lock_guard const lock(mutex_);
    if (snapshot != snapshot_) return std::nullopt;
    auto const found = counts_.find(key);
    return found == counts_.end() ? std::nullopt : std::optional(found->second);
}

void CountCache::keep(SnapshotId const& snapshot, std::string const& key, std::int64_t count) {
    if (key.size() > key_bytes_max) return;
    std::lock_guard const lock(mutex_);
    if (snapshot != snapshot_) {
        counts_.clear();
        snapshot_ = snapshot;
    }
    if (counts_.size() < counts_max) counts_.insert_or_assign(key, count);
}

}  // namespace quern::engine::sqlite
