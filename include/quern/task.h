// SPDX-License-Identifier: Apache-2.0
#pragma once

// Handlers that wait without holding their loop.
//
// A handler that returns Task<T> is a coroutine: where it says co_await, the loop goes on with other
// requests, and the coroutine continues on the same loop when the awaited thing is there. What it returns is
// answered like the result of a plain handler. Plain handlers run on the loop from beginning to end; work
// that would hold the loop for long belongs into co_await background(...).
//
//     app.get<"/report/{year}">([](int year) -> quern::Task<std::string> {
//         auto text = co_await quern::background([year] { return render(year); }, 5s);
//         co_return text ? *std::move(text) : "later";
//     });
//
// A parameter that is a reference or a view lives as long as the request, which is until the answer has left.

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>

#include <quern/error.h>
#include <quern/extract.h>
#include <quern/http.h>

namespace quern {

template <class T>
class Task;

// Threads that do what would hold a loop. An App has one; State<BackgroundPool> asks for it.
// Threads: any.
class BackgroundPool {
public:
    // Work waiting for a thread; one more is refused with `overloaded`.
    static constexpr std::size_t queue_max = 1024;

    // Threads start with the first work. Limits: 1 to 256.
    explicit BackgroundPool(std::size_t threads);
    // Waits for what is running; what waits is told `overloaded`.
    ~BackgroundPool();
    BackgroundPool(BackgroundPool const&) = delete;
    BackgroundPool& operator=(BackgroundPool const&) = delete;

    // Runs `work` on a thread of the pool. `late` is called instead of nothing happening when `deadline`
    // passes before the work has ended, and the work's stop token is then told; the work itself is not
    // interrupted. `late` and the end of `work` may come at once: the caller decides which was first. Errors:
    // overloaded — the queue is full or the pool is ending; neither function is called.
    [[nodiscard]] Result<void> submit(std::move_only_function<void(std::stop_token)> work,
                                      std::move_only_function<void(ErrorCode)> late,
                                      std::chrono::milliseconds deadline);

private:
    struct State;
    std::unique_ptr<State> state_;
};

namespace detail {

// Where a task runs. Set by whoever starts it, handed on to the tasks that it awaits.
struct TaskContext {
    http::Exchange* exchange = nullptr;  // null: not in a handler, continue where one is
    Services const* services = nullptr;

    void resume(std::coroutine_handle<> waiting) const {
        if (exchange == nullptr) return waiting.resume();
        exchange->post([waiting] { waiting.resume(); });
    }
};

struct TaskPromiseBase {
    TaskContext context;
    std::coroutine_handle<> awaiting;

    static std::suspend_always initial_suspend() noexcept { return {}; }
    struct Final {
        static bool await_ready() noexcept { return false; }
        template <class Promise>
        static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
            auto const awaiting = ended.promise().awaiting;
            return awaiting ? awaiting : std::noop_coroutine();
        }
        static void await_resume() noexcept {}
    };
    static Final final_suspend() noexcept { return {}; }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
    std::variant<std::monostate, T, std::exception_ptr> outcome;

    Task<T> get_return_object();
    template <class Value>
    void return_value(Value&& value) {
        outcome.template emplace<1>(std::forward<Value>(value));
    }
    void unhandled_exception() { outcome.template emplace<2>(std::current_exception()); }
    T take() {
        if (outcome.index() == 2) std::rethrow_exception(std::get<2>(outcome));
        return std::get<1>(std::move(outcome));
    }
};
template <>
struct TaskPromise<void> : TaskPromiseBase {
    std::exception_ptr thrown;

    Task<void> get_return_object();
    void return_void() {}
    void unhandled_exception() { thrown = std::current_exception(); }
    void take() const {
        if (thrown) std::rethrow_exception(thrown);
    }
};

}  // namespace detail

// A coroutine that has not begun; co_await begins it and gives its result. What it throws comes out there.
// Threads: its loop.
// Example: examples/todo/main.cpp [write]
template <class T = void>
class [[nodiscard]] Task {
public:
    using promise_type = detail::TaskPromise<T>;

    Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
    Task& operator=(Task&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~Task() {
        if (handle_) handle_.destroy();
    }

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
        handle_.promise().context = awaiting.promise().context;
        handle_.promise().awaiting = awaiting;
        return handle_;
    }
    T await_resume() { return handle_.promise().take(); }

private:
    friend promise_type;
    explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
    std::coroutine_handle<promise_type> handle_;
};

namespace detail {

template <class T>
Task<T> TaskPromise<T>::get_return_object() {
    return Task<T>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
    return Task<void>(std::coroutine_handle<TaskPromise>::from_promise(*this));
}

// A coroutine that nobody awaits: it begins at once and frees itself.
struct Detached {
    struct promise_type {
        TaskContext context;
        template <class... Arguments>
        explicit promise_type(TaskContext in, Arguments&&...) : context(in) {}
        static Detached get_return_object() noexcept { return {}; }
        static std::suspend_never initial_suspend() noexcept { return {}; }
        static std::suspend_never final_suspend() noexcept { return {}; }
        static void return_void() noexcept {}
        [[noreturn]] static void unhandled_exception() noexcept { std::terminate(); }
    };
};

// Answers with what the task gives, and finishes the exchange.
template <class T>
Detached answer_task(TaskContext context, Task<T> task) {
    http::Exchange& exchange = *context.exchange;
    try {
        Call call{exchange, *context.services, {}};
        if constexpr (std::is_void_v<T>) {
            co_await task;
        } else {
            Answer<T>::write(co_await task, call);
        }
    } catch (...) {
        exchange.response.clear();
        write_problem(exchange.response, Error(ErrorCode::internal));
    }
    exchange.finish();
}

// What co_await background(...) waits for. The frame of the coroutine may be gone when a late work ends, so
// what both sides need is shared.
template <class Work>
class Background {
public:
    using Value =
        std::conditional_t<std::is_invocable_v<Work&, std::stop_token>,
                           std::invoke_result<Work&, std::stop_token>, std::invoke_result<Work&>>::type;

    Background(Work work, std::chrono::milliseconds deadline)
        : shared_(std::make_shared<Shared>(std::move(work))), deadline_(deadline) {}

    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiting) {
        TaskContext const context = waiting.promise().context;
        auto* const pool =
            context.services != nullptr ? context.services->template find<BackgroundPool>() : nullptr;
        if (pool == nullptr) {
            shared_->result = fail(ErrorCode::internal, "There is no pool for background work here.");
            return false;
        }
        auto const run = [shared = shared_, context, waiting](std::stop_token stop) {
            Result<Value> result = shared->run(std::move(stop));
            if (shared->is_first()) shared->finish(std::move(result), context, waiting);
        };
        auto const late = [shared = shared_, context, waiting](ErrorCode code) {
            if (shared->is_first()) shared->finish(fail(code), context, waiting);
        };
        auto submitted = pool->submit(run, late, deadline_);
        if (submitted) return true;
        shared_->result = std::unexpected(std::move(submitted).error());
        return false;
    }
    Result<Value> await_resume() { return *std::move(shared_->result); }

private:
    struct Shared {
        explicit Shared(Work given) : work(std::move(given)) {}
        Work work;
        std::optional<Result<Value>> result;
        std::atomic_flag ended;

        bool is_first() { return !ended.test_and_set(); }
        Result<Value> run(std::stop_token stop) {
            try {
                if constexpr (std::is_invocable_v<Work&, std::stop_token>) {
                    return call([&] { return work(std::move(stop)); });
                } else {
                    return call([&] { return work(); });
                }
            } catch (...) {
                return fail(ErrorCode::internal, "The background work threw an exception.");
            }
        }
        template <class F>
        static Result<Value> call(F run) {
            if constexpr (std::is_void_v<Value>) {
                run();
                return {};
            } else {
                return run();
            }
        }
        void finish(Result<Value> value, TaskContext const& context, std::coroutine_handle<> waiting) {
            result = std::move(value);
            context.resume(waiting);
        }
    };
    std::shared_ptr<Shared> shared_;
    std::chrono::milliseconds deadline_;
};

}  // namespace detail

// Default longest time of background work.
inline constexpr std::chrono::milliseconds background_max{30'000};

// g++ 12 destroys a closure twice that is made inside a co_await expression, which matters where its captures
// have destructors. Such a closure is refused there; given a name in front of it, it is copied.
#define QUERN_NAME_THE_LAMBDA \
    "g++ 12 destroys this closure twice: give the lambda a name in front of co_await and pass the name"
namespace detail {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
template <class Work>
inline constexpr bool is_safe_in_await =
    std::is_lvalue_reference_v<Work> || std::is_trivially_destructible_v<std::remove_cvref_t<Work>>;
#else
template <class Work>
inline constexpr bool is_safe_in_await = true;
#endif
}  // namespace detail

// co_await background(work, deadline) runs `work` on the App's pool and gives its result as Result<T>. `work`
// may take a std::stop_token, which is told when the deadline has passed. It must own what it uses or know
// that it lives on: after the deadline the handler goes on and the request may be gone.
// Errors: timeout — the deadline passed, the result is dropped when it comes; overloaded — too much waits;
//         internal — `work` threw.
// Example: examples/upload/main.cpp [size]
template <class Work>
auto background(Work&& work, std::chrono::milliseconds deadline = background_max) {
    static_assert(detail::is_safe_in_await<Work>, QUERN_NAME_THE_LAMBDA);
    return detail::Background<std::decay_t<Work>>(std::forward<Work>(work), deadline);
}

}  // namespace quern
