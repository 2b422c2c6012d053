// SPDX-License-Identifier: Apache-2.0

// Random databases, plans, writes and schema changes through the oracle and every other engine.
//
// The environment chooses more of it: QUERN_DIFFERENTIAL_PLANS (all plans of a run; writes and changes follow
// in proportion) and QUERN_DIFFERENTIAL_SEED (the first seed). A failure prints its seed; that seed with few
// plans shows it again.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

#include "engine/conformance/compare.h"
#include "engine/conformance/engines.h"

namespace quern::engine::conformance {
namespace {

constexpr std::uint64_t plans_default = 2000;
constexpr std::uint64_t plans_per_database = 40;

std::uint64_t setting(char const* name, std::uint64_t otherwise) {
    char const* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

class DifferentialTest : public testing::TestWithParam<std::string> {
protected:
    std::uint64_t first_ = setting("QUERN_DIFFERENTIAL_SEED", 1);
    std::uint64_t databases_ = setting("QUERN_DIFFERENTIAL_PLANS", plans_default) / plans_per_database + 1;
    Comparison comparison_{GetParam()};
};

std::vector<std::string> others() {
    std::vector<std::string> names = engine_names();
    names.erase(names.begin());
    return names;
}

INSTANTIATE_TEST_SUITE_P(All, DifferentialTest, testing::ValuesIn(others()),
                         [](auto const& run) { return run.param; });

TEST_P(DifferentialTest, PlansHaveTheSameAnswers) {
    for (std::uint64_t seed = first_; seed < first_ + databases_; ++seed) {
        std::string const problem = comparison_.read(seed, plans_per_database);
        ASSERT_TRUE(problem.empty()) << problem;
    }
    // Plans without rows would prove little.
    EXPECT_GT(comparison_.answered() * 3, comparison_.asked());
}

TEST_P(DifferentialTest, WritesHaveTheSameOutcomes) {
    for (std::uint64_t seed = first_; seed < first_ + databases_; ++seed) {
        std::string const problem = comparison_.write(seed, 60);
        ASSERT_TRUE(problem.empty()) << problem;
    }
}

TEST_P(DifferentialTest, SchemaChangesHaveTheSameOutcomes) {
    for (std::uint64_t seed = first_; seed < first_ + databases_; ++seed) {
        std::string const problem = comparison_.alter(seed, 6);
        ASSERT_TRUE(problem.empty()) << problem;
    }
    EXPECT_GT(comparison_.answered() * 3, comparison_.asked());
}

}  // namespace
}  // namespace quern::engine::conformance
