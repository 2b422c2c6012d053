// SPDX-License-Identifier: Apache-2.0
#pragma once

// An HTTP/1.1 server: one event loop a processor, each with its own listener on the same port.
//
// A connection stays on the loop that accepted it. An iteration of a loop reads what has come, calls the
// handler for every complete request, calls Handler::iteration_end once, and then sends all answers of a
// connection with one system call. Warm, a request costs two system calls and no allocation.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include <quern/error.h>
#include <quern/http.h>
#include "os/clock.h"
#include "server/options.h"
#include "server/stats.h"

namespace quern::server {

// Example:
//   auto server = Server::open(options, handler, clock);
//   auto signals = os::StopSignals::create([&](int) { (*server)->stop(); });
//   (*server)->run();
class Server {
public:
    // Opens the listeners; connections wait in the kernel until run().
    // Errors:   parameter_invalid — the host is no address; io — the port is taken, or no descriptors are
    // left. Lifetime: `handler` and `clock` are borrowed as long as the server lives.
    [[nodiscard]] static Result<std::unique_ptr<Server>> open(ServerOptions options, http::Handler& handler,
                                                              os::Clock const& clock);

    // Precondition: run() has returned or was never called, and every exchange has been finished.
    ~Server();

    // Serves until stop(). Loop 0 runs on the calling thread, the others on threads of their own.
    void run();

    // Stops accepting, lets requests in progress end, closes the connections; then run() returns. What is
    // left after Timeouts::stop is cut. Threads: any; safe in a signal handler.
    void stop();

    // The port in use. Threads: any.
    [[nodiscard]] std::uint16_t port() const;

    // Number of loops; Exchange::loop_index() is below it. Threads: any.
    [[nodiscard]] std::size_t loop_count() const;

    // Runs `work` on a loop, soon; Handler::iteration_end follows in the same iteration.
    // Threads: any. Cost: one allocation, and a system call when the loop sleeps.
    void post(std::size_t loop_index, std::move_only_function<void()> work);

    // Counters of one loop, and of all. Threads: any.
    [[nodiscard]] Stats stats(std::size_t loop_index) const;
    [[nodiscard]] Stats stats() const;

private:
    struct State;
    explicit Server(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace quern::server
