// SPDX-License-Identifier: Apache-2.0
//
// Twenty routes with captures behind one server: `app_routes PORT switch|app`. `switch` is a handler written
// by hand over the decoded segments, `app` the same routes given to quern::App; both answer the same bytes.

#include <quern/app.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "os/clock.h"
#include "os/signal.h"
#include "server/server.h"

namespace {

using quern::http::Exchange;
using quern::http::Method;

void say(Exchange& exchange, std::string_view what, std::int64_t id) {
    exchange.response.content_type = quern::http::content_type_text;
    exchange.response.body.append(what);
    exchange.response.body.append(' ');
    exchange.response.body.append_integer(id);
}

bool read(std::string_view text, std::int64_t& value) {
    auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    return fault == std::errc{} && end == text.data() + text.size();
}

constexpr std::string_view things[] = {"users",  "orders", "items", "carts", "shops",
                                       "prices", "stocks", "tags",  "media", "notes"};

// What somebody would write who knows all routes: length, then the text, then what follows.
class Switch final : public quern::http::Handler {
public:
    void handle(Exchange& exchange) override {
        if (!answer(exchange)) {
            exchange.response.status = 404;
            exchange.response.body.append("{}");
        }
        exchange.finish();
    }

private:
    static std::string_view known(std::string_view text) {
        switch (text.size()) {
        case 4:
            if (text == "tags") return things[7];
            break;
        case 5:
            for (std::size_t const index : {0, 2, 3, 4, 8, 9}) {
                if (text == things[index]) return things[index];
            }
            break;
        case 6:
            for (std::size_t const index : {1, 5, 6}) {
                if (text == things[index]) return things[index];
            }
            break;
        default: break;
        }
        return {};
    }
    static bool answer(Exchange& exchange) {
        auto const& segments = exchange.request.segments;
        if (exchange.request.method != Method::get && exchange.request.method != Method::head) return false;
        if (segments.size() != 2 && segments.size() != 3) return false;
        std::string_view const thing = known(segments[0]);
        std::int64_t id = 0;
        if (thing.empty() || !read(segments[1], id)) return false;
        if (segments.size() == 3 && segments[2] != "details") return false;
        say(exchange, thing, id);
        return true;
    }
};

template <quern::FixedString Thing, quern::FixedString One, quern::FixedString Details>
void add(auto& app) {
    app.template get<One>([](std::int64_t id, Exchange& exchange) { say(exchange, Thing.view(), id); });
    app.template get<Details>([](std::int64_t id, Exchange& exchange) { say(exchange, Thing.view(), id); });
}

int serve_app(std::string const& address) {
    quern::App app({.loops = 1});
    add<"users", "/users/{id}", "/users/{id}/details">(app);
    add<"orders", "/orders/{id}", "/orders/{id}/details">(app);
    add<"items", "/items/{id}", "/items/{id}/details">(app);
    add<"carts", "/carts/{id}", "/carts/{id}/details">(app);
    add<"shops", "/shops/{id}", "/shops/{id}/details">(app);
    add<"prices", "/prices/{id}", "/prices/{id}/details">(app);
    add<"stocks", "/stocks/{id}", "/stocks/{id}/details">(app);
    add<"tags", "/tags/{id}", "/tags/{id}/details">(app);
    add<"media", "/media/{id}", "/media/{id}/details">(app);
    add<"notes", "/notes/{id}", "/notes/{id}/details">(app);
    return app.listen(address) ? 0 : 1;
}

int serve_switch(std::uint16_t port) {
    quern::server::ServerOptions options;
    options.port = port;
    options.loops = 1;
    Switch handler;
    quern::os::SystemClock const clock;
    auto const server = quern::server::Server::open(options, handler, clock);
    if (!server) return 1;
    auto const signals = quern::os::StopSignals::create([&server](int) { (*server)->stop(); });
    (*server)->run();
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) return 2;
    std::string_view const port_text = arguments[1];
    std::uint16_t port = 0;
    std::from_chars(port_text.data(), port_text.data() + port_text.size(), port);
    return std::string_view(arguments[2]) == "app" ? serve_app("127.0.0.1:" + std::string(port_text))
                                                   : serve_switch(port);
}
