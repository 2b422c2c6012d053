// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is behind a Database: its writer, its keeper of the log, and a connection for every thread that reads.
//
// A thread knows its connections by the Database's number, which is never given out twice; it asks the core
// for one when it reads first and gives it back when it ends. Whichever ends first, thread or Database, the
// core owns the connections, and a thread that outlives it only holds numbers that nobody has any more.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include <quern/error.h>
#include <quern/sqlite.h>
#include "engine/sqlite/checkpoint.h"
#include "library/sqlite_connection.h"
#include "library/sqlite_writer.h"

namespace quern::detail {

// Threads: any.
struct DatabaseCore : std::enable_shared_from_this<DatabaseCore> {
    [[nodiscard]] static Result<std::shared_ptr<DatabaseCore>> open(std::filesystem::path path,
                                                                    DatabaseOptions const& options,
                                                                    bool is_temporary);
    ~DatabaseCore();

    // The calling thread's connection.
    // Lifetime: as long as the thread and the core.
    [[nodiscard]] Result<SqlConnection*> reader();
    // Of a thread that ends.
    void give_back(SqlConnection* connection);
    // Of a thread whose reads shared a snapshot; nothing when the connection is gone.
    void end_snapshot(SqlConnection* connection);
    void close();
    void add_to(DatabaseStatistics& statistics) const;

    std::uint64_t id = 0;
    std::shared_ptr<SqlWriter> writer;

private:
    [[nodiscard]] Result<SqlConnection*> reader_for_thread();

    std::filesystem::path path_;
    bool is_temporary_ = false;
    StatementLimits limits_;
    std::shared_ptr<engine::sqlite::Shared> shared_;
    std::unique_ptr<engine::sqlite::Checkpointer> checkpointer_;

    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<SqlConnection>> readers_;  // guarded by mutex_
};

}  // namespace quern::detail
