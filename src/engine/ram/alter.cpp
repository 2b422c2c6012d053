// SPDX-License-Identifier: Apache-2.0

// How tables follow a change of the schema.

#include <algorithm>

#include <quern/arena.h>
#include <quern/assert.h>
#include "engine/convert.h"
#include "engine/ram/database.h"
#include "engine/ram/json_text.h"

namespace quern::engine::ram {

namespace {

Error does_not_fit(Field const& field, Row const& row) {
    Error error(ErrorCode::validation, "The value of field " + field.name + " of record " +
                                           std::string(row.id()) + " does not fit the field's new type.");
    error.fields.push_back({field.name, "validation_invalid_value", error.message});
    return error;
}

// The ids of a multiple relation are each there once.
bool has_duplicates(Value const& ids) {
    Arena texts;
    auto const elements = json_elements(ids.text);
    QUERN_ASSERT(elements, "a multiple relation is kept as a JSON array");
    std::vector<std::string_view> found;
    for (std::string_view const element : *elements) found.push_back(json_value(element, texts).text);
    std::ranges::sort(found);
    return std::ranges::adjacent_find(found) != found.end();
}

// The value that a row of `before` has in a field of the collection's new state; fields are the same by id.
Result<OwnedValue> value_after(Collection const& before, Field const& field, Row const& row) {
    auto const position = before.find_by_id(field.id);
    if (!position) return OwnedValue(value_when_not_given(field));
    std::string storage;
    auto const value = convert(before.fields[*position], field, row.values[*position].view(), storage);
    if (!value || (field.is_join() && has_duplicates(*value))) return fail(does_not_fit(field, row));
    return OwnedValue(*value);
}

Result<std::vector<Row>> converted(Table const& before, Collection const& after) {
    std::vector<Row> rows;
    for (auto const& [rowid, old] : before.rows()) {
        Row row{.rowid = old->rowid, .version = old->version, .values = {}};
        for (Field const& field : after.fields) {
            QUERN_TRY(OwnedValue value, value_after(before.collection(), field, *old));
            row.values.push_back(std::move(value));
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

// Two rows that a new unique index finds alike.
Error alike(Table::Clash const& clash, Row const& row) {
    Error error = not_unique(clash.fields);
    error.message = "Values must be unique: the records " + std::string(clash.other->id()) + " and " +
                    std::string(row.id()) + " have the same.";
    for (FieldError& field : error.fields) field.message = error.message;
    return error;
}

Result<void> put_all(Table& table, std::vector<Row> rows) {
    for (Row& row : rows) {
        if (auto const clash = table.clash_of(row); clash.other != nullptr) return fail(alike(clash, row));
        QUERN_CHECK(table.put(std::move(row)));
    }
    return {};
}

Result<void> check_change(TableChange const& change, Schema const& schema) {
    if (change.after != nullptr && change.after->type == CollectionType::view) {
        return fail(ErrorCode::unsupported, "A view is no table.");
    }
    if (change.after != nullptr) return {};
    for (auto const& collection : schema.collections()) {
        for (Field const& field : collection->fields) {
            if (field.type != FieldType::relation || field.collection_id != change.before->id) continue;
            return fail(ErrorCode::conflict, "The collection is still referred to by " + collection->name +
                                                 "." + field.name + ".");
        }
    }
    return {};
}

}  // namespace

Result<void> Workspace::alter(std::span<TableChange const> changes, Schema const& schema) {
    for (TableChange const& change : changes) QUERN_CHECK(check_change(change, schema));

    // Values first: one that does not fit is told before duplicates are.
    std::vector<std::vector<Row>> rows(changes.size());
    for (std::size_t index = 0; index < changes.size(); ++index) {
        auto const& [before, after] = changes[index];
        if (before == nullptr || after == nullptr) continue;
        QUERN_TRY(rows[index], converted(*tables_.at(before->id), *after));
    }

    Workspace changed(tables_);
    for (std::size_t index = 0; index < changes.size(); ++index) {
        auto const& [before, after] = changes[index];
        if (before != nullptr) changed.tables_.erase(before->id);
        if (after == nullptr) continue;
        auto table = std::make_shared<Table>(schema.share(*after));
        QUERN_CHECK(put_all(*table, std::move(rows[index])));
        changed.tables_[after->id] = std::move(table);
    }

    // New or retyped relations point at rows that are there.
    for (TableChange const& change : changes) {
        if (change.after == nullptr) continue;
        Table const& table = *changed.tables_.at(change.after->id);
        for (auto const& [rowid, row] : table.rows()) QUERN_CHECK(changed.check_targets(table, *row));
    }
    tables_ = std::move(changed.tables_);
    own_.clear();
    return {};
}

}  // namespace quern::engine::ram
