// SPDX-License-Identifier: Apache-2.0

// A disk that is full in the middle of a change of tables: nothing of it stays.

#include <sqlite3.h>

#include "engine/sqlite/test_database.h"
#include "engine/sqlite/test_disk.h"

namespace quern::engine::sqlite {
namespace {

class RebuildTest : public DatabaseTest {
protected:
    static Options on_test_disk() {
        Options options;
        options.checkpoint_thread = false;
        options.vfs_name = TestDisk::vfs_name;
        options.writer_cache_bytes = 16 << 10;  // so that pages go to the log long before the commit
        return options;
    }
    RebuildTest() : DatabaseTest(on_test_disk()) {}
    ~RebuildTest() override { close(); }

    void fill() {
        std::string const name(200, 'x');
        for (int number = 0; number < 300; ++number) {
            std::string const id = "u" + std::to_string(number);
            must(insert("users", {{"id", Value::of(std::string_view(id))},
                                  {"name", Value::of(std::string_view(name))},
                                  {"boss", number == 0 ? Value{} : Value::of("u0")}}));
        }
        must(insert("posts", {{"id", Value::of("p")}, {"author", Value::of("u7")}}, {{"tags", {}}}));
    }

    // `users` rebuilt, with a field more, one less, and an index.
    [[nodiscard]] std::shared_ptr<Schema const> changed_schema() const {
        std::vector<Collection> collections;
        for (auto const& one : schema->collections()) collections.push_back(*one);
        for (Collection& one : collections) {
            if (one.name != "users") continue;
            one.fields[one.find("name").value()].nullable = true;
            one.fields.push_back(test::field("fresh", FieldType::text));
            one.indexes.push_back({"i_fresh", false, {{"fresh", false, false}}, ""});
        }
        return test::schema(std::move(collections), schema->version() + 1);
    }

    // All there is: definitions and rows, by a connection of its own.
    [[nodiscard]] std::string dump() {
        reader->end_snapshot();
        sqlite3* raw = nullptr;
        std::string text;
        auto const add = [&](char const* sql) {
            auto const row = [](void* out, int count, char** values, char**) {
                auto& into = *static_cast<std::string*>(out);
                for (int index = 0; index < count; ++index) {
                    (into += values[index] == nullptr ? "null" : values[index]) += '|';
                }
                into += '\n';
                return 0;
            };
            EXPECT_EQ(sqlite3_exec(raw, sql, row, &text, nullptr), SQLITE_OK) << sqlite3_errmsg(raw);
        };
        EXPECT_EQ(sqlite3_open_v2(options_.path.c_str(), &raw, SQLITE_OPEN_READWRITE, TestDisk::vfs_name),
                  SQLITE_OK);
        add("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name");
        add("SELECT rowid, * FROM users ORDER BY rowid");
        add("SELECT rowid, * FROM posts ORDER BY rowid");
        sqlite3_close(raw);
        return text;
    }

    TestDisk disk;
};

TEST_F(RebuildTest, SCHEMA_07_AFullDiskInTheMiddleOfARebuildLeavesTheOldSchemaWhole) {
    fill();
    must(database->checkpoint(true));
    auto const next = changed_schema();
    std::string const before = dump();
    constexpr int step = 5;
    int failures = 0;
    for (std::int64_t writes = 0;; writes += step) {
        ASSERT_LT(writes, 10'000) << "the change never succeeds";
        disk.fill_after(writes);
        auto const changed = try_change(schema, next);
        disk.empty();
        if (changed) break;
        ++failures;
        ASSERT_EQ(changed.error().code, ErrorCode::disk_full) << changed.error().message;
        ASSERT_EQ(dump(), before) << "after " << writes << " writes";
        // Again with the same connections, and after a restart by turns.
        if (failures % 2 == 0) continue;
        close();
        open();
        ASSERT_EQ(dump(), before) << "after " << writes << " writes, and a restart";
    }
    EXPECT_GT(failures, 10) << "the disk was full in the middle";
    schema = next;
    must(insert("users", {{"id", Value::of("later")}, {"fresh", Value::of("y")}}));
    auto const rows = all("users", {"id", "name", "fresh"});
    EXPECT_EQ(rows.size(), 301U);
    EXPECT_EQ(rows.front(), "later|null|y");
    Transaction* const transaction = must(writer->begin());
    EXPECT_FALSE(transaction->remove(*schema->find("users"), "u7")) << "the post still refers to it";
    writer->rollback();
}

}  // namespace
}  // namespace quern::engine::sqlite
