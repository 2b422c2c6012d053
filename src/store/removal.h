// SPDX-License-Identifier: Apache-2.0
#pragma once

// Removing a record together with what hangs on it.
//
// A relation that points at the removed record is cleared, or its own record is removed too when the relation
// cascades and nothing else is left in it. A required relation that would become empty refuses the removal.
// Rules are not asked for the records that go along: the schema declared the cascade.

#include <string_view>

#include "base/result.h"
#include "schema/collection.h"
#include "store/write_job.h"

namespace quern::store {

// Removals in one go, the cascade included; beyond it the removal is refused as a whole.
inline constexpr std::size_t removal_records_max = 100'000;

// Removes the record. Returns whether it existed.
// Errors: bad_request — it is part of a required relation, the message names collection and field;
//         too_large — more than removal_records_max would go.
[[nodiscard]] Result<bool> remove_record(WriteContext& context, Collection const& collection,
                                         std::string_view id);

}  // namespace quern::store
