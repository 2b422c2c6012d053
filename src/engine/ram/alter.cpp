// SPDX-License-Identifier: Apache-2.0

// How tables follow a change of the schema.

#include "base/assert.h"
#include "engine/convert.h"
#include "engine/ram/database.h"

namespace quern::engine::ram {

namespace {

Error does_not_fit(Collection const& collection, Field const& field, Row const& row) {
    return Error(ErrorCode::validation, "The value of the field \"" + field.name + "\" in the record \"" +
                                            std::string(row.id()) + "\" of \"" + collection.name +
                                            "\" does not fit its new type.");
}

// The value that a row of `before` has in a field of the collection's new state; fields are the same by id.
Result<OwnedValue> value_after(Collection const& before, Field const& field, Row const& row) {
    auto const position = before.find_by_id(field.id);
    if (!position) return OwnedValue(zero_value(field));
    std::string storage;
    auto const value = convert(before.fields[*position], field, row.values[*position].view(), storage);
    if (!value) return fail(does_not_fit(before, field, row));
    return OwnedValue(*value);
}

Result<std::shared_ptr<Table>> rebuilt(Table const& before, std::shared_ptr<Collection const> after) {
    auto table = std::make_shared<Table>(std::move(after));
    for (auto const& [rowid, old] : before.rows()) {
        Row row{.rowid = old->rowid, .version = old->version, .values = {}};
        for (Field const& field : table->collection().fields) {
            QUERN_TRY(OwnedValue value, value_after(before.collection(), field, *old));
            row.values.push_back(std::move(value));
        }
        QUERN_CHECK(table->put(std::move(row)));
    }
    return table;
}

}  // namespace

Result<void> Workspace::alter(std::span<TableChange const> changes, Schema const& schema) {
    Tables changed = tables_;
    for (TableChange const& change : changes) {
        if (change.after == nullptr) {
            changed.erase(change.before->id);
            continue;
        }
        auto after = schema.share(*change.after);
        if (change.before == nullptr) {
            changed[after->id] = std::make_shared<Table>(after);
            continue;
        }
        QUERN_TRY(auto table, rebuilt(*changed.at(change.before->id), after));
        changed[after->id] = std::move(table);
    }
    // New or retyped relations point at rows that are there.
    std::swap(tables_, changed);
    for (TableChange const& change : changes) {
        if (change.after == nullptr) continue;
        Table const& table = *tables_.at(change.after->id);
        for (auto const& [rowid, row] : table.rows()) {
            if (auto checked = check_targets(table, *row); !checked) {
                std::swap(tables_, changed);
                return checked;
            }
        }
    }
    own_.clear();
    return {};
}

}  // namespace quern::engine::ram
