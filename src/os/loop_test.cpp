// SPDX-License-Identifier: Apache-2.0
#include "os/loop.h"

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/resource.h"
#include "os/socket.h"

namespace quern::os {
namespace {

class Client final : public LoopClient {
public:
    void on_iteration(bool posted) override {
        ++iterations;
        if (iteration) iteration(posted);
    }
    void on_timer() override { timer(); }
    int iterations = 0;
    std::function<void(bool)> iteration;
    std::function<void()> timer = [] {};
};

class Source final : public EventSource {
public:
    explicit Source(std::function<void(Ready)> action) : action_(std::move(action)) {}
    void on_ready(Ready ready) override { action_(ready); }

private:
    std::function<void(Ready)> action_;
};

TEST(EventLoop, RunsPostedWorkOfManyThreadsInTheirOrder) {
    constexpr int per_thread = 20'000;
    constexpr int thread_count = 3;
    SystemClock const clock;
    auto const loop = EventLoop::create(clock).value();
    std::vector<std::vector<int>> seen(thread_count);
    int left = per_thread * thread_count;
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < thread_count; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < per_thread; ++i) {
                loop->post([&, thread, i] {
                    EXPECT_TRUE(loop->is_current());
                    seen[static_cast<std::size_t>(thread)].push_back(i);
                    if (--left == 0) loop->quit();
                });
            }
        });
    }
    Client client;
    loop->run(client);
    EXPECT_FALSE(loop->is_current());
    for (auto const& order : seen) {
        ASSERT_EQ(order.size(), std::size_t{per_thread});
        EXPECT_TRUE(std::ranges::is_sorted(order));
    }
}

TEST(EventLoop, NoPostIsSleptOn) {
    SystemClock const clock;
    auto const loop = EventLoop::create(clock).value();
    std::atomic<int> done{0};
    Client client;
    std::jthread const runner([&] { loop->run(client); });
    for (int i = 1; i <= 2000; ++i) {
        loop->post([&] { ++done; });
        while (done.load() < i) std::this_thread::yield();
    }
    loop->quit();
}

TEST(EventLoop, TheTimerComesOnceAndInTime) {
    SystemClock const clock;
    auto const loop = EventLoop::create(clock).value();
    Client client;
    std::int64_t const start_us = clock.monotonic_us();
    loop->set_timer_us(start_us + 30'000);
    client.timer = [&] {
        EXPECT_GE(clock.monotonic_us(), start_us + 30'000);
        EXPECT_EQ(loop->timer_us(), EventLoop::no_timer);
        loop->quit();
    };
    loop->run(client);
    EXPECT_LT(clock.monotonic_us(), start_us + 2'000'000);
}

TEST(EventLoop, WithoutATimerItSleeps) {
    SystemClock const clock;
    auto const loop = EventLoop::create(clock).value();
    Client client;
    std::jthread const runner([&] { loop->run(client); });
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    loop->quit();
    const_cast<std::jthread&>(runner).join();
    EXPECT_LE(client.iterations, 2);
}

TEST(EventLoop, TellsWhatADescriptorIsReadyFor) {
    SystemClock const clock;
    auto const loop = EventLoop::create(clock).value();
    int fds[2];
    ASSERT_EQ(::pipe(fds), 0);
    Fd read_end(fds[0]);
    Fd write_end(fds[1]);
    std::vector<Ready> seen;
    Source reader([&](Ready ready) {
        seen.push_back(ready);
        if (seen.size() == 1) {
            char byte;
            EXPECT_EQ(::read(read_end.get(), &byte, 1), 1);
            write_end.reset();
        } else {
            loop->quit();
        }
    });
    ASSERT_TRUE(loop->add(read_end.get(), Ready::read, reader));
    ASSERT_EQ(::write(write_end.get(), "x", 1), 1);
    Client client;
    loop->run(client);
    EXPECT_EQ(seen, (std::vector<Ready>{Ready::read, Ready::failed}));
}

TEST(EventLoop, WorkThatComesTooLateIsDiscarded) {
    SystemClock const clock;
    auto token = std::make_shared<int>(1);
    {
        auto const loop = EventLoop::create(clock).value();
        loop->post([token] { ADD_FAILURE() << "nobody runs the loop"; });
    }
    EXPECT_EQ(token.use_count(), 1);
}

TEST(EventLoop, TheClockStandsStillWithinAnIteration) {
    FakeClock clock(5'000'000);
    auto const loop = EventLoop::create(clock).value();
    std::int64_t const before_us = loop->now_us();
    EXPECT_EQ(loop->realtime_s(), 5);
    clock.advance_us(3'000'000);
    EXPECT_EQ(loop->now_us(), before_us);
    loop->post([&] {
        EXPECT_EQ(loop->now_us(), before_us + 3'000'000);
        EXPECT_EQ(loop->realtime_s(), 8);
        loop->quit();
    });
    Client client;
    loop->run(client);
}

TEST(Socket, APortIsSharedByThoseWhoJoin) {
    auto const first = listen_tcp({.host = "127.0.0.1", .port_use = PortUse::share}).value();
    auto const port = local_port(first.get());
    auto const second = listen_tcp({.host = "127.0.0.1", .port = port, .port_use = PortUse::join}).value();
    for (PortUse const use : {PortUse::alone, PortUse::share})
        EXPECT_EQ(listen_tcp({.host = "127.0.0.1", .port = port, .port_use = use}).error().code,
                  ErrorCode::io)
            << "another group is refused";
    std::vector<Fd> clients;
    for (int count = 0; count < 64; ++count) clients.push_back(connect_tcp("127.0.0.1", port).value());
    for (Fd const* const listener : {&first, &second}) {
        Fd socket;
        PeerAddress peer;
        EXPECT_EQ(accept_tcp(listener->get(), socket, peer), Accept::accepted) << "each gets some";
    }
}

TEST(Socket, AddressesAreCheckedAndPeersAreNamed) {
    EXPECT_EQ(listen_tcp({.host = "example.invalid"}).error().code, ErrorCode::parameter_invalid);
    auto const listener = listen_tcp({.host = "localhost"}).value();
    auto const port = local_port(listener.get());
    for (PortUse const use : {PortUse::alone, PortUse::share, PortUse::join})
        EXPECT_EQ(listen_tcp({.host = "127.0.0.1", .port = port, .port_use = use}).error().code,
                  ErrorCode::io);
    Fd socket;
    PeerAddress peer;
    EXPECT_EQ(accept_tcp(listener.get(), socket, peer), Accept::none);
    auto const client = connect_tcp("127.0.0.1", port).value();
    EXPECT_EQ(accept_tcp(listener.get(), socket, peer), Accept::accepted);
    EXPECT_EQ(peer.view(), "127.0.0.1");
}

TEST(Socket, AnIPv6ListenerNamesIPv4ClientsAsSuch) {
    auto const listener = listen_tcp({.host = "::"});
    if (!listener) GTEST_SKIP() << "no IPv6 here: " << listener.error().message;
    auto const client = connect_tcp("127.0.0.1", local_port(listener->get())).value();
    Fd socket;
    PeerAddress peer;
    EXPECT_EQ(accept_tcp(listener->get(), socket, peer), Accept::accepted);
    EXPECT_EQ(peer.view(), "127.0.0.1");
}

TEST(Resource, SomethingIsUsed) {
    EXPECT_GT(resident_bytes(), 100'000);
    EXPECT_GT(resource_use().user_us + resource_use().system_us, 0);
    EXPECT_GT(descriptor_limit(), 0);
}

}  // namespace
}  // namespace quern::os
