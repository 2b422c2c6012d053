// SPDX-License-Identifier: Apache-2.0
#include "query/access.h"

#include <quern/assert.h>

namespace quern::query {

Rule const& rule_of(Collection const& collection, Action action) {
    switch (action) {
    case Action::list: return collection.list_rule;
    case Action::view: return collection.view_rule;
    case Action::create: return collection.create_rule;
    case Action::update: return collection.update_rule;
    case Action::remove: return collection.delete_rule;
    }
    QUERN_ASSERT(false, "every action has a rule");
}

std::string_view rule_name(Action action) {
    switch (action) {
    case Action::list: return "listRule";
    case Action::view: return "viewRule";
    case Action::create: return "createRule";
    case Action::update: return "updateRule";
    case Action::remove: return "deleteRule";
    }
    QUERN_ASSERT(false, "every action has a name");
}

}  // namespace quern::query
