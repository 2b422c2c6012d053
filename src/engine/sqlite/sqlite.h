// SPDX-License-Identifier: Apache-2.0
#pragma once

// The default engine: collections as real tables of one SQLite file in WAL mode.
//
// Each reader has its own connection; consecutive reads share one snapshot until another write was
// acknowledged or end_snapshot() is called. One connection writes. A thread of the engine moves the log into
// the file and has it start over, so that it stays small although snapshots are almost always open.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <quern/error.h>
#include "engine/engine.h"
#include "os/clock.h"

namespace quern::engine::sqlite {

enum class Synchronous : std::uint8_t {
    full,    // an acknowledged commit survives power loss
    normal,  // power loss may take the last commits; the file stays whole
};

struct Options {
    // The database file; made when missing, its directory must exist.
    std::filesystem::path path;

    // Locks and the log's index are kept in this process alone: faster, and no other process can open the
    // file.
    bool exclusive = true;
    Synchronous synchronous = Synchronous::full;

    // Most memory for pages, for each connection; filled as pages are read.
    std::size_t reader_cache_bytes = 16U << 20;
    std::size_t writer_cache_bytes = 16U << 20;
    // How much of the file is mapped for reading. Zero: a read error of a mapped page would end the process.
    std::size_t mapped_bytes = 0;

    // How long another process may keep the file locked before `overloaded`: for opening and reading, and for
    // beginning a write, which may be tried again. Within this process nobody waits.
    std::chrono::milliseconds busy_wait{50};
    std::chrono::milliseconds write_busy_wait{3};

    // Prepared statements kept by each reader; the least recently used goes first. Each takes some 5-20 KiB.
    std::size_t statements_max = 512;

    // When the log is moved into the file, and when it has to start over (then readers pause, about 1 ms).
    std::size_t checkpoint_bytes = 8U << 20;
    std::size_t restart_bytes = 24U << 20;
    std::chrono::milliseconds checkpoint_after{1000};  // the last commit
    bool checkpoint_thread = true;  // off: checkpoint() is called by whoever opened the engine

    // The file layer (a registered SQLite VFS); empty = by `exclusive`. For tests with a model disk.
    std::string vfs_name;
    // Time for budgets; null = the machine's. Lifetime: as long as the engine.
    os::Clock const* clock = nullptr;
    // Told every text that is prepared, on the thread that prepares it. For tests.
    std::function<void(std::string_view sql)> on_prepare;
};

// Gauges, for metrics and tests.
struct Statistics {
    std::uint64_t prepared = 0;  // texts prepared since the start, all connections
    std::uint64_t commits = 0;
    std::uint64_t checkpoints = 0;  // that moved something
    std::uint64_t checkpoint_failures = 0;
    std::uint64_t restarts = 0;          // of the log
    std::uint64_t restarts_put_off = 0;  // because a snapshot was held too long
    std::uint64_t log_bytes = 0;         // in the log after the last commit
    std::uint64_t snapshots = 0;         // open now
    std::uint64_t counts_kept = 0;       // of rows, that needed no counting: nothing had changed
};

// Threads: any. Lifetime: readers and the writer may outlive it, but then the file stays open until the last
// dies.
class Database : public Engine {
public:
    [[nodiscard]] virtual Statistics statistics() const = 0;
    // Moves the log into the file now; with `restart` the log also starts over, which waits for open
    // snapshots (at most a moment, then it is left for the next time). Errors: io, disk_full, corrupt — as
    // the file tells; overloaded — snapshots did not close in time.
    [[nodiscard]] virtual Result<void> checkpoint(bool restart) = 0;
};

// Opens the file, or makes it.
//
// Errors: conflict — another process has the file open, or it is open exclusively there;
//         corrupt — the file is no SQLite database; io, disk_full — as the operating system tells.
// Cost:   blocks on the disk; about 1 ms.
[[nodiscard]] Result<std::unique_ptr<Database>> open(Options options);

}  // namespace quern::engine::sqlite
