// SPDX-License-Identifier: Apache-2.0
#include "library/migration_plan.h"

#include <algorithm>
#include <list>
#include <set>

#include "library/migration_diff.h"
#include "library/migration_rows.h"
#include "library/migration_sql.h"

namespace quern::detail {

namespace {

std::string joined(std::span<std::string const> parts, std::string_view between) {
    std::string all;
    for (std::string const& part : parts) {
        if (!all.empty()) all += between;
        all += part;
    }
    return all;
}

std::string folded(std::string_view name) {
    std::string text;
    for (char const c : name) text += lower(c);
    return text;
}

class Planner {
public:
    Planner(SqlConnection& connection, std::span<TableInfo const* const> tables)
        : connection_(connection), engine_(connection.engine()), tables_(tables) {}

    Result<PlannedMigration> run() {
        QUERN_CHECK(check_models());
        for (TableInfo const* table : tables_) QUERN_CHECK(rename(*table));
        std::size_t const done = steps_.size();
        // From here on names are those of the models.
        QUERN_CHECK(compare_tables());
        QUERN_CHECK(check_targets());
        QUERN_CHECK(ask_rows(engine_, diffs_));
        for (TableDiff const& diff : diffs_) drop_indexes(diff);
        for (TableInfo const* table : in_order_of_references(new_tables_)) create_table(*table);
        for (TableDiff const& diff : diffs_) QUERN_CHECK(change_table(diff));
        for (TableInfo const* table : tables_) create_indexes(*table);
        return PlannedMigration{MigrationPlan(std::move(steps_)), done};
    }

private:
    Result<void> check_models() {
        std::set<std::string> names;
        std::set<std::string> index_names;
        for (TableInfo const* table : tables_) {
            if (!names.insert(folded(table->name)).second)
                return fail(ErrorCode::parameter_invalid,
                            "Two models are of the table \"" + std::string(table->name) + "\".");
            for (IndexInfo const& index : table->indexes) {
                std::string const name = index_name(*table, index);
                if (!index_names.insert(folded(name)).second)
                    return fail(ErrorCode::parameter_invalid,
                                "Two indexes would have the name \"" + name + "\".");
            }
        }
        return {};
    }

    // --- renames ---

    Result<void> rename(TableInfo const& table) {
        QUERN_TRY(auto file, read_table(engine_, table.name));
        if (!file && !table.renamed_from.empty()) {
            QUERN_TRY(file, read_table(engine_, table.renamed_from));
            if (file) QUERN_CHECK(rename_table(table, file->name));
        }
        if (!file) return {};
        for (ColumnInfo const& column : table.columns) {
            if (column.renamed_from.empty() || file->find(column.name) != nullptr) continue;
            FileColumn const* const former = file->find(column.renamed_from);
            bool const is_free =
                former != nullptr && std::ranges::none_of(table.columns, [&](ColumnInfo const& other) {
                    return is_same_name(other.name, former->name);
                });
            if (!is_free) continue;
            QUERN_CHECK(rename_column(table, column, former->name));
            QUERN_TRY(file, read_table(engine_, table.name));
        }
        return {};
    }

    Result<void> rename_table(TableInfo const& table, std::string const& former) {
        return add_and_run(
            {.kind = MigrationKind::rename_table,
             .table = std::string(table.name),
             .name = former,
             .text = "Rename the table " + quoted_name(former) + " to " + quoted_name(table.name) + ".",
             .sql = "ALTER TABLE " + quoted_name(former) + " RENAME TO " + quoted_name(table.name) + ";\n"});
    }
    Result<void> rename_column(TableInfo const& table, ColumnInfo const& column, std::string const& former) {
        return add_and_run({.kind = MigrationKind::rename_column,
                            .table = std::string(table.name),
                            .name = former,
                            .text = "Rename the column " + dotted(table.name, former) + " to " +
                                    quoted_name(column.name) + ".",
                            .sql = "ALTER TABLE " + quoted_name(table.name) + " RENAME COLUMN " +
                                   quoted_name(former) + " TO " + quoted_name(column.name) + ";\n"});
    }
    Result<void> add_and_run(MigrationStep step) {
        steps_.push_back(std::move(step));
        return run_step(connection_, steps_.back());
    }

    // --- differences ---

    Result<void> compare_tables() {
        for (TableInfo const* table : tables_) {
            QUERN_TRY(auto file, read_table(engine_, table->name));
            if (!file) {
                new_tables_.push_back(table);
                continue;
            }
            QUERN_TRY(auto diff, compare(engine_, *table, files_.emplace_back(*std::move(file))));
            diffs_.push_back(std::move(diff));
        }
        return {};
    }

    Result<void> check_targets() {
        for (TableInfo const* table : tables_) {
            for (ReferenceInfo const& reference : table->references) {
                std::string_view const target = reference.target().name;
                bool const is_model = std::ranges::any_of(
                    tables_, [&](TableInfo const* other) { return is_same_name(other->name, target); });
                if (is_model) continue;
                QUERN_TRY(auto const file, read_table(engine_, target));
                if (!file)
                    return fail(ErrorCode::parameter_invalid,
                                "The table " + quoted_name(table->name) + " refers to " +
                                    quoted_name(target) + ", which neither the models nor the file have.");
            }
        }
        return {};
    }

    // --- steps ---

    void drop_indexes(TableDiff const& diff) {
        for (FileIndex const* index : diff.old_indexes)
            steps_.push_back({.kind = MigrationKind::drop_index,
                              .table = std::string(diff.model->name),
                              .name = index->name,
                              .text = "Drop the index " + quoted_name(index->name) + ".",
                              .sql = "DROP INDEX " + quoted_name(index->name) + ";\n"});
    }

    void create_table(TableInfo const& table) {
        steps_.push_back({.kind = MigrationKind::create_table,
                          .table = std::string(table.name),
                          .name = {},
                          .text = "Create the table " + quoted_name(table.name) + ".",
                          .sql = create_table_sql(table, table.name) + ";\n"});
    }

    void create_indexes(TableInfo const& table) {
        auto const diff = std::ranges::find(diffs_, &table, &TableDiff::model);
        for (std::size_t at = 0; at < table.indexes.size(); ++at) {
            if (diff != diffs_.end() && diff->has_index[at]) continue;
            std::string const name = index_name(table, table.indexes[at]);
            steps_.push_back({.kind = MigrationKind::create_index,
                              .table = std::string(table.name),
                              .name = name,
                              .text = "Create the index " + quoted_name(name) + ".",
                              .sql = create_index_sql(table, table.indexes[at]) + ";\n"});
        }
    }

    Result<void> change_table(TableDiff const& diff) {
        for (std::size_t column = 0; column < diff.columns.size(); ++column) {
            if (diff.columns[column].file == nullptr) add_column(diff, column);
            if (diff.columns[column].file != nullptr && !diff.columns[column].changes.empty())
                change_column(diff, column);
        }
        for (DroppedColumn const& column : diff.dropped) drop_column(diff, column);
        return diff.rebuild ? rebuild(diff) : Result<void>();
    }

    void add_column(TableDiff const& diff, std::size_t column) {
        TableInfo const& table = *diff.model;
        std::string const definition = column_definition(table, column);
        std::string const alter =
            "ALTER TABLE " + quoted_name(table.name) + " ADD COLUMN " + definition + ";\n";
        steps_.push_back(
            {.kind = MigrationKind::add_column,
             .table = std::string(table.name),
             .name = std::string(table.columns[column].name),
             .text = "Add to the table " + quoted_name(table.name) + " the column " + definition + ".",
             .sql = diff.rebuild ? std::string() : alter});
    }

    void change_column(TableDiff const& diff, std::size_t column) {
        std::string const name(diff.model->columns[column].name);
        steps_.push_back({.kind = MigrationKind::change_column,
                          .table = std::string(diff.model->name),
                          .name = name,
                          .text = "Change the column " + dotted(diff.model->name, name) + ": " +
                                  joined(diff.columns[column].changes, "; ") + ".",
                          .sql = {},
                          .loses_data = diff.columns[column].loses_data});
    }

    void drop_column(TableDiff const& diff, DroppedColumn const& column) {
        std::string const alter = "ALTER TABLE " + quoted_name(diff.model->name) + " DROP COLUMN " +
                                  quoted_name(column.file->name) + ";\n";
        steps_.push_back({.kind = MigrationKind::drop_column,
                          .table = std::string(diff.model->name),
                          .name = column.file->name,
                          .text = "Drop the column " + dotted(diff.model->name, column.file->name) +
                                  (column.has_values ? ", which holds values." : ", which holds nothing."),
                          .sql = diff.rebuild ? std::string() : alter,
                          .loses_data = column.has_values});
    }

    // --- a rebuild ---

    Result<void> rebuild(TableDiff const& diff) {
        std::string const table = quoted_name(diff.model->name);
        QUERN_TRY(std::string const between, name_for_rebuild(diff.model->name));
        std::string sql = create_table_sql(*diff.model, between) + ";\n";
        sql += copy_rows(diff, quoted_name(between));
        sql += "DROP TABLE " + table + ";\n";
        // Renaming otherwise reads all views and triggers, and stumbles over those that name the table just
        // dropped.
        sql += "PRAGMA legacy_alter_table = ON;\n";
        sql += "ALTER TABLE " + quoted_name(between) + " RENAME TO " + table + ";\n";
        sql += "PRAGMA legacy_alter_table = OFF;\n";
        for (FileIndex const* index : diff.kept_indexes) sql += index->sql + ";\n";
        for (FileTrigger const& trigger : diff.file->triggers) sql += trigger.sql + ";\n";

        std::vector<std::string> const lost = lost_with_text(diff);
        std::string text = "Rebuild the table " + table;
        if (!diff.reasons.empty()) text += ": " + joined(diff.reasons, "; ");
        if (!lost.empty()) text += "; it loses what no model can say: " + joined(lost, ", ");
        steps_.push_back({.kind = MigrationKind::rebuild_table,
                          .table = std::string(diff.model->name),
                          .name = {},
                          .text = text + ".",
                          .sql = std::move(sql),
                          .loses_data = !lost.empty()});
        return {};
    }

    Result<std::string> name_for_rebuild(std::string_view table) {
        std::string name = "quern_new_" + std::string(table);
        while (true) {
            QUERN_TRY(bool const taken, has_name(engine_, name));
            if (!taken) return name;
            name += '_';
        }
    }

    static std::string copy_rows(TableDiff const& diff, std::string const& target) {
        std::string names;
        std::string sources;
        for (std::size_t column = 0; column < diff.columns.size(); ++column) {
            if (diff.columns[column].source.empty()) continue;
            names += (names.empty() ? "" : ", ") + quoted_name(diff.model->columns[column].name);
            sources += (sources.empty() ? "" : ", ") + diff.columns[column].source;
        }
        if (names.empty()) {  // nothing stays but the number of rows
            ColumnInfo const& key = diff.model->columns[diff.model->key[0]];
            names = quoted_name(key.name);
            sources = default_sql(key).empty() ? "NULL" : default_sql(key);
        }
        return "INSERT INTO " + target + " (" + names + ")\n  SELECT " + sources + " FROM " +
               quoted_name(diff.file->name) + ";\n";
    }

    // What stands in the table's text and has no place in a model.
    static std::vector<std::string> lost_with_text(TableDiff const& diff) {
        std::vector<std::string> lost = diff.file->unsayable;
        for (FileIndex const& index : diff.file->indexes) {
            if (!index.sql.empty() || index.is_key) continue;
            auto const is_kept = [&](std::span<std::uint16_t const> columns) {
                return std::ranges::equal(columns, index.columns,
                                          [&](std::uint16_t at, std::string const& name) {
                                              return is_same_name(diff.model->columns[at].name, name);
                                          });
            };
            bool const in_model = is_kept(diff.model->key) ||
                                  std::ranges::any_of(diff.model->indexes, [&](IndexInfo const& one) {
                                      return one.unique && is_kept(one.columns);
                                  });
            if (!in_model) lost.push_back("UNIQUE (" + joined(index.columns, ", ") + ")");
        }
        return lost;
    }

    SqlConnection& connection_;
    engine::sqlite::Connection const& engine_;
    std::span<TableInfo const* const> tables_;
    std::vector<MigrationStep> steps_;
    std::list<FileTable> files_;  // their addresses stay
    std::vector<TableDiff> diffs_;
    std::vector<TableInfo const*> new_tables_;
};

}  // namespace

Result<PlannedMigration> make_plan(SqlConnection& connection, std::span<TableInfo const* const> tables) {
    return Planner(connection, tables).run();
}

Result<void> run_step(SqlConnection& connection, MigrationStep const& step) {
    auto ran = connection.execute_script(step.sql);
    if (ran) return {};
    Error error = std::move(ran).error();
    // "error in view v: no such column: x": SQLite's ALTER TABLE reads them all.
    if (error.code == ErrorCode::internal && error.message.starts_with("SQLite: error in "))
        error.code = ErrorCode::validation;
    error.message = step.text + " " + error.message;
    return fail(std::move(error));
}

}  // namespace quern::detail
