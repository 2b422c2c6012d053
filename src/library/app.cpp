// SPDX-License-Identifier: Apache-2.0
#include <quern/app.h>

#include <mutex>
#include <optional>

#include <boost/core/demangle.hpp>

#include <quern/assert.h>
#include <quern/openapi.h>
#include "library/local_exchange.h"
#include "library/shared_reads.h"
#include "os/clock.h"
#include "os/resource.h"
#include "os/signal.h"
#include "os/thread.h"
#include "server/address.h"
#include "server/server.h"

namespace quern {

namespace {

using detail::RouteEntry;

// Routes with the tree that finds them.
class RouteSet {
public:
    // Entries may have gaps: numbers that the compiler gave and that were not kept at run time.
    void build(std::span<RouteEntry const> entries) {
        RouteTreeBuilder builder;
        for (std::size_t index = 0; index < entries.size(); ++index) {
            if (entries[index].run != nullptr) builder.add(entries[index].key, index);
        }
        builder.lay_out(nodes_, methods_);
        tree_ = {nodes_, methods_};
    }
    void use(RouteTreeView tree) { tree_ = tree; }
    [[nodiscard]] RouteTreeView const& tree() const { return tree_; }

private:
    std::vector<RouteNode> nodes_;
    std::vector<RouteMethods> methods_;
    RouteTreeView tree_;
};

// What {name...} took, with its slashes: a view into the path where nothing in it was escaped.
std::string_view join(std::span<std::string_view const> segments, Arena& arena) {
    if (segments.empty()) return {};
    bool contiguous = true;
    std::size_t bytes = segments.size() - 1;
    for (std::size_t index = 0; index < segments.size(); ++index) {
        bytes += segments[index].size();
        if (index == 0) continue;
        std::string_view const before = segments[index - 1];
        contiguous = contiguous && segments[index].data() == before.data() + before.size() + 1;
    }
    if (contiguous) return {segments[0].data(), bytes};
    auto const place = arena.array<char>(bytes);
    char* at = place.data();
    for (std::string_view const segment : segments) {
        if (at != place.data()) *at++ = '/';
        at = std::ranges::copy(segment, at).out;
    }
    return {place.data(), bytes};
}

void write_allow(http::Response& response, unsigned methods) {
    if ((methods & 1U << static_cast<unsigned>(http::Method::get)) != 0)
        methods |= 1U << static_cast<unsigned>(http::Method::head);
    methods |= 1U << static_cast<unsigned>(http::Method::options);
    std::string names;
    for (std::size_t method = 0; method < methods_count; ++method) {
        if ((methods & 1U << method) == 0) continue;
        if (!names.empty()) names += ", ";
        names += http::name(static_cast<http::Method>(method));
    }
    response.add_header("Allow", names);
}

}  // namespace

struct AppBase::State final : http::Handler {
    AppOptions options;
    Services services;
    std::vector<RouteEntry> known;  // by the compiler's numbers
    std::vector<RouteEntry> added;
    RouteTreeView offered;
    std::size_t offered_count = 0;
    RouteSet known_set;
    RouteSet added_set;
    bool frozen = false;
    std::mutex freezing;

    std::shared_ptr<Collections> collections;
    std::size_t loops = 1;

    std::mutex stopping;
    bool stop_asked = false;
    server::Server* server = nullptr;

    void freeze() {
        std::lock_guard const lock(freezing);
        if (frozen) return;
        bool const all =
            known.size() == offered_count &&
            std::ranges::all_of(known, [](RouteEntry const& entry) { return entry.run != nullptr; });
        if (all) {
            known_set.use(offered);
        } else {
            known_set.build(known);
        }
        added_set.build(added);
        frozen = true;
    }

    // Whether all that handlers ask for was given.
    [[nodiscard]] Result<void> check_states() const {
        for (RouteEntry const& entry : known) {
            if (entry.run == nullptr || entry.missing_state == nullptr) continue;
            std::string const missing = entry.missing_state(services);
            if (missing.empty()) continue;
            return fail(ErrorCode::parameter_invalid,
                        "The handler of " + std::string(http::name(entry.key.method)) + " " +
                            openapi::path_text(entry.key.shape) + " asks for a quern::State<" + missing +
                            "> that the App was not given: app.state(...).");
        }
        return {};
    }

    void iteration_end(std::size_t loop_index) override {
        detail::end_shared_reads();
        if (collections != nullptr) collections->handler().iteration_end(loop_index);
    }

    // On a loop: iteration_end() follows.
    void handle(http::Exchange& exchange) override {
        detail::begin_shared_reads();
        if (answer(exchange)) exchange.finish();
    }

    bool wants_body_in_pieces(http::Request const& head) override {
        RouteMatch match;
        return known_set.tree().find(head.method, head.segments, match) &&
               known[match.route].takes_body_in_pieces;
    }

    [[nodiscard]] bool is_below_api(http::Request const& request) const {
        return collections != nullptr && !request.segments.empty() && request.segments[0] == "api";
    }
    [[nodiscard]] bool is_for_collections(http::Request const& request) const {
        RouteMatch match;
        return is_below_api(request) && !known_set.tree().find(request.method, request.segments, match) &&
               !added_set.tree().find(request.method, request.segments, match);
    }

    // Whether the answer is complete.
    bool answer(http::Exchange& exchange) {
        RouteMatch match;
        http::Request const& request = exchange.request;
        if (known_set.tree().find(request.method, request.segments, match))
            return run(known[match.route], match, exchange);
        if (added_set.tree().find(request.method, request.segments, match))
            return run(added[match.route], match, exchange);
        if (is_below_api(request)) {
            collections->handler().handle(exchange);
            return false;
        }
        refuse(exchange);
        return true;
    }

    bool run(RouteEntry const& entry, RouteMatch& match, http::Exchange& exchange) {
        std::size_t const count = entry.key.shape.capture_count;
        if (match.has_rest)
            match.captures[count - 1] =
                join(exchange.request.segments.subspan(match.rest_from), exchange.arena);
        Call call{exchange, services, std::span(match.captures).first(count)};
        // A handler is somebody else's code: what it throws ends the request, not the process.
        std::string thrown = "The handler has thrown";
        try {
            return entry.run(entry.handler.get(), call);
        } catch (std::exception const& exception) {
            thrown += std::string(": ") + exception.what();
        } catch (...) {
            thrown += " what is no std::exception.";
        }
        exchange.response.clear();
        write_problem(exchange, Error(ErrorCode::internal, thrown));
        return true;
    }

    void refuse(http::Exchange& exchange) const {
        http::Request const& request = exchange.request;
        unsigned const methods =
            known_set.tree().allowed(request.segments) | added_set.tree().allowed(request.segments);
        if (methods == 0) return write_problem(exchange.response, Error(ErrorCode::not_found));
        if (request.method == http::Method::options) {
            exchange.response.status = 204;
            exchange.response.content_type = {};
        } else {
            write_problem(exchange.response, Error(ErrorCode::method_not_allowed));
        }
        write_allow(exchange.response, methods);
    }
};

namespace detail {

std::string type_name(std::type_info const& type) { return boost::core::demangle(type.name()); }

}  // namespace detail

AppBase::AppBase(AppOptions options) : state_(std::make_unique<State>()) {
    state_->options = std::move(options);
    state_->loops = state_->options.loops != 0 ? state_->options.loops : os::processor_count();
    state(std::make_shared<BackgroundPool>(state_->options.background_threads));
}
AppBase::~AppBase() = default;

Services& AppBase::services() { return state_->services; }

void AppBase::keep(std::size_t number, RouteEntry entry) {
    QUERN_ASSERT(!state_->frozen, "routes are added before the App listens");
    if (state_->known.size() <= number) state_->known.resize(number + 1);
    state_->known[number] = std::move(entry);
}

void AppBase::offer(RouteTreeView tree, std::size_t count) {
    state_->offered = tree;
    state_->offered_count = count;
}

Result<void> AppBase::add(http::Method method, std::string_view pattern, std::function<void(Call&)> handler) {
    QUERN_ASSERT(!state_->frozen, "routes are added before the App listens");
    // The shape's views need a text that lives as long as the route.
    struct Added {
        std::string pattern;
        std::function<void(Call&)> handler;
    };
    auto kept = std::make_shared<Added const>(std::string(pattern), std::move(handler));
    RouteKey const key{method, read_route(kept->pattern)};
    if (key.shape.fault != RouteFault::none)
        return fail(ErrorCode::parameter_invalid,
                    "The route pattern \"" + kept->pattern + "\" is malformed.");
    for (auto const* const entries : {&state_->known, &state_->added}) {
        for (RouteEntry const& entry : *entries) {
            if (entry.run != nullptr && entry.key.method == method && entry.key.shape.is_same(key.shape))
                return fail(ErrorCode::conflict, "The route \"" + kept->pattern + "\" is there already.");
        }
    }
    RouteEntry::Run const run = [](void const* added, Call& call) {
        static_cast<Added const*>(added)->handler(call);
        return true;
    };
    state_->added.push_back({key, run, std::move(kept), nullptr, false});
    return {};
}

Result<std::shared_ptr<Collections>> AppBase::mount_collections(CollectionsOptions options) {
    QUERN_ASSERT(!state_->frozen && state_->collections == nullptr, "collections are mounted once, in front");
    QUERN_TRY(state_->collections, Collections::open(std::move(options), state_->loops));
    return state_->collections;
}

Result<void> AppBase::openapi(OpenApiInfo const& info) {
    std::vector<openapi::Route> routes;
    for (RouteEntry const& entry : state_->known) {
        if (entry.run != nullptr) routes.push_back({entry.key.method, &entry.key.shape, entry.describe});
    }
    constexpr std::string_view place = "/openapi.json";
    QUERN_CHECK(add(http::Method::get, place, [text = openapi::document(info, routes)](Call& call) {
        call.exchange.response.body.append(text);
    }));
    return add(http::Method::get, "/docs", [text = openapi::page(info, place)](Call& call) {
        call.exchange.response.content_type = "text/html; charset=utf-8";
        call.exchange.response.add_header("Content-Security-Policy",
                                          "default-src 'none'; style-src 'unsafe-inline'; "
                                          "script-src 'unsafe-inline'; connect-src 'self'");
        call.exchange.response.body.append(text);
    });
}

Result<void> AppBase::listen(std::string_view address) {
    QUERN_TRY(auto const place, server::parse_address(address));
    QUERN_CHECK(state_->check_states());
    std::unique_ptr<os::StopSignals> signals;
    if (state_->options.stop_on_signals) {
        QUERN_TRY(signals, os::StopSignals::create([this](int) { stop(); }));
    }
    os::ignore_broken_pipes();
    os::raise_descriptor_limit();
    state_->freeze();

    server::ServerOptions options;
    options.host = place.host;
    options.port = place.port;
    options.loops = state_->loops;
    options.body_bytes_max = state_->options.body_bytes_max;
    if (std::ranges::any_of(state_->known, &RouteEntry::takes_body_in_pieces))
        options.streamed_body_bytes_max = state_->options.streamed_body_bytes_max;
    options.connections_max = state_->options.connections_max;
    options.compress_bytes_min = state_->options.compress_bytes_min;
    os::SystemClock const clock;
    QUERN_TRY(auto const server, server::Server::open(std::move(options), *state_, clock));
    {
        std::lock_guard const lock(state_->stopping);
        state_->server = server.get();
        if (state_->stop_asked) server->stop();
    }
    server->run();
    if (state_->collections != nullptr) state_->collections->stop();
    std::lock_guard const lock(state_->stopping);
    state_->server = nullptr;
    state_->stop_asked = false;
    return {};
}

void AppBase::stop() {
    std::lock_guard const lock(state_->stopping);
    state_->stop_asked = true;
    if (state_->server != nullptr) state_->server->stop();
}

std::uint16_t AppBase::port() const {
    std::lock_guard const lock(state_->stopping);
    return state_->server != nullptr ? state_->server->port() : std::uint16_t{0};
}

LocalReply AppBase::request(http::Method method, std::string_view target, std::string_view body,
                            std::span<http::Header const> headers) {
    state_->freeze();
    library::LocalExchange exchange(state_->loops);
    if (!exchange.ask(method, target, body, headers)) return exchange.take();
    if (state_->is_for_collections(exchange.request)) {
        state_->collections->answer(exchange);
    } else {
        if (state_->answer(exchange)) exchange.finish();
        exchange.run();
    }
    return exchange.take();
}

}  // namespace quern
