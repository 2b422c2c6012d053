// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/plan_cache.h"

#include <algorithm>
#include <bit>

#include <quern/assert.h>

namespace quern::engine::sqlite {

namespace {

sql::Statement text_of(plan::Plan const& plan, Form form) {
    auto const& dialect = sql::sqlite_dialect();
    switch (form) {
    case Form::select: return sql::select(plan, dialect);
    case Form::select_exactly: return sql::select(plan, dialect, sql::Comparing::exactly);
    case Form::count: return sql::count(plan, dialect);
    case Form::count_exactly: return sql::count(plan, dialect, sql::Comparing::exactly);
    }
    return {};
}

}  // namespace

PlanCache::PlanCache(Connection& connection, std::size_t entries_max)
    : connection_(connection), entries_max_(std::max<std::size_t>(entries_max, 1)) {
    std::size_t const slots = std::bit_ceil(entries_max_ * 2 + 2);  // at most half full
    mask_ = slots - 1;
    shift_ = 64 - static_cast<int>(std::bit_width(mask_));
    slots_.resize(slots);
}

Result<Entry*> PlanCache::make(plan::Plan const& plan, Form form, std::uint64_t key) {
    if (plan.schema->version() > schema_version_) drop_older_schemas(plan.schema->version());
    auto written = text_of(plan, form);
    auto entry = std::make_unique<Entry>();
    QUERN_TRY(Prepared* const shared, prepared(written.text));
    entry->key = key;
    entry->schema_version = plan.schema->version();
    entry->prepared = shared;
    entry->text = &statements_.find(written.text)->first;
    entry->bindings = std::move(written.bindings);
    entry->row.resize(static_cast<std::size_t>(sqlite3_column_count(shared->statement.get())));
    ++shared->users;
    make_room();
    insert(*entry);
    link_newest(*entry);
    ++count_;
    return entry.release();
}

Result<Prepared*> PlanCache::prepared(std::string const& text) {
    if (auto const found = statements_.find(text); found != statements_.end()) return &found->second;
    QUERN_TRY(auto statement, connection_.prepare(text));
    auto& place = statements_[text];
    place.statement = std::move(statement);
    return &place;
}

void PlanCache::insert(Entry& entry) {
    std::size_t slot = slot_of(entry.key);
    while (slots_[slot] != nullptr) slot = (slot + 1) & mask_;
    slots_[slot] = &entry;
}

// Takes the entry out of the table and moves later ones of the same run up, so that no gap breaks a search.
void PlanCache::erase(Entry& entry) {
    std::size_t hole = slot_of(entry.key);
    while (slots_[hole] != &entry) hole = (hole + 1) & mask_;
    for (std::size_t slot = (hole + 1) & mask_; slots_[slot] != nullptr; slot = (slot + 1) & mask_) {
        std::size_t const home = slot_of(slots_[slot]->key);
        if (((slot - home) & mask_) < ((slot - hole) & mask_)) continue;
        slots_[hole] = slots_[slot];
        hole = slot;
    }
    slots_[hole] = nullptr;
    unlink(entry);
    --count_;
    if (--entry.prepared->users == 0) {
        auto const found = statements_.find(*entry.text);
        QUERN_ASSERT(found != statements_.end(), "an entry's statement is kept");
        statements_.erase(found);
    }
    delete &entry;
}

void PlanCache::link_newest(Entry& entry) {
    entry.newer = nullptr;
    entry.older = newest_;
    if (newest_ != nullptr) newest_->newer = &entry;
    newest_ = &entry;
    if (oldest_ == nullptr) oldest_ = &entry;
}

void PlanCache::unlink(Entry& entry) {
    (entry.newer != nullptr ? entry.newer->older : newest_) = entry.older;
    (entry.older != nullptr ? entry.older->newer : oldest_) = entry.newer;
}

void PlanCache::touch(Entry& entry) {
    unlink(entry);
    link_newest(entry);
}

// Drops the oldest entries that no running statement uses.
void PlanCache::make_room() {
    Entry* entry = oldest_;
    while (count_ >= entries_max_ && entry != nullptr) {
        Entry* const next = entry->newer;
        if (!entry->prepared->running) erase(*entry);
        entry = next;
    }
}

void PlanCache::drop_older_schemas(std::uint64_t version) {
    schema_version_ = version;
    for (Entry* entry = oldest_; entry != nullptr;) {
        Entry* const next = entry->newer;
        if (entry->schema_version < version && !entry->prepared->running) erase(*entry);
        entry = next;
    }
}

void PlanCache::clear() {
    while (oldest_ != nullptr) erase(*oldest_);
}

}  // namespace quern::engine::sqlite
