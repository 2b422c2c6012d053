// SPDX-License-Identifier: Apache-2.0
#include "os/signal.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <semaphore>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace quern::os {
namespace {

constexpr auto wait_max = std::chrono::seconds(10);

TEST(StopSignals, ReachAlsoThreadsThatWereThereBefore) {
    std::binary_semaphore go(0);
    std::binary_semaphore told(0);
    std::atomic<int> number = 0;
    // The signal goes to this very thread.
    std::jthread const earlier([&] {
        go.acquire();
        ::pthread_kill(::pthread_self(), SIGTERM);
    });
    auto const signals = StopSignals::create([&](int received) {
        number = received;
        told.release();
    });
    ASSERT_TRUE(signals);
    go.release();
    EXPECT_TRUE(told.try_acquire_for(wait_max));
    EXPECT_EQ(number, SIGTERM);
}

TEST(StopSignals, TellAllWhoWait) {
    std::counting_semaphore<> told(0);
    {
        auto const one = StopSignals::create([&](int) { told.release(); });
        auto const other = StopSignals::create([&](int) { told.release(); });
        ASSERT_TRUE(one && other);
        ::raise(SIGINT);
        EXPECT_TRUE(told.try_acquire_for(wait_max));
        EXPECT_TRUE(told.try_acquire_for(wait_max));
    }
    std::vector<std::unique_ptr<StopSignals>> many;
    for (std::size_t index = 0; index < stop_signals_max; ++index)
        many.push_back(*StopSignals::create([](int) {}));
    EXPECT_FALSE(StopSignals::create([](int) {}));
    many.clear();
    EXPECT_TRUE(StopSignals::create([](int) {}));
}

TEST(StopSignalsDeathTest, TheThirdEndsTheProcess) {
    EXPECT_EXIT(
        {
            auto const signals = StopSignals::create([](int) {});
            for (int time = 0; time < 3; ++time) ::raise(SIGTERM);
        },
        testing::ExitedWithCode(128 + SIGTERM), "");
    EXPECT_EXIT(
        {
            {
                auto const signals = StopSignals::create([](int) {});
            }
            ::raise(SIGTERM);
        },
        testing::KilledBySignal(SIGTERM), "")
        << "without one it is as it was before";
}

}  // namespace
}  // namespace quern::os
