// SPDX-License-Identifier: Apache-2.0
#include "engine/ram/database.h"

#include <algorithm>

#include <quern/arena.h>
#include <quern/assert.h>
#include "engine/convert.h"
#include "engine/ram/json_text.h"

namespace quern::engine::ram {

namespace {

// The ids in the JSON array of a multiple relation.
std::vector<std::string> ids_of(Value const& array) {
    std::vector<std::string> ids;
    Arena texts;
    auto const elements = json_elements(array.text);
    QUERN_ASSERT(elements, "a multiple relation is kept as a JSON array");
    for (std::string_view const element : *elements) ids.emplace_back(json_value(element, texts).text);
    return ids;
}

bool points_at(Field const& field, Value const& value, std::string_view id) {
    if (!field.is_join()) return value.is_text() && value.text == id;
    auto const ids = ids_of(value);
    return std::ranges::find(ids, id) != ids.end();
}

Row const& row_of(RowHandle handle) { return *static_cast<Row const*>(handle); }

// A number is stored as its column has it.
Value as_stored(Field const& field, Value const& value) {
    bool const is_real = field.type == FieldType::number && !field.only_int;
    if (is_real && value.kind == ValueKind::integer) return Value::of(static_cast<double>(value.integer));
    return value;
}

// Whether a field's column can hold the value.
bool fits(Field const& field, Value const& value) {
    if (value.is_null()) return field.nullable || field.type == FieldType::relation;
    switch (storage_of(field)) {
    case Storage::integer: return value.kind == ValueKind::integer;
    case Storage::boolean: return value == Value::of(false) || value == Value::of(true);
    case Storage::real: return value.kind == ValueKind::real;
    default: return value.is_text();
    }
}

Error invalid_value(Field const& field) {
    return Error::of_field(field.name, "validation_invalid_value", "Invalid value.");
}

Error missing_target(Field const& field) {
    return Error::of_field(field.name, "validation_missing_rel_records",
                           "Failed to find all relation records with the provided ids.");
}

}  // namespace

Value value_when_not_given(Field const& field) {
    return field.is_join() ? Value::of("[]") : zero_value(field);
}

Table const* TableAccess::table(Collection const& collection) const {
    auto const found = tables_.find(collection.id);
    return found == tables_.end() ? nullptr : found->second.get();
}

Value TableAccess::value(RowHandle handle, Collection const& collection, std::uint16_t field) {
    Row const& row = row_of(handle);
    if (field == Collection::version_field) return Value::of(row.version);
    if (field == Collection::rowid_field) return Value::of(row.rowid);
    Table const* const rows = table(collection);
    QUERN_ASSERT(rows != nullptr, "a row comes from a table");
    auto const position = rows->position_of(collection, field);
    return position ? row.values[*position].view() : Value{};
}

RowHandle TableAccess::find(Collection const& collection, std::string_view id) {
    Table const* const rows = table(collection);
    return rows == nullptr ? nullptr : rows->find(id);
}

std::vector<RowHandle> TableAccess::all(Collection const& collection) {
    std::vector<RowHandle> handles;
    if (Table const* const rows = table(collection)) {
        for (auto const& [rowid, row] : rows->rows()) handles.push_back(row.get());
    }
    return handles;
}

std::vector<RowHandle> TableAccess::pointing_at(Collection const& collection, std::uint16_t field,
                                                std::string_view id) {
    std::vector<RowHandle> handles = all(collection);
    std::erase_if(handles, [&](RowHandle handle) {
        return !points_at(collection.fields[field], value(handle, collection, field), id);
    });
    return handles;
}

Table& Workspace::writable(std::string_view collection_id) {
    auto const found = tables_.find(collection_id);
    QUERN_ASSERT(found != tables_.end(), "only a collection with a table is written");
    if (!own_.contains(found->second.get())) {
        found->second = std::make_shared<Table>(*found->second);
        own_.insert(found->second.get());
    }
    return *found->second;
}

void Workspace::savepoint() {
    savepoints_.push_back(tables_);
    own_.clear();
}

void Workspace::release_savepoint() {
    QUERN_ASSERT(!savepoints_.empty(), "a savepoint is released once");
    savepoints_.pop_back();
}

void Workspace::rollback_to_savepoint() {
    QUERN_ASSERT(!savepoints_.empty(), "a savepoint is rolled back to once");
    tables_ = std::move(savepoints_.back());
    savepoints_.pop_back();
    own_.clear();
}

Result<void> Workspace::assign(Table const& table, Collection const& collection, Row& row,
                               std::span<Assignment const> assignments) {
    for (Assignment const& assignment : assignments) {
        if (assignment.field == Collection::version_field) {
            row.version = assignment.value.integer;
            continue;
        }
        auto const position = table.position_of(collection, assignment.field);
        QUERN_ASSERT(position, "a row is written by the fields of its table");
        Field const& field = table.collection().fields[*position];
        if (field.is_join()) {
            std::vector<std::string> const ids(assignment.targets.begin(), assignment.targets.end());
            std::string const json = json_array_of(ids);
            row.values[*position] = Value::of(std::string_view(json));
        } else {
            row.values[*position] = as_stored(field, assignment.value);
            if (!fits(field, row.values[*position].view())) return fail(invalid_value(field));
        }
    }
    return {};
}

bool Workspace::has_target(Field const& field, std::string_view id) const {
    auto const target = tables_.find(field.collection_id);
    return target == tables_.end() || target->second->find(id) != nullptr;  // no table, nothing to check
}

Result<void> Workspace::check_targets(Table const& table, Row const& row) const {
    // All single relations at fault are named …
    Error error(ErrorCode::validation);
    for (std::size_t position = 0; position < row.values.size(); ++position) {
        Field const& field = table.collection().fields[position];
        Value const value = row.values[position].view();
        if (field.type != FieldType::relation || field.is_join() || value.is_null()) continue;
        if (!has_target(field, value.text)) error.fields.push_back(missing_target(field).fields.front());
    }
    if (!error.fields.empty()) return fail(std::move(error));

    // … or the first multiple one.
    for (std::size_t position = 0; position < row.values.size(); ++position) {
        Field const& field = table.collection().fields[position];
        if (!field.is_join()) continue;
        std::set<std::string> seen;
        for (std::string const& id : ids_of(row.values[position].view())) {
            if (!seen.insert(id).second) return fail(not_unique({&field.name, 1}));
            if (!has_target(field, id)) return fail(missing_target(field));
        }
    }
    return {};
}

Result<void> Workspace::insert(Collection const& collection, std::span<Assignment const> assignments) {
    Table& table = writable(collection.id);
    Row row;
    for (Field const& field : table.collection().fields) row.values.emplace_back(value_when_not_given(field));
    QUERN_CHECK(assign(table, collection, row, assignments));
    QUERN_TRY(row.rowid, table.put(row));
    // Only now, because a row may point at itself.
    auto checked = check_targets(table, row);
    if (!checked) table.erase(row);
    return checked;
}

Result<bool> Workspace::update(Collection const& collection, std::string_view id,
                               std::span<Assignment const> assignments) {
    Table& table = writable(collection.id);
    Row const* const found = table.find(id);
    if (found == nullptr) return false;
    Row const old = *found;
    Row row = old;
    QUERN_CHECK(assign(table, collection, row, assignments));
    QUERN_ASSERT(row.id() == id, "an id is never changed");
    QUERN_CHECK(table.put(row));
    if (auto checked = check_targets(table, row); !checked) {
        auto const restored = table.put(old);
        QUERN_ASSERT(restored, "what was there has room");
        return fail(std::move(checked).error());
    }
    return true;
}

Result<bool> Workspace::remove(Collection const& collection, std::string_view id) {
    Table& table = writable(collection.id);
    Row const* const row = table.find(id);
    if (row == nullptr) return false;
    Ids const ids = {std::string(id)};
    QUERN_CHECK(check_unreferenced(collection.id, ids));
    table.erase(*row);
    forget(collection.id, ids);
    return true;
}

Result<void> Workspace::truncate(Collection const& collection) {
    Table& table = writable(collection.id);
    Ids ids;
    for (auto const& [rowid, row] : table.rows()) ids.emplace(row->id());
    QUERN_CHECK(check_unreferenced(collection.id, ids));
    table.clear();
    forget(collection.id, ids);
    return {};
}

namespace {

// The positions of the relations of `collection` that point at the collection with that id.
std::vector<std::size_t> relations_to(Collection const& collection, std::string_view target_id) {
    std::vector<std::size_t> positions;
    for (std::size_t position = 0; position < collection.fields.size(); ++position) {
        Field const& field = collection.fields[position];
        if (field.type == FieldType::relation && field.collection_id == target_id)
            positions.push_back(position);
    }
    return positions;
}

}  // namespace

Result<void> Workspace::check_unreferenced(std::string_view collection_id, Ids const& ids) const {
    for (auto const& [table_id, table] : tables_) {
        for (std::size_t const position : relations_to(table->collection(), collection_id)) {
            if (table->collection().fields[position].is_join()) continue;
            for (auto const& [rowid, row] : table->rows()) {
                Value const target = row->values[position].view();
                bool const goes_too = table_id == collection_id && ids.contains(row->id());
                if (target.is_text() && ids.contains(target.text) && !goes_too)
                    return fail(ErrorCode::conflict);
            }
        }
    }
    return {};
}

void Workspace::forget(std::string_view collection_id, Ids const& ids) {
    std::vector<std::string> table_ids;
    for (auto const& [table_id, table] : tables_) table_ids.push_back(table_id);
    for (std::string const& table_id : table_ids) {
        for (std::size_t const position : relations_to(tables_.at(table_id)->collection(), collection_id)) {
            if (!tables_.at(table_id)->collection().fields[position].is_join()) continue;
            auto const rows = tables_.at(table_id)->rows();  // a copy: rows are put while it is walked
            for (auto const& [rowid, row] : rows) {
                std::vector<std::string> kept = ids_of(row->values[position].view());
                if (std::erase_if(kept, [&](std::string const& id) { return ids.contains(id); }) == 0)
                    continue;
                Row changed = *row;
                std::string const json = json_array_of(kept);
                changed.values[position] = Value::of(std::string_view(json));
                auto const put = writable(table_id).put(std::move(changed));
                QUERN_ASSERT(put, "join tables are in no unique index");
            }
        }
    }
}

}  // namespace quern::engine::ram
