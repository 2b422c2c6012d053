// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/compare.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "engine/conformance/generate_plan.h"
#include "engine/conformance/pair.h"

namespace quern::engine::conformance {

using plan::Condition;
using plan::Plan;

namespace {

// What an engine says to a request, as one text.
std::string answer(Stage& stage, Request const& request) {
    auto const rows = stage.select(request);
    if (!rows) return "error " + print(rows.error()) + " " + rows.error().message + "\n";
    std::string text;
    for (std::string const& row : *rows) text += row + "\n";
    auto const count = stage.count(request);
    if (!count) return text + "error " + print(count.error()) + " " + count.error().message + "\n";
    return text + "count " + std::to_string(*count) + "\n";
}

// Where the two part over a request; nothing when they agree.
std::string difference(Pair& pair, Request const& request) {
    std::string const expected = answer(pair.oracle(), request);
    std::string const found = answer(pair.other(), request);
    if (expected == found) return {};
    return "expected\n" + expected + "but it was\n" + found;
}

// The counts of a condition and of its negation are all rows, in one engine.
std::string complement(Stage& stage, Request const& request) {
    Plan negated = request.plan();
    negated.where = plan::negate(negated.where);
    Plan everything = request.plan();
    everything.where = {};
    auto const with = stage.count(request);
    auto const without = stage.count(request.with(std::move(negated)));
    auto const all = stage.count(request.with(std::move(everything)));
    if (!with || !without || !all) return "counting failed";
    if (*with + *without == *all) return {};
    return "with " + std::to_string(*with) + ", without " + std::to_string(*without) + ", all " +
           std::to_string(*all);
}

// Conditions that are a step simpler than this one.
std::vector<Condition> simpler(Condition const& condition) {
    std::vector<Condition> steps;
    if (condition.kind == Condition::Kind::all_of || condition.kind == Condition::Kind::any_of) {
        for (Condition const& part : condition.parts) steps.push_back(part);
    }
    for (std::size_t index = 0; index < condition.parts.size(); ++index) {
        for (Condition const& step : simpler(condition.parts[index])) {
            steps.push_back(condition);
            steps.back().parts[index] = step;
        }
        if (condition.parts.size() > 1) {
            steps.push_back(condition);
            steps.back().parts.erase(steps.back().parts.begin() + static_cast<std::ptrdiff_t>(index));
        }
    }
    return steps;
}

// Plans that are a step simpler than this one.
std::vector<Plan> simpler(Plan const& plan) {
    std::vector<Plan> steps;
    auto const with = [&](auto const& change) {
        steps.push_back(plan);
        change(steps.back());
    };
    if (plan.limit != Plan::no_parameter) with([](Plan& step) { step.limit = Plan::no_parameter; });
    if (plan.offset != Plan::no_parameter) with([](Plan& step) { step.offset = Plan::no_parameter; });
    if (plan.output.size() > 1) with([](Plan& step) { step.output.resize(1); });
    if (plan.sort.size() > 1 && !plan.has_seek) with([](Plan& step) { step.sort.erase(step.sort.begin()); });
    for (std::size_t source = 0; source < plan.sources.size(); ++source) {
        Condition const& guard = plan.sources[source].guard;
        if (guard.kind == Condition::Kind::always) continue;
        with([source](Plan& step) { step.sources[source].guard = {}; });
        for (Condition const& condition : simpler(guard)) {
            with([&](Plan& step) { step.sources[source].guard = condition; });
        }
    }
    for (Condition const& condition : simpler(plan.where)) {
        with([&](Plan& step) { step.where = condition; });
    }
    if (plan.where.kind != Condition::Kind::always) with([](Plan& step) { step.where = {}; });
    return steps;
}

// Takes away from a request what is not needed for `fails` to be true of it.
Request shrink(Request request, std::function<bool(Request const&)> const& fails) {
    for (bool smaller = true; smaller;) {
        smaller = false;
        for (Plan& step : simpler(request.plan())) {
            Request next = request.with(std::move(step));
            if (!fails(next)) continue;
            request = std::move(next);
            smaller = true;
            break;
        }
    }
    return request;
}

// The same question, going on behind one of its rows.
std::optional<Request> behind_some_row(Chance& chance, Stage& stage, Request const& request) {
    std::vector<std::vector<ram::OwnedValue>> rows;
    RowFunction sink([&](std::span<Value const> columns) {
        auto const keys = columns.last(request.plan().sort.size());
        rows.emplace_back(keys.begin(), keys.end());
        return true;
    });
    if (!stage.reader().select(request.bound(), sink) || rows.empty()) return std::nullopt;
    return request.behind(chance.of(rows));
}

}  // namespace

std::string Comparison::read(std::uint64_t seed, int plans) {
    Chance chance(seed);
    Pair pair(engine_);
    std::string const head = "seed " + std::to_string(seed) + "\n";
    if (std::string const problem = pair.fill(chance); !problem.empty())
        return head + problem + "\n" + pair.story();

    auto const check = [&](Request const& request, auto const& differs) -> std::string {
        if (differs(request).empty()) return {};
        Request const small = shrink(request, [&](Request const& step) { return !differs(step).empty(); });
        return head + differs(small) + small.print() + pair.story();
    };
    auto const differs = [&](Request const& request) { return difference(pair, request); };
    auto const incomplete = [&](Request const& request) { return complement(pair.other(), request); };

    for (int number = 0; number < plans; ++number) {
        Request const request = generate_request(chance, pair.oracle().schema());
        ++asked_;
        if (auto const count = pair.oracle().count(request); count && *count > 0) ++answered_;
        if (std::string problem = check(request, differs); !problem.empty()) return problem;
        if (std::string problem = check(request, incomplete); !problem.empty()) return problem;
        auto const next = behind_some_row(chance, pair.oracle(), request);
        if (!next) continue;
        if (std::string problem = check(*next, differs); !problem.empty()) return problem;
    }
    return {};
}

std::string Comparison::write(std::uint64_t seed, int writes) {
    Chance chance(seed);
    Pair pair(engine_);
    std::string problem = pair.fill(chance);
    for (int number = 0; number < writes && problem.empty(); ++number) {
        problem = pair.write(chance, true);
        if (problem.empty() && number % 8 == 0) problem = pair.compare_tables();
    }
    if (problem.empty()) problem = pair.compare_tables();
    return problem.empty() ? problem : "seed " + std::to_string(seed) + "\n" + problem + "\n" + pair.story();
}

namespace {

// A random change of one field, most often one that keeps it.
void change_field(Chance& chance, Field& field, std::vector<std::string> const& targets) {
    std::size_t const number = 1000 + chance.below(1'000'000);  // for names and ids that were never used
    if (chance.once_in(4)) {
        field.name = "g" + std::to_string(number);
    } else if (chance.once_in(3)) {
        field.nullable = !field.nullable && field.type != FieldType::relation;
    } else {
        std::string const id = field.id;
        std::string const name = field.name;
        field = generate_field(chance, number, targets);
        field.name = name;
        if (!chance.once_in(4)) field.id = id;
    }
}

// A random change of the collections.
void change(Chance& chance, std::vector<Collection>& collections) {
    std::vector<std::string> targets;
    for (Collection const& collection : collections) targets.push_back(collection.id);
    for (Collection& collection : collections) {
        for (std::size_t position = 1; position < collection.fields.size(); ++position) {
            Field& field = collection.fields[position];
            std::string const before = field.name;
            if (!chance.once_in(4)) continue;
            change_field(chance, field, targets);
            for (Index& index : collection.indexes) {
                for (IndexColumn& column : index.columns) {
                    if (column.field == before) column.field = field.name;
                }
                if (index.where_not_empty == before) index.where_not_empty = field.name;
            }
        }
        auto const is_column = [&](std::string const& name) {
            return !collection.fields[*collection.find(name)].is_join();
        };
        bool const indexes_fit = std::ranges::all_of(collection.indexes, [&](Index const& index) {
            return std::ranges::all_of(index.columns, is_column, &IndexColumn::field) &&
                   (index.where_not_empty.empty() || is_column(index.where_not_empty));
        });
        if (!indexes_fit || chance.once_in(5)) collection.indexes.clear();
        if (chance.once_in(6))
            collection.name = collection.id + "_" + std::to_string(chance.below(1'000'000));
    }
}

}  // namespace

std::string Comparison::alter(std::uint64_t seed, int changes) {
    Chance chance(seed);
    Pair pair(engine_);
    std::string problem = pair.fill(chance);
    std::vector<Collection> collections;
    for (auto const& collection : pair.oracle().schema()->collections()) collections.push_back(*collection);
    for (int number = 0; number < changes && problem.empty(); ++number) {
        std::uint64_t const version = pair.oracle().schema()->version();
        std::vector<Collection> changed = collections;
        change(chance, changed);
        problem = pair.alter(changed);
        ++asked_;
        if (pair.oracle().schema()->version() == version) continue;  // refused
        ++answered_;
        collections = changed;
    }
    return problem.empty() ? problem : "seed " + std::to_string(seed) + "\n" + problem + "\n" + pair.story();
}

}  // namespace quern::engine::conformance
