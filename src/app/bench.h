// SPDX-License-Identifier: Apache-2.0
#pragma once

// `quern bench`: how fast collections are read and written through the storage layer on this machine, without
// HTTP, and how fast SQLite alone is beside it.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace quern::app {

inline constexpr double bench_seconds_min = 0.01;
inline constexpr double bench_seconds_max = 600;
// Each of the 100 categories and owners has the 20 rows of a list.
inline constexpr std::size_t bench_rows_min = 2'000;
inline constexpr std::size_t bench_rows_max = 10'000'000;

struct BenchOptions {
    std::filesystem::path directory;  // what is measured is made beside it; empty: in TMPDIR or here
    double seconds = 2;               // a measure
    std::size_t rows = 10'000;
    std::vector<std::string> only;  // names of measures; empty = all
    std::string commit;             // for the report
    bool relaxed = false;
    bool json = false;
    bool progress = false;  // also where standard error is no terminal
};

// Runs the measures and reports: progress on standard error, the result on standard output. What it makes on
// the disk is removed at the end, whatever the end is, but for a process that is killed.
// Returns the process's exit code: 0 when all was measured, 1 when a probe failed, 2 when it could not begin
// or go on, or was stopped.
[[nodiscard]] int run_bench(BenchOptions const& options);

// Declares the subcommand. Lifetime: `options` is filled when the command line is parsed.
CLI::App* add_bench(CLI::App& app, BenchOptions& options);

}  // namespace quern::app
