// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/transaction.h"

#include <algorithm>

#include <quern/assert.h>
#include "engine/sql/dialect.h"
#include "engine/sqlite/alter.h"
#include "engine/sqlite/checkpoint.h"
#include "engine/sqlite/constraint.h"

namespace quern::engine::sqlite {

SqliteTransaction::SqliteTransaction(Shared& shared, Connection& connection)
    : shared_(shared),
      connection_(connection),
      runner_(connection, shared.options.statements_max),
      writes_(connection) {}

Result<void> SqliteTransaction::prepare() {
    QUERN_TRY(savepoint_, connection_.prepare("SAVEPOINT quern"));
    QUERN_TRY(release_, connection_.prepare("RELEASE quern"));
    QUERN_TRY(rollback_to_, connection_.prepare("ROLLBACK TO quern"));
    return {};
}

void SqliteTransaction::opened() {
    active_ = true;
    altered_ = false;
    ended_.reset();
}

void SqliteTransaction::closed() {
    active_ = false;
    if (altered_) writes_.clear();
}

Error SqliteTransaction::ended() const {
    return ended_ ? *ended_ : Error(ErrorCode::internal, "The transaction is not open.");
}

Result<void> SqliteTransaction::check_active() const {
    if (active_) [[likely]]
        return {};
    return fail(ended());
}

void SqliteTransaction::note(Error const& error) {
    if (error.code == ErrorCode::disk_full) ask_for_restart(shared_);
    if (!active_ || !connection_.is_autocommit()) return;
    active_ = false;
    ended_ = Error(error.code, "The transaction was rolled back: " + error.message);
}

template <class T>
Result<T> SqliteTransaction::noted(Result<T> result) {
    if (!result) [[unlikely]]
        note(result.error());
    return result;
}

Result<void> SqliteTransaction::select(plan::BoundPlan bound, RowSink& sink) {
    QUERN_CHECK(check_active());
    return noted(runner_.select(bound, sink));
}

Result<std::int64_t> SqliteTransaction::count(plan::BoundPlan bound) {
    QUERN_CHECK(check_active());
    return noted(runner_.count(bound));
}

Result<void> SqliteTransaction::step(Statement& statement) {
    int const code = statement.step();
    auto result = code == SQLITE_DONE ? Result<void>() : fail(connection_.error(code));
    statement.reset();
    return result;
}

Result<void> SqliteTransaction::savepoint() {
    QUERN_CHECK(check_active());
    return noted(step(savepoint_));
}

Result<void> SqliteTransaction::release_savepoint() {
    QUERN_CHECK(check_active());
    return noted(step(release_));
}

Result<void> SqliteTransaction::rollback_to_savepoint() {
    QUERN_CHECK(check_active());
    if (altered_) writes_.clear();
    QUERN_CHECK(noted(step(rollback_to_)));
    return noted(step(release_));
}

template <class Work>
auto SqliteTransaction::as_a_whole(Work work) -> decltype(work()) {
    QUERN_CHECK(step(savepoint_));
    auto result = work();
    if (!result && !connection_.is_autocommit()) QUERN_CHECK(step(rollback_to_));
    if (!connection_.is_autocommit()) QUERN_CHECK(step(release_));
    return result;
}

// Steps a write whose values are bound; returns the number of rows it was about.
Result<std::int64_t> SqliteTransaction::run(Statement& statement, Collection const& collection,
                                            std::span<Assignment const> row) {
    Watch::Running const watched(connection_.watch());
    int const code = statement.step();
    if (code == SQLITE_DONE) [[likely]] {
        std::int64_t const changes = sqlite3_changes64(connection_.get());
        statement.reset();
        return changes;
    }
    auto error = write_error(connection_, code, collection, row);
    statement.reset();
    return fail(std::move(error));
}

namespace {

Result<void> bind_columns(Connection const& connection, Statement& statement, Collection const& collection,
                          std::span<Assignment const> row, int index) {
    for (Assignment const& assignment : row) {
        if (!is_column(collection, assignment)) continue;
        int const code = statement.bind(index++, assignment.value);
        if (code != SQLITE_OK) {
            auto error = connection.error(code);
            statement.reset();
            return fail(std::move(error));
        }
    }
    return {};
}

bool writes_targets(Collection const& collection, std::span<Assignment const> row) {
    return std::ranges::any_of(
        row, [&](Assignment const& assignment) { return !is_column(collection, assignment); });
}

}  // namespace

Result<void> SqliteTransaction::insert(Collection const& collection, std::span<Assignment const> row) {
    QUERN_CHECK(check_active());
    bool const several = std::ranges::any_of(row, [&](Assignment const& assignment) {
        return !is_column(collection, assignment) && !assignment.targets.empty();
    });
    if (!several) return noted(insert_row(collection, row));
    return noted(as_a_whole([&]() -> Result<void> {
        QUERN_CHECK(insert_row(collection, row));
        auto const id = std::ranges::find(row, 0, &Assignment::field);
        QUERN_ASSERT(id != row.end(), "a new row has an id");
        for (Assignment const& assignment : row) {
            if (is_column(collection, assignment)) continue;
            QUERN_CHECK(write_targets(collection, id->value.text, assignment, false));
        }
        return {};
    }));
}

Result<void> SqliteTransaction::insert_row(Collection const& collection, std::span<Assignment const> row) {
    QUERN_TRY(Statement* const statement, writes_.insert(collection, row));
    QUERN_CHECK(bind_columns(connection_, *statement, collection, row, 1));
    QUERN_CHECK(run(*statement, collection, row));
    return {};
}

Result<bool> SqliteTransaction::update(Collection const& collection, std::string_view id,
                                       std::span<Assignment const> changes) {
    QUERN_CHECK(check_active());
    if (!writes_targets(collection, changes)) return noted(update_row(collection, id, changes));
    return noted(as_a_whole([&]() -> Result<bool> {
        QUERN_TRY(bool const found, update_row(collection, id, changes));
        if (!found) return false;
        for (Assignment const& change : changes) {
            if (is_column(collection, change)) continue;
            QUERN_CHECK(write_targets(collection, id, change, true));
        }
        return true;
    }));
}

Result<bool> SqliteTransaction::update_row(Collection const& collection, std::string_view id,
                                           std::span<Assignment const> changes) {
    bool const columns =
        std::ranges::any_of(changes, [&](Assignment const& change) { return is_column(collection, change); });
    if (!columns) return has_row(collection, id);
    QUERN_TRY(Statement* const statement, writes_.update(collection, changes));
    (void)statement->bind(1, Value::of(id));
    QUERN_CHECK(bind_columns(connection_, *statement, collection, changes, 2));
    QUERN_TRY(auto const count, run(*statement, collection, changes));
    return count > 0;
}

Result<bool> SqliteTransaction::has_row(Collection const& collection, std::string_view id) {
    QUERN_TRY(Statement* const statement, writes_.exists(collection));
    (void)statement->bind(1, Value::of(id));
    int const code = statement->step();
    auto result = code == SQLITE_ROW || code == SQLITE_DONE ? Result<bool>(code == SQLITE_ROW)
                                                            : fail(connection_.error(code));
    statement->reset();
    return result;
}

// An id that is not there, or is there twice, is the field's error: the row itself is in place by now.
Result<void> SqliteTransaction::write_targets(Collection const& collection, std::string_view owner,
                                              Assignment const& assignment, bool clear_first) {
    Field const& field = collection.fields[assignment.field];
    if (clear_first) {
        QUERN_TRY(Statement* const clear, writes_.clear_targets(collection, assignment.field));
        (void)clear->bind(1, Value::of(owner));
        QUERN_CHECK(step(*clear));
    }
    if (assignment.targets.empty()) return {};
    QUERN_TRY(Statement* const add, writes_.add_target(collection, assignment.field));
    for (std::size_t position = 0; position < assignment.targets.size(); ++position) {
        (void)add->bind(1, Value::of(owner));
        (void)add->bind(2, Value::of(static_cast<std::int64_t>(position)));
        (void)add->bind(3, Value::of(assignment.targets[position]));
        int const code = add->step();
        if (code == SQLITE_DONE) {
            sqlite3_reset(add->get());
            continue;
        }
        Error error = connection_.error(code);
        add->reset();
        if (code == SQLITE_CONSTRAINT_FOREIGNKEY) return fail(missing_target(field));
        if (code == SQLITE_CONSTRAINT_UNIQUE) return fail(not_unique(std::span(&field.name, 1)));
        return fail(std::move(error));
    }
    add->reset();
    return {};
}

Result<bool> SqliteTransaction::remove(Collection const& collection, std::string_view id) {
    QUERN_CHECK(check_active());
    QUERN_TRY(Statement* const statement, noted(writes_.remove(collection)));
    (void)statement->bind(1, Value::of(id));
    QUERN_TRY(auto const count, noted(run(*statement, collection, {})));
    return count > 0;
}

Result<void> SqliteTransaction::truncate(Collection const& collection) {
    QUERN_CHECK(check_active());
    QUERN_TRY(auto statement,
              noted(connection_.prepare(
                  "DELETE FROM " + sql::identifier(sql::sqlite_dialect(), collection.name), false)));
    QUERN_CHECK(noted(run(statement, collection, {})));
    return {};
}

Result<void> SqliteTransaction::alter(std::span<TableChange const> changes, Schema const& schema) {
    QUERN_CHECK(check_active());
    altered_ = true;
    writes_.clear();
    auto result = noted(as_a_whole([&] { return alter_tables(connection_, changes, schema); }));
    writes_.clear();
    // What SQLite itself refuses of a definition is the definition's fault, whoever did not foresee it.
    if (!result && result.error().code == ErrorCode::internal && is_active()) {
        return fail(ErrorCode::validation, "The tables cannot be changed so: " + result.error().message);
    }
    return result;
}

}  // namespace quern::engine::sqlite
