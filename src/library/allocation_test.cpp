// SPDX-License-Identifier: Apache-2.0
// A warm handler allocates nothing between the request and its answer.
#include <gtest/gtest.h>

#include <string>

#include <quern/app.h>
#include <quern/dump.h>
#include <quern/json.h>
#include <quern/query.h>

#include "base/count_allocations.h"

namespace quern {
namespace {

using test::allocations;

struct Note {
    std::string_view title;
    std::string_view mail;
    std::int64_t count = 0;
    std::optional<double> share;
    static constexpr auto rules =
        quern::rules(quern::on<&Note::title>(quern::length(1, 200), quern::pattern<"[A-Z].*">),
                     quern::on<&Note::mail>(quern::email()), quern::on<&Note::count>(quern::at_least(0)));
};
QUERN_DESCRIBE(Note, title, mail, count, share)

struct Page {
    std::uint32_t page = 1;
    std::string_view q;
};
QUERN_DESCRIBE(Page, page, q)

class TestExchange final : public http::Exchange {
public:
    void finish() override {}
    void post(std::move_only_function<void()> work) override { work(); }
    [[nodiscard]] std::size_t loop_index() const override { return 0; }
};

TEST(Allocation, AWarmHandlerMakesNone) {
    TestExchange exchange;
    Services services;
    std::string body = R"({"title":"A t\u0069tle","mail":"a@example.com","count":12,"share":0.5})";
    std::size_t const size = body.size();
    body.resize(size + http::Request::body_padding_bytes);
    exchange.request.body = std::string_view(body).substr(0, size);
    exchange.request.raw_query = "page=2&q=a%20b";
    auto const answer = [&] {
        exchange.response.clear();
        exchange.arena.reset();
        Call call{exchange, services, {}};
        auto note = Extract<Json<Note>>::from(call);
        auto const page = Extract<Query<Page>>::from(call);
        ASSERT_TRUE(note && page);
        (*note)->count += (*page)->page;
        Answer<Note>::write(note->value, call);
    };
    answer();
    std::size_t const before = allocations;
    for (int round = 0; round < 100; ++round) answer();
    EXPECT_EQ(allocations, before);
    EXPECT_EQ(exchange.response.body.view(),
              R"({"title":"A title","mail":"a@example.com","count":14,"share":0.5})");
}

}  // namespace
}  // namespace quern
