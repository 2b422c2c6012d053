// SPDX-License-Identifier: Apache-2.0
#include "store/store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <initializer_list>
#include <latch>
#include <string>
#include <thread>
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
    void SetUp() override {
        StoreOptions options;
        options.loop_read_max = std::chrono::hours(1);  // however busy the machine is
        open(std::move(options));
    }
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

// A job of the thread's that waits until it is let go.
class HeldJob {
public:
    explicit HeldJob(Result<void> end = {})
        : job([this, end](WriteContext&) {
              started_.count_down();
              go_.wait();
              return end;
          }) {
        job.alone = true;
    }
    void wait_for_start() { started_.wait(); }
    void let_go() { go_.count_down(); }

    TestJob job;

private:
    std::latch started_{1};
    std::latch go_{1};
};

TEST_P(StoreTest, ALongJobDoesNotHoldUpTheLoopAndNobodyOvertakesIt) {
    put(posts());
    TestJob before([](WriteContext& context) { return insert(context, id_of(1), "a"); });
    HeldJob held;
    TestJob behind([](WriteContext& context) { return insert(context, id_of(2), "b"); });
    TestJob later([](WriteContext& context) { return insert(context, id_of(3), "c"); });
    for (WriteJob* const job : std::initializer_list<WriteJob*>{&before, &held.job, &behind}) {
        ASSERT_TRUE(store_->submit(*job));
    }
    store_->run_pending();
    EXPECT_TRUE(before.finished) << "what is in front of it runs on the loop";
    held.wait_for_start();
    ASSERT_TRUE(store_->submit(later));
    store_->run_pending();
    EXPECT_EQ(behind.runs + later.runs, 0);
    held.let_go();
    for (TestJob* const job : {&held.job, &behind, &later}) {
        job->wait();
        EXPECT_TRUE(job->result);
    }
    EXPECT_LT(before.order, held.job.order);
    EXPECT_LT(held.job.order, behind.order);
    EXPECT_LT(behind.order, later.order);
    EXPECT_EQ(ids("posts").size(), 3U);
    store_->stop();
}

// The thread gives the writer back as soon as it has nothing to do, and the loop writes again by itself.
TEST_P(StoreTest, AfterALongJobTheLoopWritesAgain) {
    put(posts());
    for (int round = 0; round < 20; ++round) {
        HeldJob held;
        ASSERT_TRUE(store_->submit(held.job));
        store_->run_pending();
        held.let_go();
        held.job.wait();
        TestJob next(
            [round](WriteContext& context) { return insert(context, id_of(round), std::to_string(round)); });
        ASSERT_TRUE(store_->submit(next));
        while (!next.finished) store_->run_pending();
        EXPECT_TRUE(next.result);
    }
    EXPECT_EQ(ids("posts").size(), 20U);
    store_->stop();
}

TEST_P(StoreTest, ALongJobThatFailsFailsAlone) {
    put(posts());
    HeldJob held(fail(ErrorCode::bad_request, "no"));
    TestJob behind([](WriteContext& context) { return insert(context, id_of(1), "a"); });
    ASSERT_TRUE(store_->submit(held.job));
    ASSERT_TRUE(store_->submit(behind));
    store_->run_pending();
    held.let_go();
    behind.wait();
    EXPECT_TRUE(behind.result);
    ASSERT_TRUE(held.job.finished);
    ASSERT_FALSE(held.job.result);
    EXPECT_EQ(held.job.result.error().code, ErrorCode::bad_request);
    EXPECT_EQ(held.job.runs, 1);
    store_->stop();
}

TEST_P(StoreTest, StoppingDuringALongJobFinishesEverything) {
    put(posts());
    HeldJob held;
    TestJob behind([](WriteContext& context) { return insert(context, id_of(1), "a"); });
    HeldJob last;
    ASSERT_TRUE(store_->submit(held.job));
    store_->run_pending();
    held.wait_for_start();
    ASSERT_TRUE(store_->submit(behind));
    ASSERT_TRUE(store_->submit(last.job));
    last.let_go();
    std::thread stopper([&] { store_->stop(); });
    held.let_go();
    stopper.join();
    for (TestJob const* const job : {&held.job, &behind, &last.job}) {
        EXPECT_TRUE(job->finished);
        EXPECT_TRUE(job->result);
    }
}

// What was queued and never run by the loop is finished too.
TEST_P(StoreTest, StoppingRunsWhatTheLoopHasNot) {
    put(posts());
    TestJob only([](WriteContext& context) { return insert(context, id_of(1), "a"); });
    ASSERT_TRUE(store_->submit(only));
    store_->stop();
    EXPECT_TRUE(only.finished);
    EXPECT_TRUE(only.result);
    EXPECT_EQ(ids("posts").size(), 1U);
}

// Notes that hang on a post go with it.
class CascadeTest : public StoreTest {
protected:
    void SetUp() override {
        StoreTest::SetUp();
        put(posts());
        auto notes = posts();
        notes->id = "pbc_notes";
        notes->name = "notes";
        notes->indexes = {{"idx_notes_post", false, {{"post", false, false}}, ""}};
        notes->fields[1].id = "relation_post";
        notes->fields[1].name = "post";
        notes->fields[1].type = FieldType::relation;
        notes->fields[1].collection_id = "pbc_posts";
        notes->fields[1].cascade_delete = true;
        put(notes);
    }

    void insert_with_notes(int post, int count) {
        ASSERT_TRUE(store_->write_now(
            [&](WriteContext& context) -> Result<void> {
                QUERN_CHECK(insert(context, id_of(post), id_of(post)));
                for (int number = 0; number < count; ++number) {
                    std::string const id = id_of(post * 100'000 + number);
                    std::string const target = id_of(post);
                    engine::Assignment const row[] = {{0, Value::of(std::string_view(id)), {}},
                                                      {1, Value::of(std::string_view(target)), {}},
                                                      {static_cast<std::uint16_t>(Collection::version_field),
                                                       Value::of(context.next_version()),
                                                       {}}};
                    QUERN_CHECK(context.transaction.insert(*context.schema->find("notes"), row));
                }
                return {};
            },
            true));
    }

    static Result<void> remove(WriteContext& context, std::string_view id) {
        QUERN_TRY(bool const existed, remove_record(context, *context.schema->find("posts"), id));
        if (!existed) return fail(ErrorCode::not_found);
        return {};
    }

    static constexpr int few = 50;
    static constexpr int many = 300;
};

TEST_P(CascadeTest, AShortCascadeRunsOnTheLoop) {
    insert_with_notes(1, few);
    TestJob removal([](WriteContext& context) { return remove(context, id_of(1)); });
    ASSERT_TRUE(store_->submit(removal));
    store_->run_pending();
    ASSERT_TRUE(removal.finished);
    EXPECT_TRUE(removal.result);
    EXPECT_EQ(removal.runs, 1);
    EXPECT_TRUE(ids("notes").empty());
}

TEST_P(CascadeTest, ALongCascadeIsUndoneOnTheLoopAndRunOnTheThreadInItsTurn) {
    insert_with_notes(1, many);
    insert_with_notes(2, few);
    TestJob before([](WriteContext& context) { return insert(context, id_of(3), "a"); });
    TestJob removal([](WriteContext& context) { return remove(context, id_of(1)); });
    TestJob behind([](WriteContext& context) { return insert(context, id_of(1), "again"); });
    for (TestJob* const job : {&before, &removal, &behind}) ASSERT_TRUE(store_->submit(*job));
    store_->run_pending();
    ASSERT_TRUE(before.finished);
    for (TestJob* const job : {&removal, &behind}) {
        job->wait();
        EXPECT_TRUE(job->result);
    }
    EXPECT_EQ(before.runs, 1);
    EXPECT_EQ(removal.runs, 2) << "once on the loop, once on the thread";
    EXPECT_EQ(behind.runs, 1);
    EXPECT_LT(before.order, removal.order);
    EXPECT_LT(removal.order, behind.order);
    EXPECT_EQ(ids("posts"), (std::vector<std::string>{id_of(1), id_of(2), id_of(3)}));
    EXPECT_EQ(ids("notes").size(), static_cast<std::size_t>(few));
    store_->stop();
}

TEST_P(CascadeTest, ALongReadOfAWriteIsGivenUpOnTheLoop) {
    StoreOptions options;
    options.loop_read_max = std::chrono::microseconds(1);
    if (GetParam() == EngineKind::ram) return;  // it looks at the clock too seldom for so few rows
    open(std::move(options));
    insert_with_notes(1, many);
    std::atomic<int> given_up = 0;
    TestJob reading([&](WriteContext& context) -> Result<void> {
        plan::Plan plan;
        plan.schema = context.schema;
        plan.sources.push_back({context.schema->find("notes"), plan::no_source, plan::Hop::root, 0, {}});
        plan.output = {plan::column(0, 0), plan::column(0, 1)};
        auto const sealed = plan::seal(std::move(plan));
        RowFunction sink([](std::span<Value const>) { return true; });
        auto read = context.transaction.select({*sealed, {}}, sink);
        if (!read) ++given_up;
        return read;
    });
    ASSERT_TRUE(store_->submit(reading));
    store_->run_pending();
    reading.wait();
    EXPECT_TRUE(reading.result);
    EXPECT_EQ(given_up, reading.runs - 1);
    store_->stop();
}

// The questions who points at a record are made once, not for each record that goes.
TEST_P(CascadeTest, ACascadeMakesEachPlanOnce) {
    auto const plans_made = [this] {
        plan::Plan plan;
        plan.schema = store_->schema();
        plan.sources.push_back({plan.schema->find("posts"), plan::no_source, plan::Hop::root, 0, {}});
        return plan::seal(std::move(plan))->id;
    };
    for (int post = 1; post <= 3; ++post) insert_with_notes(post, many);
    auto const before = plans_made();
    for (int post = 1; post <= 3; ++post) {
        ASSERT_TRUE(
            store_->write_now([&](WriteContext& context) { return remove(context, id_of(post)); }, true));
    }
    EXPECT_LE(plans_made() - before, 2U) << "of the one relation, and the one that tells";
    EXPECT_TRUE(ids("notes").empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, CascadeTest, testing::Values(EngineKind::ram, EngineKind::sqlite),
                         [](auto const& instance) {
                             return instance.param == EngineKind::ram ? "ram" : "sqlite";
                         });

INSTANTIATE_TEST_SUITE_P(Engines, StoreTest, testing::Values(EngineKind::ram, EngineKind::sqlite),
                         [](auto const& instance) {
                             return instance.param == EngineKind::ram ? "ram" : "sqlite";
                         });

}  // namespace
}  // namespace quern::store
