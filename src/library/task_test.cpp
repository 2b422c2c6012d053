// SPDX-License-Identifier: Apache-2.0
#include <quern/app.h>
#include <quern/task.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace quern {
namespace {

using http::Method;
using namespace std::chrono_literals;

Task<int> half(int number) {
    auto const result = co_await background([number] { return number / 2; });
    co_return *result;
}

TEST(Task, AHandlerMayWait) {
    App app;
    app.get<"/now/{n}">([](int n) -> Task<std::string> { co_return std::to_string(n); });
    app.get<"/half/{n}">([](int n) -> Task<std::string> { co_return std::to_string(co_await half(n)); });
    app.get<"/twice/{name}">([](std::string_view name) -> Task<Created<std::string>> {
        (void)co_await background([] { std::this_thread::sleep_for(1ms); });
        co_return Created<std::string>{std::string(name) + std::string(name)};
    });
    app.get<"/own">([](http::Exchange& exchange) -> Task<> {
        (void)co_await background([] {});
        exchange.response.status = 299;
    });
    EXPECT_EQ(app.request(Method::get, "/now/7").body, "7");
    EXPECT_EQ(app.request(Method::get, "/half/8").body, "4");
    auto const twice = app.request(Method::get, "/twice/ab");
    EXPECT_EQ(twice.status, 201);
    EXPECT_EQ(twice.body, "abab");
    EXPECT_EQ(app.request(Method::get, "/own").status, 299);
    EXPECT_EQ(app.request(Method::get, "/half/x").status, 400) << "refused before the task begins";
}

Task<int> thrower() {
    (void)co_await background([] {});
    throw std::runtime_error("secret");
}

TEST(Task, WhatIsThrownEndsTheRequest) {
    App app;
    app.get<"/throws">([]() -> Task<std::string> { co_return std::to_string(co_await thrower()); });
    app.get<"/caught">([]() -> Task<std::string> {
        try {
            co_return std::to_string(co_await thrower());
        } catch (std::runtime_error const& error) {
            co_return error.what();
        }
    });
    app.get<"/inside">([]() -> Task<Result<std::string>> {
        co_return co_await background([]() -> std::string { throw std::runtime_error("secret"); });
    });
    EXPECT_EQ(app.request(Method::get, "/throws").status, 500);
    EXPECT_EQ(app.request(Method::get, "/caught").body, "secret");
    EXPECT_EQ(app.request(Method::get, "/inside").status, 500);
}

TEST(Task, BackgroundWorkHasADeadline) {
    App app;
    auto const told = std::make_shared<std::latch>(1);
    app.get<"/slow">([told]() -> Task<Result<std::string>> {
        auto const work = [told](std::stop_token stop) {
            while (!stop.stop_requested()) std::this_thread::sleep_for(1ms);
            told->count_down();
            return 1;
        };
        auto const result = co_await background(work, 20ms);
        if (!result) co_return std::unexpected(result.error());
        co_return fail(ErrorCode::internal);
    });
    EXPECT_EQ(app.request(Method::get, "/slow").status, 503);
    told->wait();
}

TEST(BackgroundPool, RefusesWhatIsTooMuch) {
    std::latch go(1);
    std::atomic<int> late = 0;
    std::atomic<int> ran = 0;
    {
        BackgroundPool pool(1);
        std::latch started(1);
        ASSERT_TRUE(pool.submit(
            [&](std::stop_token) {
                started.count_down();
                go.wait();
            },
            [](ErrorCode) {}, 10s));
        started.wait();
        for (std::size_t count = 0; count < BackgroundPool::queue_max; ++count) {
            ASSERT_TRUE(pool.submit([&](std::stop_token) { ++ran; },
                                    [&](ErrorCode code) {
                                        EXPECT_EQ(code, ErrorCode::overloaded);
                                        ++late;
                                    },
                                    10s));
        }
        EXPECT_EQ(pool.submit([](std::stop_token) {}, [](ErrorCode) {}, 10s).error().code,
                  ErrorCode::overloaded);
        std::thread([&] {
            std::this_thread::sleep_for(10ms);
            go.count_down();
        }).detach();
    }
    EXPECT_EQ(ran + late, static_cast<int>(BackgroundPool::queue_max)) << "every one is told";
}

TEST(Task, ManyAtOnceOverTheWire) {
    App app({.loops = 2, .stop_on_signals = false});
    std::atomic<int> done = 0;
    app.get<"/half/{n}">([&done](int n) -> Task<std::string> {
        int const result = co_await half(n);
        ++done;
        co_return std::to_string(result);
    });
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&] {
            for (int count = 0; count < 50; ++count) EXPECT_EQ(app.request(Method::get, "/half/6").body, "3");
        });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(done, 200);
}

}  // namespace
}  // namespace quern
