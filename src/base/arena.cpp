// SPDX-License-Identifier: Apache-2.0
#include <quern/arena.h>

#include <algorithm>

namespace quern {

void* Arena::allocate(std::size_t bytes, std::size_t alignment) {
    while (block_ < blocks_.size()) {
        std::size_t const aligned = (offset_ + alignment - 1) & ~(alignment - 1);
        if (aligned + bytes <= blocks_[block_].size) {
            offset_ = aligned + bytes;
            return blocks_[block_].bytes.get() + aligned;
        }
        ++block_;
        offset_ = 0;
    }
    std::size_t const grown = blocks_.empty() ? first_block_bytes : blocks_.back().size * 2;
    std::size_t const size = std::max(grown, bytes);
    blocks_.push_back({std::make_unique_for_overwrite<std::byte[]>(size), size});
    offset_ = bytes;
    return blocks_.back().bytes.get();
}

std::string_view Arena::copy(std::string_view text) {
    if (text.empty()) return {};
    auto* place = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(place, text.data(), text.size());
    return {place, text.size()};
}

void Arena::reset() {
    std::size_t total = 0;
    std::size_t keep = 0;
    while (keep < blocks_.size() && total + blocks_[keep].size <= kept_bytes_max)
        total += blocks_[keep++].size;
    blocks_.resize(keep);
    block_ = 0;
    offset_ = 0;
}

}  // namespace quern
