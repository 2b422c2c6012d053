// SPDX-License-Identifier: Apache-2.0

// What every engine must do and text cases say badly: many rows, many members, several readers, time.

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "engine/conformance/definition.h"
#include "engine/conformance/stage.h"

namespace quern::engine::conformance {
namespace {

class ContractTest : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        auto const items = read_collection(
            {"collection items", "field name text nullable", "field size number int", "index unique name"});
        ASSERT_TRUE(items);
        ASSERT_TRUE(stage_.alter({*items}));
    }

    void insert(std::string const& id, std::string const& name) {
        auto const inserted = stage_.insert("items", R"({"id":")" + id + R"(","name":)" + name + "}");
        ASSERT_TRUE(inserted) << inserted.error().message;
    }

    std::int64_t count() {
        auto const request = read_request(stage_.schema(), {"from items"});
        return stage_.count(*request).value_or(-1);
    }

    Stage stage_{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(All, ContractTest, testing::ValuesIn(engine_names()),
                         [](auto const& run) { return run.param; });

// One of n members of a group breaks a constraint: it fails alone, whichever it is.
TEST_P(ContractTest, OneMemberOfAGroupFailsAlone) {
    for (int members = 2; members <= 64; ++members) {
        int const broken = (members * 7) % members == 0 ? members / 2 : (members * 7) % members;
        ASSERT_TRUE(stage_.truncate("items"));
        insert("first", "\"taken\"");
        ASSERT_TRUE(stage_.begin());
        int failures = 0;
        for (int member = 0; member < members; ++member) {
            ASSERT_TRUE(stage_.transaction().savepoint());
            std::string const name = member == broken ? "taken" : "n" + std::to_string(member);
            auto const inserted = stage_.insert(
                "items", R"({"id":"m)" + std::to_string(member) + R"(","name":")" + name + "\"}");
            if (inserted) {
                ASSERT_TRUE(stage_.transaction().release_savepoint());
            } else {
                ++failures;
                EXPECT_EQ(print(inserted.error()), "conflict name");
                ASSERT_TRUE(stage_.transaction().rollback_to_savepoint());
            }
            ASSERT_TRUE(stage_.transaction().is_active());
        }
        ASSERT_TRUE(stage_.commit());
        EXPECT_EQ(failures, 1) << members;
        EXPECT_EQ(count(), members) << members;
    }
}

TEST_P(ContractTest, TheErrorOfABrokenIndexIsWhole) {
    insert("a", "\"x\"");
    auto const again = stage_.insert("items", R"({"id":"b","name":"x"})");
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().code, ErrorCode::conflict);
    FieldError const expected{"name", "validation_not_unique", "Value must be unique."};
    EXPECT_EQ(again.error().fields, std::vector{expected});
}

// Nulls are alike and yet no duplicates; they must not be the ones that are named.
TEST_P(ContractTest, ANewUniqueIndexNamesRecordsThatAreAlike) {
    auto items = read_collection({"collection items", "field name text nullable", "field size number int"});
    ASSERT_TRUE(stage_.alter({*items}));
    for (std::string const id : {"a", "b", "c"}) insert(id, "null");
    for (std::string const id : {"d", "e"}) insert(id, "\"x\"");
    insert("f", "\"y\"");
    items = read_collection(
        {"collection items", "field name text nullable", "field size number int", "index unique name"});
    auto const altered = stage_.alter({*items});
    ASSERT_FALSE(altered);
    EXPECT_EQ(print(altered.error()), "conflict name");
    EXPECT_NE(altered.error().message.find("records d and e "), std::string::npos) << altered.error().message;
}

TEST_P(ContractTest, AListOfTenThousandValues) {
    ASSERT_TRUE(stage_.begin());
    std::string list = "[";
    for (int number = 0; number < 10'000; ++number) {
        list += (number == 0 ? "\"" : ",\"") + std::string("id") + std::to_string(number * 2) + "\"";
        if (number < 500) insert("id" + std::to_string(number), "null");
    }
    ASSERT_TRUE(stage_.commit());
    auto const with = read_request(stage_.schema(), {"from items", "where id in " + list + "]"});
    ASSERT_TRUE(with);
    EXPECT_EQ(stage_.count(*with).value_or(-1), 250);
    auto const without = read_request(stage_.schema(), {"from items", "where not id in " + list + "]"});
    ASSERT_TRUE(without);
    EXPECT_EQ(stage_.count(*without).value_or(-1), 250);
}

TEST_P(ContractTest, AHeldSnapshotSeesOneMoment) {
    insert("a", "null");
    stage_.reader().hold_snapshot();
    EXPECT_EQ(count(), 1);
    insert("b", "null");
    EXPECT_EQ(count(), 1);
    stage_.reader().end_snapshot();
    EXPECT_EQ(count(), 2);
}

TEST_P(ContractTest, AReadSeesWhatWasCommittedBefore) {
    EXPECT_EQ(count(), 0);
    for (int number = 1; number <= 20; ++number) {
        insert("id" + std::to_string(number), "null");
        EXPECT_EQ(count(), number);
    }
}

TEST_P(ContractTest, ReadersDoNotSeeAnOpenTransaction) {
    insert("a", "null");
    auto reader = stage_.engine().open_reader();
    ASSERT_TRUE(reader);
    auto const request = read_request(stage_.schema(), {"from items"});
    ASSERT_TRUE(stage_.begin());
    insert("b", "null");
    EXPECT_EQ((*reader)->count(request->bound()).value_or(-1), 1);
    EXPECT_EQ(stage_.transaction().count(request->bound()).value_or(-1), 2);
    ASSERT_TRUE(stage_.commit());
    EXPECT_EQ((*reader)->count(request->bound()).value_or(-1), 2);
}

TEST_P(ContractTest, ReadersInThreadsSeeWholeTransactions) {
    auto const request = read_request(stage_.schema(), {"from items"});
    std::atomic<bool> done = false;
    std::atomic<int> odd = 0;
    std::vector<std::thread> threads;
    for (int number = 0; number < 2; ++number) {
        threads.emplace_back([&] {
            auto reader = stage_.engine().open_reader();
            Request const own = *request;  // a Request keeps views: one a thread
            while (!done) {
                if ((*reader)->count(own.bound()).value_or(1) % 2 != 0) ++odd;
                (*reader)->end_snapshot();
            }
        });
    }
    for (int number = 0; number < 100; number += 2) {
        ASSERT_TRUE(stage_.begin());
        insert("id" + std::to_string(number), "null");
        insert("id" + std::to_string(number + 1), "null");
        ASSERT_TRUE(stage_.commit());
    }
    done = true;
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(odd, 0);
    EXPECT_EQ(count(), 100);
}

TEST_P(ContractTest, ABudgetEndsALongStatement) {
    ASSERT_TRUE(stage_.begin());
    for (int number = 0; number < 400; ++number) insert("id" + std::to_string(number), "null");
    ASSERT_TRUE(stage_.commit());
    auto const slow =
        read_request(stage_.schema(), {"from items", "source f free items", "source g free items",
                                       "where every f g (f.size >= g.size or g.name = root.id)"});
    ASSERT_TRUE(slow);
    stage_.reader().set_budget({std::chrono::milliseconds(2), ErrorCode::interrupted});
    auto const stopped = stage_.count(*slow);
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().code, ErrorCode::interrupted);
    // The reader goes on as if nothing had been.
    stage_.reader().set_budget({});
    EXPECT_EQ(count(), 400);
}

TEST_P(ContractTest, ASinkMayStop) {
    for (int number = 0; number < 5; ++number) insert("id" + std::to_string(number), "null");
    auto const request = read_request(stage_.schema(), {"from items", "sort id", "output id"});
    int rows = 0;
    RowFunction sink([&rows](std::span<Value const>) { return ++rows < 3; });
    ASSERT_TRUE(stage_.reader().select(request->bound(), sink));
    EXPECT_EQ(rows, 3);
    EXPECT_EQ(count(), 5);
}

TEST_P(ContractTest, RandomOrderHasEveryRowOnce) {
    std::vector<std::string> ids;
    for (int number = 0; number < 50; ++number) {
        insert("id" + std::to_string(number), "null");
        ids.push_back("[\"id" + std::to_string(number) + "\"]");
    }
    auto first = stage_.rows({"from items", "sort random id", "output id"});
    auto const second = stage_.rows({"from items", "sort random id", "output id"});
    EXPECT_NE(first, second);
    std::ranges::sort(first);
    std::ranges::sort(ids);
    EXPECT_EQ(first, ids);
}

TEST_P(ContractTest, TablesAreKnownByName) {
    EXPECT_TRUE(stage_.engine().has_table("items").value_or(false));
    EXPECT_FALSE(stage_.engine().has_table("nothing").value_or(true));
}

// The last row of a page may be gone when the next is asked for.
TEST_P(ContractTest, PagesOverANullableKeyHaveEveryRowOnce) {
    std::vector<std::string> const names = {"null",     "null",  "\"null\"", "\"None\"", "\"\"",
                                            "\"same\"", "null",  "null",     "\"a\"",    "null",
                                            "\"b\"",    "\"c\"", "\"d\"",    "null",     "\"e\""};
    auto items = read_collection({"collection items", "field name text nullable", "field size number int"});
    ASSERT_TRUE(stage_.alter({*items}));
    for (std::string const direction : {"", "-"}) {
        for (std::size_t const size : {1U, 2U, 3U, 7U}) {
            for (bool const deleting : {false, true}) {
                ASSERT_TRUE(stage_.truncate("items"));
                for (std::size_t row = 0; row < names.size(); ++row)
                    insert("i" + std::to_string(row), names[row]);
                insert("again", "\"same\"");
                std::vector<std::string> const all = {
                    "from items", "sort " + direction + "name " + direction + "id", "output name id"};
                Rows const expected = stage_.rows(all);
                ASSERT_EQ(expected.size(), names.size() + 1);
                Rows walked;
                while (true) {
                    std::vector<std::string> page = all;
                    page.push_back("limit " + std::to_string(size));
                    if (!walked.empty()) {
                        std::string const& last = walked.back();
                        page.push_back("seek " + last.substr(1, last.size() - 2));
                    }
                    Rows const rows = stage_.rows(page);
                    if (rows.empty()) break;
                    walked.insert(walked.end(), rows.begin(), rows.end());
                    if (deleting) {
                        std::string const& last = walked.back();
                        auto const start = last.rfind(", \"") + 3;
                        auto const removed =
                            stage_.remove("items", last.substr(start, last.size() - start - 2));
                        ASSERT_TRUE(removed && *removed) << last;
                    }
                }
                EXPECT_EQ(walked, expected) << "page size " << size << " " << direction << deleting;
            }
        }
    }
}

}  // namespace
}  // namespace quern::engine::conformance
