// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides plan conditions for one row, by the words of plan.h: the oracle of the product.
//
// It knows no storage. Rows come through RowAccess, so that a condition can also be decided for a row that is
// only in memory, such as one that was just deleted. Read RowAccess, then Evaluation.

#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include <quern/arena.h>
#include "engine/ram/owned_value.h"
#include "plan/plan.h"
#include "schema/collection.h"
#include "schema/value.h"

namespace quern::engine::ram {

// One row of some collection, known to the RowAccess alone. Null stands for the row of nulls.
using RowHandle = void const*;

// The rows of a database as they are at one moment. All collections are given as the plan has them.
//
// Lifetime: handles and values stay valid as long as an Evaluation uses them, that is until its next enter().
class RowAccess {
public:
    virtual ~RowAccess() = default;

    // The value of a field, or of Collection::version_field / rowid_field; `row` is not null.
    [[nodiscard]] virtual Value value(RowHandle row, Collection const& collection, std::uint16_t field) = 0;
    // The row with that id, or null.
    [[nodiscard]] virtual RowHandle find(Collection const& collection, std::string_view id) = 0;
    // All rows.
    [[nodiscard]] virtual std::vector<RowHandle> all(Collection const& collection) = 0;
    // The rows whose relation `field`, single or multiple, points at `id`, each once.
    [[nodiscard]] virtual std::vector<RowHandle> pointing_at(Collection const& collection,
                                                             std::uint16_t field, std::string_view id) = 0;
};

// One plan's conditions and operands, row after row.
//
// Threads: one at a time. Cost: quantified conditions try all combinations of their sources' rows; texts that
// are made on the way live in an arena that enter() empties.
class Evaluation {
public:
    // `proceed`, when given, is asked before each leaf; once it says no, was_stopped() is true and answers
    // mean nothing.
    Evaluation(plan::BoundPlan bound, RowAccess& rows, std::function<bool()> proceed = {});

    // Makes `row` the main row (sources[0]) and finds the rows of the joined sources.
    void enter(RowHandle row);

    [[nodiscard]] bool holds(plan::Condition const& condition);
    // Lifetime: until the next enter().
    [[nodiscard]] Value value(plan::Operand const& operand);
    [[nodiscard]] bool was_stopped() const { return stopped_; }

private:
    // What a source gives at this moment.
    struct Binding {
        RowHandle row = nullptr;
        Value element;  // of an `elements` source
    };

    bool compares(plan::Condition const& condition);
    static bool matches(Value const& value, Value const& pattern);
    bool is_in_list(Value const& value, plan::Operand const& list);
    // The elements of the JSON array in a parameter, in their order, without nulls.
    std::vector<OwnedValue> const& list_in(plan::ParameterIndex parameter);
    bool quantified(plan::Condition const& condition);
    // Whether some combination of the sources from `depth` on makes the predicate `wanted`.
    bool exists(plan::Condition const& condition, std::size_t depth, bool wanted);
    std::vector<Binding> bindings_of(plan::SourceIndex source);
    std::vector<Binding> rows_of(plan::SourceIndex source);
    std::vector<Binding> elements_of(Value const& array);
    Value column_value(plan::Column column);
    Value call(plan::Operand const& operand);

    plan::BoundPlan bound_;
    RowAccess& rows_;
    std::function<bool()> proceed_;
    bool stopped_ = false;
    std::vector<Binding> bindings_;                                  // one a source
    std::map<plan::ParameterIndex, std::vector<OwnedValue>> lists_;  // read once, a list may be long
    Arena texts_;
};

}  // namespace quern::engine::ram
