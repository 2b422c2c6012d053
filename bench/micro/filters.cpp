// SPDX-License-Identifier: Apache-2.0
// From a filter to a plan and its SQL: asked for the first time, and again. The tables are those of the query
// room's tests.
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quern/arena.h>

#include "engine/sql/query.h"
#include "micro.h"
#include "query/fixture_test.h"
#include "query/planner.h"

namespace bench {

namespace {

using quern::query::Access;
using quern::query::Query;
namespace sql = quern::engine::sql;

struct Case {
    std::string_view collection;
    std::string_view filter;
    bool by_rule;
    std::string_view where;  // what the SQL has
};
constexpr Case simple{"posts", "score >= 10 && ok = true", false,
                      R"(WHERE (s0."score" >= ?1 AND s0."ok" = ?2))"};
// The caller sees no other user: that is the first parameter.
constexpr Case relation{"posts", R"(author.name = "Ann" && score >= 10)", false,
                        R"(WHERE (s1."name" = ?2 AND s0."score" >= ?3))"};
// Comments of posts that are ok, and of them those that the client wants.
constexpr Case rule{"comments", R"(text = "first")", true, R"(WHERE (s1."ok" = ?1 AND s0."text" = ?2))"};

constexpr std::int64_t page_rows = 30;

// Asks a planner for one list.
class Asker {
public:
    explicit Asker(Case const& asked) : case_(asked) {}

    // A planner forgets all plans and rules when another schema comes, so a question in turn to two equal
    // ones is always the first.
    [[nodiscard]] Query ask_anew() {
        turn_ = 1 - turn_;
        return ask();
    }
    [[nodiscard]] Query ask() {
        arena_.reset();
        auto const& schema = schemas_[turn_];
        quern::query::ListQuestion question{
            .collection = *schema->find(case_.collection),
            .access = case_.by_rule ? Access::by_rule(quern::query::Action::list) : Access::all(),
            .filter = case_.filter};
        question.limit = page_rows;
        quern::query::RequestValues request;
        request.principal = {.collection = schema->find("users"), .id = "u1", .record = caller_};
        auto made = planner_.list(schema, question, request, arena_);
        require(made.has_value(), "the question is refused");
        return *std::move(made);
    }
    [[nodiscard]] std::uint64_t plans_made() const { return planner_.plans_made(); }

private:
    // A signed-in user's record, empty but for the id.
    [[nodiscard]] static std::vector<quern::Value> caller(quern::Schema const& schema) {
        std::vector<quern::Value> record(schema.find("users")->fields.size());
        record[0] = quern::Value::of("u1");
        return record;
    }

    Case const& case_;
    std::array<std::shared_ptr<quern::Schema const>, 2> schemas_{quern::query::fixture_schema(),
                                                                 quern::query::fixture_schema()};
    std::size_t turn_ = 0;
    quern::query::Planner planner_;
    std::vector<quern::Value> caller_ = caller(*schemas_[0]);
    quern::Arena arena_;
};

[[nodiscard]] sql::Statement text_of(Query const& query) {
    return sql::select(*query.prepared->plan, sql::sqlite_dialect());
}

void require_right(Case const& asked, Query const& query) {
    auto const statement = text_of(query);
    if (statement.text.find(asked.where) == std::string::npos) give_up(statement.text.c_str());
    require(query.bound().values.size() == query.prepared->plan->parameter_count, "values are missing");
}

void to_plan(benchmark::State& state, Case const& asked) {
    Asker asker(asked);
    require_right(asked, asker.ask_anew());
    require_right(asked, asker.ask_anew());
    require_right(asked, asker.ask_anew());
    require(asker.plans_made() == 3, "a plan was kept");
    measure(state, [&] { keep(asker.ask_anew()); });
}

void to_text(benchmark::State& state, Case const& asked) {
    Asker asker(asked);
    Query const query = asker.ask();
    require_right(asked, query);
    measure(state, [&] { keep(text_of(query)); });
}

void to_sql(benchmark::State& state, Case const& asked) {
    Asker asker(asked);
    require_right(asked, asker.ask_anew());
    measure(state, [&] { keep(text_of(asker.ask_anew())); });
}

void again(benchmark::State& state, Case const& asked) {
    Asker asker(asked);
    require_right(asked, asker.ask());
    require_right(asked, asker.ask());
    require(asker.plans_made() == 1, "the plan was not kept");
    measure(state, [&] { keep(asker.ask()); });
}

}  // namespace

void add_filters() {
    struct Named {
        std::string name;
        Case const& asked;
    };
    for (auto const& [name, asked] :
         {Named{"simple", simple}, Named{"relation", relation}, Named{"rule", rule}}) {
        auto const add = [&](std::string const& step, void (*run)(benchmark::State&, Case const&)) {
            benchmark::RegisterBenchmark((step + "/" + name).c_str(), run, asked);
        };
        add("filter_to_plan", to_plan);
        add("plan_to_sql", to_text);
        add("filter_to_sql", to_sql);
        add("filter_again", again);
    }
}

}  // namespace bench
