// SPDX-License-Identifier: Apache-2.0
#pragma once

// Moves the log into the file, and has it start over.
//
// A passive checkpoint copies what no snapshot still needs and syncs the file: some 20 ms, on this thread
// alone, while readers and commits go on (with a slow disk or a busy machine it takes seconds, and a commit
// must not wait for it). A restart then lets the next commit write the log from its beginning again; for it
// all snapshots must close for a moment (shared.h) and no write transaction may be open. By then the file has
// been synced and what is left to be moved is what was committed meanwhile.

#include <memory>
#include <mutex>
#include <thread>

#include "engine/sqlite/connection.h"
#include "engine/sqlite/shared.h"

namespace quern::engine::sqlite {

// Threads: any.
class Checkpointer {
public:
    // `keeper` is the connection it uses; nobody else does.
    Checkpointer(std::shared_ptr<Shared> shared, Connection keeper);
    ~Checkpointer();  // moves everything into the file and cuts the log

    void start_thread();

    [[nodiscard]] Result<void> run(bool restart);
    [[nodiscard]] Result<bool> has_table(std::string_view name);

    // What must be moved before the thread acts, in frames.
    [[nodiscard]] static std::uint64_t frames(Shared const& shared, std::size_t bytes) {
        return bytes / shared.page_bytes.load(std::memory_order_relaxed) + 1;
    }

private:
    // Snapshots that do not close in time put the restart off; readers wait so long at most. The longer the
    // log has become, the more patience it is worth: the wait grows with it, in units of restart_bytes.
    static constexpr std::chrono::milliseconds drain_wait{5};
    static constexpr std::chrono::milliseconds drain_wait_max{100};

    void loop();
    void wait_for_work();
    [[nodiscard]] bool drain();
    [[nodiscard]] Result<void> start_over();
    [[nodiscard]] Result<void> sync_file();
    [[nodiscard]] Error noted(int code);
    [[nodiscard]] Result<void> checkpoint(int mode);

    std::shared_ptr<Shared> shared_;
    std::mutex keeper_mutex_;
    Connection keeper_;  // guarded by keeper_mutex_
    std::thread thread_;
};

// To be called when the disk is full: the log is moved and starts over, however short it is, so that it has
// room for writes that do not grow the file.
void ask_for_restart(Shared& shared);

// To be called after each commit, with the frames the log now has.
void note_commit(Shared& shared, std::uint64_t log_frames);

}  // namespace quern::engine::sqlite
