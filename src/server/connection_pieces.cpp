// SPDX-License-Identifier: Apache-2.0

// What a connection does for bodies that are taken while they arrive, and for answers that leave while they
// are made. Both go on where a handler waits; see body_pieces.h and answer_pieces.h.

#include <algorithm>
#include <utility>

#include "server/connection.h"
#include "server/worker.h"

namespace quern::server {

// ---- a body in pieces

void Connection::on_body_wanted() {
    body_wait_began_us_ = worker_.loop().now_us();
    if (exchange_->reader.awaits_continue() && !exchange_->continue_sent) {
        exchange_->continue_sent = true;
        append_output(http::continue_response);
    }
    watch_body();
}

void Connection::on_body_taken() { watch_body(); }

// Reads while there is room, unless output is in front. The deadline is the client's, so it runs only while
// the handler waits.
void Connection::watch_body() {
    if (phase_ != Phase::serving || !in_pieces() || output_waits()) return;
    watch(exchange_->pieces.has_room() ? os::Ready::read : os::Ready::none);
    if (!exchange_->pieces.is_waited_for() || body_due_) return worker_.set_deadline(slot_, Worker::never_us);
    auto const& timeouts = worker_.options().timeouts;
    std::uint64_t const earned_s =
        exchange_->reader.body_received() / std::max<std::uint64_t>(timeouts.body_rate_min, 1);
    std::int64_t const by_rate_us = body_wait_began_us_ - body_waited_us_ + to_us(timeouts.body_grace) +
                                    static_cast<std::int64_t>(earned_s) * 1'000'000;
    std::int64_t const by_stall_us = worker_.loop().now_us() + to_us(timeouts.body_stall);
    worker_.set_deadline(slot_, std::min(by_rate_us, by_stall_us));
}

void Connection::on_body_readable() {
    if (output_waits() || !exchange_->pieces.has_room())
        return watch(output_waits() ? os::Ready::write : os::Ready::none);
    auto const received = os::receive(socket_.get(), worker_.receive_buffer());
    if (received.outcome == os::Transfer::would_block) return;
    if (received.outcome == os::Transfer::failed) return abandon();
    if (received.bytes == 0) {
        input_ended_ = true;
        return fail_body(Error(ErrorCode::request_incomplete));
    }
    worker_.counters.bytes_received.add(received.bytes);
    take_body({worker_.receive_buffer().data(), received.bytes});
}

void Connection::take_body(std::string_view bytes) {
    http::RequestReader& reader = exchange_->reader;
    auto const progress = reader.feed_piece(bytes, exchange_->pieces.arrived());
    if (progress.outcome == http::RequestReader::Outcome::refused) {
        bool const too_large = reader.error() == http::body_too_large;
        return fail_body(Error(too_large ? ErrorCode::too_large : ErrorCode::body_invalid,
                               std::string(reader.error().message)));
    }
    if (progress.outcome == http::RequestReader::Outcome::complete) {
        exchange_->pieces.end();
        if (progress.consumed < bytes.size()) keep_input(bytes.substr(progress.consumed));
    }
    body_came();
}

void Connection::fail_body(Error error) {
    exchange_->keep_alive = false;
    exchange_->pieces.fail(std::move(error));
    if (phase_ == Phase::serving && !output_waits()) watch(os::Ready::none);
    body_came();
}

// The handler goes on at the end of the iteration, when nobody is in the middle of something here.
void Connection::body_came() {
    if (!exchange_->pieces.is_waited_for() || body_due_) return;
    if (!exchange_->pieces.has_something()) return watch_body();
    body_waited_us_ += worker_.loop().now_us() - body_wait_began_us_;
    worker_.set_deadline(slot_, Worker::never_us);
    body_due_ = true;
    worker_.to_resume(*this);
}

// ---- an answer in pieces

void Connection::on_answer_started() {
    ServerExchange& exchange = *exchange_;
    http::Response& response = exchange.response;
    bool const is_old = exchange.reader.head().minor_version == 0;
    if (response.close || !exchange.keep_alive || is_old || worker_.stopping()) closing_ = true;
    add_cors(exchange);
    auto const end = is_old ? http::BodyEnd::close : http::BodyEnd::chunks;
    exchange.answer.start(
        end, exchange.request.method != http::Method::head && !http::is_bodiless(response.status));
    append_output({});
    http::append_head(worker_.output(), response, worker_.date_line(), connection_line(exchange), end);
    output_end_ = worker_.output().size();
    response.clear();
}

std::size_t Connection::write_answer(std::string_view bytes) {
    append_output({});
    if (exchange_->answer.has_body()) {
        if (exchange_->answer.end() == http::BodyEnd::chunks) {
            http::append_chunk(worker_.output(), bytes);
        } else {
            worker_.output().append(bytes);
        }
        output_end_ = worker_.output().size();
    }
    return output_end_ - output_begin_ + unsent_.size() - unsent_offset_;
}

// Everything has been taken, or nobody will.
void Connection::answer_taken() {
    if (!exchange_->answer.is_waited_for() || answer_due_) return;
    answer_due_ = true;
    worker_.to_resume(*this);
}

// Where the handler failed on the way the connection is cut: a last chunk would say that all is there.
void Connection::end_answer(std::unique_ptr<ServerExchange> exchange) {
    constexpr int first_error = 400;
    bool const failed = exchange->response.status >= first_error;
    bool const has_end = exchange->answer.has_body() && exchange->answer.end() == http::BodyEnd::chunks;
    append_output(has_end && !failed ? http::last_chunk : std::string_view());
    worker_.give_exchange(std::move(exchange));
    if (!failed) return;
    // What was written in front of the failure is the client's, as far as it is taken at once.
    std::string_view const written =
        worker_.output().view().substr(output_begin_, output_end_ - output_begin_);
    if (unsent_.empty() && !sending_) worker_.counters.bytes_sent.add(os::send(socket_.get(), written).bytes);
    closing_ = true;
    os::reset_on_close(socket_.get());
    close();
}

}  // namespace quern::server
