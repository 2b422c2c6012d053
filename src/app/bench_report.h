// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run of `quern bench` as a table for people and as JSON for programs.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <quern/buffer.h>
#include "app/bench_measure.h"
#include "app/bench_score.h"
#include "os/file.h"
#include "os/machine.h"

namespace quern::app {

struct BenchReport {
    std::string version;
    std::string date;    // stored form
    std::string commit;  // as the user names it; may be empty
    os::Machine machine;
    std::size_t processors = 0;
    os::FileSystem file_system;
    bool relaxed = false;
    std::size_t rows = 0;
    double seconds = 0;
    std::vector<BenchLine> lines;
    BenchReference reference;

    [[nodiscard]] std::string_view durability() const { return relaxed ? "normal" : "full"; }
};

// Why the run cannot be compared with the reference; empty when it can.
[[nodiscard]] std::string why_no_score(BenchReport const& report);

[[nodiscard]] std::string print_text(BenchReport const& report);
// One object on one line.
void print_json(BenchReport const& report, Buffer& output);

}  // namespace quern::app
