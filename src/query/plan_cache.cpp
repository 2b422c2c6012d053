// SPDX-License-Identifier: Apache-2.0
#include "query/plan_cache.h"

namespace quern::query {

std::shared_ptr<Prepared const> PlanCache::find(std::string_view key) {
    auto const found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    if (found->second != entries_.begin()) entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->prepared;
}

void PlanCache::insert(std::string_view key, std::shared_ptr<Prepared const> prepared) {
    if (auto const found = by_key_.find(key); found != by_key_.end()) {
        found->second->prepared = std::move(prepared);
        return;
    }
    if (entries_.size() == entries_max_) {
        by_key_.erase(entries_.back().key);
        entries_.pop_back();
    }
    entries_.push_front({std::string(key), std::move(prepared)});
    by_key_.emplace(entries_.front().key, entries_.begin());
}

void PlanCache::clear() {
    by_key_.clear();
    entries_.clear();
}

}  // namespace quern::query
