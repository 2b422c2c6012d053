// SPDX-License-Identifier: Apache-2.0
// From a plan to its prepared statement: one that is kept, and one that takes the place of another.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/test_directory.h"
#include "engine/sql/test_schema.h"
#include "engine/sqlite/connection.h"
#include "engine/sqlite/plan_cache.h"
#include "engine/sqlite/shared.h"
#include "engine/sqlite/sqlite.h"
#include "micro.h"

namespace bench {

namespace {

namespace sqlite = quern::engine::sqlite;
using Plan = std::shared_ptr<quern::plan::Plan const>;

constexpr std::size_t entries_max = 64;

template <class T>
T must(quern::Result<T> result) {
    if (!result) give_up(result.error().message.c_str());
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

// The small blog of the tests in a file of its own, and one connection that reads it.
class Blog {
public:
    Blog()
        : database_(open_with_tables(options_, *schema_)),
          shared_(options_),
          connection_(must(sqlite::Connection::open(shared_, sqlite::Role::reader))) {}

    // Plans whose texts differ: each reads other columns of one post.
    [[nodiscard]] std::vector<Plan> plans(std::size_t count) const {
        static constexpr char const* columns[] = {"title", "body",  "views", "score",
                                                  "done",  "kinds", "data",  "author"};
        std::vector<Plan> made;
        for (std::size_t number = 0; number < count; ++number) {
            auto plan = quern::test::from(schema_, "posts");
            auto const column = [&](char const* name) { return quern::test::column(plan, 0, name); };
            plan.output.push_back(column("id"));
            for (std::size_t bit = 0; bit < std::size(columns); ++bit) {
                if ((number >> bit & 1U) != 0) plan.output.push_back(column(columns[bit]));
            }
            plan.where =
                quern::plan::compare(column("id"), quern::plan::Comparison::equal, quern::plan::parameter(0));
            plan.parameter_count = 1;
            made.push_back(quern::plan::seal(std::move(plan)));
        }
        return made;
    }
    [[nodiscard]] sqlite::Connection& connection() { return connection_; }
    [[nodiscard]] std::uint64_t prepared() const { return shared_.prepared; }

private:
    [[nodiscard]] sqlite::Options options() const {
        sqlite::Options options;
        options.path = directory_.path() / "data.db";
        options.exclusive = false;
        return options;
    }
    using Database = std::unique_ptr<sqlite::Database>;
    [[nodiscard]] static Database open_with_tables(sqlite::Options const& options,
                                                   quern::Schema const& schema) {
        Database database = must(sqlite::open(options));
        auto const writer = must(database->open_writer());
        std::vector<quern::engine::TableChange> changes;
        for (auto const& collection : schema.collections()) changes.push_back({nullptr, collection.get()});
        must(must(writer->begin())->alter(changes, schema));
        must(writer->commit());
        return database;
    }

    quern::test::TemporaryDirectory directory_;
    sqlite::Options options_ = options();
    std::shared_ptr<quern::Schema const> schema_ = quern::test::blog();
    Database database_;
    sqlite::Shared shared_;
    sqlite::Connection connection_;
};

sqlite::Entry* find(sqlite::PlanCache& cache, Plan const& plan) {
    auto const entry = cache.find(*plan, sqlite::Form::select);
    require(entry.has_value() && (*entry)->prepared->statement.get() != nullptr, "no statement");
    return *entry;
}

// Asks for the plans in turn.
class Round {
public:
    explicit Round(std::vector<Plan> plans) : plans_(std::move(plans)) {}
    [[nodiscard]] Plan const& next() {
        if (++at_ >= plans_.size()) at_ = 0;
        return plans_[at_];
    }
    [[nodiscard]] std::size_t size() const { return plans_.size(); }

private:
    std::vector<Plan> plans_;
    std::size_t at_ = 0;
};

void hit(benchmark::State& state, std::size_t plans) {
    Blog blog;
    Round round(blog.plans(plans));
    sqlite::PlanCache cache(blog.connection(), entries_max);
    for (std::size_t count = 0; count < round.size(); ++count) find(cache, round.next());
    std::uint64_t const before = blog.prepared();
    for (std::size_t count = 0; count < round.size(); ++count) {
        auto const& plan = round.next();
        auto const* const entry = find(cache, plan);
        require(find(cache, plan) == entry && entry->row.size() == plan->output.size(), "another's entry");
    }
    measure(state, [&] { keep(find(cache, round.next())); });
    require(blog.prepared() == before && cache.statement_count() == plans, "a statement was prepared again");
}
void hit_newest(benchmark::State& state) { hit(state, 1); }
void hit_in_turn(benchmark::State& state) { hit(state, entries_max); }

// One plan more than the cache holds, in turn: the one asked for is always the one that went last.
void miss(benchmark::State& state) {
    Blog blog;
    Round round(blog.plans(entries_max + 1));
    sqlite::PlanCache cache(blog.connection(), entries_max);
    for (std::size_t count = 0; count < round.size(); ++count) find(cache, round.next());
    std::uint64_t const before = blog.prepared();
    measure(state, [&] { keep(find(cache, round.next())); });
    require(blog.prepared() - before == static_cast<std::uint64_t>(state.iterations()),
            "a statement was kept");
    require(cache.statement_count() == entries_max, "the cache has another size");
}

}  // namespace

void add_statements() {
    benchmark::RegisterBenchmark("statement_cache/hit_newest", hit_newest);
    benchmark::RegisterBenchmark("statement_cache/hit_64_in_turn", hit_in_turn);
    benchmark::RegisterBenchmark("statement_cache/miss", miss);
}

}  // namespace bench
