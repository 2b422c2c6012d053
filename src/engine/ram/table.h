// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rows of one collection, with what keeps them unique.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "engine/ram/owned_value.h"
#include "schema/collection.h"

namespace quern::engine::ram {

// One stored row; frozen once it is in a table, a change puts another in its place.
struct Row {
    std::int64_t rowid = 0;
    std::int64_t version = 0;
    std::vector<OwnedValue> values;  // one a field; of a multiple relation the JSON array of ids

    [[nodiscard]] std::string_view id() const { return values[0].view().text; }
};

// The conflict of two rows that have the same values in `columns`.
[[nodiscard]] Error not_unique(std::span<std::string const> columns);

// Threads: one at a time; frozen once it is part of a committed state.
class Table {
public:
    explicit Table(std::shared_ptr<Collection const> collection);

    [[nodiscard]] Collection const& collection() const { return *collection_; }
    // By rowid, which is the order of insertion.
    [[nodiscard]] std::map<std::int64_t, std::shared_ptr<Row const>> const& rows() const { return rows_; }
    [[nodiscard]] Row const* find(std::string_view id) const;

    // A row that another one may not stand beside, and the fields that both have alike.
    struct Clash {
        Row const* other = nullptr;  // null = none
        std::vector<std::string> fields;
    };
    [[nodiscard]] Clash clash_of(Row const& row) const;

    // Puts a row in, under the rowid it carries; one with rowid 0 is new and gets the next.
    // Returns the rowid.
    // Errors: conflict — the id or a unique index has these values already.
    [[nodiscard]] Result<std::int64_t> put(Row row);
    void erase(Row const& row);
    void clear();

    // Where `field` of some state of the collection is in this table's rows, by the field's id.
    [[nodiscard]] std::optional<std::size_t> position_of(Collection const& collection,
                                                         std::size_t field) const;

private:
    using Key = std::vector<OwnedValue>;
    struct KeyLess {
        bool operator()(Key const& left, Key const& right) const;
    };
    // The entries of one unique index.
    struct Unique {
        Index const* index;
        std::vector<std::size_t> positions;  // of its columns
        std::map<Key, std::int64_t, KeyLess> rowids;
    };

    // The row's entry; nothing when the index does not hold the row.
    [[nodiscard]] std::optional<Key> key_of(Unique const& unique, Row const& row) const;

    std::shared_ptr<Collection const> collection_;
    std::map<std::int64_t, std::shared_ptr<Row const>> rows_;
    std::map<std::string, std::int64_t, std::less<>> by_id_;
    std::vector<Unique> uniques_;
};

}  // namespace quern::engine::ram
