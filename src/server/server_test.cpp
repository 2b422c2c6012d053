// SPDX-License-Identifier: Apache-2.0
//
// The server from outside: order, deferral, limits of time and size, stopping. Over loopback.

#include "server/server.h"

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/resource.h"
#include "server/test_server.h"

namespace quern::server {
namespace {

using std::chrono::milliseconds;
using testing::eventually;
using testing::FunctionHandler;
using testing::test_options;
using testing::TestClient;
using testing::TestServer;

std::string get(std::string const& target, std::string const& headers = {}) {
    return "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n";
}
std::string post(std::string const& body, std::string const& headers = {}) {
    return "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           headers + "\r\n" + body;
}

TEST(Server, AnswersWithTheHeadersItShould) {
    FunctionHandler handler(testing::echo);
    TestServer server(handler);
    TestClient client(server.port());
    client.send(get("/x"));
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 200);
    EXPECT_EQ(answer->body, "GET /x\n");
    EXPECT_EQ(answer->header("content-type"), "text/plain; charset=utf-8");
    EXPECT_TRUE(answer->header("date"));
    EXPECT_FALSE(answer->header("connection"));
    EXPECT_FALSE(answer->header("access-control-allow-origin"));
}

TEST(Server, TellsTheHandlerWhoAsksAndWhere) {
    std::string seen;
    FunctionHandler handler([&](http::Exchange& exchange) {
        seen = std::string(exchange.request.peer_address) + " " + std::to_string(exchange.loop_index());
        EXPECT_GT(exchange.started_us, 0);
        EXPECT_EQ(exchange.user, nullptr);
        exchange.finish();
    });
    TestServer server(handler);
    TestClient client(server.port());
    client.send(get("/"));
    ASSERT_TRUE(client.receive());
    EXPECT_EQ(seen, "127.0.0.1 0");
}

TEST(Server, PipelinedRequestsAreAnsweredInOrder) {
    FunctionHandler handler(testing::echo);
    TestServer server(handler);
    TestClient client(server.port());
    std::string all;
    for (int i = 0; i < 3000; ++i) all += get("/" + std::to_string(i));
    std::jthread const sender([&] { client.send(all); });
    for (int i = 0; i < 3000; ++i) {
        auto const answer = client.receive();
        ASSERT_TRUE(answer);
        ASSERT_EQ(answer->body, "GET /" + std::to_string(i) + "\n");
    }
}

TEST(Server, DeferredAnswersComeInOrderFromOtherThreads) {
    std::mutex mutex;
    std::vector<http::Exchange*> waiting;
    std::atomic<bool> done{false};
    FunctionHandler handler([&](http::Exchange& exchange) {
        if (exchange.request.raw_path.ends_with("0")) return testing::echo(exchange);
        std::lock_guard const lock(mutex);
        waiting.push_back(&exchange);
    });
    TestServer server(handler);
    std::jthread const answerer([&] {
        while (!done) {
            std::vector<http::Exchange*> taken;
            {
                std::lock_guard const lock(mutex);
                taken.swap(waiting);
            }
            for (auto* const exchange : taken) testing::echo(*exchange);
            std::this_thread::yield();
        }
    });
    std::vector<std::jthread> clients;
    for (int c = 0; c < 4; ++c) {
        clients.emplace_back([&, c] {
            TestClient client(server.port());
            std::string all;
            for (int i = 0; i < 300; ++i) all += get("/" + std::to_string(c) + "/" + std::to_string(i));
            client.send(all);
            for (int i = 0; i < 300; ++i) {
                auto const answer = client.receive();
                ASSERT_TRUE(answer);
                ASSERT_EQ(answer->body, "GET /" + std::to_string(c) + "/" + std::to_string(i) + "\n");
            }
        });
    }
    clients.clear();
    done = true;
}

TEST(Server, AnswersFinishedAtTheIterationsEndLeaveTogether) {
    std::vector<http::Exchange*> waiting;
    FunctionHandler handler([&](http::Exchange& exchange) {
        if (exchange.request.raw_path == "/now") return testing::echo(exchange);
        waiting.push_back(&exchange);
    });
    handler.on_iteration_end = [&](std::size_t) {
        for (auto* const exchange : std::exchange(waiting, {})) testing::echo(*exchange);
    };
    TestServer server(handler);
    TestClient client(server.port());
    for (int round = 0; round < 20; ++round) {
        client.send(get("/now") + get("/later") + get("/now"));
        ASSERT_EQ(client.receive()->body, "GET /now\n");
        // Sent together, so the second is there as soon as the first.
        ASSERT_NE(client.pending().find("GET /later"), std::string::npos);
        ASSERT_EQ(client.receive()->body, "GET /later\n");
        ASSERT_EQ(client.receive()->body, "GET /now\n");
    }
}

TEST(Server, PostedWorkRunsOnTheLoopBeforeTheIterationsEnd) {
    std::atomic<int> ends{0};
    std::atomic<int> ends_before{-1};
    FunctionHandler handler(testing::echo);
    handler.on_iteration_end = [&](std::size_t) { ++ends; };
    TestServer server(handler);
    server.server().post(0, [&] { ends_before = ends.load(); });
    EXPECT_TRUE(eventually([&] { return ends_before >= 0 && ends > ends_before; }));
    FunctionHandler posting([&](http::Exchange& exchange) {
        std::thread([&exchange] { exchange.post([&exchange] { testing::echo(exchange); }); }).detach();
    });
    TestServer other(posting);
    TestClient client(other.port());
    client.send(get("/posted"));
    EXPECT_EQ(client.receive()->body, "GET /posted\n");
}

TEST(Server, LargeBodiesArriveWholeInBothDirections) {
    auto options = test_options();
    options.compress_bytes_min = SIZE_MAX;
    FunctionHandler handler(testing::echo);
    TestServer server(handler, options);
    TestClient client(server.port());
    std::string body(5'000'000, 'x');
    for (std::size_t i = 0; i < body.size(); i += 7) body[i] = static_cast<char>('a' + i % 23);
    std::jthread sender([&] { client.send(post(body) + get("/after")); });
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->body == "POST /p\n" + body);
    EXPECT_EQ(client.receive()->body, "GET /after\n");
}

TEST(Server, ManyLargeAnswersOfPipelinedRequestsStayInOrder) {
    FunctionHandler handler([](http::Exchange& exchange) {
        std::size_t const size = std::stoul(std::string(exchange.request.segments[0]));
        std::memset(exchange.response.body.reserve(size), 'z', size);
        exchange.response.body.advance(size);
        exchange.finish();
    });
    auto options = test_options();
    options.compress_bytes_min = SIZE_MAX;
    TestServer server(handler, options);
    TestClient client(server.port());
    std::vector<std::size_t> sizes;
    std::string all;
    for (std::size_t i = 0; i < 200; ++i) {
        sizes.push_back(i % 3 == 0 ? 300'000 + i : i % 3 == 1 ? i : 15'000 + i);
        all += get("/" + std::to_string(sizes.back()));
    }
    client.send(all);
    std::this_thread::sleep_for(milliseconds(50));  // the socket's buffers fill up
    for (auto const size : sizes) {
        auto const answer = client.receive();
        ASSERT_TRUE(answer);
        ASSERT_EQ(answer->body.size(), size);
    }
    EXPECT_TRUE(client.pending().empty());
}

TEST(Server, AHalfClosedClientGetsItsAnswers) {
    std::mutex mutex;
    std::vector<std::thread> threads;
    FunctionHandler handler([&](http::Exchange& exchange) {
        std::lock_guard const lock(mutex);
        threads.emplace_back([&exchange] {
            std::this_thread::sleep_for(milliseconds(30));
            testing::echo(exchange);
        });
    });
    TestServer server(handler);
    TestClient client(server.port());
    client.send(get("/1") + get("/2"));
    client.half_close();
    EXPECT_EQ(client.receive()->body, "GET /1\n");
    EXPECT_EQ(client.receive()->body, "GET /2\n");
    EXPECT_TRUE(client.ended());
    for (auto& thread : threads) thread.join();
}

TEST(Server, AClientThatLeavesBeforeItsAnswerDoesNoHarm) {
    std::atomic<http::Exchange*> open{nullptr};
    FunctionHandler handler([&](http::Exchange& exchange) {
        if (exchange.request.raw_path == "/slow")
            open = &exchange;
        else
            testing::echo(exchange);
    });
    TestServer server(handler);
    {
        TestClient client(server.port());
        client.send(get("/slow"));
        ASSERT_TRUE(eventually([&] { return open != nullptr; }));
        client.reset();
    }
    std::this_thread::sleep_for(milliseconds(50));
    EXPECT_EQ(server.server().stats().connections_open, 1U);
    testing::echo(*open.load());
    EXPECT_TRUE(eventually([&] { return server.server().stats().connections_open == 0; }));
    TestClient client(server.port());
    client.send(get("/next"));
    EXPECT_EQ(client.receive()->body, "GET /next\n");
}

TEST(Server, AnHTTP10ClientMayAskToStay) {
    FunctionHandler handler(testing::echo);
    TestServer server(handler);
    TestClient client(server.port());
    client.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(client.receive()->header("connection"), "keep-alive");
    client.send("GET /2 HTTP/1.0\r\n\r\n");
    EXPECT_EQ(client.receive()->header("connection"), "close");
    EXPECT_TRUE(client.ended());
}

TEST(Server, BrowsersOfOtherOriginsAreAdmitted) {
    FunctionHandler handler(testing::echo);
    TestServer server(handler);
    TestClient client(server.port());
    client.send(
        "OPTIONS /p HTTP/1.1\r\nHost: a\r\nOrigin: https://b\r\nAccess-Control-Request-Method: PUT\r\n\r\n");
    auto const preflight = client.receive();
    EXPECT_EQ(preflight->status, 204);
    EXPECT_EQ(preflight->header("access-control-allow-origin"), "*");
    client.send(get("/x", "Origin: https://b\r\n"));
    auto const answer = client.receive();
    EXPECT_EQ(answer->header("access-control-allow-origin"), "*");
    EXPECT_EQ(answer->body, "GET /x\n");
    client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.receive()->status, 204);
}

TEST(Server, LargeAnswersAreCompressedForHeadAsForGet) {
    FunctionHandler handler([](http::Exchange& exchange) {
        for (int i = 0; i < 20'000; ++i) exchange.response.body.append('a');
        exchange.finish();
    });
    TestServer server(handler);
    TestClient client(server.port());
    std::string const headers = "Accept-Encoding: gzip\r\n";
    client.send(get("/", headers) + "HEAD / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n" + get("/"));
    auto const compressed = client.receive();
    auto const head = client.receive(true);
    auto const plain = client.receive();
    ASSERT_TRUE(compressed && head && plain);
    EXPECT_EQ(compressed->header("content-encoding"), "gzip");
    EXPECT_EQ(compressed->header("vary"), "Accept-Encoding");
    EXPECT_LT(compressed->body.size(), 1000U);
    EXPECT_EQ(head->header("content-length"), compressed->header("content-length"));
    EXPECT_EQ(plain->body.size(), 20'000U);
    EXPECT_EQ(plain->header("vary"), "Accept-Encoding");
}

TEST(Server, SeveralLoopsShareThePort) {
    std::atomic<unsigned> loops_seen{0};
    FunctionHandler handler([&](http::Exchange& exchange) {
        loops_seen |= 1U << exchange.loop_index();
        testing::echo(exchange);
    });
    auto options = test_options();
    options.loops = 3;
    TestServer server(handler, options);
    ASSERT_EQ(server.server().loop_count(), 3U);
    std::vector<std::unique_ptr<TestClient>> clients;
    for (int i = 0; i < 100; ++i) {
        clients.push_back(std::make_unique<TestClient>(server.port()));
        clients.back()->send(get("/"));
        ASSERT_TRUE(clients.back()->receive());
    }
    EXPECT_EQ(loops_seen, 7U);
    std::uint64_t open = 0;
    for (std::size_t loop = 0; loop < 3; ++loop) open += server.server().stats(loop).connections_open;
    EXPECT_EQ(open, 100U);
    EXPECT_EQ(server.server().stats().requests, 100U);
}

TEST(Server, AtItsConnectionLimitOthersWait) {
    auto options = test_options();
    options.connections_max = 2;
    FunctionHandler handler(testing::echo);
    TestServer server(handler, options);
    auto first = std::make_unique<TestClient>(server.port());
    TestClient second(server.port());
    TestClient third(server.port());
    for (auto* const client : {first.get(), &second, &third}) client->send(get("/"));
    EXPECT_TRUE(first->receive());
    EXPECT_TRUE(second.receive());
    EXPECT_TRUE(third.silent(100));
    EXPECT_EQ(server.server().stats().accept_pauses, 1U);
    auto const cpu_before_us = os::resource_use();
    std::this_thread::sleep_for(milliseconds(200));
    auto const cpu_after_us = os::resource_use();
    EXPECT_LT(cpu_after_us.user_us + cpu_after_us.system_us - cpu_before_us.user_us - cpu_before_us.system_us,
              100'000);
    first.reset();
    EXPECT_TRUE(third.receive());
}

TEST(Server, APortInUseIsAnError) {
    FunctionHandler handler(testing::echo);
    os::SystemClock const clock;
    auto options = test_options();
    for (std::size_t const loops : {1, 2}) {
        options.port = 0;
        options.loops = loops;
        TestServer server(handler, options);
        options.port = server.port();
        for (std::size_t const others : {1, 2}) {
            options.loops = others;
            EXPECT_EQ(Server::open(options, handler, clock).error().code, ErrorCode::io)
                << others << " loops beside " << loops;
        }
    }
    options.host = "no address";
    EXPECT_EQ(Server::open(options, handler, clock).error().code, ErrorCode::parameter_invalid);
}

TEST(Server, StopsUnderLoadWithoutLosingARequest) {
    for (int round = 0; round < 5; ++round) {
        FunctionHandler handler(testing::echo);
        auto options = test_options();
        options.loops = 2;
        TestServer server(handler, options);
        std::atomic<int> lost{0};
        std::atomic<int> answered{0};
        std::vector<std::jthread> clients;
        for (int c = 0; c < 8; ++c) {
            clients.emplace_back([&] {
                TestClient client(server.port());
                for (;;) {
                    client.send(get("/"));
                    auto const answer = client.receive();
                    if (!answer) {
                        ++lost;
                        return;
                    }
                    ++answered;
                    if (answer->header("connection") == "close") return;
                }
            });
        }
        ASSERT_TRUE(eventually([&] { return answered > 200; }));
        auto const start = std::chrono::steady_clock::now();
        server.stop();
        EXPECT_LT(std::chrono::steady_clock::now() - start, milliseconds(5000));
        clients.clear();
        EXPECT_EQ(lost, 0);
        EXPECT_FALSE(os::connect_tcp("127.0.0.1", server.port()));
    }
}

TEST(Server, StoppingWaitsForOpenRequestsAndThenForNoOne) {
    std::atomic<http::Exchange*> open{nullptr};
    FunctionHandler handler([&](http::Exchange& exchange) { open = &exchange; });
    auto options = test_options();
    options.timeouts.stop = milliseconds(400);
    TestServer server(handler, options);
    TestClient idle(server.port());
    TestClient client(server.port());
    client.send(get("/slow"));
    ASSERT_TRUE(eventually([&] { return open != nullptr; }));
    std::jthread const stopper([&] { server.stop(); });
    EXPECT_TRUE(idle.ended());
    EXPECT_TRUE(client.silent(50));
    testing::echo(*open.load());
    auto const answer = client.receive();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header("connection"), "close");

    open = nullptr;
    TestServer other(handler, options);
    TestClient stuck(other.port());
    stuck.send(get("/never"));
    ASSERT_TRUE(eventually([&] { return open != nullptr; }));
    other.stop();
    EXPECT_TRUE(stuck.ended());
    testing::echo(*open.load());  // too late, but allowed
}

}  // namespace
}  // namespace quern::server
