// SPDX-License-Identifier: Apache-2.0
#include "server/server.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <quern/assert.h>
#include "os/loop.h"
#include "os/socket.h"
#include "os/thread.h"
#include "server/worker.h"

namespace quern::server {

struct Server::State {
    ServerOptions options;
    std::uint16_t port = 0;
    std::atomic<bool> stop_requested{false};
    std::vector<std::unique_ptr<Worker>> workers;
};

Server::Server(std::unique_ptr<State> state) : state_(std::move(state)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::open(ServerOptions options, http::Handler& handler,
                                             os::Clock const& clock) {
    auto state = std::make_unique<State>();
    state->options = std::move(options);
    state->port = state->options.port;
    std::size_t const loops = state->options.loops > 0 ? state->options.loops : os::processor_count();
    std::size_t const connections_max = std::max<std::size_t>(state->options.connections_max / loops, 1);
    for (std::size_t index = 0; index < loops; ++index) {
        auto const use = loops == 1   ? os::PortUse::alone
                         : index == 0 ? os::PortUse::share
                                      : os::PortUse::join;
        os::ListenOptions const listen{.host = state->options.host, .port = state->port, .port_use = use};
        QUERN_TRY(os::Fd listener, os::listen_tcp(listen));
        if (index == 0) state->port = os::local_port(listener.get());
        QUERN_TRY(auto loop, os::EventLoop::create(clock));
        state->workers.push_back(std::make_unique<Worker>(state->options, index, connections_max, handler,
                                                          std::move(loop), std::move(listener)));
    }
    return std::unique_ptr<Server>(new Server(std::move(state)));
}

void Server::run() {
    auto const run_worker = [this](std::size_t index) {
        if (state_->options.pin_loops) os::pin_thread(index);
        state_->workers[index]->run();
    };
    std::vector<std::jthread> threads;
    for (std::size_t index = 1; index < state_->workers.size(); ++index) {
        threads.emplace_back([&run_worker, index] {
            os::set_thread_name("loop " + std::to_string(index));
            run_worker(index);
        });
    }
    run_worker(0);
}

void Server::stop() {
    if (state_->stop_requested.exchange(true)) return;
    for (auto const& worker : state_->workers) worker->stop();
}

std::uint16_t Server::port() const { return state_->port; }

std::size_t Server::loop_count() const { return state_->workers.size(); }

void Server::post(std::size_t loop_index, std::move_only_function<void()> work) {
    state_->workers[loop_index]->loop().post(std::move(work));
}

Stats Server::stats(std::size_t loop_index) const { return state_->workers[loop_index]->stats(); }

Stats Server::stats() const {
    Stats total;
    for (auto const& worker : state_->workers) total += worker->stats();
    return total;
}

}  // namespace quern::server
