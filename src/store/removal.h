// SPDX-License-Identifier: Apache-2.0
#pragma once

// Removing a record together with what hangs on it.
//
// A relation that points at the removed record is cleared, or its own record is removed too when the relation
// cascades and nothing else is left in it. A required relation that would become empty refuses the removal.
// Rules are not asked for the records that go along: the schema declared the cascade.

#include <cstddef>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include <quern/error.h>
#include "plan/plan.h"
#include "schema/collection.h"
#include "store/write_job.h"

namespace quern::store {

// Removals in one go, the cascade included; beyond it the removal is refused as a whole.
inline constexpr std::size_t removal_records_max = 100'000;

// The questions who points at a record, one for each relation: made once for a schema, not for each removal.
//
// Threads: one at a time (the writer's).
class RemovalPlans {
public:
    // The plan has the record's id as its parameter. Lifetime: until a call with another schema.
    [[nodiscard]] plan::Plan const& owners(std::shared_ptr<Schema const> const& schema,
                                           Reference const& reference);

private:
    std::shared_ptr<Schema const> schema_;
    std::map<std::pair<Collection const*, std::size_t>, std::shared_ptr<plan::Plan const>> plans_;
};

// Removes the record. Returns whether it existed.
// Errors: bad_request — it is part of a required relation, the message names collection and field;
//         too_large — more than removal_records_max would go, or refer to one that goes;
//         interrupted — as WriteContext::count_record() tells.
[[nodiscard]] Result<bool> remove_record(WriteContext& context, Collection const& collection,
                                         std::string_view id);

}  // namespace quern::store
