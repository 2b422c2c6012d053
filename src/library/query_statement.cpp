// SPDX-License-Identifier: Apache-2.0

// Statements for plans, and how plans are run.

#include <algorithm>
#include <list>
#include <unordered_map>

#include <quern/dialect.h>
#include <quern/query_set.h>
#include "library/sql_text_maker.h"

namespace quern::detail {

namespace {

// Shapes whose statements a thread keeps; the least recently used goes.
constexpr std::size_t shapes_max = 512;

struct ShapeKey {
    std::size_t hash = 0;
    PlanUse use = PlanUse::rows;
    bool operator==(ShapeKey const&) const = default;
};
struct ShapeHash {
    std::size_t operator()(ShapeKey const& key) const {
        return key.hash ^ (static_cast<std::size_t>(key.use) << 56U);
    }
};

struct KeptShape {
    ShapeKey key;
    std::vector<PlanNode> nodes;
    std::shared_ptr<PlanStatement const> statement;
};

// Threads: its own.
class ShapeCache {
public:
    // Null when the shape is not known.
    std::shared_ptr<PlanStatement const> find(ShapeKey key, QueryPlan const& plan) {
        auto const found = places_.find(key);
        if (found == places_.end()) return nullptr;
        auto const place = found->second;
        if (!std::ranges::equal(place->nodes, plan.nodes())) return nullptr;
        if (place != kept_.begin()) kept_.splice(kept_.begin(), kept_, place);
        return place->statement;
    }
    void keep(ShapeKey key, QueryPlan const& plan, std::shared_ptr<PlanStatement const> statement) {
        if (auto const other = places_.find(key); other != places_.end()) {
            kept_.erase(other->second);
            places_.erase(other);
        }
        if (kept_.size() >= shapes_max) {
            places_.erase(kept_.back().key);
            kept_.pop_back();
        }
        kept_.push_front({key, {plan.nodes().begin(), plan.nodes().end()}, std::move(statement)});
        places_.emplace(key, kept_.begin());
    }

private:
    std::list<KeptShape> kept_;  // the most recently used first
    std::unordered_map<ShapeKey, std::list<KeptShape>::iterator, ShapeHash> places_;
};

// What the statement would not check itself.
Result<void> check_values(QueryPlan const& plan) {
    switch (plan.fault()) {
    case PlanFault::not_stored: return fail(ErrorCode::validation, "A value of the query cannot be stored.");
    case PlanFault::negative_bound:
        return fail(ErrorCode::parameter_invalid, "limit() and offset() take no negative number.");
    case PlanFault::none: break;
    }
    return {};
}

}  // namespace

Result<std::shared_ptr<PlanStatement const>> plan_statement(QueryPlan const& plan, PlanUse use) {
    QUERN_CHECK(check_values(plan));
    thread_local ShapeCache cache;
    ShapeKey const key{plan.shape_hash(), use};
    if (auto known = cache.find(key, plan)) return known;
    QUERN_TRY(auto shape, shape_text(plan, use, Dialect::sqlite));
    bool const writes = use == PlanUse::update || use == PlanUse::remove;
    auto statement = std::make_shared<PlanStatement const>(
        PlanStatement{SqlTextMaker::make(std::move(shape.sql), writes ? SqlKind::write : SqlKind::read,
                                         shape.values.size()),
                      std::move(shape.values)});
    if (shape.is_lasting) cache.keep(key, plan, statement);
    return statement;
}

void bind_parameter(SqlRun& run, int index, SqlParameter const& value) {
    struct Binder {
        SqlRun& run;
        int index;
        void operator()(std::monostate) const { run.refuse(index); }
        void operator()(std::nullptr_t) const { run.bind_null(index); }
        void operator()(bool truth) const { run.bind(index, std::int64_t{truth}); }
        void operator()(std::int64_t number) const { run.bind(index, number); }
        void operator()(double number) const { run.bind(index, number); }
        void operator()(std::string const& text) const { run.bind(index, std::string_view(text)); }
        void operator()(std::vector<std::byte> const& bytes) const {
            run.bind(index, std::span<std::byte const>(bytes));
        }
    };
    std::visit(Binder{run, index}, value);
}

void bind_values(SqlRun& run, PlanStatement const& statement, QueryPlan const& plan) {
    int index = 0;
    for (std::uint32_t const value : statement.values) bind_parameter(run, ++index, plan.values()[value]);
}

Result<SqlRun> PlanAccess::start(Database& database, SqlText const& text) {
    return database.read(text, text.bind_count());
}

Result<SqlRun> PlanAccess::start(Transaction& transaction, SqlText const& text) {
    return transaction.start(text, text.bind_count());
}

Result<Changes> write_plan(Transaction& transaction, QueryPlan const& plan, PlanUse use) {
    QUERN_TRY(auto const statement, plan_statement(plan, use));
    QUERN_TRY(auto run, PlanAccess::start(transaction, statement->text));
    bind_values(run, *statement, plan);
    return run_to_end(run);
}

Result<Changes> write_plan(Database& database, QueryPlan const& plan, PlanUse use) {
    // Before the queue: what cannot be done is told without waiting.
    QUERN_TRY(auto const statement, plan_statement(plan, use));
    return database.transaction([&](Transaction& transaction) { return write_plan(transaction, plan, use); });
}

}  // namespace quern::detail
