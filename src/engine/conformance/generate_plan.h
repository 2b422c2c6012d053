// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random plans over a schema: every hop, comparison, function and bound that plan.h knows.

#include <memory>

#include "engine/conformance/chance.h"
#include "engine/conformance/plan_text.h"

namespace quern::engine::conformance {

// Without seek: that needs an answer to go on behind.
[[nodiscard]] Request generate_request(Chance& chance, std::shared_ptr<Schema const> const& schema);

}  // namespace quern::engine::conformance
