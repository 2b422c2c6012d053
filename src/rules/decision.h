// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who may do what: the one place where an action on a collection is allowed or refused.
//
// Every door (lists, views, writes, batch, expand, realtime, files) asks decide() and passes the access it
// gets on to the planner, which joins the rule to the plan.

#include <memory>

#include <quern/error.h>
#include "query/access.h"
#include "schema/principal.h"

namespace quern::rules {

struct Decision {
    enum class Kind : std::uint8_t {
        locked,     // superusers only, and this is none: 403
        open,       // every row
        condition,  // the rows that the rule admits
    };
    Kind kind = Kind::locked;

    [[nodiscard]] bool is_locked() const { return kind == Kind::locked; }
    // What to give the planner. Asserts that the decision is not `locked`.
    [[nodiscard]] query::Access access() const;

    query::Action action = query::Action::list;
};

[[nodiscard]] Decision decide(Collection const& collection, query::Action action, Principal const& principal);

// The same as a Result.
// Errors: forbidden — locked.
[[nodiscard]] Result<query::Access> authorise(Collection const& collection, query::Action action,
                                              Principal const& principal);

// Checks all rules of a collection against the schema that is about to be saved with it.
// Errors: validation — `fields` names the rule ("listRule", code "validation_invalid_rule") and the message
// tells
//         the position.
[[nodiscard]] Result<void> check_rules(std::shared_ptr<Schema const> const& schema,
                                       Collection const& collection);

}  // namespace quern::rules
