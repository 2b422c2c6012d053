// SPDX-License-Identifier: Apache-2.0
//
// The answer of floor.cpp given by the real server with one loop: `fixed PORT`. On SIGTERM it prints what it
// has used, CPU in microseconds a request.

#include <charconv>
#include <cstdio>
#include <cstring>

#include "os/clock.h"
#include "os/resource.h"
#include "os/signal.h"
#include "server/server.h"

namespace {

class FixedHandler final : public quern::http::Handler {
public:
    void handle(quern::http::Exchange& exchange) override {
        exchange.response.content_type = quern::http::content_type_text;
        exchange.response.body.append("Hello, World!");
        exchange.finish();
    }
};

}  // namespace

int main(int count, char** arguments) {
    quern::server::ServerOptions options;
    options.port = 8098;
    options.loops = 1;
    if (count > 1) std::from_chars(arguments[1], arguments[1] + std::strlen(arguments[1]), options.port);
    FixedHandler handler;
    quern::os::SystemClock const clock;
    auto const server = quern::server::Server::open(options, handler, clock);
    if (!server) {
        std::fprintf(stderr, "fixed: %s\n", server.error().message.c_str());
        return 1;
    }
    auto const signals = quern::os::StopSignals::create([&server](int) { (*server)->stop(); });
    (*server)->run();
    auto const use = quern::os::resource_use();
    auto const requests = static_cast<double>((*server)->stats().requests);
    double const divisor = requests > 0 ? requests : 1.0;
    std::printf("fixed requests %.0f user_us %.3f system_us %.3f total_us %.3f\n", requests,
                static_cast<double>(use.user_us) / divisor, static_cast<double>(use.system_us) / divisor,
                static_cast<double>(use.user_us + use.system_us) / divisor);
    return 0;
}
