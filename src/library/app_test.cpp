// SPDX-License-Identifier: Apache-2.0
#include <quern/app.h>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <thread>

namespace quern {
namespace {

using http::Method;

std::string plain(std::string_view name) { return "plain " + std::string(name); }

TEST(App, CapturesArriveTyped) {
    App app;
    app.get<"/">([] { return "root"; });
    app.get<"/hello/{name}">([](std::string_view name) { return "Hello, " + std::string(name) + "!"; });
    app.get<"/sum/{a}/{b}">([](std::int64_t a, std::int32_t b) { return std::to_string(a + b); });
    app.get<"/half/{x}">([](double x) { return std::to_string(x / 2); });
    app.get<"/uuid/{id}">([](Uuid id) { return id.text(); });
    app.get<"/files/{path...}">([](std::string_view path) { return std::string(path); });
    app.get<"/plain/{name}">(&plain);
    auto const body = [&app](std::string_view target) { return app.request(Method::get, target).body; };
    EXPECT_EQ(body("/"), "root");
    EXPECT_EQ(body("/hello/you"), "Hello, you!");
    EXPECT_EQ(body("/hello/a%2Fb%20c"), "Hello, a/b c!");
    EXPECT_EQ(body("/sum/9007199254740993/1"), "9007199254740994");
    EXPECT_EQ(body("/half/3"), "1.500000");
    EXPECT_EQ(body("/uuid/0123ABCD-0000-4000-8000-00000000000f"), "0123abcd-0000-4000-8000-00000000000f");
    EXPECT_EQ(body("/files/a/b/c.txt"), "a/b/c.txt");
    EXPECT_EQ(body("/files/a%20b/c"), "a b/c");
    EXPECT_EQ(body("/plain/x"), "plain x");
}

TEST(App, ABadCaptureIs400) {
    App app;
    app.get<"/sum/{a}/{b}">([](std::int64_t a, std::uint8_t b) { return std::to_string(a + b); });
    app.get<"/uuid/{id}">([](Uuid id) { return id.text(); });
    for (auto const* const target : {"/sum/x/1", "/sum/1/256", "/sum/1/-1", "/sum/1.5/1", "/sum/+1/1",
                                     "/sum/9223372036854775808/1", "/uuid/1", "/uuid/0123abcd"}) {
        auto const reply = app.request(Method::get, target);
        EXPECT_EQ(reply.status, 400) << target;
        EXPECT_EQ(reply.content_type, "application/problem+json");
    }
    EXPECT_EQ(app.request(Method::get, "/sum/1/256").body,
              R"({"type":"about:blank","title":"Bad Request","status":400,)"
              R"("detail":"The path \"b\" is not a whole number from 0 to 255.",)"
              R"("errors":[{"location":"path.b","code":"invalid_value",)"
              R"("message":"Must be a whole number from 0 to 255."}]})");
}

TEST(App, WhatIsNotThere) {
    App app;
    app.get<"/a/{id}">([](int) { return "a"; });
    app.post<"/a/{id}">([](int) { return With<202, std::string>{"later"}; });
    EXPECT_EQ(app.request(Method::get, "/b").status, 404);
    EXPECT_EQ(app.request(Method::get, "/a/").status, 404);
    auto const refused = app.request(Method::put, "/a/1");
    EXPECT_EQ(refused.status, 405);
    EXPECT_EQ(refused.headers, "Allow: GET, HEAD, POST, OPTIONS\r\n");
    auto const options = app.request(Method::options, "/a/1");
    EXPECT_EQ(options.status, 204);
    EXPECT_EQ(options.headers, "Allow: GET, HEAD, POST, OPTIONS\r\n");
    EXPECT_EQ(app.request(Method::head, "/a/1").status, 200);
    EXPECT_EQ(app.request(Method::post, "/a/1").status, 202);
    EXPECT_EQ(app.request(Method::get, "/%zz").status, 400);
}

TEST(App, Extractors) {
    struct Counter {
        std::atomic<int> value = 0;
    };
    App app;
    app.state(std::make_shared<Counter>());
    app.post<"/count/{by}">([](int by, State<Counter> counter, Body body,
                               Header<"x-note", std::optional<std::string_view>> note) {
        counter->value += by;
        return std::to_string(counter->value) + " " + std::string(body.bytes) + " " +
               std::string(note->value_or("-"));
    });
    app.get<"/needs">([](Header<"x-count", int> count) { return std::to_string(*count * 2); });
    app.get<"/raw">([](http::Request const& request) { return std::string(request.raw_query); });
    app.get<"/exchange">([](http::Exchange& exchange) { exchange.response.status = 299; });
    app.get<"/missing">([](State<std::string> text) { return *text; });
    EXPECT_EQ(app.request(Method::post, "/count/2", "b").body, "2 b -");
    http::Header const note[] = {{"x-note", "n"}};
    EXPECT_EQ(app.request(Method::post, "/count/3", "c", note).body, "5 c n");
    EXPECT_EQ(app.request(Method::get, "/needs").status, 400);
    http::Header const count[] = {{"x-count", "21"}};
    EXPECT_EQ(app.request(Method::get, "/needs", {}, count).body, "42");
    http::Header const bad[] = {{"x-count", "many"}};
    EXPECT_EQ(app.request(Method::get, "/needs", {}, bad).status, 400);
    EXPECT_EQ(app.request(Method::get, "/raw?a=1&b").body, "a=1&b");
    EXPECT_EQ(app.request(Method::get, "/exchange").status, 299);
    auto const missing = app.request(Method::get, "/missing");
    EXPECT_EQ(missing.status, 500);
    EXPECT_EQ(missing.body.find("state"), std::string::npos) << "the client is told nothing of the inside";
}

TEST(App, Answers) {
    App app;
    app.get<"/reply">([] { return Reply{418, "short", "text/x-tea", {{"X-Pot", "1"}}}; });
    app.get<"/split">([] { return Reply{200, "", "text/plain", {{"X", "a\r\nEvil: 1"}}}; });
    app.get<"/moved">([] { return Reply::see_other("/there"); });
    app.get<"/none">([]() -> std::optional<std::string> { return std::nullopt; });
    app.get<"/some">([]() -> std::optional<std::string> { return "some"; });
    app.get<"/fails">([]() -> Result<std::string> { return fail(ErrorCode::overloaded, "Not now."); });
    app.del<"/gone">([]() -> Result<void> { return {}; });
    app.get<"/throws">([]() -> std::string { throw std::runtime_error("secret"); });
    auto const tea = app.request(Method::get, "/reply");
    EXPECT_EQ(tea.status, 418);
    EXPECT_EQ(tea.content_type, "text/x-tea");
    EXPECT_EQ(tea.headers, "X-Pot: 1\r\n");
    EXPECT_EQ(app.request(Method::get, "/split").status, 500);
    EXPECT_EQ(app.request(Method::get, "/moved").headers, "Location: /there\r\n");
    EXPECT_EQ(app.request(Method::get, "/none").status, 404);
    EXPECT_EQ(app.request(Method::get, "/some").body, "some");
    EXPECT_EQ(app.request(Method::get, "/fails").status, 503);
    EXPECT_EQ(app.request(Method::del, "/gone").status, 204);
    auto const thrown = app.request(Method::get, "/throws");
    EXPECT_EQ(thrown.status, 500);
    EXPECT_EQ(thrown.body.find("secret"), std::string::npos);
}

TEST(App, RoutesOfTheRunningProgram) {
    App app;
    bool const wanted = app.port() != 0;  // false, but the compiler does not know
    if (wanted) app.get<"/skipped">([] { return "never"; });
    app.get<"/known/{a}">([](std::string_view a) { return std::string(a); });
    ASSERT_TRUE(app.add(Method::get, "/added/{x}/{rest...}", [](Call& call) {
        call.exchange.response.body.append(call.captures[0]);
        call.exchange.response.body.append(call.captures[1]);
    }));
    EXPECT_EQ(app.add(Method::get, "/known/{b}", [](Call&) {}).error().code, ErrorCode::conflict);
    EXPECT_EQ(app.add(Method::get, "/added/{y}/{z...}", [](Call&) {}).error().code, ErrorCode::conflict);
    EXPECT_EQ(app.add(Method::get, "/{", [](Call&) {}).error().code, ErrorCode::parameter_invalid);
    EXPECT_EQ(app.request(Method::get, "/added/1/2/3").body, "12/3");
    EXPECT_EQ(app.request(Method::get, "/known/k").body, "k");
    EXPECT_EQ(app.request(Method::get, "/skipped").status, 404);
}

TEST(App, ListensAndStops) {
    App app({.loops = 1, .stop_on_signals = false});
    app.get<"/">([] { return "here"; });
    App other({.loops = 1, .stop_on_signals = false});
    other.get<"/">([] { return "two apps may have the same route"; });
    std::thread thread([&] { EXPECT_TRUE(app.listen("127.0.0.1:0")); });
    while (app.port() == 0) std::this_thread::yield();
    EXPECT_EQ(app.request(Method::get, "/").body, "here");
    app.stop();
    thread.join();
    EXPECT_EQ(app.port(), 0);
    EXPECT_EQ(app.listen("nowhere").error().code, ErrorCode::parameter_invalid);
}

TEST(App, AForgottenStateShowsBeforeItListens) {
    App app;
    app.get<"/numbers/{id}">(
        [](int, State<std::vector<int>> numbers) { return std::to_string(numbers->size()); });
    auto const refused = app.listen("127.0.0.1:0");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::parameter_invalid);
    EXPECT_TRUE(refused.error().message.starts_with(
        "The handler of GET /numbers/{id} asks for a quern::State<std::vector<int"))
        << refused.error().message;
}

TEST(App, WhatAHandlerThrowsIsToldToWhoRunsIt) {
    App app;
    app.get<"/">([]() -> std::string { throw std::runtime_error("out of paper"); });
    testing::internal::CaptureStderr();
    auto const answer = app.request(Method::get, "/?a");
    std::string const told = testing::internal::GetCapturedStderr();
    EXPECT_EQ(answer.status, 500);
    EXPECT_EQ(answer.body.find("paper"), std::string::npos);
    EXPECT_EQ(told, "quern: GET /?a: internal: The handler has thrown: out of paper\n");
}

}  // namespace
}  // namespace quern
