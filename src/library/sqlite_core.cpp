// SPDX-License-Identifier: Apache-2.0
#include "library/sqlite_core.h"

#include <algorithm>
#include <atomic>

#include "engine/sqlite/sqlite.h"
#include "library/shared_reads.h"
#include "os/file.h"

namespace quern::detail {

namespace sqlite = engine::sqlite;

namespace {

// The connection that the thread used last: most threads have one.
struct LastReader {
    std::uint64_t core_id = 0;
    SqlConnection* connection = nullptr;
};
thread_local constinit LastReader last_reader;

// A thread's connections; gives them back when it ends.
struct ThreadReaders {
    struct Entry {
        std::uint64_t core_id;
        std::weak_ptr<DatabaseCore> core;
        SqlConnection* connection;
    };
    std::vector<Entry> entries;

    ~ThreadReaders() {
        last_reader = {};
        is_over = true;
        for (Entry const& entry : entries) {
            if (auto const core = entry.core.lock()) core->give_back(entry.connection);
        }
    }
    // Reads in the destructors of other things of the thread come too late to be given back: such a
    // connection stays with the core.
    static thread_local constinit bool is_over;
};
thread_local constinit bool ThreadReaders::is_over = false;
thread_local ThreadReaders thread_readers;

thread_local constinit bool reads_are_shared = false;
thread_local constinit bool holds_snapshots = false;  // maybe: some connection has taken one

sqlite::Options engine_options(std::filesystem::path const& path, DatabaseOptions const& options) {
    sqlite::Options chosen;
    chosen.path = path;
    chosen.exclusive = options.exclusive;
    chosen.synchronous =
        options.durability == Durability::full ? sqlite::Synchronous::full : sqlite::Synchronous::normal;
    chosen.reader_cache_bytes = chosen.writer_cache_bytes = options.cache_bytes;
    chosen.busy_wait = options.busy_wait;
    chosen.write_busy_wait = options.busy_wait;
    return chosen;
}

}  // namespace

bool are_reads_shared() { return reads_are_shared; }
void begin_shared_reads() { reads_are_shared = true; }
void note_shared_snapshot() { holds_snapshots = true; }

void end_shared_reads() {
    reads_are_shared = false;
    drop_shared_snapshots();
}

void drop_shared_snapshots() {
    if (!holds_snapshots) return;
    holds_snapshots = false;
    if (ThreadReaders::is_over) return;
    for (auto const& entry : thread_readers.entries) {
        if (auto const core = entry.core.lock()) core->end_snapshot(entry.connection);
    }
}

Result<std::shared_ptr<DatabaseCore>> DatabaseCore::open(std::filesystem::path path,
                                                         DatabaseOptions const& options, bool is_temporary) {
    static std::atomic<std::uint64_t> last_id{0};
    auto core = std::make_shared<DatabaseCore>();
    core->id = ++last_id;
    core->path_ = std::move(path);
    core->is_temporary_ = is_temporary;
    core->limits_ = {std::max<std::size_t>(options.dynamic_statements_max, 1),
                     std::make_shared<std::atomic<std::uint64_t>>(0)};
    core->shared_ = std::make_shared<sqlite::Shared>(engine_options(core->path_, options));
    QUERN_TRY(auto keeper, sqlite::Connection::open(*core->shared_, sqlite::Role::keeper));
    core->checkpointer_ = std::make_unique<sqlite::Checkpointer>(core->shared_, std::move(keeper));
    QUERN_TRY(core->writer, SqlWriter::open(core->shared_, options, core->limits_));
    core->checkpointer_->start_thread();
    return core;
}

DatabaseCore::~DatabaseCore() { close(); }

void DatabaseCore::close() {
    if (writer != nullptr) writer->stop();
    std::lock_guard const lock(mutex_);
    writer.reset();
    readers_.clear();
    checkpointer_.reset();
    if (!is_temporary_ || shared_ == nullptr) return;
    for (char const* const suffix : {"", "-wal", "-shm"}) {
        std::filesystem::path file = path_;
        file += suffix;
        (void)os::remove_file(file);  // what stays is in nobody's way
    }
    shared_.reset();
}

Result<SqlConnection*> DatabaseCore::reader() {
    if (last_reader.core_id == id) [[likely]]
        return last_reader.connection;
    return reader_for_thread();
}

Result<SqlConnection*> DatabaseCore::reader_for_thread() {
    if (!ThreadReaders::is_over) {
        for (auto const& entry : thread_readers.entries) {
            if (entry.core_id != id) continue;
            last_reader = {id, entry.connection};
            return entry.connection;
        }
    }
    QUERN_TRY(auto opened, SqlConnection::open(shared_, sqlite::Role::reader, limits_));
    SqlConnection* const connection = opened.get();
    {
        std::lock_guard const lock(mutex_);
        readers_.push_back(std::move(opened));
    }
    if (!ThreadReaders::is_over) {
        std::erase_if(thread_readers.entries, [](auto const& entry) { return entry.core.expired(); });
        thread_readers.entries.push_back({id, weak_from_this(), connection});
    }
    last_reader = {id, connection};
    return connection;
}

void DatabaseCore::give_back(SqlConnection* connection) {
    std::lock_guard const lock(mutex_);
    std::erase_if(readers_, [connection](auto const& reader) { return reader.get() == connection; });
}

void DatabaseCore::end_snapshot(SqlConnection* connection) {
    std::lock_guard const lock(mutex_);
    auto const is_ours = [connection](auto const& reader) { return reader.get() == connection; };
    if (std::ranges::any_of(readers_, is_ours)) connection->end_snapshot();
}

void DatabaseCore::add_to(DatabaseStatistics& statistics) const {
    writer->add_to(statistics);
    statistics.prepared = limits_.prepared->load(std::memory_order_relaxed);
    std::lock_guard const lock(mutex_);
    statistics.reading_threads = readers_.size();
}

}  // namespace quern::detail
