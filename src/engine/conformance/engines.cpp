// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/engines.h"

#include <quern/assert.h>
#include "base/test_directory.h"
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
    // Hundreds of databases that are made and closed would wait for a disk most of the time.
    test::TemporaryDirectory directory_{test::TemporaryDirectory::Place::memory};
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
