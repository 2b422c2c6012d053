// SPDX-License-Identifier: Apache-2.0
#include <quern/app.h>
#include <quern/collections.h>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/test_directory.h"

namespace quern {
namespace {

using http::Method;

constexpr char const* todos = R"({"name":"todos","type":"base","listRule":"","viewRule":"","createRule":"",
    "fields":[{"name":"title","type":"text","required":true},{"name":"done","type":"bool"}]})";
constexpr char const* records = "/api/collections/todos/records";

class CollectionsTest : public testing::Test {
protected:
    static void make_todos(Collections& collections) {
        auto const made = collections.upsert_superuser("a@example.com", "a password");
        ASSERT_TRUE(made) << made.error().message;
        EXPECT_TRUE(*made);
        auto admin = collections.client();
        auto const signed_in = admin.sign_in("_superusers", "a@example.com", "a password");
        ASSERT_TRUE(signed_in) << signed_in.error().message;
        auto const created = admin.post("/api/collections", todos);
        ASSERT_EQ(created.status, 200) << created.body;
    }

    test::TemporaryDirectory directory_;
};

TEST_F(CollectionsTest, AreUsedWithoutAServer) {
    auto const collections = Collections::open({.directory = directory_.path()});
    ASSERT_TRUE(collections) << collections.error().message;
    make_todos(**collections);
    auto anybody = (*collections)->client();
    EXPECT_EQ(anybody.post(records, R"({"title":"one"})").status, 200);
    EXPECT_EQ(anybody.post(records, R"({"title":""})").status, 400);
    EXPECT_EQ(anybody.del("/api/collections/todos").status, 401) << "under the same rules as over the wire";
    auto const list = anybody.get(std::string(records) + "?fields=title&filter=done%3Dfalse");
    EXPECT_EQ(list.status, 200);
    EXPECT_NE(list.body.find(R"("items":[{"title":"one"}])"), std::string::npos) << list.body;
    EXPECT_EQ(anybody.sign_in("_superusers", "a@example.com", "another").error().code,
              ErrorCode::credentials_invalid);
    EXPECT_EQ(Collections::open({.directory = directory_.path()}).error().code, ErrorCode::conflict);
}

TEST_F(CollectionsTest, AreMountedBesideRoutes) {
    App app({.loops = 1, .stop_on_signals = false});
    auto const collections = app.mount_collections({.directory = directory_.path()});
    ASSERT_TRUE(collections) << collections.error().message;
    make_todos(**collections);
    app.get<"/api/hello">([] { return "mine"; });
    app.get<"/count">([collections = *collections] {
        return collections->client().get(std::string(records) + "?perPage=1&fields=id").body;
    });
    EXPECT_EQ(app.request(Method::get, "/api/hello").body, "mine");
    EXPECT_EQ(app.request(Method::get, "/api/health").status, 200);
    EXPECT_EQ(app.request(Method::get, "/elsewhere").status, 404);
    http::Header const json[] = {{"content-type", "application/json"}};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int count = 0; count < 10; ++count)
                EXPECT_EQ(app.request(Method::post, records, R"({"title":"t"})", json).status, 200);
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_NE(app.request(Method::get, "/count").body.find(R"("totalItems":40)"), std::string::npos);
}

TEST_F(CollectionsTest, HooksRunInsideTheTransaction) {
    auto const opened = Collections::open({.directory = directory_.path()});
    ASSERT_TRUE(opened);
    Collections& collections = **opened;
    make_todos(collections);
    auto admin = collections.client();
    ASSERT_TRUE(admin.sign_in("_superusers", "a@example.com", "a password"));
    ASSERT_EQ(admin
                  .post("/api/collections", R"({"name":"audit","type":"base",
        "fields":[{"name":"what","type":"text"}]})")
                  .status,
              200);
    int durable = 0;
    std::string seen;
    auto const audit = [](Hook& hook, std::string const& what) {
        return hook.request(Method::post, "/api/collections/audit/records", R"({"what":")" + what + R"("})");
    };
    collections.on_create("todos", [&](Hook& hook) -> Result<void> {
        QUERN_TRY(seen, hook.record());
        EXPECT_EQ(audit(hook, "created").status, 200);
        hook.after_commit([&] { ++durable; });
        if (seen.find("forbidden") != std::string::npos) return fail(ErrorCode::forbidden, "Not this word.");
        if (seen.find("throw") != std::string::npos) throw std::runtime_error("secret");
        auto const trimmed = hook.request(Method::patch, std::string(records) + "/" + std::string(hook.id()),
                                          R"({"done":true})");
        EXPECT_EQ(trimmed.status, 200) << trimmed.body;
        EXPECT_EQ(audit(hook, std::string(6000, 'x')).status, 400) << "undone alone";
        return {};
    });
    collections.on_update("todos", [&](Hook& hook) -> Result<void> {
        EXPECT_EQ(hook.change(), Hook::Change::update);
        (void)audit(hook, "updated");
        return {};
    });
    collections.on_remove("todos", [&](Hook& hook) -> Result<void> {
        EXPECT_TRUE(hook.record());
        EXPECT_TRUE(hook.is_superuser());
        (void)audit(hook, "removed");
        return {};
    });
    auto const count = [&](std::string const& what) {
        auto const list = admin.get("/api/collections/audit/records?filter=what%3D%22" + what + "%22").body;
        return list.substr(list.find("\"totalItems\":") + 13, 1);
    };
    auto const made = admin.post(records, R"({"title":"one"})");
    ASSERT_EQ(made.status, 200) << made.body;
    EXPECT_NE(seen.find(R"("title":"one")"), std::string::npos);
    EXPECT_NE(made.body.find(R"("done":true)"), std::string::npos)
        << "the answer has what hooks have changed";
    EXPECT_EQ(durable, 1);
    auto const refused = admin.post(records, R"({"title":"forbidden"})");
    EXPECT_EQ(refused.status, 403);
    EXPECT_NE(refused.body.find("Not this word."), std::string::npos);
    auto const thrown = admin.post(records, R"({"title":"throw"})");
    EXPECT_EQ(thrown.status, 500);
    EXPECT_EQ(thrown.body.find("secret"), std::string::npos);
    EXPECT_EQ(durable, 1);
    EXPECT_EQ(count("created"), "1") << "what a refused change's hook wrote is gone with it";
    EXPECT_EQ(count("updated"), "1") << "the hook of a hook's write has run";
    std::string const id = made.body.substr(made.body.find(R"("id":")") + 6, 15);
    EXPECT_EQ(admin.del(std::string(records) + "/" + id).status, 204);
    EXPECT_EQ(count("removed"), "1");
}

TEST_F(CollectionsTest, HooksThatCallThemselvesEnd) {
    auto const opened = Collections::open({.directory = directory_.path()});
    ASSERT_TRUE(opened);
    make_todos(**opened);
    (*opened)->on_create("todos", [](Hook& hook) -> Result<void> {
        auto const again = hook.request(Method::post, records, R"({"title":"again"})");
        if (again.status != 200) return fail(ErrorCode::bad_request, again.body);
        return {};
    });
    auto anybody = (*opened)->client();
    EXPECT_EQ(anybody.post(records, R"({"title":"one"})").status, 400);
    EXPECT_NE(anybody.get(records).body.find(R"("totalItems":0)"), std::string::npos);
}

}  // namespace
}  // namespace quern
