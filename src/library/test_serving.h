// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: an App that listens.

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

#include <quern/app.h>

namespace quern::test {

// Listens on a thread of its own, on a port that the system chooses, until its end.
class Serving {
public:
    explicit Serving(AppBase& app) : app_(app), thread_([&app] { EXPECT_TRUE(app.listen("127.0.0.1:0")); }) {
        while (app.port() == 0) std::this_thread::yield();
    }
    ~Serving() {
        app_.stop();
        thread_.join();
    }
    Serving(Serving const&) = delete;
    Serving& operator=(Serving const&) = delete;

    [[nodiscard]] std::uint16_t port() const { return app_.port(); }

private:
    AppBase& app_;
    std::thread thread_;
};

}  // namespace quern::test
