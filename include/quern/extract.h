// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a handler may ask for and what it may return.
//
// A handler is a function whose parameters say what it needs. Captures of the route come first in their
// order; every other parameter is an extractor, which reads the request and may refuse it. The handler runs
// only when all of them succeeded; the first that fails decides the answer, and it names what is wrong with
// its part completely (`Json<T>` lists all faults of the body). What a handler returns is turned into the
// response by an Answer.
//
// Both are open: specialise Extract<T> or Answer<T> for types of your own.

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include <quern/capture.h>
#include <quern/error.h>
#include <quern/fixed_string.h>
#include <quern/http.h>

namespace quern {

namespace openapi {
class Operation;
}

// Things of the program that handlers use: a database, a configuration. One of a type.
// Threads: filled before the App listens, frozen from then on; the things themselves are used by all loops at
// once.
class Services {
public:
    // Replaces what is there of that type.
    template <class T>
    void put(std::shared_ptr<T> service) {
        put(typeid(T), std::move(service));
    }
    // Null when there is none. Cost: linear in the number of types.
    template <class T>
    [[nodiscard]] T* find() const {
        return static_cast<T*>(find(typeid(T)));
    }

private:
    void put(std::type_index type, std::shared_ptr<void> service);
    [[nodiscard]] void* find(std::type_index type) const;

    std::vector<std::pair<std::type_index, std::shared_ptr<void>>> services_;
};

// The request that is being answered, as extractors see it.
// Lifetime: until the answer has left; views into the request die with it.
// Threads: its loop.
struct Call {
    http::Exchange& exchange;
    Services const& services;
    std::span<std::string_view const> captures;  // in the pattern's order
};

// How a handler's parameter is made:
//   static Result<T> from(Call& call);      or Result<std::reference_wrapper<T>> for a parameter T&
// Errors: any; the answer is the error as application/problem+json. One that reads request.body says so with
//   static constexpr bool takes_body_whole = true;
template <class T>
struct Extract;

// How a handler's result becomes the response:
//   static void write(T&& value, Call& call);
// It fills call.exchange.response; the App finishes the exchange.
template <class T>
struct Answer {
    template <class V>
    static void write(V&&, Call&) {
        static_assert(sizeof(V) == 0,
                      "what the handler returns is no answer: return text, a quern::Reply, a struct that "
                      "QUERN_DESCRIBE describes or a vector of them (include <quern/dump.h> for these), or a "
                      "quern::Result, std::optional or quern::Created of one");
    }
};

// Answers with an error as application/problem+json (RFC 9457): type, title, status, detail, and `errors`
// with location, code and message of every part at fault. Of `internal`, `corrupt` and `io` the client is
// told no more than that; their text goes to standard error.
void write_problem(http::Response& response, Error const& error);
// The same, and what goes to standard error names the request.
void write_problem(http::Exchange& exchange, Error const& error);

// --- extractors ---

// A thing of the program: `quern::State<Database> db`, given to the App with app.state(...).
// Threads: any, as the thing itself allows.
// Example: examples/todo/main.cpp [read]
template <class T>
class State {
public:
    explicit State(T& service) : service_(&service) {}
    [[nodiscard]] T& operator*() const { return *service_; }
    [[nodiscard]] T* operator->() const { return service_; }

private:
    T* service_;
};

// Errors: internal — the App was given nothing of that type.
template <class T>
struct Extract<State<T>> {
    static Result<State<T>> from(Call& call) {
        T* const service = call.services.find<T>();
        if (service == nullptr)
            return fail(ErrorCode::internal, "The handler asks for a state that is not there.");
        return State<T>(*service);
    }
    // Asked before the App listens, so that a forgotten app.state(...) shows at the start.
    static bool is_there(Services const& services) { return services.find<T>() != nullptr; }
};

// A header field: `quern::Header<"x-request-id"> id`, or with a type: `Header<"x-count", int>`. The name is
// written in lower case. Missing is 400 unless the type is a std::optional.
// Lifetime: a view's text is the request's.
template <FixedString Name, class T = std::string_view>
struct Header {
    T value{};
    [[nodiscard]] T const& operator*() const { return value; }
    [[nodiscard]] T const* operator->() const { return &value; }
};

namespace detail {

// "The header "x-count" is not a whole number."
[[nodiscard]] Error text_fault(std::string_view place, std::string_view name, std::string_view what);
[[nodiscard]] Error missing_fault(std::string_view place, std::string_view name);

// One named text of the request as a T, which may be a std::optional.
template <class T>
Result<T> read_named(std::optional<std::string_view> text, std::string_view place, std::string_view name) {
    if constexpr (is_optional<T>) {
        if (!text) return T{};
        auto read = read_named<typename T::value_type>(text, place, name);
        if (!read) return std::unexpected(std::move(read).error());
        return T{*std::move(read)};
    } else {
        static_assert(Captured<T>, "this type cannot be read from text: specialise quern::FromText for it");
        if (!text) return std::unexpected(missing_fault(place, name));
        auto value = FromText<T>::read(*text);
        if (!value) return std::unexpected(text_fault(place, name, FromText<T>::what));
        return *std::move(value);
    }
}

template <class T>
constexpr std::string_view named_schema() {
    if constexpr (is_optional<T>) {
        return named_schema<typename T::value_type>();
    } else {
        return FromText<T>::schema;
    }
}
void describe_header(openapi::Operation& operation, std::string_view name, std::string_view schema,
                     bool is_required);
void describe_body(openapi::Operation& operation);
void describe_text(openapi::Operation& operation);
void describe_not_found(openapi::Operation& operation);
void describe_errors(openapi::Operation& operation);
void describe_empty(openapi::Operation& operation);
void describe_status(openapi::Operation& operation, int status);

}  // namespace detail

template <FixedString Name, class T>
struct Extract<Header<Name, T>> {
    static_assert(
        [] {
            for (char const c : Name.view()) {
                if (c >= 'A' && c <= 'Z') return false;
            }
            return true;
        }(),
        "the name of a header field is written in lower case");
    static Result<Header<Name, T>> from(Call& call) {
        auto value = detail::read_named<T>(call.exchange.request.header(Name.view()), "header", Name.view());
        if (!value) return std::unexpected(std::move(value).error());
        return Header<Name, T>{*std::move(value)};
    }
    static void describe(openapi::Operation& operation) {
        detail::describe_header(operation, Name.view(), detail::named_schema<T>(), !detail::is_optional<T>);
    }
};

// The whole body as it came. Lifetime: the request's. Limits: AppOptions::body_bytes_max, else 413.
struct Body {
    std::string_view bytes;
};
template <>
struct Extract<Body> {
    static constexpr bool takes_body_whole = true;
    static Result<Body> from(Call& call) { return Body{call.exchange.request.body}; }
    static void describe(openapi::Operation& operation) { detail::describe_body(operation); }
};

template <>
struct Extract<http::Request> {
    static Result<std::reference_wrapper<http::Request const>> from(Call& call) {
        return std::cref(call.exchange.request);
    }
};
// For what the extractors and answers do not cover: the handler fills exchange.response by itself.
template <>
struct Extract<http::Exchange> {
    static Result<std::reference_wrapper<http::Exchange>> from(Call& call) { return std::ref(call.exchange); }
};

// --- answers ---

// A response with a status, a media type and header fields of one's own.
// Example: examples/todo_collections/main.cpp [app]
// Threads: one at a time.
struct Reply {
    int status = 200;
    std::string body;
    std::string content_type = std::string(http::content_type_text);
    std::vector<std::pair<std::string, std::string>> headers;  // no CR, LF or NUL in either

    // An empty answer.
    [[nodiscard]] static Reply of(int status) { return {status, {}, {}, {}}; }
    // 303 to another place, for GET.
    [[nodiscard]] static Reply see_other(std::string location) {
        return {303, {}, {}, {{"Location", std::move(location)}}};
    }
};

// A value under another status: `return quern::With<201, Todo>{todo}`.
template <int Status, class T>
struct With {
    T value;
};
// 201 with the new thing.
// Example: examples/todo/main.cpp [write]
template <class T>
using Created = With<201, T>;

template <>
struct Answer<Reply> {
    static void write(Reply&& reply, Call& call);
};

template <std::convertible_to<std::string_view> T>
struct Answer<T> {
    static void write(T const& text, Call& call) {
        call.exchange.response.content_type = http::content_type_text;
        call.exchange.response.body.append(std::string_view(text));
    }
    static void describe(openapi::Operation& operation) { detail::describe_text(operation); }
};

template <int Status, class T>
struct Answer<With<Status, T>> {
    static void write(With<Status, T>&& answer, Call& call) {
        Answer<T>::write(std::move(answer.value), call);
        call.exchange.response.status = Status;
    }
    static void describe(openapi::Operation& operation) {
        detail::describe_status(operation, Status);
        if constexpr (requires { Answer<T>::describe(operation); }) Answer<T>::describe(operation);
    }
};

// Nothing is 404.
template <class T>
struct Answer<std::optional<T>> {
    static void write(std::optional<T>&& value, Call& call) {
        if (!value) return write_problem(call.exchange, Error(ErrorCode::not_found));
        Answer<T>::write(*std::move(value), call);
    }
    static void describe(openapi::Operation& operation) {
        if constexpr (requires { Answer<T>::describe(operation); }) Answer<T>::describe(operation);
        detail::describe_not_found(operation);
    }
};

// An error is answered as a problem.
template <class T>
struct Answer<Result<T>> {
    static void write(Result<T>&& result, Call& call) {
        if (!result) return write_problem(call.exchange, result.error());
        if constexpr (!std::is_void_v<T>) {
            Answer<T>::write(*std::move(result), call);
        } else {
            call.exchange.response.status = 204;
            call.exchange.response.content_type = {};
        }
    }
    static void describe(openapi::Operation& operation) {
        detail::describe_errors(operation);
        if constexpr (std::is_void_v<T>) {
            detail::describe_empty(operation);
        } else if constexpr (requires { Answer<T>::describe(operation); }) {
            Answer<T>::describe(operation);
        }
    }
};

}  // namespace quern
