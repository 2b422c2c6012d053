// SPDX-License-Identifier: Apache-2.0
#pragma once

// A directory of its own for a test, in any room. The name comes from the system: tests run side by side as
// processes, where a name made from a process's own memory or clock is soon used twice.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

#include <quern/assert.h>

namespace quern::test {

// Made at once, removed with all that is in it at the end.
class TemporaryDirectory {
public:
    enum class Place : unsigned char {
        disk,
        memory,  // where the system has such a place: for hundreds of files that would wait for the disk
    };

    explicit TemporaryDirectory(Place place = Place::disk) {
        std::filesystem::path const memory = "/dev/shm";
        bool const in_memory = place == Place::memory && std::filesystem::is_directory(memory) &&
                               ::access(memory.c_str(), W_OK) == 0;
        std::string pattern =
            ((in_memory ? memory : std::filesystem::temp_directory_path()) / "quern-test-XXXXXX").string();
        QUERN_ASSERT(::mkdtemp(pattern.data()) != nullptr, "a test may make a directory");
        path_ = pattern;
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

}  // namespace quern::test
