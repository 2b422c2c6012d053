// SPDX-License-Identifier: Apache-2.0

// The handles of an open write transaction.

#include <algorithm>

#include <quern/assert.h>
#include <quern/sqlite.h>
#include "library/sqlite_writer.h"

namespace quern {

namespace {

constinit detail::SqlKey open_key{"SAVEPOINT quern_inner", {}};
constinit detail::SqlKey release_key{"RELEASE quern_inner", {}};
constinit detail::SqlKey rollback_key{"ROLLBACK TO quern_inner", {}};

Result<void> run(detail::SqlConnection& connection, detail::SqlKey& key) {
    QUERN_TRY(auto run, connection.start(key));
    while (run.step()) {
    }
    if (run.failed()) return fail(run.error());
    return {};
}

}  // namespace

Result<void> Transaction::check() const {
    // The owner's mark first: what else there is to look at belongs to that thread.
    bool const here = state_ != nullptr && state_->open_id.load() == id_ &&
                      state_->owner.load() == detail::WriterState::this_thread();
    if (!here || std::ranges::find(state_->levels, level_) == state_->levels.end())
        return fail(ErrorCode::transaction_over);
    if (auto const& why = state_->connection->undone())
        return fail(ErrorCode::transaction_over, "SQLite has undone the transaction. " + why->message);
    return {};
}

Result<detail::SqlRun> Transaction::start(detail::SqlKey& key) {
    QUERN_CHECK(check());
    return state_->connection->start(key);
}

Result<detail::SqlRun> Transaction::start(SqlText const& sql, std::size_t bound) {
    QUERN_CHECK(check());
    QUERN_CHECK(detail::check_bound(sql, bound));
    return state_->connection->start(sql);
}

Result<Transaction> Transaction::open_savepoint() {
    QUERN_CHECK(check());
    QUERN_CHECK(run(*state_->connection, open_key));
    std::uint64_t const level = ++state_->levels_made;
    state_->levels.push_back(level);
    state_->hooks_before.push_back(state_->hooks.size());
    return Transaction(state_, id_, level);
}

Result<void> Transaction::close_savepoint(std::shared_ptr<detail::WriterState> const& state,
                                          std::uint64_t level, bool keep) {
    QUERN_ASSERT(state->levels.size() > 1 && state->levels.back() == level, "savepoints are nested");
    std::size_t const hooks = state->hooks_before.back();
    state->levels.pop_back();
    state->hooks_before.pop_back();
    if (!keep)
        state->hooks.erase(state->hooks.begin() + static_cast<std::ptrdiff_t>(hooks), state->hooks.end());
    if (state->connection->undone()) return fail(ErrorCode::transaction_over);
    if (!keep) QUERN_CHECK(run(*state->connection, rollback_key));
    return run(*state->connection, release_key);
}

void Transaction::on_commit(std::move_only_function<void()> hook) {
    if (check()) state_->hooks.push_back(std::move(hook));
}

}  // namespace quern
