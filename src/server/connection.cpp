// SPDX-License-Identifier: Apache-2.0
#include "server/connection.h"

#include <algorithm>
#include <utility>

#include <quern/assert.h>
#include "server/worker.h"

namespace quern::server {

void Connection::start(os::Fd socket, os::PeerAddress const& peer) {
    QUERN_ASSERT(phase_ == Phase::unused, "only an unused connection can start");
    socket_ = std::move(socket);
    peer_ = peer;
    phase_ = Phase::serving;
    interest_ = os::Ready::read;
    open_ = closing_ = input_ended_ = body_due_ = answer_due_ = false;
    output_begin_ = output_end_ = 0;
    if (!worker_.loop().add(socket_.get(), interest_, *this)) {
        abandon();
        return;
    }
    set_reading_deadline();
}

// ---- input

void Connection::on_ready(os::Ready ready) {
    if (phase_ == Phase::lingering) return drain();
    if (phase_ != Phase::serving) return;
    if (os::has(ready, os::Ready::write)) on_writable();
    if (phase_ != Phase::serving) return;
    if (os::has(ready, os::Ready::read)) return on_readable();
    // Both directions are shut, or the connection was reset: no answer can arrive any more.
    if (os::has(ready, os::Ready::failed)) abandon();
}

void Connection::on_readable() {
    if (in_pieces()) return on_body_readable();
    if (open_ || !input_.empty() || output_waits() || closing_ || input_ended_) {
        // Not now. What is there will be reported again when reading is watched again.
        watch(output_waits() ? os::Ready::write : os::Ready::none);
        return;
    }
    auto const received = os::receive(socket_.get(), worker_.receive_buffer());
    if (received.outcome == os::Transfer::would_block) return;
    if (received.outcome == os::Transfer::failed) return abandon();
    if (received.bytes == 0) return on_end_of_input();
    worker_.counters.bytes_received.add(received.bytes);
    consume({worker_.receive_buffer().data(), received.bytes});
}

void Connection::on_end_of_input() {
    input_ended_ = true;
    if (exchange_ && exchange_->reader.started()) {
        refuse(exchange_->reader.cut_off());
    } else if (!dirty_) {
        close();
    }
}

void Connection::on_resume() {
    if (std::exchange(body_due_, false)) {
        worker_.request_handled();
        return exchange_->pieces.deliver();
    }
    if (std::exchange(answer_due_, false)) {
        worker_.request_handled();
        return exchange_->answer.deliver();
    }
    if (phase_ != Phase::serving || open_ || closing_ || output_waits() || input_.empty()) return;
    Buffer kept = std::exchange(input_, Buffer());
    consume(kept.view());
    worker_.give_buffer(std::move(kept));
    if (phase_ != Phase::serving || open_ || closing_ || dirty_ || !input_.empty()) return;
    if (input_ended_) return on_end_of_input();
    watch(os::Ready::read);
}

void Connection::consume(std::string_view bytes) {
    while (!bytes.empty()) {
        if (!consume_request(bytes)) return;
    }
    set_reading_deadline();
}

bool Connection::consume_request(std::string_view& bytes) {
    if (!exchange_) exchange_ = worker_.take_exchange(*this);
    if (!exchange_->reader.started()) exchange_->started_us = worker_.loop().now_us();
    bool const had_head = exchange_->reader.in_body();
    auto const progress = read_request(bytes);
    bytes.remove_prefix(progress.consumed);
    switch (progress.outcome) {
    case http::RequestReader::Outcome::more:
        if (!had_head) exchange_->body_started_us = worker_.loop().now_us();
        if (exchange_->reader.awaits_continue() && !exchange_->continue_sent) {
            exchange_->continue_sent = true;
            append_output(http::continue_response);
        }
        return true;
    case http::RequestReader::Outcome::head: dispatch_head(bytes); return false;
    case http::RequestReader::Outcome::refused: refuse(exchange_->reader.error()); return false;
    case http::RequestReader::Outcome::complete: break;
    }
    dispatch();
    if (open_ || closing_ || output_waits() || output_end_ - output_begin_ > connection_output_bytes_max) {
        if (!closing_ && !bytes.empty()) keep_input(bytes);
        if (open_) worker_.set_deadline(slot_, Worker::never_us);
        return false;
    }
    return true;
}

// The whole request; or its head, where the handler wants the body in pieces.
http::RequestReader::Progress Connection::read_request(std::string_view bytes) {
    http::RequestReader& reader = exchange_->reader;
    std::uint64_t const whole_max = worker_.options().body_bytes_max;
    std::uint64_t const streamed_max = worker_.options().streamed_body_bytes_max;
    if (streamed_max == 0 || reader.in_body()) return reader.feed(bytes, whole_max);
    auto const head = reader.feed_to_body(bytes, std::max(whole_max, streamed_max));
    if (head.outcome != http::RequestReader::Outcome::head) return head;
    constexpr auto refused = http::RequestReader::Outcome::refused;
    if (!reader.build(exchange_->request, exchange_->arena)) return {refused, head.consumed};
    bool const in_pieces = worker_.handler().wants_body_in_pieces(exchange_->request);
    if (!reader.begin_body(in_pieces ? streamed_max : whole_max)) return {refused, head.consumed};
    if (in_pieces) return head;
    exchange_->request = {};  // it is built again around its body
    auto body = reader.feed(bytes.substr(head.consumed), whole_max);
    body.consumed += head.consumed;
    return body;
}

void Connection::keep_input(std::string_view bytes) {
    if (input_.capacity() == 0) input_ = worker_.take_buffer();
    input_.append(bytes);
}

// ---- requests and answers

void Connection::dispatch() {
    ServerExchange& exchange = *exchange_;
    if (!exchange.reader.build(exchange.request, exchange.arena)) return refuse(exchange.reader.error());
    begin_answer(exchange);
    if (exchange.request.method == http::Method::options &&
        (exchange.reader.head().asterisk || http::is_preflight(exchange.request))) {
        answer_itself(exchange);
        return respond(std::move(exchange_));
    }
    call_handler(exchange);
}

// The handler takes the body while it arrives; `body` is what has come of it.
void Connection::dispatch_head(std::string_view body) {
    ServerExchange& exchange = *exchange_;
    begin_answer(exchange);
    exchange.pieces.start(*this);
    exchange.body_source = &exchange.pieces;
    body_waited_us_ = 0;
    worker_.set_deadline(slot_, Worker::never_us);
    open_ = true;
    if (!body.empty()) take_body(body);
    call_handler(exchange);
}

void Connection::begin_answer(ServerExchange& exchange) {
    worker_.counters.requests.add(1);
    exchange.started_us = worker_.loop().now_us();
    exchange.request.peer_address = peer_.view();
    exchange.keep_alive = exchange.reader.head().keep_alive && !worker_.stopping();
}

void Connection::call_handler(ServerExchange& exchange) {
    worker_.request_handled();
    exchange.answer.set_connection(this);
    exchange.answer_sink = &exchange.answer;
    open_ = true;
    exchange.in_handler = true;
    worker_.handler().handle(exchange);
    exchange.in_handler = false;
    if (!exchange.finished) return;
    open_ = false;
    respond(std::move(exchange_));
}

void Connection::answer_itself(ServerExchange& exchange) {
    if (http::is_preflight(exchange.request)) {
        http::answer_preflight(worker_.options().cors, exchange.request, exchange.response);
        return;
    }
    exchange.response.status = 204;
    exchange.response.content_type = {};
    exchange.response.add_header("Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
}

void Connection::on_finished() {
    open_ = false;
    if (phase_ == Phase::abandoned) {
        worker_.give_exchange(std::move(exchange_));
        phase_ = Phase::unused;
        worker_.retire(*this);
        return;
    }
    respond(std::move(exchange_));
}

void Connection::respond(std::unique_ptr<ServerExchange> exchange) {
    http::Response& response = exchange->response;
    // What the handler has not read of a body cannot be told from a next request.
    bool const unread = exchange->pieces.is_active() && !exchange->pieces.is_complete();
    if (response.close || !exchange->keep_alive || unread || worker_.stopping()) closing_ = true;
    if (exchange->answer.is_started()) return end_answer(std::move(exchange));
    bool const with_body =
        exchange->request.method != http::Method::head && !http::is_bodiless(response.status);
    if (!exchange->request.target
             .empty()) {  // empty when the head was refused, and then nothing of it counts
        if (response.body.size() >= worker_.options().compress_bytes_min) {
            worker_.compressor().apply(exchange->request, response, worker_.options().compress_bytes_min);
        }
        add_cors(*exchange);
    }
    bool const copied = response.body.size() <= copied_body_bytes_max;
    render(*exchange, with_body && copied);
    if (with_body && !copied) {
        sending_ = std::move(exchange);
        body_offset_ = 0;
    } else {
        worker_.give_exchange(std::move(exchange));
    }
}

void Connection::add_cors(ServerExchange& exchange) {
    std::uint8_t const field = exchange.reader.head().origin_field;
    if (field == http::Head::no_field || http::is_preflight(exchange.request)) return;
    http::add_cors_headers(worker_.options().cors, exchange.request.headers[field].value, exchange.response);
}

http::ConnectionLine Connection::connection_line(ServerExchange const& exchange) const {
    if (closing_) return http::ConnectionLine::close;
    bool const is_old = exchange.reader.head().minor_version == 0;
    return is_old ? http::ConnectionLine::keep_alive : http::ConnectionLine::none;
}

void Connection::render(ServerExchange& exchange, bool with_body) {
    append_output({});
    Buffer& output = worker_.output();
    http::append_head(output, exchange.response, worker_.date_line(), connection_line(exchange));
    if (with_body) output.append(exchange.response.body.view());
    output_end_ = output.size();
}

void Connection::refuse(http::ProtocolError const& error) {
    worker_.counters.requests_refused.add(1);
    closing_ = true;
    // The head may be half parsed: nothing but its method may show in the answer.
    exchange_->request = {};
    exchange_->request.method = exchange_->reader.head().method;
    http::render_error(error, exchange_->response);
    respond(std::move(exchange_));
}

// Appends to this connection's run of bytes in the shared output. The run is moved to the end first when
// another connection has written behind it.
void Connection::append_output(std::string_view bytes) {
    Buffer& output = worker_.output();
    std::size_t const size = output_end_ - output_begin_;
    if (output_end_ != output.size()) {
        char* const place = output.reserve(size);
        std::copy_n(output.data() + output_begin_, size, place);
        output_begin_ = output.size();
        output.advance(size);
    }
    output.append(bytes);
    output_end_ = output.size();
    if (!dirty_) {
        dirty_ = true;
        worker_.to_flush(*this);
    }
}

// ---- output

std::string_view Connection::body_being_sent() const {
    return sending_ ? sending_->response.body.view().substr(body_offset_) : std::string_view();
}

void Connection::flush() {
    dirty_ = false;
    std::string_view const rendered =
        worker_.output().view().substr(output_begin_, output_end_ - output_begin_);
    output_begin_ = output_end_ = 0;
    if (phase_ != Phase::serving) return;
    if (unsent_.size() > 0 || os::has(interest_, os::Ready::write)) {
        // Earlier bytes wait for the client, so these have to wait behind them.
        unsent_.append(rendered);
        return;
    }
    send_waiting(rendered);
}

void Connection::on_writable() {
    if (!output_waits()) return;
    send_waiting(unsent_.view().substr(unsent_offset_));
}

// Sends `first` and then the rest of the large body, as far as the client takes it.
void Connection::send_waiting(std::string_view first) {
    std::string_view const body = body_being_sent();
    auto const sent = body.empty() ? os::send(socket_.get(), first) : os::send(socket_.get(), first, body);
    if (sent.outcome == os::Transfer::failed) return abandon();
    worker_.counters.bytes_sent.add(sent.bytes);
    if (sent.bytes == first.size() + body.size()) return output_done();

    bool const from_unsent = !unsent_.empty();
    std::size_t const sent_first = std::min(sent.bytes, first.size());
    if (from_unsent) {
        unsent_offset_ += sent_first;
    } else if (sent_first < first.size()) {
        unsent_ = worker_.take_buffer();
        unsent_offset_ = 0;
        unsent_.append(first.substr(sent_first));
    }
    body_offset_ += sent.bytes - sent_first;
    if (sent.bytes > 0 || !os::has(interest_, os::Ready::write)) {
        worker_.set_deadline(slot_, worker_.loop().now_us() + to_us(worker_.options().timeouts.write_stall));
    }
    watch(os::Ready::write);
}

void Connection::output_done() {
    if (unsent_.capacity() > 0) {
        worker_.give_buffer(std::exchange(unsent_, Buffer()));
        unsent_offset_ = 0;
    }
    if (sending_) worker_.give_exchange(std::move(sending_));
    if (open_) answer_taken();
    if (in_pieces()) return watch_body();
    if (open_) {
        if (os::has(interest_, os::Ready::write)) watch(os::Ready::none);
        worker_.set_deadline(slot_, Worker::never_us);
        return;
    }
    if (closing_) return end();
    if (!input_.empty()) {
        if (os::has(interest_, os::Ready::write)) watch(os::Ready::none);
        return worker_.to_resume(*this);
    }
    if (input_ended_) return on_end_of_input();
    if (interest_ != os::Ready::read) watch(os::Ready::read);
    set_reading_deadline();
}

// ---- the end

// The last answer is out. The client may still be sending: closing now would reset the connection, and the
// client could lose the answer. So our side is closed first, and what comes is thrown away for a while.
void Connection::end() {
    if (input_ended_) return close();
    os::shutdown_send(socket_.get());
    phase_ = Phase::lingering;
    linger_left_ = linger_bytes_max;
    auto const& timeouts = worker_.options().timeouts;
    auto const wait = worker_.stopping() ? std::min(timeouts.linger, timeouts.stop_idle) : timeouts.linger;
    worker_.set_deadline(slot_, worker_.loop().now_us() + to_us(wait));
    if (input_.capacity() > 0) worker_.give_buffer(std::exchange(input_, Buffer()));
    watch(os::Ready::read);
}

void Connection::drain() {
    constexpr std::size_t bytes_per_event_max = 1024 * 1024;
    auto const dropped = os::discard(socket_.get(), bytes_per_event_max);
    if (dropped.outcome == os::Transfer::would_block) return;
    worker_.counters.bytes_received.add(dropped.bytes);
    if (dropped.outcome == os::Transfer::failed || dropped.bytes == 0 || dropped.bytes > linger_left_)
        return close();
    linger_left_ -= dropped.bytes;
}

void Connection::on_timeout() {
    if (phase_ != Phase::serving) return close();
    if (output_waits()) {
        worker_.counters.timeouts.add(1);
        os::reset_on_close(socket_.get());
        return close();
    }
    worker_.counters.timeouts.add(1);
    if (in_pieces()) return fail_body(Error(ErrorCode::request_timeout));
    if (exchange_ && !open_ && exchange_->reader.started()) {
        return refuse({408, "The request did not arrive in time."});
    }
    close();
}

void Connection::on_drain() {
    auto const& timeouts = worker_.options().timeouts;
    std::int64_t const soon_us = worker_.loop().now_us() + to_us(timeouts.stop_idle);
    bool const idle = phase_ == Phase::serving && !open_ && !dirty_ && !output_waits() && input_.empty() &&
                      !(exchange_ && exchange_->reader.started());
    if (idle || phase_ == Phase::lingering) worker_.set_deadline(slot_, soon_us);
}

void Connection::close() {
    if (phase_ == Phase::serving || phase_ == Phase::lingering) abandon();
}

void Connection::abandon() {
    socket_.reset();
    worker_.set_deadline(slot_, Worker::never_us);
    if (input_.capacity() > 0) worker_.give_buffer(std::exchange(input_, Buffer()));
    if (unsent_.capacity() > 0) worker_.give_buffer(std::exchange(unsent_, Buffer()));
    unsent_offset_ = 0;
    if (sending_) worker_.give_exchange(std::move(sending_));
    if (open_) {
        // The handler still works on it; on_finished() ends the story.
        phase_ = Phase::abandoned;
        if (in_pieces()) fail_body(Error(ErrorCode::request_incomplete));
        answer_taken();
        return;
    }
    if (exchange_) worker_.give_exchange(std::move(exchange_));
    phase_ = Phase::unused;
    worker_.retire(*this);
}

void Connection::watch(os::Ready interest) {
    if (interest_ == interest) return;
    interest_ = interest;
    worker_.loop().modify(socket_.get(), interest, *this);
}

void Connection::set_reading_deadline() {
    auto const& timeouts = worker_.options().timeouts;
    std::int64_t const now_us = worker_.loop().now_us();
    if (!exchange_ || !exchange_->reader.started()) {
        auto const wait = worker_.stopping() ? timeouts.stop_idle : timeouts.idle;
        worker_.set_deadline(slot_, now_us + to_us(wait));
    } else if (!exchange_->reader.in_body()) {
        worker_.set_deadline(slot_, exchange_->started_us + to_us(timeouts.head));
    } else {
        std::uint64_t const earned_s =
            exchange_->reader.body_received() / std::max<std::uint64_t>(timeouts.body_rate_min, 1);
        std::int64_t const by_rate_us = exchange_->body_started_us + to_us(timeouts.body_grace) +
                                        static_cast<std::int64_t>(earned_s) * 1'000'000;
        worker_.set_deadline(slot_, std::min(by_rate_us, now_us + to_us(timeouts.body_stall)));
    }
}

}  // namespace quern::server
