// SPDX-License-Identifier: Apache-2.0
#include "engine/ram/table.h"

#include <algorithm>

#include <quern/assert.h>

namespace quern::engine::ram {

namespace {

// As NOCASE compares: ASCII letters only.
OwnedValue without_ascii_case(Value const& value) {
    if (!value.is_text()) return value;
    std::string text(value.text);
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return Value::of(std::string_view(text));
}

bool is_empty_or_null(Value const& value) {
    return value.is_null() || (value.is_text() && value.text.empty());
}

}  // namespace

Error not_unique(std::span<std::string const> columns) {
    Error error(ErrorCode::conflict);
    for (std::string const& column : columns) {
        error.fields.push_back({column, "validation_not_unique", "Value must be unique."});
    }
    return error;
}

bool Table::KeyLess::operator()(Key const& left, Key const& right) const {
    return std::ranges::lexicographical_compare(left, right, [](OwnedValue const& a, OwnedValue const& b) {
        return compare(a.view(), b.view()) < 0;
    });
}

Table::Table(std::shared_ptr<Collection const> collection) : collection_(std::move(collection)) {
    for (Index const& index : collection_->indexes) {
        if (!index.unique) continue;
        Unique unique{&index, {}, {}};
        for (IndexColumn const& column : index.columns) {
            auto const position = collection_->find(column.field);
            QUERN_ASSERT(position, "an index names fields of its collection");
            unique.positions.push_back(*position);
        }
        uniques_.push_back(std::move(unique));
    }
}

Row const* Table::find(std::string_view id) const {
    auto const found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : rows_.at(found->second).get();
}

std::optional<Table::Key> Table::key_of(Unique const& unique, Row const& row) const {
    if (!unique.index->where_not_empty.empty()) {
        auto const guarded = collection_->find(unique.index->where_not_empty);
        QUERN_ASSERT(guarded, "an index names fields of its collection");
        if (is_empty_or_null(row.values[*guarded].view())) return std::nullopt;
    }
    Key key;
    for (std::size_t column = 0; column < unique.positions.size(); ++column) {
        Value const value = row.values[unique.positions[column]].view();
        if (value.is_null()) return std::nullopt;  // nulls are never equal to each other
        key.push_back(unique.index->columns[column].ignore_case ? without_ascii_case(value)
                                                                : OwnedValue(value));
    }
    return key;
}

Table::Clash Table::clash_of(Row const& row) const {
    auto const same_id = by_id_.find(row.id());
    if (same_id != by_id_.end() && same_id->second != row.rowid) {
        return {rows_.at(same_id->second).get(), {collection_->fields[0].name}};
    }
    for (Unique const& unique : uniques_) {
        auto const key = key_of(unique, row);
        if (!key) continue;
        auto const same = unique.rowids.find(*key);
        if (same == unique.rowids.end() || same->second == row.rowid) continue;
        Clash clash{rows_.at(same->second).get(), {}};
        for (IndexColumn const& column : unique.index->columns) clash.fields.push_back(column.field);
        return clash;
    }
    return {};
}

Result<std::int64_t> Table::put(Row row) {
    QUERN_ASSERT(row.values.size() == collection_->fields.size(), "a row has a value for every field");
    if (row.rowid == 0) row.rowid = rows_.empty() ? 1 : rows_.rbegin()->first + 1;
    if (Clash const clash = clash_of(row); clash.other != nullptr) return fail(not_unique(clash.fields));
    if (auto const old = rows_.find(row.rowid); old != rows_.end()) erase(Row(*old->second));
    by_id_[std::string(row.id())] = row.rowid;
    for (Unique& unique : uniques_) {
        if (auto key = key_of(unique, row)) unique.rowids[*std::move(key)] = row.rowid;
    }
    std::int64_t const rowid = row.rowid;
    rows_[rowid] = std::make_shared<Row const>(std::move(row));
    return rowid;
}

void Table::erase(Row const& row) {
    std::shared_ptr<Row const> const kept = rows_.at(row.rowid);  // `row` may be the stored one
    for (Unique& unique : uniques_) {
        if (auto const key = key_of(unique, *kept)) unique.rowids.erase(*key);
    }
    by_id_.erase(std::string(kept->id()));
    rows_.erase(kept->rowid);
}

void Table::clear() {
    rows_.clear();
    by_id_.clear();
    for (Unique& unique : uniques_) unique.rowids.clear();
}

std::optional<std::size_t> Table::position_of(Collection const& collection, std::size_t field) const {
    QUERN_ASSERT(field < collection.fields.size(), "the field is of the collection");
    std::string const& id = collection.fields[field].id;
    if (field < collection_->fields.size() && collection_->fields[field].id == id) return field;
    return collection_->find_by_id(id);
}

}  // namespace quern::engine::ram
