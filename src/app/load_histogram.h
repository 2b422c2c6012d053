// SPDX-License-Identifier: Apache-2.0
#pragma once

// Times of many requests in little memory.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace quern::app {

// Counts times in microseconds. Below 64 µs each has a place of its own; above, every power of two is divided
// into 64 places, so that a percentile is at most 1.6 % too high.
// Threads: one at a time.
class LoadHistogram {
public:
    // Limits: times above some 19 hours count as that.
    void add(std::int64_t time_us) {
        ++counts_[index_of(time_us)];
        ++count_;
        sum_us_ += time_us;
        if (time_us > max_us_) max_us_ = time_us;
    }
    void add(LoadHistogram const& other);

    [[nodiscard]] std::uint64_t count() const { return count_; }
    [[nodiscard]] std::int64_t max_us() const { return max_us_; }
    [[nodiscard]] double mean_us() const;
    // The time that `share` of all requests, 0 to 1, did not exceed; 0 without any.
    [[nodiscard]] std::int64_t percentile_us(double share) const;

private:
    static constexpr unsigned place_bits = 6;
    static constexpr std::size_t places = std::size_t{1} << place_bits;
    static constexpr unsigned powers = 31;  // above the first `places`

    [[nodiscard]] static std::size_t index_of(std::int64_t time_us) {
        auto const time = static_cast<std::uint64_t>(time_us < 0 ? 0 : time_us);
        if (time < places) return static_cast<std::size_t>(time);
        unsigned const power = static_cast<unsigned>(std::bit_width(time)) - place_bits - 1;
        if (power >= powers) return (powers + 1) * places - 1;
        return (power + 1) * places + static_cast<std::size_t>(time >> power) - places;
    }
    [[nodiscard]] static std::int64_t top_of(std::size_t index);

    std::array<std::uint64_t, (powers + 1) * places> counts_{};
    std::uint64_t count_ = 0;
    std::int64_t sum_us_ = 0;
    std::int64_t max_us_ = 0;
};

}  // namespace quern::app
