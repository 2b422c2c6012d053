// SPDX-License-Identifier: Apache-2.0
#include "os/file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/test_directory.h"
#include "os/thread.h"

namespace quern::os {
namespace {

class FileTest : public ::testing::Test {
protected:
    FileTest() { EXPECT_TRUE(make_directories(directory_ / "a" / "b")); }

    test::TemporaryDirectory own_;
    std::filesystem::path const& directory_ = own_.path();
};

TEST_F(FileTest, WritesAndReadsAtOffsets) {
    auto file = File::open(directory_ / "f", OpenMode::create).value();
    ASSERT_TRUE(file.write_at(5, "world"));
    ASSERT_TRUE(file.write_at(0, "hello"));
    ASSERT_TRUE(file.sync());
    EXPECT_EQ(file.size().value(), 10U);
    std::string buffer(20, '\0');
    EXPECT_EQ(file.read_at(3, buffer).value(), 7U);
    EXPECT_EQ(buffer.substr(0, 7), "loworld");
    ASSERT_TRUE(file.truncate(2));
    EXPECT_EQ(read_file(directory_ / "f").value(), "he");
}

TEST_F(FileTest, AllocatesWithoutTouchingWhatIsThere) {
    auto file = File::open(directory_ / "f", OpenMode::create).value();
    ASSERT_TRUE(file.write_at(0, "hello"));
    ASSERT_TRUE(file.allocate(0, 10'000));
    std::string buffer(5, '\0');
    EXPECT_EQ(file.read_at(0, buffer).value(), 5U);
    EXPECT_EQ(buffer, "hello");
    // A file system that cannot is left alone.
    EXPECT_TRUE(file.size().value() == 10'000U || file.size().value() == 5U);
}

TEST_F(FileTest, OpenModesKeepTheirPromises) {
    EXPECT_EQ(File::open(directory_ / "none", OpenMode::read).error().code, ErrorCode::not_found);
    ASSERT_TRUE(File::open(directory_ / "f", OpenMode::create_new));
    EXPECT_EQ(File::open(directory_ / "f", OpenMode::create_new).error().code, ErrorCode::conflict);
    EXPECT_EQ(File::open(directory_, OpenMode::read_write).error().code, ErrorCode::io);
}

TEST_F(FileTest, ReplacingLeavesNoTraces) {
    ASSERT_TRUE(replace_file(directory_ / "f", "one"));
    ASSERT_TRUE(replace_file(directory_ / "f", "two"));
    EXPECT_EQ(read_file(directory_ / "f").value(), "two");
    EXPECT_EQ(read_file(directory_ / "f", 2).error().code, ErrorCode::too_large);
    EXPECT_FALSE(std::filesystem::exists(directory_ / "f.new"));
    EXPECT_EQ(replace_file(directory_ / "none" / "f", "x").error().code, ErrorCode::not_found);
    EXPECT_TRUE(remove_file(directory_ / "f"));
    EXPECT_TRUE(remove_file(directory_ / "f"));
}

TEST_F(FileTest, DirectoriesAreMadeOnceAndForAll) {
    EXPECT_TRUE(std::filesystem::is_directory(directory_ / "a" / "b"));
    EXPECT_TRUE(make_directories(directory_ / "a" / "b"));
    ASSERT_TRUE(replace_file(directory_ / "f", "x"));
    EXPECT_FALSE(make_directories(directory_ / "f"));
    EXPECT_FALSE(make_directories(directory_ / "f" / "g"));
    EXPECT_TRUE(sync_directory(directory_));
}

TEST_F(FileTest, MapsWholeFiles) {
    ASSERT_TRUE(replace_file(directory_ / "f", "mapped"));
    ASSERT_TRUE(replace_file(directory_ / "empty", ""));
    EXPECT_EQ(MappedFile::open(directory_ / "f").value().view(), "mapped");
    EXPECT_EQ(MappedFile::open(directory_ / "empty").value().view(), "");
}

TEST_F(FileTest, FilesOfTheKernelAreReadToTheirEnd) {
    EXPECT_NE(read_file("/proc/self/status").value().find("VmRSS"), std::string::npos);
}

TEST_F(FileTest, FileSystemsAreNamed) {
    auto const system = file_system_of(directory_).value();
    EXPECT_FALSE(system.type.empty());
    EXPECT_GT(system.total_bytes, 0U);
    EXPECT_EQ(file_system_of(directory_ / "none").error().code, ErrorCode::not_found);
}

TEST_F(FileTest, ADirectoryIsLockedOnce) {
    {
        auto const first = DirectoryLock::take(directory_);
        ASSERT_TRUE(first);
        EXPECT_EQ(DirectoryLock::take(directory_).error().code, ErrorCode::conflict);
        EXPECT_TRUE(DirectoryLock::take(directory_ / "a")) << "its children are others";
        EXPECT_TRUE(replace_file(directory_ / "f", "free")) << "files in it stay open to all";
    }
    EXPECT_TRUE(DirectoryLock::take(directory_));
    EXPECT_EQ(DirectoryLock::take(directory_ / "none").error().code, ErrorCode::not_found);
}

TEST_F(FileTest, ATemporaryDirectoryGoesWithAllThatIsInIt) {
    std::filesystem::path first;
    {
        auto made = TemporaryDirectory::make(directory_, "t-").value();
        auto const other = TemporaryDirectory::make(directory_, "t-").value();
        EXPECT_NE(made.path(), other.path());
        first = made.path();
        ASSERT_TRUE(make_directories(first / "a" / "b"));
        ASSERT_TRUE(replace_file(first / "a" / "f", "text"));
        TemporaryDirectory const moved = std::move(made);
        EXPECT_TRUE(std::filesystem::exists(first / "a" / "f"));
    }
    EXPECT_FALSE(std::filesystem::exists(first));
    EXPECT_TRUE(std::filesystem::exists(directory_ / "a")) << "what it stood in stays";
    EXPECT_EQ(TemporaryDirectory::make(directory_ / "none", "t-").error().code, ErrorCode::not_found);
}

TEST(Thread, CanBeBoundAndNamed) {
    set_thread_name("a name that is too long");
    EXPECT_GE(processor_count(), 1U);
    EXPECT_FALSE(pin_thread(100'000));
}

}  // namespace
}  // namespace quern::os
