// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine's disk, whose syncs of the data file (not of the log) can be held up or made to fail, and which
// can be full for the log.
//
// It is the usual file layer of SQLite, but for one method of each of the two files. One instance at a time.

#include <sqlite3.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <utility>

#include <gtest/gtest.h>

namespace quern::engine::sqlite {

// Threads: any.
class TestDisk {
public:
    static constexpr char const* vfs_name = "quern-test-disk";

    TestDisk() {
        EXPECT_EQ(instance_, nullptr);
        instance_ = this;
        sqlite3_initialize();
        real_ = sqlite3_vfs_find("unix-excl");
        vfs_ = *real_;
        vfs_.zName = vfs_name;
        vfs_.xOpen = open;
        EXPECT_EQ(sqlite3_vfs_register(&vfs_, 0), SQLITE_OK);
    }
    TestDisk(TestDisk const&) = delete;
    TestDisk& operator=(TestDisk const&) = delete;
    ~TestDisk() {
        sqlite3_vfs_unregister(&vfs_);
        instance_ = nullptr;
    }

    // The next sync waits for let_go().
    void hold_sync() {
        std::lock_guard const lock(mutex_);
        hold_ = true;
    }
    void wait_until_held() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return held_; });
    }
    [[nodiscard]] bool is_held() {
        std::lock_guard const lock(mutex_);
        return held_;
    }
    void let_go() {
        std::lock_guard const lock(mutex_);
        hold_ = false;
        changed_.notify_all();
    }
    void fail_next_sync() {
        std::lock_guard const lock(mutex_);
        fail_ = true;
    }
    // The log can be written so many times more; then the disk is full.
    void fill_after(std::int64_t log_writes) {
        std::lock_guard const lock(mutex_);
        log_writes_left_ = log_writes;
    }
    void empty() { fill_after(std::numeric_limits<std::int64_t>::max()); }

private:
    // So that a wait that should not be there ends in a failed test.
    static constexpr std::chrono::seconds hold_max{10};

    static int open(sqlite3_vfs*, char const* name, sqlite3_file* file, int flags, int* out_flags) {
        int const code = instance_->real_->xOpen(instance_->real_, name, file, flags, out_flags);
        if (code != SQLITE_OK) return code;
        std::lock_guard const lock(instance_->mutex_);
        if ((flags & SQLITE_OPEN_MAIN_DB) != 0) {
            instance_->real_data_ = file->pMethods;
            instance_->data_ = *file->pMethods;
            instance_->data_.xSync = sync;
            file->pMethods = &instance_->data_;
        } else if ((flags & SQLITE_OPEN_WAL) != 0) {
            instance_->real_log_ = file->pMethods;
            instance_->log_ = *file->pMethods;
            instance_->log_.xWrite = write;
            file->pMethods = &instance_->log_;
        }
        return code;
    }

    static int write(sqlite3_file* file, void const* bytes, int count, sqlite3_int64 offset) {
        TestDisk& disk = *instance_;
        {
            std::lock_guard const lock(disk.mutex_);
            if (disk.log_writes_left_ == 0) return SQLITE_FULL;
            --disk.log_writes_left_;
        }
        return disk.real_log_->xWrite(file, bytes, count, offset);
    }

    static int sync(sqlite3_file* file, int flags) {
        TestDisk& disk = *instance_;
        {
            std::unique_lock lock(disk.mutex_);
            if (disk.hold_) {
                disk.held_ = true;
                disk.changed_.notify_all();
                disk.changed_.wait_for(lock, hold_max, [&] { return !disk.hold_; });
                disk.held_ = disk.hold_ = false;
            }
            if (std::exchange(disk.fail_, false)) return SQLITE_IOERR_FSYNC;
        }
        return disk.real_data_->xSync(file, flags);
    }

    static inline TestDisk* instance_ = nullptr;
    sqlite3_vfs* real_ = nullptr;
    sqlite3_vfs vfs_{};
    sqlite3_io_methods const* real_data_ = nullptr;
    sqlite3_io_methods const* real_log_ = nullptr;
    sqlite3_io_methods data_{};
    sqlite3_io_methods log_{};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool hold_ = false;
    bool held_ = false;
    bool fail_ = false;
    std::int64_t log_writes_left_ = std::numeric_limits<std::int64_t>::max();
};

}  // namespace quern::engine::sqlite
