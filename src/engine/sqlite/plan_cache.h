// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prepared statements of one connection, found by the plan they come from.
//
// Two layers. A plan's id leads to its entry with one probe in a flat table; an entry uses a prepared
// statement, which is shared by all plans that give the same text. Entries are kept in the order of their
// last use; beyond the bound the oldest goes, and its statement with the last entry that uses it. When a plan
// of a newer schema comes, the entries of older ones are dropped: their plans will not be asked for much
// longer.

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <quern/error.h>
#include "engine/sql/query.h"
#include "engine/sqlite/connection.h"
#include "plan/plan.h"
#include "schema/value.h"

namespace quern::engine::sqlite {

// What is made of a plan.
enum class Form : std::uint8_t { select, select_exactly, count, count_exactly };

struct Prepared {
    Statement statement;
    std::size_t users = 0;  // entries
    bool running = false;
};

struct Entry {
    std::uint64_t key = 0;  // of plan and form
    std::uint64_t schema_version = 0;
    std::string const* text = nullptr;
    Prepared* prepared = nullptr;
    std::vector<sql::Binding> bindings;
    std::vector<Value> row;
    Entry* newer = nullptr;
    Entry* older = nullptr;
};

// Threads: one at a time.
class PlanCache {
public:
    PlanCache(Connection& connection, std::size_t entries_max);
    PlanCache(PlanCache const&) = delete;
    PlanCache& operator=(PlanCache const&) = delete;
    ~PlanCache() { clear(); }

    // The entry of a plan; made when it is not there. Lifetime: until the next call of find().
    // Cost: a few ns when it is there, else the preparation of a statement.
    [[nodiscard]] Result<Entry*> find(plan::Plan const& plan, Form form) {
        std::uint64_t const key = plan.id * forms + static_cast<std::uint64_t>(form);
        for (std::size_t slot = slot_of(key);; slot = (slot + 1) & mask_) {
            Entry* const entry = slots_[slot];
            if (entry == nullptr) return make(plan, form, key);
            if (entry->key == key) {
                if (entry != newest_) touch(*entry);
                return entry;
            }
        }
    }

    void clear();
    [[nodiscard]] std::size_t size() const { return count_; }
    [[nodiscard]] std::size_t statement_count() const { return statements_.size(); }

private:
    static constexpr std::uint64_t forms = 4;

    [[nodiscard]] std::size_t slot_of(std::uint64_t key) const {
        return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> shift_);
    }
    [[nodiscard]] Result<Entry*> make(plan::Plan const& plan, Form form, std::uint64_t key);
    [[nodiscard]] Result<Prepared*> prepared(std::string const& text);
    void touch(Entry& entry);
    void link_newest(Entry& entry);
    void unlink(Entry& entry);
    void insert(Entry& entry);
    void erase(Entry& entry);
    void drop_older_schemas(std::uint64_t version);
    void make_room();

    Connection& connection_;
    std::size_t entries_max_;
    std::size_t mask_;
    int shift_;
    std::vector<Entry*> slots_;
    std::size_t count_ = 0;
    Entry* newest_ = nullptr;
    Entry* oldest_ = nullptr;
    std::uint64_t schema_version_ = 0;
    std::unordered_map<std::string, Prepared> statements_;
};

}  // namespace quern::engine::sqlite
