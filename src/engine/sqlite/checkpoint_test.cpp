// SPDX-License-Identifier: Apache-2.0

// A slow or failing sync of the data file: commits do not wait for it, and nothing is lost.

#include <thread>

#include "engine/sqlite/test_database.h"
#include "engine/sqlite/test_disk.h"

namespace quern::engine::sqlite {
namespace {

class CheckpointTest : public DatabaseTest, public testing::WithParamInterface<bool> {
protected:
    static Options on_test_disk() {
        Options options;
        options.checkpoint_thread = false;
        options.vfs_name = TestDisk::vfs_name;
        return options;
    }
    CheckpointTest() : DatabaseTest(on_test_disk()) {}
    ~CheckpointTest() override { close(); }

    void write(int number) {
        std::string const id = std::to_string(number);
        must(insert("posts", {{"id", Value::of(std::string_view(id))}}));
    }
    [[nodiscard]] std::size_t count() { return all("posts", {"id"}).size(); }

    TestDisk disk;
};

TEST_P(CheckpointTest, CommitsDoNotWaitForTheFilesSync) {
    bool const restart = GetParam();
    constexpr int first = 100;
    constexpr int more = 50;
    for (int number = 0; number < first; ++number) write(number);
    disk.hold_sync();
    std::thread checkpoint([&] { must(database->checkpoint(restart)); });
    disk.wait_until_held();
    for (int number = first; number < first + more; ++number) write(number);
    EXPECT_EQ(count(), static_cast<std::size_t>(first + more));
    EXPECT_TRUE(disk.is_held()) << "the commits have waited for it";
    reader->end_snapshot();
    disk.let_go();
    checkpoint.join();
    EXPECT_EQ(database->statistics().restarts, restart ? 1U : 0U);
    auto const log_bytes = database->statistics().log_bytes;
    write(first + more);
    EXPECT_EQ(database->statistics().log_bytes < log_bytes, restart) << "whether the log has started over";
    close();
    open();
    EXPECT_EQ(count(), static_cast<std::size_t>(first + more + 1));
}

// After it, a second sync could succeed although the pages are gone.
TEST_P(CheckpointTest, AFailedSyncIsFinalAndTheLogIsKept) {
    constexpr int rows = 100;
    for (int number = 0; number < rows; ++number) write(number);
    disk.fail_next_sync();
    auto const failed = database->checkpoint(GetParam());
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::io);
    EXPECT_FALSE(database->checkpoint(GetParam())) << "nothing more is moved";
    auto const refused = insert("posts", {{"id", Value::of("late")}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::io) << "nothing more is acknowledged";
    close();
    EXPECT_GT(std::filesystem::file_size(directory_.path() / "data.db-wal"), 0U);
    open();
    EXPECT_EQ(count(), static_cast<std::size_t>(rows));
    reader->end_snapshot();
    must(database->checkpoint(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, CheckpointTest, testing::Values(false, true),
                         [](auto const& instance) { return instance.param ? "restart" : "passive"; });

}  // namespace
}  // namespace quern::engine::sqlite
