// SPDX-License-Identifier: Apache-2.0
// Requests through the whole API in one thread, without sockets: real store, real SQLite, an exchange that
// only remembers that it was finished.
#include "api/service.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "auth/auth_collection.h"
#include "base/count_allocations.h"
#include "base/test_directory.h"
#include "engine/sqlite/sqlite.h"
#include "os/clock.h"
#include "schema/collection_json.h"
#include "store/metadata.h"

namespace quern::api {
namespace {

using test::allocations;

class TestExchange final : public http::Exchange {
public:
    void finish() override { finished = true; }
    void post(std::move_only_function<void()> work) override {
        std::lock_guard const lock(mutex_);
        posted_.push_back(std::move(work));
    }
    // Runs what was posted, by this thread or another.
    void run_posted() {
        while (true) {
            std::unique_lock lock(mutex_);
            if (posted_.empty()) return;
            auto work = std::move(posted_.front());
            posted_.pop_front();
            lock.unlock();
            work();
        }
    }
    [[nodiscard]] std::size_t loop_index() const override { return 0; }

    void ask(http::Method method, std::string path, std::string query = {}, std::string body = {}) {
        response.clear();
        arena.reset();
        finished = false;
        path_ = std::move(path);
        query_ = std::move(query);
        body_ = std::move(body);
        body_bytes_ = body_.size();
        body_.resize(body_bytes_ + http::Request::body_padding_bytes);
        segments_.clear();
        std::string_view rest = std::string_view(path_).substr(1);
        while (true) {
            std::size_t const slash = rest.find('/');
            segments_.push_back(rest.substr(0, slash));
            if (slash == std::string_view::npos) break;
            rest.remove_prefix(slash + 1);
        }
        headers_.clear();
        if (!token.empty()) headers_.push_back({"authorization", token});
        again(method);
    }
    // The same request once more; allocates nothing itself.
    void again(http::Method method) {
        response.clear();
        arena.reset();
        finished = false;
        request.method = method;
        request.raw_path = path_;
        request.segments = segments_;
        request.raw_query = query_;
        request.headers = headers_;
        request.body = std::string_view(body_).substr(0, body_bytes_);
    }

    std::atomic<bool> finished = false;
    std::string token;

private:
    std::mutex mutex_;
    std::deque<std::move_only_function<void()>> posted_;
    std::string path_;
    std::string query_;
    std::string body_;
    std::size_t body_bytes_ = 0;
    std::vector<std::string_view> segments_;
    std::vector<http::Header> headers_;
};

class ServiceTest : public testing::Test {
protected:
    void SetUp() override {
        engine::sqlite::Options options;
        options.path = directory_.path() / "data.db";
        options.clock = engine_clock();
        auto engine = engine::sqlite::open(options);
        ASSERT_TRUE(engine) << engine.error().message;
        store::StoreOptions store_options;
        store_options.inline_writer = true;
        store_options.loop_read_max = std::chrono::hours(1);  // however busy the machine is
        auto store = store::Store::open(*std::move(engine), clock_, std::move(store_options));
        ASSERT_TRUE(store) << store.error().message;
        store_ = *std::move(store);
        ServiceOptions service_options;
        service_options.inline_writer = true;
        auto service = Service::open({*store_, clock_, random_, hasher_, password_pool_}, service_options);
        ASSERT_TRUE(service) << service.error().message;
        service_ = *std::move(service);
        make_posts();
    }
    // What the engine measures its budgets by; null is the machine's.
    virtual os::Clock const* engine_clock() { return nullptr; }
    void TearDown() override {
        service_.reset();
        store_.reset();
    }

    void make_posts() {
        auto posts = std::make_shared<Collection>();
        posts->id = "pbc_posts";
        posts->name = "posts";
        posts->fields = {make_id_field()};
        for (auto const& [name, type] : {std::pair("title", FieldType::text),
                                         {"views", FieldType::number},
                                         {"live", FieldType::boolean},
                                         {"day", FieldType::date}}) {
            Field field;
            field.id = std::string("f_") + name;
            field.name = name;
            field.type = type;
            field.only_int = type == FieldType::number;
            posts->fields.push_back(field);
        }
        posts->indexes.push_back({"idx_posts_views", false, {{"views", false, false}}, ""});
        posts->list_rule = "live = true";
        posts->view_rule = "live = true";
        posts->create_rule = "";
        posts->update_rule = "";
        std::shared_ptr<Collection const> const all[] = {posts};
        ASSERT_TRUE(store_->write_now(
            [&](store::WriteContext& context) {
                return store::change_schema(context, {all, {}});
            },
            true));
        for (int number = 0; number < 40; ++number) {
            std::string const digits = std::to_string(number);
            std::string const id = std::string(15 - digits.size(), '0') + digits;
            answer(http::Method::post, "/api/collections/posts/records", {},
                   R"({"id":")" + id + R"(","title":"Title )" + digits + R"(","views":)" + digits +
                       R"(,"live":)" + (number % 4 == 3 ? "false" : "true") + R"(,"day":"2026-01-02"})");
            ASSERT_EQ(exchange_.response.status, 200) << exchange_.response.body.view();
        }
    }

    // Notes that point at posts, for `expand`.
    void make_notes() {
        auto notes = std::make_shared<Collection>();
        notes->id = "pbc_notes";
        notes->name = "notes";
        notes->fields = {make_id_field()};
        Field post;
        post.id = "f_post";
        post.name = "post";
        post.type = FieldType::relation;
        post.collection_id = "pbc_posts";
        post.max_select = 1;
        notes->fields.push_back(post);
        notes->view_rule = notes->create_rule = notes->update_rule = notes->delete_rule = "";
        std::shared_ptr<Collection const> const all[] = {notes};
        ASSERT_TRUE(store_->write_now(
            [&](store::WriteContext& context) {
                return store::change_schema(context, {all, {}});
            },
            true));
    }

    void run() {
        service_->handle(exchange_);
        service_->iteration_end(0);
        exchange_.run_posted();
        ASSERT_TRUE(exchange_.finished);
    }

    std::string answer(http::Method method, std::string path, std::string query = {}, std::string body = {}) {
        exchange_.ask(method, std::move(path), std::move(query), std::move(body));
        run();
        return std::string(exchange_.response.body.view());
    }

    // Allocations of one more run of the request, after some to warm up.
    std::size_t allocations_warm(http::Method method) {
        for (int time = 0; time < 8; ++time) {
            exchange_.again(method);
            run();
        }
        exchange_.again(method);
        std::size_t const before = allocations;
        service_->handle(exchange_);
        service_->iteration_end(0);
        return allocations - before;
    }

    os::SystemClock clock_;
    crypto::SystemRandom random_;
    crypto::Argon2id hasher_{{.memory_bytes = 1024 * 1024, .passes = 1}};
    auth::PasswordPool password_pool_{{.threads = 1}};
    test::TemporaryDirectory directory_;
    std::unique_ptr<store::Store> store_;
    std::unique_ptr<Service> service_;
    TestExchange exchange_;
};

TEST_F(ServiceTest, AViewUnderARuleAllocatesNothingOnceWarm) {
    std::string const body = answer(http::Method::get, "/api/collections/posts/records/000000000000005");
    EXPECT_EQ(exchange_.response.status, 200);
    EXPECT_EQ(body, R"({"collectionId":"pbc_posts","collectionName":"posts","id":"000000000000005",)"
                    R"("title":"Title 5","views":5,"live":true,"day":"2026-01-02 00:00:00.000Z"})");
    EXPECT_EQ(allocations_warm(http::Method::get), 0U);
}

TEST_F(ServiceTest, AListWithFilterAndSortAllocatesNothingOnceWarm) {
    std::string const body =
        answer(http::Method::get, "/api/collections/posts/records",
               "filter=views%3E3%20%26%26%20title~%22title%22&sort=-views&perPage=20&skipTotal=1");
    EXPECT_EQ(exchange_.response.status, 200) << body;
    EXPECT_TRUE(body.starts_with(R"({"page":1,"perPage":20,"totalItems":-1,"totalPages":-1,"items":[{)"))
        << body;
    // `~` folds each text it looks at, and that takes memory: the count is for what stands on an index.
    answer(http::Method::get, "/api/collections/posts/records",
           "filter=views%3E3&sort=-views&perPage=20&skipTotal=1");
    EXPECT_EQ(allocations_warm(http::Method::get), 0U);
}

TEST_F(ServiceTest, AHiddenRowIsAnsweredLikeOneThatDoesNotExist) {
    std::string const hidden = answer(http::Method::get, "/api/collections/posts/records/000000000000003");
    std::string const hidden_headers(exchange_.response.extra_headers.view());
    EXPECT_EQ(exchange_.response.status, 404);
    std::string const missing = answer(http::Method::get, "/api/collections/posts/records/000000000000999");
    EXPECT_EQ(exchange_.response.status, 404);
    EXPECT_EQ(hidden, missing);
    EXPECT_EQ(hidden_headers, exchange_.response.extra_headers.view());
}

TEST_F(ServiceTest, AWriteIsAnsweredAfterItsCommitOnly) {
    exchange_.ask(http::Method::post, "/api/collections/posts/records", {}, R"({"title":"x","live":true})");
    service_->handle(exchange_);
    EXPECT_FALSE(exchange_.finished) << "queued, not committed";
    service_->iteration_end(0);
    EXPECT_TRUE(exchange_.finished);
    EXPECT_EQ(exchange_.response.status, 200);
}

class LateAnswerTest : public ServiceTest {
protected:
    static constexpr std::string_view plain =
        R"({"collectionId":"pbc_notes","collectionName":"notes","id":"aaaaaaaaaaaaaaa",)"
        R"("post":"000000000000001"})";

    // Creates a note that expands its post, and stops between the commit and the answer.
    void SetUp() override {
        ServiceTest::SetUp();
        make_notes();
        note_.ask(http::Method::post, "/api/collections/notes/records", "expand=post",
                  R"({"id":"aaaaaaaaaaaaaaa","post":"000000000000001"})");
        service_->handle(note_);
        service_->iteration_end(0);
        ASSERT_FALSE(note_.finished) << "committed, not answered";
    }

    std::string end() {
        note_.run_posted();
        EXPECT_TRUE(note_.finished);
        EXPECT_EQ(note_.response.status, 200);
        EXPECT_EQ(note_.user, nullptr);
        return std::string(note_.response.body.view());
    }

    TestExchange note_;
};

TEST_F(LateAnswerTest, ShowsWhatHangsBelowTheRecord) {
    std::string const body = end();
    EXPECT_NE(body.find(R"("expand":{"post":{)"), std::string::npos) << body;
    EXPECT_NE(note_.response.extra_headers.view().find("ETag: "), std::string_view::npos);
}

TEST_F(LateAnswerTest, TheWriterWaitsForNoExpand) {
    (void)answer(http::Method::patch, "/api/collections/posts/records/000000000000001", {},
                 R"({"title":"meanwhile"})");
    EXPECT_EQ(exchange_.response.status, 200);
    std::string const body = end();
    EXPECT_NE(body.find(R"("title":"meanwhile")"), std::string::npos) << body;
}

TEST_F(LateAnswerTest, ARecordThatIsGoneAgainIsShownAsItWasWritten) {
    (void)answer(http::Method::del, "/api/collections/notes/records/aaaaaaaaaaaaaaa");
    EXPECT_EQ(exchange_.response.status, 204);
    EXPECT_EQ(end(), plain);
    EXPECT_NE(note_.response.extra_headers.view().find("ETag: "), std::string_view::npos);
}

TEST_F(LateAnswerTest, AChangedSchemaLeavesTheAnswerAsItWas) {
    ASSERT_TRUE(store_->write_now(
        [&](store::WriteContext& context) {
            auto posts = std::make_shared<Collection>(*context.schema->find("pbc_posts"));
            posts->view_rule = std::nullopt;
            std::shared_ptr<Collection const> const all[] = {posts};
            return store::change_schema(context, {all, {}});
        },
        true));
    EXPECT_EQ(end(), plain);
}

TEST_F(LateAnswerTest, ASnapshotFromBeforeTheWriteIsNotUsed) {
    // A list holds its snapshot until its loop sleeps.
    exchange_.ask(http::Method::get, "/api/collections/posts/records", "perPage=1");
    service_->handle(exchange_);
    TestExchange other;
    other.ask(http::Method::post, "/api/collections/notes/records", "expand=post",
              R"({"id":"bbbbbbbbbbbbbbb","post":"000000000000002"})");
    service_->handle(other);
    store_->run_pending();
    other.run_posted();
    EXPECT_NE(other.response.body.view().find(R"("expand":{)"), std::string_view::npos);
    (void)end();
}

// From late() on, each look at it is an hour later than the one before, as to a loop that rarely gets to run.
class LateClock final : public os::Clock {
public:
    [[nodiscard]] std::int64_t monotonic_us() const override { return now_us_ += step_us_; }
    void late() { step_us_ = std::int64_t{3600} * 1'000'000; }
    [[nodiscard]] std::int64_t realtime_us() const override { return machine_.realtime_us(); }

private:
    std::atomic<std::int64_t> step_us_ = 0;
    mutable std::atomic<std::int64_t> now_us_ = 0;
    os::SystemClock machine_;
};

class BusyLoopTest : public ServiceTest {
protected:
    void SetUp() override {
        ServiceTest::SetUp();
        auto accounts = std::make_shared<Collection>(auth::make_superusers(random_));
        accounts->create_rule = "";
        std::shared_ptr<Collection const> const all[] = {accounts};
        ASSERT_TRUE(store_->write_now(
            [&](store::WriteContext& context) {
                return store::change_schema(context, {all, {}});
            },
            true));
        ask_and_wait("/api/collections/_superusers/records",
                     R"({"email":"a@example.com","password":"a password","passwordConfirm":"a password"})");
        ASSERT_EQ(exchange_.response.status, 200) << exchange_.response.body.view();
        late_.late();
    }
    os::Clock const* engine_clock() override { return &late_; }

    void ask_and_wait(std::string path, std::string body) {
        exchange_.ask(http::Method::post, std::move(path), {}, std::move(body));
        service_->handle(exchange_);
        while (!exchange_.finished) {
            exchange_.run_posted();
            service_->iteration_end(0);
            std::this_thread::yield();
        }
    }
    void sign_in() {
        ask_and_wait("/api/collections/_superusers/auth-with-password",
                     R"({"identity":"a@example.com","password":"a password"})");
    }

    LateClock late_;
};

// More than enough for SQLite to look at the clock while each of the statements runs.
constexpr int times = 300;

TEST_F(BusyLoopTest, ASignInNeverExceedsABudget) {
    for (int time = 0; time < times; ++time) {
        sign_in();
        ASSERT_EQ(exchange_.response.status, 200) << time << exchange_.response.body.view();
    }
}

TEST_F(BusyLoopTest, TheTokenOfAWriteIsCheckedHoweverLongItTakes) {
    sign_in();
    std::string const text(exchange_.response.body.view());
    std::size_t const from = text.find(R"("token":")") + 9;
    exchange_.token = text.substr(from, text.find('"', from) - from);
    for (int time = 0; time < times; ++time) {
        ask_and_wait("/api/collections/posts/records", R"({"title":"x"})");
        ASSERT_EQ(exchange_.response.status, 200) << time << exchange_.response.body.view();
    }
}

TEST_F(ServiceTest, BATCH_05_AStaleIfMatchChangesNothing) {
    (void)answer(http::Method::get, "/api/collections/posts/records/000000000000001");
    std::string const tag(exchange_.response.extra_headers.view());
    EXPECT_TRUE(tag.starts_with("ETag: \"")) << tag;
    (void)answer(http::Method::get, "/api/collections/posts/records/000000000000001", "fields=id");
    EXPECT_EQ(tag, exchange_.response.extra_headers.view());
    (void)answer(http::Method::patch, "/api/collections/posts/records/000000000000001", {},
                 R"({"views":100})");
    EXPECT_EQ(exchange_.response.status, 200);
    (void)answer(http::Method::get, "/api/collections/posts/records/000000000000001");
    EXPECT_NE(tag, exchange_.response.extra_headers.view());
}

}  // namespace
}  // namespace quern::api
