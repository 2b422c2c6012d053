// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/case.h"

#include <algorithm>
#include <fstream>

namespace quern::engine::conformance {

namespace {

std::string trimmed(std::string const& line) {
    auto const first = line.find_first_not_of(" \t\r");
    if (first == std::string::npos) return {};
    return line.substr(first, line.find_last_not_of(" \t\r") - first + 1);
}

void read_file(std::filesystem::path const& path, std::vector<Case>& cases) {
    std::ifstream file(path);
    std::vector<std::string> setup;
    bool in_case = false;
    for (std::string raw; std::getline(file, raw);) {
        std::string const line = trimmed(raw);
        if (line.empty() || line.starts_with('#')) continue;
        if (line.starts_with("case ")) {
            cases.push_back({path.stem().string(), line.substr(5), setup, {}});
            in_case = true;
        } else if (in_case) {
            cases.back().lines.push_back(line);
        } else {
            setup.push_back(line);
        }
    }
}

}  // namespace

std::vector<Case> read_cases(std::filesystem::path const& directory) {
    std::vector<std::filesystem::path> paths;
    for (auto const& entry : std::filesystem::directory_iterator(directory)) {
        if (entry.path().extension() == ".txt") paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    std::vector<Case> cases;
    for (auto const& path : paths) read_file(path, cases);
    return cases;
}

}  // namespace quern::engine::conformance
