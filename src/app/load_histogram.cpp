// SPDX-License-Identifier: Apache-2.0
#include "app/load_histogram.h"

#include <algorithm>
#include <cmath>

namespace quern::app {

void LoadHistogram::add(LoadHistogram const& other) {
    for (std::size_t index = 0; index < counts_.size(); ++index) counts_[index] += other.counts_[index];
    count_ += other.count_;
    sum_us_ += other.sum_us_;
    max_us_ = std::max(max_us_, other.max_us_);
}

double LoadHistogram::mean_us() const {
    return count_ == 0 ? 0 : static_cast<double>(sum_us_) / static_cast<double>(count_);
}

std::int64_t LoadHistogram::percentile_us(double share) const {
    if (count_ == 0) return 0;
    auto const wanted = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_))));
    std::uint64_t seen = 0;
    for (std::size_t index = 0; index < counts_.size(); ++index) {
        seen += counts_[index];
        if (seen >= wanted) return std::min(top_of(index), max_us_);
    }
    return max_us_;
}

// The largest time that is counted at this place.
std::int64_t LoadHistogram::top_of(std::size_t index) {
    if (index < places) return static_cast<std::int64_t>(index);
    unsigned const power = static_cast<unsigned>(index / places) - 1;
    std::uint64_t const place = index % places + places;
    return static_cast<std::int64_t>(((place + 1) << power) - 1);
}

}  // namespace quern::app
