// SPDX-License-Identifier: Apache-2.0
#include "app/serve.h"

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <thread>

#include "api/service.h"
#include "app/database.h"
#include "app/log.h"
#include "auth/password_pool.h"
#include "os/file.h"
#include "os/resource.h"
#include "os/signal.h"
#include "server/server.h"

namespace quern::app {

namespace {

struct Address {
    std::string host;
    std::uint16_t port = 0;
};

// Exit code when it is unknown what reached the disk: a supervisor starts the process again, which recovers.
constexpr int exit_disk_error = 74;

std::optional<Address> parse_address(std::string_view text) {
    std::size_t const colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    std::string_view host = text.substr(0, colon);
    std::string_view const digits = text.substr(colon + 1);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    Address address{std::string(host), 0};
    auto const [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    if (digits.empty() || problem != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return address;
}

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
    std::_Exit(exit_disk_error);
}

}  // namespace

int run_serve(ServeOptions const& options) {
    // Before any thread starts: only then do all of them leave the signals to the one that waits for them.
    StopRequest stop;
    auto signals = os::StopSignals::create([&](int) { stop.request(); });
    log::start({.json = options.log_json, .access = options.access_log});
    auto const address = parse_address(options.address);
    if (!address)
        return report("--http",
                      Error(ErrorCode::parameter_invalid, "\"" + options.address + "\" is not HOST:PORT."));
    if (!signals) return report("Cannot wait for signals", signals.error());
    os::ignore_broken_pipes();
    os::raise_descriptor_limit();
    os::return_large_memory();
    std::size_t const loops =
        options.loops != 0 ? options.loops : std::max(1U, std::thread::hardware_concurrency());

    // From the bottom of the house upwards: time and chance, the data, what may be done with it, the wire.
    os::SystemClock clock;
    crypto::SystemRandom random;
    DatabaseOptions database_options{.directory = options.directory,
                                     .exclusive = !options.shared,
                                     .relaxed = options.relaxed,
                                     .store = {}};
    database_options.store.inline_writer = loops == 1;
    database_options.store.on_fatal = end_for_disk_error;
    if (auto made = os::make_directories(options.directory); !made)
        return report("Cannot make the data directory", made.error());
    // Other programs may read and write the file, but a second server would not learn of a changed schema.
    auto const only_server = os::DirectoryLock::take(options.directory);
    if (!only_server) return report("There is one server a data directory", only_server.error());
    auto store = open_database(std::move(database_options), clock, random);
    if (!store) return report("Cannot open the database in " + options.directory.string(), store.error());

    crypto::Argon2id hasher;
    auth::PasswordPool password_pool;
    log::AccessLog access_log(clock);
    api::ServiceOptions service_options;
    service_options.loops = loops;
    service_options.inline_writer = loops == 1;
    auto service =
        api::Service::open({**store, clock, random, hasher, password_pool, &access_log}, service_options);
    if (!service) return report("Cannot open the database for reading", service.error());

    server::ServerOptions server_options;
    server_options.host = address->host;
    server_options.port = address->port;
    server_options.loops = loops;
    server_options.pin_loops = options.pin_loops;
    auto server = server::Server::open(std::move(server_options), **service, clock);
    if (!server) return report("Cannot listen on " + options.address, server.error());
    stop.attach(**server);

    log::info("Quern is serving {} on http://{}:{} ({} loop{}, {})", options.directory.string(),
              address->host.empty() ? "0.0.0.0" : address->host, (*server)->port(), loops,
              loops == 1 ? "" : "s",
              options.relaxed ? "relaxed: power loss may take the last writes" : "durable");
    (*server)->run();

    // In the order of the walk: no more requests, then no more reads and sign-ins, then no more writes.
    password_pool.stop();
    (*service)->stop();
    (*store)->stop();
    log::info("Stopped.");
    log::flush();
    return 0;
}

}  // namespace quern::app
