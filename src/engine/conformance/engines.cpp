// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/engines.h"

#include <atomic>
#include <filesystem>

#include <unistd.h>

#include "base/assert.h"
#include "engine/ram/engine.h"
#include "engine/sqlite/sqlite.h"

namespace quern::engine::conformance {

namespace {

class RamSubject final : public Subject {
public:
    Engine& engine() override { return *engine_; }

private:
    os::SystemClock clock_;
    std::unique_ptr<Engine> engine_ = ram::open({.clock = clock_});
};

// A directory of its own, removed at the end; in memory where the system has such a place, because hundreds
// of databases that are made and closed would wait for the disk most of the time.
class TemporaryDirectory {
public:
    TemporaryDirectory() {
        static std::atomic<unsigned> count = 0;
        std::filesystem::path const memory = "/dev/shm";
        bool const in_memory = std::filesystem::is_directory(memory) && ::access(memory.c_str(), W_OK) == 0;
        path_ = (in_memory ? memory : std::filesystem::temp_directory_path()) /
                ("quern-conformance-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
        std::filesystem::create_directories(path_);
    }
    TemporaryDirectory(TemporaryDirectory const&) = delete;
    TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;
    ~TemporaryDirectory() {
        std::error_code ignored;  // a directory that stays does no harm
        std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] std::filesystem::path const& path() const { return path_; }

private:
    std::filesystem::path path_;
};

class SqliteSubject final : public Subject {
public:
    SqliteSubject() {
        sqlite::Options options;
        options.path = directory_.path() / "data.db";
        options.synchronous = sqlite::Synchronous::normal;
        options.checkpoint_thread = false;
        auto opened = sqlite::open(std::move(options));
        QUERN_ASSERT(opened, "an empty directory takes a database");
        engine_ = *std::move(opened);
    }
    Engine& engine() override { return *engine_; }

private:
    TemporaryDirectory directory_;
    std::unique_ptr<Engine> engine_;
};

}  // namespace

std::vector<std::string> const& engine_names() {
    static std::vector<std::string> const names = {"ram", "sqlite"};
    return names;
}

std::unique_ptr<Subject> make_subject(std::string_view name) {
    if (name == "ram") return std::make_unique<RamSubject>();
    QUERN_ASSERT(name == "sqlite", "every name has an engine");
    return std::make_unique<SqliteSubject>();
}

}  // namespace quern::engine::conformance
