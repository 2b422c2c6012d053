// SPDX-License-Identifier: Apache-2.0
//
// The server under the request corpus: `hc_server PORT` answers /__hc, /__hc/next and /smug with 200 and the
// body it got, everything else with 404, until SIGTERM.

#include <charconv>
#include <cstdio>
#include <cstring>

#include "os/clock.h"
#include "os/signal.h"
#include "server/server.h"

namespace {

class EchoHandler final : public quern::http::Handler {
public:
    void handle(quern::http::Exchange& exchange) override {
        auto const path = exchange.request.raw_path;
        bool const known = path == "/__hc" || path == "/__hc/next" || path == "/smug";
        exchange.response.status = known ? 200 : 404;
        exchange.response.content_type = quern::http::content_type_text;
        if (known) exchange.response.body.append(exchange.request.body);
        exchange.finish();
    }
};

}  // namespace

int main(int count, char** arguments) {
    quern::server::ServerOptions options;
    options.loops = 1;
    if (count > 1) std::from_chars(arguments[1], arguments[1] + std::strlen(arguments[1]), options.port);
    EchoHandler handler;
    quern::os::SystemClock const clock;
    auto server = quern::server::Server::open(options, handler, clock);
    if (!server) {
        std::fprintf(stderr, "%s\n", server.error().message.c_str());
        return 1;
    }
    auto const signals = quern::os::StopSignals::create([&server](int) { (*server)->stop(); });
    std::printf("port %d\n", (*server)->port());
    std::fflush(stdout);
    (*server)->run();
    return 0;
}
