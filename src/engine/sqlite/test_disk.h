// SPDX-License-Identifier: Apache-2.0
#pragma once

// The machine's disk, whose syncs of the data file (not of the log) can be held up or made to fail.
//
// It is the usual file layer of SQLite, but for one method of the data file. One instance at a time.

#include <sqlite3.h>

#include <chrono>
#include <condition_variable>
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

private:
    // So that a wait that should not be there ends in a failed test.
    static constexpr std::chrono::seconds hold_max{10};

    static int open(sqlite3_vfs*, char const* name, sqlite3_file* file, int flags, int* out_flags) {
        int const code = instance_->real_->xOpen(instance_->real_, name, file, flags, out_flags);
        if (code != SQLITE_OK || (flags & SQLITE_OPEN_MAIN_DB) == 0) return code;
        std::lock_guard const lock(instance_->mutex_);
        instance_->real_methods_ = file->pMethods;
        instance_->methods_ = *file->pMethods;
        instance_->methods_.xSync = sync;
        file->pMethods = &instance_->methods_;
        return code;
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
        return disk.real_methods_->xSync(file, flags);
    }

    static inline TestDisk* instance_ = nullptr;
    sqlite3_vfs* real_ = nullptr;
    sqlite3_vfs vfs_{};
    sqlite3_io_methods const* real_methods_ = nullptr;
    sqlite3_io_methods methods_{};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool hold_ = false;
    bool held_ = false;
    bool fail_ = false;
};

}  // namespace quern::engine::sqlite
