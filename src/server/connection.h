// SPDX-License-Identifier: Apache-2.0
#pragma once

// One client's connection: bytes in, requests to the handler, answers out in order.
//
// It reads when nothing is open: while a request is with the handler, or output waits for a slow client, what
// the client sends stays in the kernel, which slows the client down. So there is at most one request in
// progress, one run of small answers waiting, and one large body being sent. A handler that takes the body,
// or makes the answer, in pieces is called before the end of them; that part is in connection_pieces.cpp.
//
// An idle connection owns no buffers. Threads: its loop.

#include <cstdint>
#include <memory>
#include <string_view>

#include <quern/buffer.h>
#include "http/head.h"
#include "http/render.h"
#include "os/fd.h"
#include "os/loop.h"
#include "os/socket.h"
#include "server/exchange.h"

namespace quern::server {

class Worker;

class Connection final : public os::EventSource {
public:
    Connection(Worker& worker, std::uint32_t slot) : worker_(worker), slot_(slot) {}

    // Takes over an accepted socket. The connection must be unused.
    void start(os::Fd socket, os::PeerAddress const& peer);

    void on_ready(os::Ready ready) override;
    // The exchange that was with the handler has its answer.
    void on_finished();
    // Goes on with input that was kept while an answer was due.
    void on_resume();
    // The handler waits for more of the body, or has made room for more.
    void on_body_wanted();
    void on_body_taken();
    // The handler sends its answer while it makes it: the head, then pieces. Returns what waits in all.
    void on_answer_started();
    [[nodiscard]] std::size_t write_answer(std::string_view bytes);
    // The end of the iteration: sends what has been rendered.
    void flush();
    // The deadline has passed.
    void on_timeout();
    // The server is stopping.
    void on_drain();
    // Ends it now, whatever is in progress.
    void close();

    [[nodiscard]] std::uint32_t slot() const { return slot_; }
    [[nodiscard]] bool is_serving() const { return phase_ == Phase::serving; }
    [[nodiscard]] bool is_open() const { return phase_ != Phase::unused; }

private:
    enum class Phase : std::uint8_t {
        unused,  // no socket, and no exchange with the handler
        serving,
        lingering,  // the last answer is out; input is thrown away until the client closes
        abandoned,  // the socket is gone but an exchange is still with the handler
    };

    void on_readable();
    void on_writable();
    void on_end_of_input();
    void drain();
    void consume(std::string_view bytes);
    // One step of consume(); false when no more input may be taken now.
    bool consume_request(std::string_view& bytes);
    [[nodiscard]] http::RequestReader::Progress read_request(std::string_view bytes);
    void dispatch();
    void dispatch_head(std::string_view body);
    void begin_answer(ServerExchange& exchange);
    void call_handler(ServerExchange& exchange);
    void answer_itself(ServerExchange& exchange);
    void respond(std::unique_ptr<ServerExchange> exchange);
    void refuse(http::ProtocolError const& error);

    // A body in pieces. The exchange is with the handler.
    void on_body_readable();
    void take_body(std::string_view bytes);
    void fail_body(Error error);
    void body_came();
    void watch_body();
    void add_cors(ServerExchange& exchange);
    [[nodiscard]] http::ConnectionLine connection_line(ServerExchange const& exchange) const;
    void render(ServerExchange& exchange, bool with_body);
    void end_answer(std::unique_ptr<ServerExchange> exchange);
    void answer_taken();
    void keep_input(std::string_view bytes);
    void append_output(std::string_view bytes);
    void send_waiting(std::string_view first);
    void output_done();
    void end();
    void abandon();
    void watch(os::Ready interest);
    void set_reading_deadline();

    // The body comes in pieces, and more of it is due.
    [[nodiscard]] bool in_pieces() const {
        return open_ && exchange_->pieces.is_active() && !exchange_->pieces.is_over();
    }
    [[nodiscard]] bool output_waits() const { return !unsent_.empty() || sending_ != nullptr; }
    [[nodiscard]] std::string_view body_being_sent() const;

    Worker& worker_;
    std::uint32_t const slot_;
    Phase phase_ = Phase::unused;
    os::Ready interest_ = os::Ready::none;
    bool open_ = false;     // exchange_ is with the handler
    bool closing_ = false;  // no further request is read; the connection ends when the output is out
    bool input_ended_ = false;
    bool dirty_ = false;  // in the worker's list of connections to flush
    // In the worker's list of connections to resume: the handler waits for a piece, or to write one.
    bool body_due_ = false;
    bool answer_due_ = false;
    std::int64_t body_wait_began_us_ = 0;
    std::int64_t body_waited_us_ = 0;  // for this body, without what the handler took
    os::Fd socket_;
    std::unique_ptr<ServerExchange> exchange_;  // being read, or with the handler
    std::unique_ptr<ServerExchange> sending_;   // its body is large and being sent
    std::size_t body_offset_ = 0;               // of it, what has been sent
    Buffer input_;                              // received, to be parsed after the open exchange
    Buffer unsent_;                             // rendered, left over by a short write
    std::size_t unsent_offset_ = 0;
    // This iteration's rendered answers, in the worker's output.
    std::size_t output_begin_ = 0;
    std::size_t output_end_ = 0;
    std::uint64_t linger_left_ = 0;  // bytes that may still be thrown away
    os::PeerAddress peer_;
};

}  // namespace quern::server
