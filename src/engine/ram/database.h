// SPDX-License-Identifier: Apache-2.0
#pragma once

// All tables at one moment, and the changes that can be made to them.

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <quern/error.h>
#include "engine/engine.h"
#include "engine/ram/evaluate.h"
#include "engine/ram/table.h"

namespace quern::engine::ram {

// What a field of a new row holds when nothing is said: null or its type's zero.
[[nodiscard]] Value value_when_not_given(Field const& field);

// Tables by the id of their collection. Copying is cheap: tables are shared.
using Tables = std::map<std::string, std::shared_ptr<Table>, std::less<>>;

// Gives an Evaluation the rows of these tables. A collection without table has no rows, a field that the
// table does not have is null. Lifetime: borrows the tables.
class TableAccess final : public RowAccess {
public:
    explicit TableAccess(Tables const& tables) : tables_(tables) {}
    [[nodiscard]] Value value(RowHandle row, Collection const& collection, std::uint16_t field) override;
    [[nodiscard]] RowHandle find(Collection const& collection, std::string_view id) override;
    [[nodiscard]] std::vector<RowHandle> all(Collection const& collection) override;
    [[nodiscard]] std::vector<RowHandle> pointing_at(Collection const& collection, std::uint16_t field,
                                                     std::string_view id) override;

private:
    [[nodiscard]] Table const* table(Collection const& collection) const;

    Tables const& tables_;
};

// Tables that are being changed, with points to come back to. Each change happens as a whole or not at all.
//
// Threads: one at a time.
class Workspace {
public:
    explicit Workspace(Tables tables) : tables_(std::move(tables)) {}

    [[nodiscard]] Tables const& tables() const { return tables_; }

    // As engine::Transaction has them.
    [[nodiscard]] Result<void> insert(Collection const& collection, std::span<Assignment const> assignments);
    [[nodiscard]] Result<bool> update(Collection const& collection, std::string_view id,
                                      std::span<Assignment const> assignments);
    [[nodiscard]] Result<bool> remove(Collection const& collection, std::string_view id);
    [[nodiscard]] Result<void> truncate(Collection const& collection);
    [[nodiscard]] Result<void> alter(std::span<TableChange const> changes, Schema const& schema);

    void savepoint();
    void release_savepoint();
    void rollback_to_savepoint();

private:
    using Ids = std::set<std::string, std::less<>>;

    // The table, made ready to be changed: one that a savepoint or a reader may hold is copied first.
    [[nodiscard]] Table& writable(std::string_view collection_id);
    // Errors: validation — a value that the field cannot hold.
    [[nodiscard]] static Result<void> assign(Table const& table, Collection const& collection, Row& row,
                                             std::span<Assignment const> assignments);
    [[nodiscard]] bool has_target(Field const& field, std::string_view id) const;
    // That the relations of a stored row point at rows, and multiple ones at each only once.
    [[nodiscard]] Result<void> check_targets(Table const& table, Row const& row) const;
    // That no single relation of a row that stays points at one of these rows, which are about to go.
    [[nodiscard]] Result<void> check_unreferenced(std::string_view collection_id, Ids const& ids) const;
    // Takes the ids out of all multiple relations.
    void forget(std::string_view collection_id, Ids const& ids);

    Tables tables_;
    std::vector<Tables> savepoints_;
    std::set<Table const*> own_;  // tables that only this workspace's present state holds
};

}  // namespace quern::engine::ram
