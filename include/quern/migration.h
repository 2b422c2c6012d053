// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables of a Database, made from models and brought to them.
//
//     auto const brought = quern::apply_models<Author, Book>(*db);
//     if (!brought) return report(brought.error());
//     for (quern::MigrationStep const& step : brought->steps()) log(step.text);
//
// There are two ways to change the tables of a program from version to version, and a file takes one of them:
//
// - By scripts: Database::migrate runs those that the file has not seen. What changed is then read in the
//   program's text, and each script may do what no model can say, such as filling a column from another. When
//   a model has changed, plan_migration on a file of the old version gives the new script,
//   MigrationPlan::script().
// - By models: apply_models at the start of the program compares the file with the models and does what is
//   needed. A file that needs nothing is only read.
//
// The models are the truth: a program of an older version that is started on a newer file would take back
// what the newer one brought. It drops columns that are empty still, and refuses to start where they are not.
//
// apply_models neither reads nor writes the count of scripts that the file has seen (PRAGMA user_version), so
// scripts of Database::migrate may run in front of it, for the tables that no model names, or to move data
// that a model drops.
//
// What is compared, of the tables that a model names:
//
// - Columns by their names, without regard to the case of ASCII and to their order. Type, NOT NULL, default,
//   foreign key and the allowed values of booleans and enumerations are the model's. A column that no member
//   stands for is dropped.
// - The primary key, and the conditions of quern::check. Tables are STRICT.
// - Indexes whose names begin with index_<table>__ or unique_<table>__: those are the models'.
//
// All else is its maker's and stays: other tables, views, indexes of other names, triggers. A table that must
// be rebuilt gets its triggers and indexes again with it; a view, trigger or index that would be left without
// a column that it names is an error that names it. COLLATE, AUTOINCREMENT, UNIQUE in the table's text, ON
// CONFLICT, DEFERRABLE, ON UPDATE, generated columns and WITHOUT ROWID cannot be said by a model. They stay
// until the table is rebuilt for another reason; then they would go, which counts as a loss.
//
// A table is rebuilt in SQLite's documented way (a new table, the rows, the new in place of the old) where
// ALTER TABLE cannot do the change. A value whose column's type changes is converted where the way back
// leads to the same value: '12' becomes 12, '012' does not.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <quern/error.h>
#include <quern/model.h>
#include <quern/sqlite.h>

namespace quern {

enum class MigrationKind : std::uint8_t {
    rename_table,
    rename_column,
    drop_index,
    create_table,
    add_column,
    drop_column,
    change_column,
    rebuild_table,
    create_index,
};

// One difference between the file and the models.
// Threads: frozen.
struct MigrationStep {
    MigrationKind kind = MigrationKind::create_table;
    std::string table;  // its new name
    std::string name;   // of the column or the index; of a renamed table or column the former name
    std::string text;   // a sentence for people
    // Statements, each closed by a semicolon. Empty where a later step of the same table, which rebuilds it,
    // does it.
    std::string sql;
    // Whether rows of this file lose a value, or the table something that no model can say.
    bool loses_data = false;

    bool operator==(MigrationStep const&) const = default;
};

// What makes a file's tables those of the models, in the order in which it is done.
// Threads: frozen.
class MigrationPlan {
public:
    MigrationPlan() = default;
    explicit MigrationPlan(std::vector<MigrationStep> steps) : steps_(std::move(steps)) {}

    [[nodiscard]] std::span<MigrationStep const> steps() const { return steps_; }
    // Whether the file's tables are those of the models already.
    [[nodiscard]] bool empty() const { return steps_.empty(); }
    // Of the rows that were there when the plan was made. A script is run on other files too: a column that
    // it drops may hold something there.
    [[nodiscard]] bool loses_data() const;
    // All of it as a script for Database::migrate, with the sentences as comments; empty for an empty plan.
    // It is for files whose tables are as they were in this one. Elsewhere than in Database::migrate it is
    // run in a transaction, with PRAGMA foreign_keys off.
    [[nodiscard]] std::string script() const;

private:
    std::vector<MigrationStep> steps_;
};

struct ApplyOptions {
    // Drop columns that hold something. A value that does not fit its column's new type or is not among its
    // choices any more becomes the column's default, or else NULL; where it has neither, it is an error also
    // then.
    bool allow_loss = false;
};

// The script that makes the tables and indexes of the models in an empty file. Tables stand behind those that
// they refer to, unless they refer to each other. Indexes are named index_<table>__<column>__<column>, unique
// ones unique_….
// Limits: the models are of different tables.
[[nodiscard]] std::string create_script(std::span<TableInfo const* const> tables);
template <class... M>
[[nodiscard]] std::string create_script() {
    TableInfo const* const tables[] = {&table_info<M>()...};
    return create_script(tables);
}

// What apply_models would do, without doing it.
//
// Errors: as apply_models, but for the loss of data, which the plan tells. Whether views and triggers need a
//         column that goes is found by applying.
// Threads: any.
// Cost:   waits for the writer, and holds it meanwhile. Reads the schema; the rows only of tables that must
//         change, once for each question that the change asks of them.
[[nodiscard]] Result<MigrationPlan> plan_migration(Database& database,
                                                   std::span<TableInfo const* const> tables);
template <class... M>
[[nodiscard]] Result<MigrationPlan> plan_migration(Database& database) {
    TableInfo const* const tables[] = {&table_info<M>()...};
    return plan_migration(database, tables);
}

// Makes the file's tables those of the models and gives back what was done. All of it is one transaction, in
// which the plan is made too: of two processes that start together the second finds nothing to do.
//
// Errors: validation — data would be lost and `options` do not allow it; or rows are in the way: a column
//         that must not be NULL and has no default, a value that does not fit its new type, a row that
//         breaks a new condition or a new foreign key; or a view, trigger or index needs a column that goes,
//         or a view has the name of a table, or, broken before, is in the way of a rename. `fields` names
//         what it is about, as table.column, the message the first row by its key;
//         conflict — a new unique index or key, and two rows that have the same values; `fields` names the
//         columns, as table.column;
//         parameter_invalid — two models are of one table, two indexes would have one name, or a model
//         refers to a table that neither the models nor the file have;
//         internal — a condition or name of a model is not one that SQLite takes;
//         those of Database::execute.
// Threads: any. Not inside a transaction of the Database.
// Cost:   as plan_migration, and blocks until durable. A rebuild copies the table.
[[nodiscard]] Result<MigrationPlan> apply_models(Database& database, std::span<TableInfo const* const> tables,
                                                 ApplyOptions options = {});
template <class... M>
[[nodiscard]] Result<MigrationPlan> apply_models(Database& database, ApplyOptions options = {}) {
    TableInfo const* const tables[] = {&table_info<M>()...};
    return apply_models(database, tables, options);
}

}  // namespace quern
