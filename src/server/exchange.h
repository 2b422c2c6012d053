// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server's side of an exchange: a request being read, then answered. Exchanges are kept and used again.

#include <quern/http.h>
#include "http/reader.h"
#include "os/posted.h"
#include "server/answer_pieces.h"
#include "server/body_pieces.h"

namespace quern::server {

class Connection;
class Worker;

class ServerExchange final : public http::Exchange, public os::PostedWork {
public:
    // Kept for the next request. Larger memory is given back.
    static constexpr std::size_t body_kept_bytes_max = 128 * 1024;
    static constexpr std::size_t headers_kept_bytes_max = 4 * 1024;

    explicit ServerExchange(Worker& worker) : worker_(worker) {}

    void finish() override;
    void post(std::move_only_function<void()> work) override;
    [[nodiscard]] std::size_t loop_index() const override;

    // finish() from another thread arrives here, on the loop.
    void run() override;

    // Ready for the next request.
    void reset();

    // The loop's own; not touched by the thread that answers.
    http::RequestReader reader;
    Connection* connection = nullptr;
    std::int64_t body_started_us = 0;
    AnswerPieces answer;         // where it leaves while it is made
    BodyPieces pieces;           // the body, where the handler takes it while it arrives
    bool in_handler = false;     // handle() is on the stack: finish() only has to leave a mark
    bool finished = false;       // finish() was called on the loop's thread
    bool continue_sent = false;  // "100 Continue" has been sent
    bool keep_alive = false;     // decided when the request arrived

private:
    Worker& worker_;
};

}  // namespace quern::server
