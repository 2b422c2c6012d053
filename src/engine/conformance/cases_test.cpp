// SPDX-License-Identifier: Apache-2.0

// Runs every case of cases/*.txt on every engine.

#include <gtest/gtest.h>

#include <filesystem>

#include "engine/conformance/case.h"
#include "engine/conformance/engines.h"

namespace quern::engine::conformance {
namespace {

struct Run {
    Case test;
    std::string engine;
};

std::vector<Run> all_runs() {
    std::vector<Run> runs;
    std::filesystem::path const directory = QUERN_SOURCE_DIR "/src/engine/conformance/cases";
    for (Case const& test : read_cases(directory)) {
        for (std::string const& engine : engine_names()) runs.push_back({test, engine});
    }
    return runs;
}

void PrintTo(Run const& run, std::ostream* output) { *output << run.test.file << ".txt: " << run.test.name; }

std::string name_of(testing::TestParamInfo<Run> const& info) {
    std::string name = info.param.test.file + "_" + info.param.test.name + "_on_" + info.param.engine;
    for (char& c : name) {
        bool const fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!fits) c = '_';
    }
    return name;
}

class CaseTest : public testing::TestWithParam<Run> {};

TEST_P(CaseTest, Passes) {
    std::string const problem = run_case(GetParam().test, GetParam().engine);
    EXPECT_TRUE(problem.empty()) << problem;
}

INSTANTIATE_TEST_SUITE_P(Text, CaseTest, testing::ValuesIn(all_runs()), name_of);

}  // namespace
}  // namespace quern::engine::conformance
