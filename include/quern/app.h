// SPDX-License-Identifier: Apache-2.0
#pragma once

// A web service: routes with their handlers, served over HTTP/1.1.
//
//     quern::App app;
//     app.get<"/hello/{name}">([](std::string_view name) { return "Hello, " + std::string(name) + "!"; });
//     return app.listen("127.0.0.1:8080") ? 0 : 1;
//
// The pattern is a template argument. A malformed one, a handler whose parameters do not fit what the pattern
// captures, and the same method and path twice do not compile. The tree that finds a request's route is built
// by the compiler from all routes that it has seen for this App.
//
// Read extract.h for what handlers take and return, then App::get, then App::listen.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <quern/answer_stream.h>
#include <quern/body_stream.h>
#include <quern/collections.h>
#include <quern/error.h>
#include <quern/extract.h>
#include <quern/fixed_string.h>
#include <quern/http.h>
#include <quern/local_reply.h>
#include <quern/openapi.h>
#include <quern/route.h>
#include <quern/task.h>

namespace quern {

// Everything that can be chosen for an App. Defaults suit a public service.
struct AppOptions {
    // Event loops, each with a thread; 0 is one a processor. With 1 no handler runs beside another.
    std::size_t loops = 0;
    // Largest body of a request, in bytes; more is 413.
    std::size_t body_bytes_max = std::size_t{32} << 20;
    // The same for handlers that take a BodyStream.
    std::uint64_t streamed_body_bytes_max = std::uint64_t{1} << 40;
    // Open connections; more wait in the kernel's queue.
    std::size_t connections_max = 65'536;
    // Answers of at least so many bytes leave compressed when the client agrees.
    std::size_t compress_bytes_min = 1024;
    // Threads for co_await background(...). Limits: 1 to 256.
    std::size_t background_threads = 4;
    // Listen takes SIGTERM and SIGINT as stop(). Off for programs that handle signals themselves.
    bool stop_on_signals = true;
};

namespace detail {

// A route as the App keeps it: how to call the handler, and the handler.
struct RouteEntry {
    // Whether the answer is complete; else somebody finishes the exchange later.
    using Run = bool (*)(void const* handler, Call& call);
    RouteKey key;
    Run run = nullptr;
    std::shared_ptr<void const> handler;
    void (*describe)(openapi::Operation& operation) = nullptr;  // null for routes added at run time
    bool takes_body_in_pieces = false;
    std::string (*missing_state)(Services const& services) = nullptr;  // the type's name, empty for none
};

template <FixedString Pattern>
inline constexpr RouteShape shape_of = read_route(Pattern.view());

// Says in the compiler's words what is wrong with a pattern.
template <FixedString Pattern>
consteval void check_pattern() {
    constexpr RouteFault fault = shape_of<Pattern>.fault;
    static_assert(fault != RouteFault::no_leading_slash, "a route pattern begins with '/'");
    static_assert(fault != RouteFault::empty_segment,
                  "a route pattern has no empty segment ('//', or '/' at its end)");
    static_assert(fault != RouteFault::brace, "a capture is a whole segment: '/{name}/'");
    static_assert(fault != RouteFault::name,
                  "a capture's name is a letter or '_', then letters, digits, '_'");
    static_assert(fault != RouteFault::repeated_name, "two captures of a route pattern have the same name");
    static_assert(fault != RouteFault::rest_not_last, "'{name...}' stands at the end of a route pattern");
    static_assert(fault != RouteFault::too_many, "a route pattern has at most 8 captures and 32 segments");
    static_assert(fault != RouteFault::forbidden_character,
                  "a route pattern holds no '?', '#', '%', white space or control character");
}

// The parameters of a handler.
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... P>
struct Signature<R (*)(P...)> {
    using Result = R;
    using Parameters = std::tuple<P...>;
};
template <class R, class C, class... P>
struct Signature<R (C::*)(P...) const> : Signature<R (*)(P...)> {};
template <class R, class C, class... P>
struct Signature<R (C::*)(P...) const noexcept> : Signature<R (*)(P...)> {};
template <class R, class... P>
struct Signature<R (*)(P...) noexcept> : Signature<R (*)(P...)> {};

template <class F>
concept HasSignature = requires {
    typename Signature<F>::Parameters;
};

template <class Parameters>
inline constexpr std::size_t captured_count = 0;
template <class... P>
inline constexpr std::size_t captured_count<std::tuple<P...>> =
    (0 + ... + static_cast<std::size_t>(Captured<std::remove_cvref_t<P>>));

// Whether no extractor stands in front of a capture.
template <class... P>
consteval bool captures_come_first(std::tuple<P...>*) {
    bool extractor = false;
    bool fine = true;
    ((Captured<std::remove_cvref_t<P>> ? fine = fine&& !extractor : extractor = true), ...);
    return fine;
}

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<Task<T>> = true;

// What is answered: of a task, what it gives.
template <class T>
struct AnsweredOf {
    using Type = T;
};
template <class T>
struct AnsweredOf<Task<T>> {
    using Type = T;
};
template <class T>
using Answered = typename AnsweredOf<T>::Type;

template <class T>
inline constexpr bool is_reference_wrapper = false;
template <class T>
inline constexpr bool is_reference_wrapper<std::reference_wrapper<T>> = true;

template <class T>
concept Extractable = requires(Call& call) {
    Extract<T>::from(call);
};

// Extractors that take all captures of the route by name, instead of parameters of their own.
template <class T>
concept TakesCaptures = requires(Call& call, RouteShape const& shape) {
    Extract<T>::from(call, shape);
};
template <RouteShape const& Shape, class T>
consteval bool takes_all_captures() {
    if constexpr (TakesCaptures<T>) {
        static_assert(Extract<T>::fits(Shape),
                      "the members of the handler's Path<T> and the captures of the route pattern differ");
        return true;
    } else {
        return false;
    }
}
template <RouteShape const& Shape, class... P>
consteval bool captures_fit(std::tuple<P...>*) {
    std::size_t const count = captured_count<std::tuple<P...>>;
    bool const by_name = (false || ... || takes_all_captures<Shape, std::remove_cvref_t<P>>());
    return by_name ? count == 0 : count == Shape.capture_count;
}

template <class T>
concept AsksForState = requires(Services const& services) {
    { Extract<T>::is_there(services) } -> std::same_as<bool>;
};
[[nodiscard]] std::string type_name(std::type_info const& type);
template <class T>
struct StateOf;
template <class T>
struct StateOf<State<T>> {
    using Type = T;
};
template <class T>
void add_missing(Services const& services, std::string& missing) {
    if constexpr (AsksForState<T>) {
        if (missing.empty() && !Extract<T>::is_there(services))
            missing = type_name(typeid(typename StateOf<T>::Type));
    }
}
template <class Parameters>
struct StatesOf;
template <class... P>
struct StatesOf<std::tuple<P...>> {
    static std::string missing(Services const& services) {
        std::string name;
        (add_missing<std::remove_cvref_t<P>>(services, name), ...);
        return name;
    }
};

// Whether each parameter is something that a handler can take.
template <class... P>
consteval bool are_parameters(std::tuple<P...>*) {
    return ((Captured<std::remove_cvref_t<P>> || Extractable<std::remove_cvref_t<P>> ||
             TakesCaptures<std::remove_cvref_t<P>>)&&...);
}

template <FixedString Pattern, class Parameters>
consteval void check_parameters(Parameters* parameters) {
    constexpr bool known = are_parameters(static_cast<Parameters*>(nullptr));
    static_assert(
        known,
        "a handler's parameter is neither a capture (a whole number, double, bool, std::string, "
        "std::string_view, quern::Uuid, or what FromText reads) nor an extractor (quern::Json, Query, "
        "Path, State, Header, Multipart, Body, http::Request const&, http::Exchange&)");
    static_assert(!known || captures_fit<shape_of<Pattern>>(static_cast<Parameters*>(nullptr)),
                  "the handler takes more or fewer captures than the route pattern has");
    static_assert(captures_come_first(static_cast<Parameters*>(nullptr)),
                  "the handler's captures come before its other parameters");
    (void)parameters;
}

template <class T>
consteval bool takes_pieces() {
    return requires { requires Extract<T>::takes_body_in_pieces; };
}
template <class T>
consteval bool takes_whole() {
    return requires { requires Extract<T>::takes_body_whole; };
}
template <class T>
consteval bool makes_answer() {
    return requires { requires Extract<T>::makes_answer; };
}
template <class Returned, class... P>
consteval bool answer_is_made_once(std::tuple<P...>*) {
    bool const streams = (false || ... || makes_answer<std::remove_cvref_t<P>>());
    return !streams || std::same_as<Returned, Task<>> || std::same_as<Returned, Task<Result<void>>>;
}

// Whether the handler is called before the body is there.
template <class Returned, class... P>
consteval bool takes_body_in_pieces(std::tuple<P...>*) {
    constexpr int pieces = (0 + ... + static_cast<int>(takes_pieces<std::remove_cvref_t<P>>()));
    if constexpr (pieces > 0) {
        static_assert(is_task<Returned>, "a handler that takes a BodyStream returns a quern::Task");
        static_assert(pieces == 1 && !(takes_whole<std::remove_cvref_t<P>>() || ...),
                      "a handler takes the body once: as a BodyStream, or as Json, Multipart or Body");
    }
    return pieces > 0;
}

// Makes the parameters one after the other and calls the handler with them.
template <FixedString Pattern, class F>
struct RouteCall {
    using Parameters = typename Signature<F>::Parameters;
    using Returned = typename Signature<F>::Result;
    static constexpr std::size_t count = std::tuple_size_v<Parameters>;

    static bool run(void const* handler, Call& call) {
        return take<0>(*static_cast<F const*>(handler), call);
    }

private:
    template <std::size_t Index, class... Made>
    static bool take(F const& handler, Call& call, Made&&... made) {
        if constexpr (Index == count) {
            return answer(handler, call, std::forward<Made>(made)...);
        } else {
            using Parameter = std::remove_cvref_t<std::tuple_element_t<Index, Parameters>>;
            if constexpr (Captured<Parameter>) {
                auto value = FromText<Parameter>::read(call.captures[Index]);
                if (!value) [[unlikely]]
                    return refuse(call, text_fault("path", name_of(Index), FromText<Parameter>::what));
                return take<Index + 1>(handler, call, std::forward<Made>(made)..., *std::move(value));
            } else {
                static_assert(Extractable<Parameter> || TakesCaptures<Parameter>,
                              "a handler's parameter is neither a capture nor an extractor (quern::Json, "
                              "Query, State, Header, Body, http::Request const&, http::Exchange&)");
                auto value = extract<Parameter>(call);
                if (!value) [[unlikely]]
                    return refuse(call, value.error());
                if constexpr (is_reference_wrapper<typename decltype(value)::value_type>) {
                    return take<Index + 1>(handler, call, std::forward<Made>(made)..., value->get());
                } else {
                    return take<Index + 1>(handler, call, std::forward<Made>(made)..., *std::move(value));
                }
            }
        }
    }

    template <class Parameter>
    static auto extract(Call& call) {
        if constexpr (TakesCaptures<Parameter>) {
            return Extract<Parameter>::from(call, shape_of<Pattern>);
        } else {
            return Extract<Parameter>::from(call);
        }
    }

    template <class... Made>
    static bool answer(F const& handler, Call& call, Made&&... made) {
        if constexpr (is_task<Returned>) {
            answer_task(TaskContext{&call.exchange, &call.services}, handler(std::forward<Made>(made)...));
            return false;
        } else if constexpr (std::is_void_v<Returned>) {
            handler(std::forward<Made>(made)...);
        } else {
            Answer<std::remove_cvref_t<Returned>>::write(handler(std::forward<Made>(made)...), call);
        }
        return true;
    }

    static bool refuse(Call& call, Error const& error) {
        call.exchange.response.clear();
        write_problem(call.exchange.response, error);
        return true;
    }

    static constexpr std::string_view name_of(std::size_t index) {
        for (RouteSegment const& segment : shape_of<Pattern>.parts()) {
            if (segment.kind != RouteSegment::Kind::literal && index-- == 0) return segment.text;
        }
        return {};
    }
};

// What the compiler knows of an App: its routes, numbered as it meets them. A friend function without a body
// is declared for every number, and meeting a route gives it its body; whether a number is taken can thus be
// asked. A second body for the same method and path is an error, which is wanted.
template <class App, std::size_t Number>
struct RouteSlot {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-template-friend"
    friend constexpr auto quern_route_at(RouteSlot<App, Number>);
#pragma GCC diagnostic pop
};
template <class App, std::size_t Number, http::Method M, FixedString Pattern>
struct FillRouteSlot {
    friend constexpr auto quern_route_at(RouteSlot<App, Number>) { return RouteKey{M, shape_of<Pattern>}; }
};
// `Asker` keeps the compiler from reusing an earlier answer.
template <class App, std::size_t Number, class Asker>
concept RouteSlotTaken = requires {
    std::type_identity<Asker*>{};
    quern_route_at(RouteSlot<App, Number>{});
};
template <class App, class Asker, std::size_t Number = 0>
consteval std::size_t count_routes() {
    if constexpr (RouteSlotTaken<App, Number, Asker>) {
        return count_routes<App, Asker, Number + 1>();
    } else {
        return Number;
    }
}

// The pattern with the captures' names taken out, so that "/a/{x}" and "/a/{y}" are the same path.
template <FixedString Pattern>
consteval auto path_of() {
    FixedString<sizeof(Pattern.bytes)> path;
    std::size_t size = 0;
    bool inside = false;
    for (std::size_t index = 0; index + 1 < sizeof(Pattern.bytes); ++index) {
        char const c = Pattern.bytes[index];
        bool const kept = !inside || c == '}' || c == '.';
        if (c == '{') inside = true;
        if (c == '}') inside = false;
        if (kept) path.bytes[size++] = c;
    }
    return path;
}
// Padded to one length, for paths of different patterns must be of one type to be compared.
template <FixedString Pattern>
consteval auto padded_path_of() {
    constexpr std::size_t bytes_max = 512;
    static_assert(sizeof(Pattern.bytes) <= bytes_max, "a route pattern has at most 511 characters");
    FixedString<bytes_max> padded;
    auto const path = path_of<Pattern>();
    for (std::size_t index = 0; index < sizeof(path.bytes); ++index) padded.bytes[index] = path.bytes[index];
    return padded;
}
template <class App, http::Method M, FixedString<512> Path>
struct RoutePath {};
template <class App, http::Method M, FixedString<512> Path, class Handler>
struct ClaimRoute {
    friend constexpr void this_method_and_path_have_a_route_already(RoutePath<App, M, Path>) {}
};

template <class App, class Asker>
struct KnownRoutes {
    static constexpr std::size_t count = count_routes<App, Asker>();
    static constexpr auto value = []<std::size_t... N>(std::index_sequence<N...>) {
        return std::array<RouteKey, count>{quern_route_at(RouteSlot<App, N>{})...};
    }
    (std::make_index_sequence<count>{});
};

}  // namespace detail

// An App without what the compiler knows of its routes: to be passed to functions, and for routes that are
// known at run time only.
//
// Threads: set up by one thread; listen() then calls handlers on its loops' threads at once.
class AppBase {
public:
    explicit AppBase(AppOptions options);
    AppBase(AppBase const&) = delete;
    AppBase& operator=(AppBase const&) = delete;
    ~AppBase();

    // Gives handlers a thing to ask for as State<T>. Replaces an earlier one of the type.
    // Precondition: not listening yet.
    template <class T>
    void state(std::shared_ptr<T> service) {
        services().put(std::move(service));
    }

    // Adds a route at run time. The handler gets what the pattern captured in call.captures and fills
    // call.exchange.response; routes of the compiler go before it where both fit.
    // Precondition: not listening yet.
    // Errors: parameter_invalid — the pattern is malformed, the message says how;
    //         conflict — the method and path have a route already.
    [[nodiscard]] Result<void> add(http::Method method, std::string_view pattern,
                                   std::function<void(Call&)> handler);

    // Serves the collections of a directory: paths below /api that no route of the App takes.
    // Precondition: not listening yet, and nothing is mounted.
    // Errors: as Collections::open().
    // Example: examples/todo_collections/main.cpp [app]
    [[nodiscard]] Result<std::shared_ptr<Collections>> mount_collections(CollectionsOptions options = {});

    // Answers GET `/openapi.json` with the OpenAPI 3.1 document of the routes that the compiler knows, and
    // GET
    // `/docs` with a page that shows it. Call it behind the routes: those that follow are not in it.
    // Precondition: not listening yet.
    // Errors: conflict — one of the two routes is there already.
    // Example: examples/todo/main.cpp [main]
    [[nodiscard]] Result<void> openapi(OpenApiInfo const& info);

    // Serves until stop() or a signal, on the calling thread and one more for every further loop.
    // `address` is HOST:PORT, [IPV6]:PORT or :PORT for every address; port 0 lets the system choose.
    // Errors: parameter_invalid — the address is not one; io — it is in use.
    // Example: examples/hello_world/main.cpp [app]
    [[nodiscard]] Result<void> listen(std::string_view address);

    // Ends listen(): requests in progress are answered, then the connections close.
    // Threads: any; before listen() it ends the next one at once.
    void stop();

    // The port in use, 0 when not listening. Threads: any.
    [[nodiscard]] std::uint16_t port() const;

    // Answers one request in the process, without a socket, for tests and for calls from within. The target
    // is a path with an optional query; header names are in lower case. Threads: any, not from inside a
    // handler that must not run beside itself.
    [[nodiscard]] LocalReply request(http::Method method, std::string_view target, std::string_view body = {},
                                     std::span<http::Header const> headers = {});

protected:
    // Keeps a handler under the number that the compiler gave its route.
    void keep(std::size_t number, detail::RouteEntry entry);
    // Offers the tree of the first `count` numbers. It is used when just these are kept; else one is built.
    void offer(RouteTreeView tree, std::size_t count);

private:
    [[nodiscard]] Services& services();

    struct State;
    std::unique_ptr<State> state_;
};

// A web service. `Tag` is a type of its own for every App that is declared; leave it out.
//
// Threads: as AppBase.
template <class Tag = decltype([] {})>
class App : public AppBase {
public:
    explicit App(AppOptions options = {}) : AppBase(std::move(options)) {}

    // Adds a route. The handler is a function or a lambda without auto parameters. Its first parameters take
    // what the pattern captures, in order and as many; the others are extractors; its result has an Answer.
    // It is called by all loops at once, so a lambda is not mutable.
    // HEAD is answered by the handler of GET, OPTIONS by the App.
    // Cost of a request: no allocation by the App.
    // Example: examples/hello_world/main.cpp [app]
    template <FixedString Pattern, class Handler>
    App& get(Handler handler) {
        return route<http::Method::get, Pattern>(std::move(handler));
    }
    template <FixedString Pattern, class Handler>
    App& post(Handler handler) {
        return route<http::Method::post, Pattern>(std::move(handler));
    }
    template <FixedString Pattern, class Handler>
    App& put(Handler handler) {
        return route<http::Method::put, Pattern>(std::move(handler));
    }
    template <FixedString Pattern, class Handler>
    App& patch(Handler handler) {
        return route<http::Method::patch, Pattern>(std::move(handler));
    }
    template <FixedString Pattern, class Handler>
    App& del(Handler handler) {
        return route<http::Method::del, Pattern>(std::move(handler));
    }

    // The same for any method.
    template <http::Method M, FixedString Pattern, class Handler>
    App& route(Handler handler) {
        detail::check_pattern<Pattern>();
        static_assert(detail::HasSignature<Handler>,
                      "a handler is a function, or a lambda that is neither generic nor mutable");
        using Parameters = typename detail::Signature<Handler>::Parameters;
        detail::check_parameters<Pattern>(static_cast<Parameters*>(nullptr));
        static_assert(detail::answer_is_made_once<typename detail::Signature<Handler>::Result>(
                          static_cast<Parameters*>(nullptr)),
                      "a handler that takes an AnswerStream returns Task<> or Task<Result<void>>");
        using Claim = detail::ClaimRoute<Tag, M, detail::padded_path_of<Pattern>(), Handler>;
        static_assert(sizeof(Claim) != 0);
        constexpr std::size_t number = detail::count_routes<Tag, Claim>();
        static_assert(sizeof(detail::FillRouteSlot<Tag, number, M, Pattern>) != 0);
        keep(number, {{M, detail::shape_of<Pattern>},
                      &detail::RouteCall<Pattern, Handler>::run,
                      std::make_shared<Handler const>(std::move(handler)),
                      &detail::DescribeRoute<detail::shape_of<Pattern>,
                                             detail::Answered<typename detail::Signature<Handler>::Result>,
                                             Parameters>::run,
                      detail::takes_body_in_pieces<typename detail::Signature<Handler>::Result>(
                          static_cast<Parameters*>(nullptr)),
                      &detail::StatesOf<Parameters>::missing});
        return *this;
    }

    // As AppBase::listen, with the tree that the compiler has built from the routes above this call. Where
    // some of them were skipped at run time, or further ones follow, the tree is built when it is first used.
    [[nodiscard]] Result<void> listen(std::string_view address) {
        using Known = detail::KnownRoutes<Tag, App>;
        if constexpr (Known::count > 0) offer(detail::StaticRouteTree<Known>::view, Known::count);
        return AppBase::listen(address);
    }
};

}  // namespace quern
