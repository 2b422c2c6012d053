// SPDX-License-Identifier: Apache-2.0
#pragma once

// Choices that a seed decides.

#include <cstddef>
#include <cstdint>
#include <random>

#include <quern/assert.h>

namespace quern::engine::conformance {

class Chance {
public:
    explicit Chance(std::uint64_t seed) : bits_(seed) {}

    // A number from 0 to `bound` - 1.
    [[nodiscard]] std::size_t below(std::size_t bound) {
        QUERN_ASSERT(bound > 0, "there is something to choose from");
        return static_cast<std::size_t>(bits_() % bound);
    }
    // Once in `times`.
    [[nodiscard]] bool once_in(std::size_t times) { return below(times) == 0; }
    // One of the elements.
    template <class Range>
    [[nodiscard]] auto const& of(Range const& range) {
        return range[below(range.size())];
    }

private:
    std::mt19937_64 bits_;
};

}  // namespace quern::engine::conformance
