// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "base/test_directory.h"
#include "engine/ram/engine.h"
#include "engine/sqlite/sqlite.h"
#include "os/clock.h"
#include "plan/plan.h"
#include "schema/collection_json.h"
#include "store/metadata.h"
#include "store/removal.h"

namespace quern::store {
namespace {

// Randomness that is none: the tests name everything themselves.
struct NoRandom {
    void fill(std::span<std::byte> bytes) {
        for (std::byte& byte : bytes) byte = std::byte{7};
    }
};

// A job that notes how it ended.
class TestJob final : public WriteJob {
public:
    explicit TestJob(std::function<Result<void>(WriteContext&)> work) : work_(std::move(work)) {}
    Result<void> run(WriteContext& context) override {
        ++runs;
        return work_(context);
    }
    void done(Result<void> given) override {
        result = std::move(given);
        order = ++last_order;
        finished = true;
        finished.notify_all();
    }
    void wait() { finished.wait(false); }

    int runs = 0;
    int order = 0;
    Result<void> result;
    std::atomic<bool> finished = false;
    static inline std::atomic<int> last_order = 0;

private:
    std::function<Result<void>(WriteContext&)> work_;
};

enum class EngineKind { ram, sqlite };

class StoreTest : public testing::TestWithParam<EngineKind> {
protected:
    void SetUp() override { open({}); }
    void TearDown() override { store_.reset(); }

    void open(StoreOptions options) {
        store_.reset();
        options.inline_writer = true;
        std::unique_ptr<engine::Engine> engine;
        if (GetParam() == EngineKind::ram) {
            engine = engine::ram::open({.clock = clock_});
        } else {
            engine::sqlite::Options sqlite_options;
            sqlite_options.path = directory_.path() / "data.db";
            auto opened = engine::sqlite::open(sqlite_options);
            ASSERT_TRUE(opened) << opened.error().message;
            engine = *std::move(opened);
        }
        auto store = Store::open(std::move(engine), clock_, std::move(options));
        ASSERT_TRUE(store) << store.error().message;
        store_ = *std::move(store);
    }

    static std::shared_ptr<Collection> posts() {
        NoRandom random;
        auto collection = std::make_shared<Collection>(
            make_collection("posts", CollectionType::base, RandomSource(random), "2026-01-01 00:00:00.000Z"));
        collection->id = "pbc_posts";
        Field title;
        title.id = "text_title";
        title.name = "title";
        collection->fields.push_back(title);
        collection->indexes.push_back({"idx_posts_title", true, {{"title", false, false}}, ""});
        return collection;
    }

    void put(std::shared_ptr<Collection const> collection) {
        std::shared_ptr<Collection const> const all[] = {std::move(collection)};
        auto const done = store_->write_now(
            [&](WriteContext& context) {
                return change_schema(context, {all, {}});
            },
            true);
        ASSERT_TRUE(done) << done.error().message;
    }

    static Result<void> insert(WriteContext& context, std::string_view id, std::string_view title) {
        Collection const& collection = *context.schema->find("posts");
        engine::Assignment const row[] = {
            {0, Value::of(id), {}},
            {1, Value::of(title), {}},
            {static_cast<std::uint16_t>(Collection::version_field), Value::of(context.next_version()), {}}};
        return context.transaction.insert(collection, row);
    }

    std::vector<std::string> ids(std::string_view name) {
        auto const schema = store_->schema();
        plan::Plan plan;
        plan.schema = schema;
        plan.sources.push_back({schema->find(name), plan::no_source, plan::Hop::root, 0, {}});
        plan.output = {plan::column(0, 0)};
        plan.sort.push_back({plan::SortKey::Kind::operand, plan::column(0, 0), false});
        auto const sealed = plan::seal(std::move(plan));
        std::vector<std::string> found;
        RowFunction sink([&](std::span<Value const> row) {
            found.emplace_back(row[0].text);
            return true;
        });
        auto reader = store_->open_reader();
        EXPECT_TRUE(reader);
        EXPECT_TRUE((*reader)->select({*sealed, {}}, sink));
        return found;
    }

    os::SystemClock clock_;
    test::TemporaryDirectory directory_;
    std::unique_ptr<Store> store_;
};

std::string id_of(int number) {
    std::string id = std::to_string(number);
    return std::string(15 - id.size(), '0') + id;
}

// One of n members breaks a unique index: it fails alone, the others commit in order.
TEST_P(StoreTest, R10_OneFailingMemberFailsAlone) {
    put(posts());
    int next = 0;
    // The reference engine copies its tables for each savepoint; a few sizes tell as much there.
    int const step = GetParam() == EngineKind::ram ? 31 : 1;
    int batches = 0;
    for (int size = 2; size <= 64; size += step, ++batches) {
        std::vector<std::unique_ptr<TestJob>> jobs;
        int const bad = size / 2;
        std::string const taken = "title " + std::to_string(next);
        for (int member = 0; member < size; ++member) {
            std::string const id = id_of(next);
            std::string const title = member == bad ? taken : "title " + std::to_string(next);
            ++next;
            jobs.push_back(std::make_unique<TestJob>(
                [id, title](WriteContext& context) { return insert(context, id, title); }));
            ASSERT_TRUE(store_->submit(*jobs.back()));
        }
        auto const commits_before = store_->stats().commits;
        store_->run_pending();
        EXPECT_EQ(store_->stats().commits, commits_before + 1)
            << "one commit for the whole batch of " << size;
        for (int member = 0; member < size; ++member) {
            TestJob const& job = *jobs[static_cast<std::size_t>(member)];
            ASSERT_TRUE(job.finished);
            EXPECT_EQ(job.result.has_value(), member != bad) << "member " << member << " of " << size;
            if (member > 0) {
                EXPECT_GT(job.order, jobs[static_cast<std::size_t>(member - 1)]->order);
            }
        }
        EXPECT_EQ(jobs[static_cast<std::size_t>(bad)]->result.error().code, ErrorCode::conflict);
    }
    EXPECT_EQ(ids("posts").size(), static_cast<std::size_t>(next - batches));
}

TEST_P(StoreTest, RefusesWhatDoesNotFitTheQueue) {
    put(posts());
    StoreOptions options;
    options.queue_max = 2;
    if (GetParam() == EngineKind::ram) return;  // a new RAM store would have no posts
    open(std::move(options));
    TestJob first([](WriteContext& context) { return insert(context, id_of(1), "a"); });
    TestJob second([](WriteContext& context) { return insert(context, id_of(2), "b"); });
    TestJob third([](WriteContext& context) { return insert(context, id_of(3), "c"); });
    ASSERT_TRUE(store_->submit(first));
    ASSERT_TRUE(store_->submit(second));
    auto const refused = store_->submit(third);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::overloaded);
    store_->run_pending();
    EXPECT_TRUE(first.result);
    EXPECT_TRUE(second.result);
    EXPECT_EQ(third.runs, 0);
    EXPECT_EQ(ids("posts").size(), 2U);
}

TEST_P(StoreTest, AWriteThatWaitedTooLongIsNotDone) {
    put(posts());
    TestJob late([](WriteContext& context) { return insert(context, id_of(1), "a"); });
    TestJob good([](WriteContext& context) { return insert(context, id_of(2), "b"); });
    ASSERT_TRUE(store_->submit(late));
    ASSERT_TRUE(store_->submit(good));
    late.deadline_us = 0;
    store_->run_pending();
    EXPECT_EQ(late.runs, 0);
    EXPECT_EQ(late.result.error().code, ErrorCode::timeout);
    EXPECT_TRUE(good.result);
}

TEST_P(StoreTest, ASchemaChangeThatFailsLeavesEverythingAsItWas) {
    put(posts());
    auto const version = store_->schema_version();
    auto const failed = store_->write_now(
        [&](WriteContext& context) -> Result<void> {
            auto other = posts();
            other->id = "pbc_other";
            other->name = "other";
            other->indexes.clear();
            std::shared_ptr<Collection const> const all[] = {other};
            QUERN_CHECK(change_schema(context, {all, {}}));
            return fail(ErrorCode::bad_request, "no");
        },
        true);
    EXPECT_FALSE(failed);
    EXPECT_EQ(store_->schema_version(), version);
    EXPECT_EQ(store_->schema()->find("other"), nullptr);
}

TEST_P(StoreTest, KeepsItsSchemaAcrossARestart) {
    if (GetParam() == EngineKind::ram) return;  // nothing survives
    auto collection = posts();
    collection->list_rule = "";
    collection->view_rule = "title != \"\"";
    collection->fields[1].max = 10;
    put(collection);
    open({});
    Collection const* loaded = store_->schema()->find("posts");
    ASSERT_NE(loaded, nullptr);
    EXPECT_EQ(*loaded, *collection);
}

INSTANTIATE_TEST_SUITE_P(Engines, StoreTest, testing::Values(EngineKind::ram, EngineKind::sqlite),
                         [](auto const& instance) {
                             return instance.param == EngineKind::ram ? "ram" : "sqlite";
                         });

}  // namespace
}  // namespace quern::store
