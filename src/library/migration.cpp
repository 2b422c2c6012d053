// SPDX-License-Identifier: Apache-2.0

// Plans and their application, in the writer's turn.

#include <quern/migration.h>

#include <algorithm>
#include <set>

#include "library/migration_file.h"
#include "library/migration_plan.h"
#include "library/migration_sql.h"
#include "library/sqlite_core.h"

namespace quern {

namespace detail {

struct MigrationAccess {
    static SqlWriter& writer(Database& database) { return *database.core_->writer; }
};

namespace {

// The plan alone: what it had to do for that is undone.
class PlanWork final : public WriteWork {
public:
    PlanWork(SqlConnection& connection, std::span<TableInfo const* const> tables)
        : connection_(connection), tables_(tables) {}

    Result<void> run(Transaction&) override {
        QUERN_CHECK(connection_.execute("SAVEPOINT quern_plan"));
        QUERN_TRY(auto planned, make_plan(connection_, tables_));
        plan = std::move(planned.plan);
        QUERN_CHECK(connection_.execute("ROLLBACK TO quern_plan"));
        return connection_.execute("RELEASE quern_plan");
    }

    MigrationPlan plan;

private:
    SqlConnection& connection_;
    std::span<TableInfo const* const> tables_;
};

class ApplyWork final : public WriteWork {
public:
    ApplyWork(SqlConnection& connection, std::span<TableInfo const* const> tables, ApplyOptions options)
        : connection_(connection), tables_(tables), options_(options) {}

    Result<void> run(Transaction&) override {
        LegacyRenameReset const reset(connection_);
        QUERN_TRY(auto const broken_before, broken_objects(connection_.engine()));
        QUERN_TRY(auto planned, make_plan(connection_, tables_));
        plan = std::move(planned.plan);
        QUERN_CHECK(check_loss());
        for (MigrationStep const& step : plan.steps().subspan(planned.done))
            QUERN_CHECK(run_step(connection_, step));
        if (plan.empty()) return {};
        QUERN_CHECK(check_references());
        QUERN_CHECK(check_objects(broken_before));
        return check_arrival();
    }

    MigrationPlan plan;

private:
    [[nodiscard]] Result<void> check_loss() const {
        if (options_.allow_loss || !plan.loses_data()) return {};
        Error error(ErrorCode::validation, "Data would be lost:");
        for (MigrationStep const& step : plan.steps()) {
            if (!step.loses_data) continue;
            error.message += ' ' + step.text;
            error.fields.push_back(
                {step.name.empty() ? step.table : dotted(step.table, step.name), "loses_data", step.text});
        }
        return fail(std::move(error));
    }

    // As SQLite's documentation has it after a rebuild: of the changed tables, and of those that refer to
    // them.
    Result<void> check_references() {
        std::set<std::string> tables;
        auto const is_changed = [this](std::string_view table) {
            return std::ranges::any_of(
                plan.steps(), [table](MigrationStep const& step) { return is_same_name(step.table, table); });
        };
        QUERN_CHECK(each_row(connection_.engine(),
                             "SELECT s.name, l.\"table\" FROM sqlite_schema AS s JOIN "
                             "pragma_foreign_key_list(s.name) AS l WHERE s.type = 'table'",
                             {}, [&](engine::sqlite::Statement const& row) {
                                 std::string const table(row.column(0).text);
                                 if (is_changed(table) || is_changed(row.column(1).text))
                                     tables.insert(table);
                             }));
        for (std::string const& table : tables) QUERN_CHECK(check_references_of(table));
        return {};
    }

    Result<void> check_references_of(std::string const& table) {
        Value const name = Value::of(std::string_view(table));
        auto const row = first_text(connection_.engine(),
                                    "SELECT l.\"from\" || char(0) || coalesce(c.rowid, '?') FROM "
                                    "pragma_foreign_key_check(?1) AS c JOIN pragma_foreign_key_list(?1) AS l "
                                    "ON l.id = c.fkid LIMIT 1",
                                    std::span(&name, 1));
        if (!row) {  // what is referred to is no key any more
            Error error(ErrorCode::validation, row.error().message);
            error.fields.push_back({table, "foreign_key", error.message});
            return fail(std::move(error));
        }
        if (!*row) return {};
        std::size_t const end = (*row)->find('\0');
        std::string const column = dotted(table, (*row)->substr(0, end));
        Error error(ErrorCode::validation, "What " + column + " refers to in the row with the rowid " +
                                               (*row)->substr(end + 1) + " is not there.");
        error.fields.push_back({column, "foreign_key", error.message});
        return fail(std::move(error));
    }

    // Views and triggers that compiled before still do.
    Result<void> check_objects(std::span<BrokenObject const> before) {
        QUERN_TRY(auto const now, broken_objects(connection_.engine()));
        for (BrokenObject const& broken : now) {
            bool const was_broken = std::ranges::any_of(before, [&](BrokenObject const& old) {
                return old.kind == broken.kind && old.name == broken.name;
            });
            if (was_broken) continue;
            Error error(ErrorCode::validation, "The " + broken.kind + " \"" + broken.name +
                                                   "\" would not work any more. " + broken.why);
            error.fields.push_back({broken.name, "in_use", error.message});
            return fail(std::move(error));
        }
        return {};
    }

    // What is there now must need nothing, or it would be done anew at each start.
    Result<void> check_arrival() {
        QUERN_TRY(auto const again, make_plan(connection_, tables_));
        if (again.plan.empty()) return {};
        return fail(ErrorCode::internal,
                    "The migration does not lead to the models: " + again.plan.steps()[0].text);
    }

    SqlConnection& connection_;
    std::span<TableInfo const* const> tables_;
    ApplyOptions options_;
};

}  // namespace

}  // namespace detail

bool MigrationPlan::loses_data() const { return std::ranges::any_of(steps_, &MigrationStep::loses_data); }

std::string MigrationPlan::script() const {
    std::string script;
    for (MigrationStep const& step : steps_) {
        std::string comment = step.text;
        std::ranges::replace_if(
            comment, [](char c) { return c == '\n' || c == '\r' || c == '\0'; }, ' ');
        script += "-- " + comment + "\n" + step.sql;
    }
    return script;
}

std::string create_script(std::span<TableInfo const* const> tables) {
    std::string script;
    auto const ordered = detail::in_order_of_references(tables);
    for (TableInfo const* table : ordered) {
        script += detail::create_table_sql(*table, table->name) + ";\n";
        for (IndexInfo const& index : table->indexes)
            script += detail::create_index_sql(*table, index) + ";\n";
    }
    return script;
}

Result<MigrationPlan> plan_migration(Database& database, std::span<TableInfo const* const> tables) {
    detail::SqlWriter& writer = detail::MigrationAccess::writer(database);
    detail::PlanWork work(writer.connection(), tables);
    QUERN_CHECK(writer.write(work, true));
    return std::move(work.plan);
}

Result<MigrationPlan> apply_models(Database& database, std::span<TableInfo const* const> tables,
                                   ApplyOptions options) {
    detail::SqlWriter& writer = detail::MigrationAccess::writer(database);
    detail::ApplyWork work(writer.connection(), tables, options);
    QUERN_CHECK(writer.write(work, true));
    return std::move(work.plan);
}

}  // namespace quern
