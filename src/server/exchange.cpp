// SPDX-License-Identifier: Apache-2.0
#include "server/exchange.h"

#include <utility>

#include <quern/assert.h>
#include "server/connection.h"
#include "server/worker.h"

namespace quern::server {

void ServerExchange::finish() {
    if (!worker_.loop().is_current()) {
        worker_.loop().post(static_cast<os::PostedWork&>(*this));
        return;
    }
    QUERN_ASSERT(!finished, "an exchange is finished exactly once");
    finished = true;
    if (!in_handler) connection->on_finished();
}

void ServerExchange::run() { finish(); }

void ServerExchange::post(std::move_only_function<void()> work) { worker_.loop().post(std::move(work)); }

std::size_t ServerExchange::loop_index() const { return worker_.index(); }

void ServerExchange::reset() {
    reader.reset();
    request = {};
    response.body.shrink(body_kept_bytes_max);
    response.extra_headers.shrink(headers_kept_bytes_max);
    response.clear();
    arena.reset();
    pieces.reset();
    answer.reset();
    body_source = nullptr;
    answer_sink = nullptr;
    user = nullptr;
    connection = nullptr;
    in_handler = finished = continue_sent = keep_alive = false;
}

}  // namespace quern::server
