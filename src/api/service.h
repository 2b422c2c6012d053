// SPDX-License-Identifier: Apache-2.0
#pragma once

// The HTTP API: takes a request from the server, sees it through, and finishes the exchange.
//
// A read is answered on the loop that got it; one that exceeds its budget there is begun again on the slow
// pool. A write is prepared on the loop, applied by the store's writer and answered after its commit; related
// records in its answer are then read as any others. A sign-in waits for the password pool. Nothing here
// blocks a loop.

#include <chrono>
#include <cstddef>
#include <memory>
#include <vector>

#include <quern/http.h>
#include "api/call.h"
#include "api/lane.h"
#include "api/sign_in.h"
#include "api/slow_pool.h"
#include "api/write_call.h"
#include "auth/password_pool.h"
#include "crypto/password.h"
#include "crypto/random.h"
#include "os/clock.h"
#include "store/store.h"

namespace quern::api {

struct ServiceOptions {
    // Event loops that will call handle().
    std::size_t loops = 1;
    // Threads for reads that take longer than `loop_read_max`.
    std::size_t slow_threads = 2;
    // How long one statement may hold up a loop.
    std::chrono::microseconds loop_read_max{2'000};
    // How long one statement may take at all; then 503.
    std::chrono::microseconds slow_read_max{5'000'000};
    // How long a read may wait for the slow pool; then 503.
    std::chrono::microseconds slow_wait_max{10'000'000};
    // Whether writes run on the loop at the end of its iteration (the store's inline_writer).
    bool inline_writer = false;
};

class Service final : public http::Handler {
public:
    // What the service needs; all of it outlives the service.
    struct Needs {
        store::Store& store;
        os::Clock const& clock;
        crypto::Random& random;
        crypto::PasswordHasher& hasher;
        auth::PasswordPool& password_pool;
        RequestObserver* observer = nullptr;
        RecordHooks* hooks = nullptr;
    };

    // Errors: as the engine's open_reader().
    [[nodiscard]] static Result<std::unique_ptr<Service>> open(Needs needs, ServiceOptions options);
    ~Service() override;

    void handle(http::Exchange& exchange) override;
    void iteration_end(std::size_t loop_index) override;

    // Answers a request for records as a part of the write that a hook was called for, inside its transaction
    // and with all rights. A write that fails leaves nothing behind. The exchange is not finished.
    // Threads: the writer's, inside RecordHooks::run().
    void answer_inside(HookCall& outer, http::Exchange& exchange);

    // Ends the slow pool. Call after the server has stopped.
    void stop();

private:
    Service(Needs needs, ServiceOptions options);

    void answer_read(http::Exchange& exchange, Lane& lane, Route const& route);
    void answer_write(http::Exchange& exchange, Lane& lane, Route const& route);
    void answer_sign_in(http::Exchange& exchange, Lane& lane, Route const& route);
    // The answer of a write that is committed, when it shows related records; the job is in exchange.user.
    void answer_written(http::Exchange& exchange, Lane& lane);
    void finish_written(http::Exchange& exchange);
    void answer_slowly(http::Exchange& exchange, Lane& lane);
    [[nodiscard]] Result<void> start_sign_in(http::Exchange& exchange, Lane& lane, Route const& route);
    [[nodiscard]] Result<void> answer_verified(Call& call, PendingSignIn const& sign_in,
                                               Result<auth::SignIn> verified);
    [[nodiscard]] Result<void> open_call(Call& call, Route const& route);
    [[nodiscard]] Result<void> open_for_write(Call& call, Route const& route);
    void submit(http::Exchange& exchange, std::unique_ptr<WriteCall> job);
    void hash_then_submit(http::Exchange& exchange, std::unique_ptr<WriteCall> job);
    [[nodiscard]] Result<void> write_inside(HookCall& outer, http::Exchange& exchange, Call& call);
    [[nodiscard]] std::int64_t now_ms() const { return needs_.clock.realtime_us() / 1000; }
    void refuse(http::Exchange& exchange, Error const& error);
    void finish(http::Exchange& exchange);

    Needs needs_;
    ServiceOptions options_;
    std::vector<std::unique_ptr<Lane>> lanes_;  // one a loop
    Lane writer_lane_{nullptr};
    WriteTools tools_;
    std::vector<std::unique_ptr<Lane>> inside_lanes_;  // by the depth of hooks
    std::unique_ptr<SlowPool> slow_pool_;
};

}  // namespace quern::api
