// SPDX-License-Identifier: Apache-2.0
//
// The corpus against the real server over loopback: whole, byte by byte, and cut in two at every position,
// judged strictly. One answer too many is a failure whatever its status.

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "corpus.h"
#include "server/test_server.h"

namespace quern::server {
namespace {

using testing::Answer;
using testing::TestClient;

void answer(http::Exchange& exchange) {
    auto const path = exchange.request.raw_path;
    if (path == "/__hc" || path == "/__hc/next" || path == "/smug") return testing::echo(exchange);
    exchange.response.status = 404;
    exchange.finish();
}

// What is wrong with the answers; empty when nothing is.
std::string judge(http::corpus::Case const& test, std::vector<Answer> const& answers, bool ended) {
    std::string seen;
    for (auto const& one : answers) seen += std::to_string(one.status) + " ";
    if (!ended) return "not closed after " + seen;
    if (test.accept) {
        if (answers.size() != test.responses) return "wrong number of answers: " + seen;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            if (!test.status.contains(answers[i].status)) return "wrong status: " + seen;
            auto const& request = test.parsed.at(i);
            std::string const echoed = request.method + " " + request.target + "\n" + request.body;
            if (request.method != "HEAD" && answers[i].body != echoed) return "parsed as " + answers[i].body;
        }
        return {};
    }
    if (answers.size() == test.responses - 1) return test.silent_close_ok ? "" : "closed without an answer";
    if (answers.size() != test.responses) return "wrong number of answers: " + seen;
    for (std::size_t i = 0; i + 1 < answers.size(); ++i) {
        if (http::corpus::is_framing_status(answers[i].status)) return "refused too early: " + seen;
    }
    return test.status.contains(answers.back().status) ? "" : "wrong status: " + seen;
}

// Sends the pieces with a pause between them, and takes all answers until the server closes.
std::string run_case(http::corpus::Case const& test, std::uint16_t port,
                     std::vector<std::string_view> const& pieces) {
    TestClient client(port);
    for (std::string_view const piece : pieces) {
        if (!client.send(piece)) break;
        if (pieces.size() > 1) std::this_thread::sleep_for(std::chrono::microseconds(30));
    }
    if (test.half_close) client.half_close();
    std::vector<Answer> answers;
    auto const take = [&] {
        bool const head = answers.size() < test.parsed.size() && test.parsed[answers.size()].method == "HEAD";
        auto one = client.receive(head);
        if (one) answers.push_back(std::move(*one));
        return one.has_value();
    };
    // A kept connection ends when the client is done, and what comes until then counts.
    while (answers.size() < test.responses && take()) {
    }
    if (test.accept) client.half_close();
    while (answers.size() < test.responses + 3 && take()) {
    }
    return judge(test, answers, client.ended());
}

constexpr std::size_t small_case_bytes_max = 2048;

class CorpusServer : public ::testing::Test {
protected:
    // Runs `work(case)` for all cases on several threads; every problem it returns is a failure.
    void for_all_cases(std::function<std::string(http::corpus::Case const&)> const& work) {
        constexpr int thread_count = 12;
        std::atomic<std::size_t> next{0};
        std::mutex mutex;
        std::vector<std::string> problems;
        std::vector<std::jthread> threads;
        for (int i = 0; i < thread_count; ++i) {
            threads.emplace_back([&] {
                for (std::size_t index = next++; index < cases_.size(); index = next++) {
                    auto problem = work(cases_[index]);
                    if (problem.empty()) continue;
                    std::lock_guard const lock(mutex);
                    problems.push_back(cases_[index].id + ": " + problem);
                }
            });
        }
        threads.clear();
        for (auto const& problem : problems) ADD_FAILURE() << problem;
    }

    std::vector<http::corpus::Case> const cases_ = http::corpus::load();
    testing::FunctionHandler handler_{answer};
    testing::TestServer server_{handler_};
};

TEST_F(CorpusServer, Whole) {
    for_all_cases(
        [this](http::corpus::Case const& test) { return run_case(test, server_.port(), {test.bytes}); });
}

TEST_F(CorpusServer, ByteByByte) {
    for_all_cases([this](auto const& test) -> std::string {
        if (test.bytes.size() > small_case_bytes_max) return {};
        std::vector<std::string_view> pieces;
        for (std::size_t i = 0; i < test.bytes.size(); ++i)
            pieces.push_back(std::string_view(test.bytes).substr(i, 1));
        return run_case(test, server_.port(), pieces);
    });
}

TEST_F(CorpusServer, CutInTwoAtEveryPosition) {
    std::atomic<std::size_t> cuts{0};
    for_all_cases([&](http::corpus::Case const& test) -> std::string {
        std::string_view const bytes = test.bytes;
        std::size_t const stride = bytes.size() <= small_case_bytes_max ? 1 : bytes.size() / 100;
        for (std::size_t cut = 1; cut < bytes.size(); cut += stride) {
            ++cuts;
            auto const problem = run_case(test, server_.port(), {bytes.substr(0, cut), bytes.substr(cut)});
            if (!problem.empty()) return "cut at " + std::to_string(cut) + ": " + problem;
        }
        return {};
    });
    EXPECT_GT(cuts.load(), 15'000U);
}

}  // namespace
}  // namespace quern::server
