// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plans as test cases write them: every plan can be said, also those that the product's filter language
// cannot.
//
//     from posts                              the root; its name in expressions is `root`, and may be left
//     out source a to_one author                  `author` of the root source t to_many a.tags source i
//     to_many_ids tags source c back comments.post of root     rows of comments whose `post` points at the
//     root's row source f free people source e elements kinds guard a age > 18                        only
//     such rows are seen through `a`; `a.` may be left out join a                                  sources of
//     the main row where title = "x" and not some c t (c.text ~ "y" or every e (element(e) < 5)) sort -size
//     a.name random                with or without a sign; - is descending output id title a.name seek 5 null
//     "p1"                        one value a sort key limit 3 offset 1
//
// Operands: a field (title, a.name, _v, rowid), a place in its JSON (data[key][0]), element(e), the calls
// fold(x) length(x) geoDistance(a,b,c,d) strftime(f,t), and JSON literals. A literal becomes a parameter, but
// for `null`, which is the operand null; `?null` is a parameter that is null. Comparisons: = same < <= > >= ~
// in, and `x is null`. `in` takes a JSON array. `not`, `and`, `or` bind in this order; `always` and `never`
// are conditions.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "engine/ram/owned_value.h"
#include "plan/plan.h"

namespace quern::engine::conformance {

// A plan and its values. Lifetime: bound() borrows from here.
class Request {
public:
    Request(std::shared_ptr<plan::Plan const> plan, std::vector<ram::OwnedValue> values)
        : plan_(std::move(plan)), values_(std::move(values)) {}

    [[nodiscard]] plan::Plan const& plan() const { return *plan_; }
    [[nodiscard]] plan::BoundPlan bound() const;
    // Another plan with the same values.
    [[nodiscard]] Request with(plan::Plan plan) const;
    // The same plan, going on behind a row with these values of the sort keys.
    [[nodiscard]] Request behind(std::vector<ram::OwnedValue> const& keys) const;
    // The plan and its values, for messages.
    [[nodiscard]] std::string print() const;

private:
    std::shared_ptr<plan::Plan const> plan_;
    std::vector<ram::OwnedValue> values_;
    mutable std::vector<Value> views_;
};

// Errors: bad_request — the message says what was not understood.
[[nodiscard]] Result<Request> read_request(std::shared_ptr<Schema const> schema,
                                           std::vector<std::string> const& lines);

}  // namespace quern::engine::conformance
