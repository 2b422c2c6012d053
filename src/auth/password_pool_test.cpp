// SPDX-License-Identifier: Apache-2.0
#include "auth/password_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <semaphore>
#include <string>

namespace quern::auth {
namespace {

TEST(PasswordPool, RunsInOrderOnOneThread) {
    std::vector<int> ran;
    {
        PasswordPool pool({.threads = 1});
        for (int i = 0; i < 20; ++i) ASSERT_TRUE(pool.submit([&ran, i] { ran.push_back(i); }));
    }
    ASSERT_EQ(ran.size(), 20U);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(ran[static_cast<std::size_t>(i)], i);
}

TEST(PasswordPool, NeverRunsMoreJobsAtOnceThanItHasThreads) {
    PasswordPool pool({.threads = 3});
    EXPECT_EQ(pool.thread_count(), 3U);
    std::atomic<int> running = 0;
    std::atomic<int> most = 0;
    std::latch done(40);
    for (int i = 0; i < 40; ++i) {
        ASSERT_TRUE(pool.submit([&] {
            int const now = ++running;
            for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            --running;
            done.count_down();
        }));
    }
    done.wait();
    EXPECT_GE(most, 2);
    EXPECT_LE(most, 3);
}

TEST(PasswordPool, AFullQueueIsOverloadedAndTheJobNeverRuns) {
    PasswordPool pool({.threads = 1, .queue_max = 2});
    std::binary_semaphore started(0);
    std::binary_semaphore go_on(0);
    ASSERT_TRUE(pool.submit([&] {
        started.release();
        go_on.acquire();
    }));
    started.acquire();  // the thread is busy, the queue empty
    std::atomic<int> ran = 0;
    EXPECT_TRUE(pool.submit([&] { ++ran; }));
    EXPECT_TRUE(pool.submit([&] { ++ran; }));
    EXPECT_EQ(pool.queue_length(), 2U);
    auto const refused = pool.submit([&] { ran += 100; });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::overloaded);
    go_on.release();
    pool.stop();
    EXPECT_EQ(ran, 2);
}

TEST(PasswordPool, StopRunsWhatWaitsAndRefusesTheRest) {
    PasswordPool pool({.threads = 2});
    std::atomic<int> ran = 0;
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(pool.submit([&ran] {
            std::this_thread::sleep_for(std::chrono::microseconds(200));
            ++ran;
        }));
    }
    pool.stop();
    EXPECT_EQ(ran, 30);
    auto const late = pool.submit([&ran] { ++ran; });
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, ErrorCode::overloaded);
    pool.stop();  // again: nothing to do
    EXPECT_EQ(ran, 30);
}

TEST(PasswordPool, CompletionsGoWhereTheyArePosted) {
    PasswordPool pool({.threads = 1});
    std::atomic<bool> posted = false;
    std::string answer;
    std::thread::id work_thread;
    PasswordPool::Job completion;
    ASSERT_TRUE(pool.submit(
        [&] {
            work_thread = std::this_thread::get_id();
            return std::string("hash");
        },
        [&](PasswordPool::Job job) {
            completion = std::move(job);
            posted = true;
            posted.notify_one();
        },
        [&](std::string result) { answer = std::move(result); }));
    posted.wait(false);
    EXPECT_EQ(answer, "") << "the completion has not run yet";
    completion();
    EXPECT_EQ(answer, "hash");
    EXPECT_NE(work_thread, std::this_thread::get_id());
}

TEST(PasswordPool, HasAtLeastOneThread) {
    PasswordPool pool;
    EXPECT_GE(pool.thread_count(), 1U);
}

}  // namespace
}  // namespace quern::auth
