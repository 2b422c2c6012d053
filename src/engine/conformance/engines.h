// SPDX-License-Identifier: Apache-2.0
#pragma once

// The engines that the suite runs on. A new engine is added here, and nowhere else.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "os/clock.h"

namespace quern::engine::conformance {

// An engine with an empty database, and what it needs to stand on (a directory, say), which goes with it.
class Subject {
public:
    virtual ~Subject() = default;
    [[nodiscard]] virtual Engine& engine() = 0;
};

// The names of all engines, the oracle first.
[[nodiscard]] std::vector<std::string> const& engine_names();

// Makes one of them. A failure to do so is an assertion: there is nothing to test then.
[[nodiscard]] std::unique_ptr<Subject> make_subject(std::string_view name);

}  // namespace quern::engine::conformance
