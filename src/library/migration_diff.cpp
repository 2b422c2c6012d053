// SPDX-License-Identifier: Apache-2.0
#include "library/migration_diff.h"

#include <algorithm>

#include "library/migration_sql.h"

namespace quern::detail {

namespace {

bool are_same_names(TableInfo const& table, std::span<std::uint16_t const> columns,
                    std::span<std::string const> names) {
    return std::ranges::equal(columns, names, [&](std::uint16_t column, std::string const& name) {
        return is_same_name(table.columns[column].name, name);
    });
}

bool is_listed(std::span<std::string const> names, std::string_view name) {
    return std::ranges::any_of(names, [name](std::string const& one) { return is_same_name(one, name); });
}

class Comparison {
public:
    Comparison(engine::sqlite::Connection const& connection, TableInfo const& model, FileTable const& file)
        : connection_(connection), model_(model), file_(file) {
        diff_.model = &model;
        diff_.file = &file;
    }

    Result<TableDiff> run() {
        match_columns();
        compare_key();
        QUERN_CHECK(compare_columns());
        compare_references();
        compare_checks();
        if (!file_.is_strict) reason("it is not STRICT");
        QUERN_CHECK(choose_way());
        compare_indexes();
        return std::move(diff_);
    }

private:
    void match_columns() {
        for (ColumnInfo const& column : model_.columns)
            diff_.columns.push_back({file_.find(column.name), {}, false, {}, false});
        for (FileColumn const& column : file_.columns) {
            if (!column_of(column.name)) diff_.dropped.push_back({&column, false});
        }
    }
    [[nodiscard]] ColumnDiff* column_of(std::string_view name) {
        for (std::size_t index = 0; index < model_.columns.size(); ++index) {
            if (is_same_name(model_.columns[index].name, name)) return &diff_.columns[index];
        }
        return nullptr;
    }
    [[nodiscard]] bool is_dropped(std::string_view name) const {
        return std::ranges::any_of(diff_.dropped, [name](DroppedColumn const& column) {
            return is_same_name(column.file->name, name);
        });
    }
    void reason(std::string why) { diff_.reasons.push_back(std::move(why)); }

    void compare_key() {
        diff_.key_differs =
            !are_same_names(model_, model_.key, file_.key) || (model_.key_is_given && !file_.key_is_rowid);
        if (diff_.key_differs) reason("its key is another");
    }

    Result<void> compare_columns() {
        for (std::size_t index = 0; index < model_.columns.size(); ++index) {
            ColumnDiff& diff = diff_.columns[index];
            if (diff.file == nullptr) continue;
            ColumnInfo const& wanted = model_.columns[index];
            FileColumn const& there = *diff.file;
            bool const is_rowid = model_.key_is_given && model_.key[0] == index;
            if (!is_same_type(wanted, there, is_rowid)) {
                diff.changes.push_back("its type from " + (there.type.empty() ? "none" : there.type) +
                                       " to " + std::string(sql_type(wanted.type)));
                diff.must_fit = true;
            }
            if (!file_.is_strict) diff.must_fit = true;
            if (there.is_generated) diff.changes.emplace_back("it is not generated any more");
            if (!is_rowid && wanted.nullable == there.not_null)
                diff.changes.emplace_back(wanted.nullable ? "it may be NULL" : "it must not be NULL");
            QUERN_TRY(bool const same_default, is_same_default(wanted, there));
            if (!same_default) {
                std::string const value = default_sql(wanted);
                diff.changes.push_back(value.empty() ? "it has no default" : "its default is " + value);
            }
        }
        return {};
    }

    static bool is_same_type(ColumnInfo const& wanted, FileColumn const& there, bool is_rowid) {
        std::string_view const type = sql_type(wanted.type);
        if (is_same_name(there.type, type)) return true;
        return !is_rowid && type == "INTEGER" && is_same_name(there.type, "INT");
    }

    // Texts differ where values do not: 1 and TRUE.
    Result<bool> is_same_default(ColumnInfo const& wanted, FileColumn const& there) {
        std::string const value = default_sql(wanted);
        if (normal_form(value) == normal_form(there.default_sql)) return true;
        if (value.empty() || there.default_sql.empty()) return false;
        std::string const type(sql_type(wanted.type));
        auto const same = first_text(connection_, "SELECT CASE WHEN quote(CAST((" + value + ") AS " + type +
                                                      ")) = quote(CAST((" + there.default_sql + ") AS " +
                                                      type + ")) THEN '=' ELSE '' END");
        return same && *same == "=";  // what is not SQL on its own is another
    }

    void compare_references() {
        std::vector<bool> used(file_.references.size());
        for (ReferenceInfo const& wanted : model_.references) {
            bool found = false;
            for (std::size_t index = 0; index < used.size() && !found; ++index) {
                if (used[index] || !is_same_reference(wanted, file_.references[index])) continue;
                used[index] = found = true;
            }
            diff_.has_reference.push_back(found);
            ColumnDiff& column = diff_.columns[wanted.column];
            if (found || column.file == nullptr) continue;
            column.changes.push_back("it refers to " + std::string(wanted.target().name) + ", ON DELETE " +
                                     std::string(on_delete_sql(wanted.on_delete)));
        }
        for (std::size_t index = 0; index < used.size(); ++index) {
            if (used[index]) continue;
            FileReference const& old = file_.references[index];
            ColumnDiff* const column = column_of(old.columns[0]);
            std::string const what =
                "does not refer to " + old.target + ", ON DELETE " + old.on_delete + ", any more";
            if (column != nullptr) column->changes.push_back("it " + what);
            if (column == nullptr) reason("its column " + old.columns[0] + " " + what);
        }
    }

    bool is_same_reference(ReferenceInfo const& wanted, FileReference const& there) const {
        TableInfo const& target = wanted.target();
        return there.columns.size() == 1 &&
               is_same_name(there.columns[0], model_.columns[wanted.column].name) &&
               is_same_name(there.target, target.name) &&
               (there.target_columns[0].empty() ||
                is_same_name(there.target_columns[0], target.columns[target.key[0]].name)) &&
               there.on_delete == on_delete_sql(wanted.on_delete);
    }

    void compare_checks() {
        std::vector<bool> used(file_.checks.size());
        auto const take = [&](std::string const& condition) {
            for (std::size_t index = 0; index < used.size(); ++index) {
                if (used[index] || file_.checks[index].condition != condition) continue;
                return static_cast<bool>(used[index] = true);
            }
            return false;
        };
        for (std::size_t index = 0; index < model_.columns.size(); ++index) {
            std::string const condition = column_condition(model_.columns[index]);
            ColumnDiff& column = diff_.columns[index];
            if (condition.empty() || column.file == nullptr || take(normal_form(condition))) continue;
            column.changes.push_back("its values: " + condition);
            column.must_fit = true;
        }
        for (std::string_view const condition : model_.checks) {
            diff_.has_check.push_back(take(normal_form(condition)));
            if (!diff_.has_check.back()) reason("the condition " + std::string(condition) + " is new");
        }
        for (std::size_t index = 0; index < used.size(); ++index) {
            FileCheck const& old = file_.checks[index];
            if (used[index] || is_dropped(old.column)) continue;
            ColumnDiff* const column = column_of(old.column);
            if (column != nullptr && !column->changes.empty()) continue;
            reason("the condition " + old.condition + " goes");
        }
    }

    // ALTER TABLE adds and drops columns, and only simple ones.
    Result<void> choose_way() {
        diff_.rebuild = !diff_.reasons.empty();
        for (ColumnDiff const& column : diff_.columns) diff_.rebuild |= !column.changes.empty();
        for (DroppedColumn const& column : diff_.dropped) {
            QUERN_CHECK(check_made_by_hand(*column.file));
            diff_.rebuild |= !can_drop(*column.file);
        }
        return {};
    }

    // An index of other makers cannot be made again without the column.
    Result<void> check_made_by_hand(FileColumn const& column) const {
        for (FileIndex const& index : file_.indexes) {
            if (index.sql.empty() || is_models(index)) continue;
            if (!is_listed(index.columns, column.name) && !mentions(normal_form(index.sql), column.name))
                continue;
            Error error(ErrorCode::validation, "The column " + dotted(model_.name, column.name) +
                                                   " cannot be dropped: the index \"" + index.name +
                                                   "\" needs it. Drop the index first.");
            error.fields.push_back({dotted(model_.name, column.name), "in_use", error.message});
            return fail(std::move(error));
        }
        return {};
    }

    bool can_drop(FileColumn const& column) const {
        bool const in_index = std::ranges::any_of(file_.indexes, [&](FileIndex const& index) {
            return index.sql.empty() && is_listed(index.columns, column.name);
        });
        bool const in_check = std::ranges::any_of(file_.checks, [&](FileCheck const& check) {
            return !is_same_name(check.column, column.name) && mentions(check.condition, column.name);
        });
        bool const in_reference = std::ranges::any_of(
            file_.references, [&](FileReference const& old) { return is_listed(old.columns, column.name); });
        return !column.is_generated && !is_listed(file_.key, column.name) && !in_index && !in_check &&
               !in_reference;
    }

    bool is_models(FileIndex const& index) const {
        return is_index_of_models(index.name, model_.name) ||
               is_index_of_models(index.name, model_.renamed_from);
    }

    void compare_indexes() {
        std::vector<bool> wanted(file_.indexes.size());
        for (IndexInfo const& index : model_.indexes) {
            bool found = false;
            for (std::size_t at = 0; at < file_.indexes.size(); ++at) {
                if (!is_same_index(index, file_.indexes[at])) continue;
                found = wanted[at] = true;
            }
            diff_.has_index.push_back(found);
        }
        for (std::size_t at = 0; at < file_.indexes.size(); ++at) {
            FileIndex const& index = file_.indexes[at];
            if (index.sql.empty()) continue;
            bool const keep = wanted[at] || !is_models(index);
            (keep ? diff_.kept_indexes : diff_.old_indexes).push_back(&index);
        }
    }

    // A UNIQUE in the table's text does as well, while the table stays.
    bool is_same_index(IndexInfo const& wanted, FileIndex const& there) const {
        if (there.unique != wanted.unique || !there.is_plain || there.is_key) return false;
        if (!are_same_names(model_, wanted.columns, there.columns)) return false;
        return there.sql.empty() ? !diff_.rebuild : is_same_name(there.name, index_name(model_, wanted));
    }

    engine::sqlite::Connection const& connection_;
    TableInfo const& model_;
    FileTable const& file_;
    TableDiff diff_;
};

}  // namespace

bool TableDiff::empty() const {
    bool const has_all = std::ranges::find(has_index, false) == has_index.end();
    bool const has_columns = std::ranges::all_of(
        columns, [](ColumnDiff const& column) { return column.file != nullptr && column.changes.empty(); });
    return !rebuild && has_columns && dropped.empty() && has_all && old_indexes.empty();
}

Result<TableDiff> compare(engine::sqlite::Connection const& connection, TableInfo const& model,
                          FileTable const& file) {
    return Comparison(connection, model, file).run();
}

}  // namespace quern::detail
