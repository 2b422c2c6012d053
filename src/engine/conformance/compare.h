// SPDX-License-Identifier: Apache-2.0
#pragma once

// Two engines side by side: random databases, questions and writes, and where the answers part.

#include <cstdint>
#include <string>
#include <string_view>

namespace quern::engine::conformance {

// Threads: one at a time.
class Comparison {
public:
    // Compares `engine` with the oracle. Every failure can be had again by its seed.
    explicit Comparison(std::string_view engine) : engine_(engine) {}

    // One random database and `plans` random plans over it: rows, their order, counts, the exact complement,
    // and the rest of the answer behind some row. Returns nothing, or the first disagreement as small as it
    // gets.
    [[nodiscard]] std::string read(std::uint64_t seed, int plans);

    // One random database and `writes` random writes to it, good ones and broken ones, with savepoints,
    // commits and rollbacks: the same outcomes, error codes and fields, and the same rows in the end.
    [[nodiscard]] std::string write(std::uint64_t seed, int writes);

    // One random database and `changes` random changes of its schema: the same outcomes and the same rows.
    [[nodiscard]] std::string alter(std::uint64_t seed, int changes);

    // Plans that had rows, or changes that were made, of those asked for: to see that random ones are not all
    // idle.
    [[nodiscard]] int answered() const { return answered_; }
    [[nodiscard]] int asked() const { return asked_; }

private:
    std::string engine_;
    int answered_ = 0;
    int asked_ = 0;
};

}  // namespace quern::engine::conformance
