// SPDX-License-Identifier: Apache-2.0
#pragma once

// What all connections of one database share.
//
// Snapshots and the log. A reader keeps its snapshot over several reads; as long as any snapshot is open the
// log cannot start over. So that it does not grow for ever, the checkpoint thread now and then asks the
// readers to close theirs: it sets `draining` and moves `sequence`, which every reader looks at before each
// statement. A reader that sees it move closes its snapshot, and opens the next only when draining is over.
// The counters are sequentially consistent: either the reader sees `draining`, or the checkpoint thread sees
// the reader among `holders`.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>

#include <quern/error.h>
#include "engine/sqlite/count_cache.h"
#include "engine/sqlite/sqlite.h"
#include "os/clock.h"
#include "os/file.h"

namespace quern::engine::sqlite {

inline constexpr std::size_t cache_line_bytes = 64;

// The data file grows in such steps, and is cut to a multiple of it.
inline constexpr std::uint64_t growth_bytes = 256 << 10;

// Keeps write transactions and restarts of the log apart; a waiting restart goes before the next transaction,
// or a busy writer would starve it. A passive checkpoint does not pass here: commits go on beside it.
class Gate {
public:
    void enter_writer();
    void enter_checkpoint();
    void leave();

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool taken_ = false;
    int checkpoints_waiting_ = 0;
};

// Lifetime: as long as the last of engine, readers and writer.
struct Shared {
    explicit Shared(Options chosen)
        : options(std::move(chosen)), clock(options.clock ? *options.clock : system_clock) {}

    // Takes space on the disk, so that the file can hold so many bytes. Errors: disk_full.
    [[nodiscard]] Result<void> grow_file(std::uint64_t bytes);

    // Opens a snapshot's count; waits while the log is about to start over.
    void enter_snapshot();
    void leave_snapshot() { holders.fetch_sub(1); }

    // frozen
    Options options;
    os::SystemClock system_clock;
    os::Clock const& clock;

    // The data file, for grow_file(); nothing where the file layer is another. To be closed after the last
    // connection: closing any descriptor of a file gives up the locks that the process has on it.
    std::optional<os::File> file;

    // any thread
    alignas(cache_line_bytes) std::atomic<std::uint64_t> sequence{1};  // of commits, and of drains
    alignas(cache_line_bytes) std::atomic<int> holders{0};             // snapshots that are open
    std::atomic<bool> draining{false};
    std::atomic<bool> sync_failed{false};  // of the file: what was moved into it may be lost
    Gate gate;

    // Of the log: hints for when to act, exact in a quiet moment.
    std::atomic<std::uint64_t> log_frames{0};         // in the log after the last commit
    std::atomic<std::uint64_t> backfilled_frames{0};  // of them, moved into the file
    std::atomic<std::uint32_t> page_bytes{4096};
    std::atomic<std::uint64_t> prepared{0};
    std::atomic<std::uint64_t> commits{0};
    std::atomic<std::uint64_t> checkpoints{0};
    std::atomic<std::uint64_t> checkpoint_failures{0};
    std::atomic<std::uint64_t> attempted_frames{0};  // in the log when that was last tried
    std::atomic<std::uint64_t> log_starts{0};        // of the log, as commits have seen it
    std::atomic<std::uint64_t> restarts{0};
    std::atomic<std::uint64_t> restarts_put_off{0};

    std::atomic<std::uint64_t> file_cuts{0};  // checkpoints, each of which may have cut the file

    CountCache counts;
    std::atomic<std::uint64_t> counts_kept{0};

    // The checkpoint thread sleeps; told when there is something to do.
    std::mutex checkpoint_mutex;
    std::condition_variable checkpoint_wanted;
    std::atomic<bool> checkpoint_armed{false};  // it knows that the log is not empty
    std::atomic<bool> restart_wanted{false};    // the disk is full: the log must do with the space it has
    std::atomic<bool> log_restarted{false};     // there has been no commit since
    std::atomic<bool> stopping{false};
};

// What a commit or a checkpoint says after that.
[[nodiscard]] Error sync_error();

}  // namespace quern::engine::sqlite
