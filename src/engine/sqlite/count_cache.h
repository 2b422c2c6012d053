// SPDX-License-Identifier: Apache-2.0
#pragma once

// Counts of rows that were slow to find out, kept as long as nothing has changed.
//
// A list with its total counts all rows that match; in a table of many rows this costs far more than the
// page. A count depends on the statement, its values and the snapshot alone (plans know no clock), so the
// same question to the same snapshot has the same answer. Which snapshot it is, SQLite itself says: the
// header of its log's index, which moves with every commit of this process or another.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include <sqlite3.h>

#include "engine/sqlite/connection.h"

namespace quern::engine::sqlite {

// A moment of the database; equal ones have the same rows.
using SnapshotId = std::array<unsigned char, sizeof(sqlite3_snapshot)>;

// Of the read transaction that is open and has read. Nothing when the log is empty: then SQLite does not say.
[[nodiscard]] std::optional<SnapshotId> snapshot_id(Connection const& connection);

// Threads: any.
class CountCache {
public:
    // Faster ones are not worth a place. Microseconds.
    static constexpr std::int64_t slow_us = 50;
    // Counts of one snapshot; more are not kept.
    static constexpr std::size_t counts_max = 1024;
    // Longest key, in bytes.
    static constexpr std::size_t key_bytes_max = std::size_t{16} << 10;

    [[nodiscard]] std::optional<std::int64_t> find(SnapshotId const& snapshot, std::string const& key);
    // Forgets the counts of another snapshot.
    void keep(SnapshotId const& snapshot, std::string const& key, std::int64_t count);

private:
    std::mutex mutex_;
    SnapshotId snapshot_{};
    std::unordered_map<std::string, std::int64_t> counts_;
};

}  // namespace quern::engine::sqlite
