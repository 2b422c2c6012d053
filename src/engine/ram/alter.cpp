// SPDX-License-Identifier: Apache-2.0

// How tables follow a change of the schema.

#include "base/assert.h"
#include "engine/ram/database.h"

namespace quern::engine::ram {

namespace {

// The rows of `before` as `after` has them: fields keep their values by id.
Result<std::shared_ptr<Table>> rebuilt(Table const& before, std::shared_ptr<Collection const> after) {
    auto table = std::make_shared<Table>(std::move(after));
    for (auto const& [rowid, old] : before.rows()) {
        Row row{.rowid = old->rowid, .version = old->version, .values = {}};
        for (Field const& field : table->collection().fields) {
            auto const position = before.collection().find_by_id(field.id);
            row.values.push_back(position ? old->values[*position] : OwnedValue(zero_value(field)));
        }
        QUERN_CHECK(table->put(std::move(row)));
    }
    return table;
}

}  // namespace

Result<void> Workspace::alter(std::span<TableChange const> changes, Schema const& schema) {
    for (TableChange const& change : changes) {
        if (change.after == nullptr) {
            tables_.erase(change.before->id);
            continue;
        }
        auto after = schema.share(*change.after);
        if (change.before == nullptr) {
            tables_[after->id] = std::make_shared<Table>(after);
            continue;
        }
        QUERN_TRY(auto table, rebuilt(*tables_.at(change.before->id), after));
        tables_[after->id] = std::move(table);
    }
    own_.clear();
    return {};
}

}  // namespace quern::engine::ram
