// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes that a coroutine waits for, so that its loop goes on meanwhile and many of them share one commit.
//
//     app.post<"/todos">([db](quern::Json<NewTodo> todo) -> quern::Task<quern::Result<quern::Created<Todo>>>
//     {
//         co_return co_await quern::in_transaction(*db, [todo = *todo](quern::Transaction& transaction) …
//     });

#include <atomic>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <quern/error.h>
#include <quern/sqlite.h>
#include <quern/task.h>

namespace quern {

namespace detail {

template <class Work>
class WriteAwait {
public:
    using Outcome = std::invoke_result_t<Work&, Transaction&>;

    WriteAwait(Database& database, Work work) : database_(&database), work_(std::move(work)) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiting) {
        // This object lives in the frame of the coroutine, which stays suspended until `done` has run;
        // whoever of the two comes second goes on.
        TaskContext const context = waiting.promise().context;
        database_->submit(
            [this](Transaction& transaction) -> Result<void> {
                outcome_.emplace(work_(transaction));
                if (*outcome_) return {};
                return std::unexpected(outcome_->error());
            },
            [this, context, waiting](Result<void> durable) {
                if (!durable) outcome_.emplace(std::unexpected(std::move(durable).error()));
                if (met_.test_and_set()) context.resume(waiting);
            });
        return !met_.test_and_set();
    }
    Outcome await_resume() { return *std::move(outcome_); }

private:
    Database* database_;
    Work work_;
    std::optional<Outcome> outcome_;
    std::atomic_flag met_;
};

}  // namespace detail

// co_await in_transaction(database, work) runs `work(Transaction&)`, which returns a Result, as
// Database::transaction() does, and gives its result when the commit is durable. `work` runs on a thread of
// the database and may run again from its beginning; it must own what it uses, or know that it outlives the
// wait. Errors: those of `work` and of Database::transaction().
template <class Work>
auto in_transaction(Database& database, Work&& work) {
    static_assert(detail::is_safe_in_await<Work>, QUERN_NAME_THE_LAMBDA);
    detail::check_transaction_work<std::decay_t<Work>>();
    return detail::WriteAwait<std::decay_t<Work>>(database, std::forward<Work>(work));
}

// co_await execute_later<"UPDATE …">(database, values...): one statement, as Database::execute(). The values
// are copied; views among them must outlive the wait, as those into the request do.
// Example: examples/todo/main.cpp [write]
template <FixedString Sql, class... A>
auto execute_later(Database& database, A const&... values) {
    auto const work = [values...](Transaction& transaction) { return transaction.execute<Sql>(values...); };
    return in_transaction(database, work);
}

}  // namespace quern
