// SPDX-License-Identifier: Apache-2.0
#include "rules/decision.h"

#include <quern/assert.h>
#include "query/planner.h"

namespace quern::rules {

namespace {

constexpr query::Action actions[] = {query::Action::list, query::Action::view, query::Action::create,
                                     query::Action::update, query::Action::remove};

}  // namespace

query::Access Decision::access() const {
    QUERN_ASSERT(!is_locked(), "nobody asks about rows that are locked");
    return kind == Kind::open ? query::Access::all() : query::Access::by_rule(action);
}

Decision decide(Collection const& collection, query::Action action, Principal const& principal) {
    Decision decision;
    decision.action = action;
    Rule const& rule = query::rule_of(collection, action);
    if (principal.superuser) {
        decision.kind = Decision::Kind::open;
    } else if (rule) {
        decision.kind = rule->empty() ? Decision::Kind::open : Decision::Kind::condition;
    }
    return decision;
}

Result<query::Access> authorise(Collection const& collection, query::Action action,
                                Principal const& principal) {
    Decision const decision = decide(collection, action, principal);
    if (decision.is_locked()) return fail(ErrorCode::forbidden);
    return decision.access();
}

Result<void> check_rules(std::shared_ptr<Schema const> const& schema, Collection const& collection) {
    Error broken(ErrorCode::validation);
    for (query::Action const action : actions) {
        Rule const& rule = query::rule_of(collection, action);
        if (!rule || rule->empty()) continue;
        auto const checked = query::check_rule(schema, collection, query::rule_name(action), *rule);
        if (checked) continue;
        broken.fields.push_back(
            {std::string(query::rule_name(action)), "validation_invalid_rule", checked.error().message});
    }
    if (!broken.fields.empty()) return fail(std::move(broken));
    return {};
}

}  // namespace quern::rules
