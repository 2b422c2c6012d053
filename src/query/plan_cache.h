// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prepared plans by the bytes of their key; the least recently used goes first.
//
// Threads: one at a time. Cost: find() allocates nothing.

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "query/prepared.h"

namespace quern::query {

class PlanCache {
public:
    explicit PlanCache(std::size_t entries_max) : entries_max_(entries_max) {}

    // Null if there is none.
    [[nodiscard]] std::shared_ptr<Prepared const> find(std::string_view key);
    void insert(std::string_view key, std::shared_ptr<Prepared const> prepared);
    void clear();

private:
    struct Entry {
        std::string key;
        std::shared_ptr<Prepared const> prepared;
    };
    std::size_t entries_max_;
    std::list<Entry> entries_;                                                 // most recently used first
    std::unordered_map<std::string_view, std::list<Entry>::iterator> by_key_;  // views into the entries
};

}  // namespace quern::query
