// SPDX-License-Identifier: Apache-2.0
#include "app/serve.h"

#include <atomic>
#include <cstdlib>
#include <thread>

#include "app/log.h"
#include "library/collection_server.h"
#include "os/resource.h"
#include "os/signal.h"
#include "server/address.h"
#include "server/server.h"

namespace quern::app {

namespace {

int report(std::string_view what, Error const& error) {
    log::error("{}: {}", what, error.message);
    log::flush();
    return 1;
}

// Ends the server that is running, or the one that is about to run.
class StopRequest {
public:
    void attach(server::Server& server) {
        server_ = &server;
        if (requested_) server.stop();
    }
    void request() {
        requested_ = true;
        if (server::Server* const server = server_) server->stop();
    }

private:
    std::atomic<bool> requested_ = false;
    std::atomic<server::Server*> server_ = nullptr;
};

[[noreturn]] void end_for_disk_error(Error const& error) {
    log::error("The disk failed while a commit was on its way: {} Nothing more is acknowledged; stopping.",
               error.message);
    log::flush();
    std::_Exit(library::exit_disk_error);
}

}  // namespace

int run_serve(ServeOptions const& options) {
    StopRequest stop;
    auto signals = os::StopSignals::create([&](int) { stop.request(); });
    log::start({.json = options.log_json, .access = options.access_log});
    auto const address = server::parse_address(options.address);
    if (!address) return report("--http", address.error());
    if (!signals) return report("Cannot wait for signals", signals.error());
    os::ignore_broken_pipes();
    os::raise_descriptor_limit();
    os::return_large_memory();
    std::size_t const loops =
        options.loops != 0 ? options.loops : std::max(1U, std::thread::hardware_concurrency());

    os::SystemClock const clock;
    log::AccessLog access_log(clock);
    library::CollectionServerOptions collection_options;
    collection_options.directory = options.directory;
    collection_options.exclusive = !options.shared;
    collection_options.relaxed = options.relaxed;
    collection_options.batch_max = options.batch_max;
    collection_options.loops = loops;
    collection_options.inline_writer = loops == 1;
    collection_options.observer = &access_log;
    collection_options.on_fatal = end_for_disk_error;
    auto const collections = library::CollectionServer::open(std::move(collection_options));
    if (!collections) return report("Cannot serve " + options.directory.string(), collections.error());

    server::ServerOptions server_options;
    server_options.host = address->host;
    server_options.port = address->port;
    server_options.loops = loops;
    server_options.pin_loops = options.pin_loops;
    auto server = server::Server::open(std::move(server_options), (*collections)->handler(), clock);
    if (!server) return report("Cannot listen on " + options.address, server.error());
    stop.attach(**server);

    log::info("Quern is serving {} on http://{}:{} ({} loop{}, {})", options.directory.string(),
              address->host.empty() ? "0.0.0.0" : address->host, (*server)->port(), loops,
              loops == 1 ? "" : "s",
              options.relaxed ? "relaxed: power loss may take the last writes" : "durable");
    (*server)->run();

    (*collections)->stop();
    log::info("Stopped.");
    log::flush();
    return 0;
}

}  // namespace quern::app
