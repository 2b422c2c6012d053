// SPDX-License-Identifier: Apache-2.0
#include "server/worker.h"

#include <algorithm>
#include <utility>

#include <quern/assert.h>

namespace quern::server {

Worker::Worker(ServerOptions const& options, std::size_t index, std::size_t connections_max,
               http::Handler& handler, std::unique_ptr<os::EventLoop> loop, os::Fd listener)
    : options_(options),
      index_(index),
      connections_max_(connections_max),
      handler_(handler),
      listener_(std::move(listener)),
      receive_(std::make_unique_for_overwrite<char[]>(receive_bytes)),
      loop_(std::move(loop)) {
    spare_exchanges_.reserve(exchanges_kept_max);
    spare_buffers_.reserve(buffers_kept_max);
}

void Worker::run() {
    if (auto const added = loop_->add(listener_.get(), os::Ready::read, *this); !added) {
        // Without a descriptor to watch there is nothing to serve; the other loops go on.
        return;
    }
    loop_->run(*this);
}

Stats Worker::stats() const {
    return {.connections_open = counters.connections_open.get(),
            .connections_accepted = counters.connections_accepted.get(),
            .requests = counters.requests.get(),
            .requests_refused = counters.requests_refused.get(),
            .accept_pauses = counters.accept_pauses.get(),
            .timeouts = counters.timeouts.get(),
            .bytes_received = counters.bytes_received.get(),
            .bytes_sent = counters.bytes_sent.get()};
}

// ---- the iteration

void Worker::on_iteration(bool posted) {
    run_resumable();
    if (handled_ || posted) {
        handled_ = false;
        handler_.iteration_end(index_);
    }
    flush_all();
    free_retired();
    if (!resumable_.empty()) loop_->skip_next_wait();
    if (stopping_ && counters.connections_open.get() == 0) loop_->quit();
}

void Worker::run_resumable() {
    if (resumable_.empty()) return;
    std::swap(resumable_, resuming_);
    for (Connection* const connection : resuming_) connection->on_resume();
    resuming_.clear();
}

void Worker::flush_all() {
    // By index: a flush may end a connection, but never adds output.
    for (std::size_t i = 0; i < dirty_.size(); ++i) dirty_[i]->flush();
    dirty_.clear();
    output_.shrink(output_kept_bytes_max);
    output_.clear();
}

void Worker::free_retired() {
    if (retired_.empty()) return;
    for (Connection* const connection : retired_) free_slots_.push_back(connection->slot());
    counters.connections_open.subtract(retired_.size());
    retired_.clear();
    if (accept_again_us_ != never_us) resume_accepting();
}

std::string_view Worker::date_line() {
    date_.update(loop_->realtime_s());
    return date_.view();
}

// ---- accepting

void Worker::on_ready(os::Ready) { accept_waiting(accepts_per_event_max); }

void Worker::accept_waiting(int count_max) {
    for (int i = 0; i < count_max; ++i) {
        if (counters.connections_open.get() >= connections_max_) return pause_accepting();
        os::Fd socket;
        os::PeerAddress peer;
        switch (os::accept_tcp(listener_.get(), socket, peer)) {
        case os::Accept::accepted: add_connection(std::move(socket), peer); break;
        case os::Accept::none: return;
        case os::Accept::retry: break;
        case os::Accept::exhausted: return pause_accepting();
        }
    }
}

void Worker::add_connection(os::Fd socket, os::PeerAddress const& peer) {
    if (free_slots_.empty()) {
        auto const slot = static_cast<std::uint32_t>(connections_.size());
        connections_.push_back(std::make_unique<Connection>(*this, slot));
        deadlines_us_.push_back(never_us);
        free_slots_.push_back(slot);
        // So that a connection that ends never has to allocate.
        free_slots_.reserve(connections_.capacity());
        retired_.reserve(connections_.capacity());
    }
    std::uint32_t const slot = free_slots_.back();
    free_slots_.pop_back();
    counters.connections_open.add(1);
    counters.connections_accepted.add(1);
    connections_[slot]->start(std::move(socket), peer);
}

// A listener with a connection that cannot be taken would be reported for ever: it is not watched until a
// connection ends, or a while has passed (another process may have freed descriptors).
void Worker::pause_accepting() {
    counters.accept_pauses.add(1);
    if (accept_again_us_ == never_us && listener_) loop_->modify(listener_.get(), os::Ready::none, *this);
    accept_again_us_ = loop_->now_us() + accept_pause_us;
    timer_at(accept_again_us_);
}

void Worker::resume_accepting() {
    accept_again_us_ = never_us;
    if (listener_) loop_->modify(listener_.get(), os::Ready::read, *this);
}

void Worker::retire(Connection& connection) { retired_.push_back(&connection); }

// ---- time

void Worker::set_deadline(std::uint32_t slot, std::int64_t at_us) {
    deadlines_us_[slot] = at_us;
    if (at_us < loop_->timer_us()) timer_at(at_us);
}

void Worker::timer_at(std::int64_t at_us) {
    std::int64_t const earliest_us = loop_->now_us() + to_us(Timeouts::sweep_interval_min);
    std::int64_t const due_us = std::max(at_us, earliest_us);
    if (due_us < loop_->timer_us()) loop_->set_timer_us(due_us);
}

void Worker::on_timer() {
    std::int64_t const now_us = loop_->now_us();
    bool const force = stop_deadline_us_ <= now_us;
    std::int64_t next_us = stop_deadline_us_;
    for (std::size_t slot = 0; slot < deadlines_us_.size(); ++slot) {
        if (force) {
            connections_[slot]->close();
        } else if (deadlines_us_[slot] <= now_us) {
            deadlines_us_[slot] = never_us;
            connections_[slot]->on_timeout();
        }
        next_us = std::min(next_us, deadlines_us_[slot]);
    }
    if (accept_again_us_ <= now_us) resume_accepting();
    next_us = std::min(next_us, accept_again_us_);
    if (force) return loop_->quit();
    if (next_us != never_us) timer_at(next_us);
}

// ---- stopping

void Worker::start_stopping() {
    if (stopping_) return;
    // Connections that the kernel has already accepted for us are clients that count on an answer.
    accept_waiting(std::numeric_limits<int>::max());
    stopping_ = true;
    listener_.reset();
    stop_deadline_us_ = loop_->now_us() + to_us(options_.timeouts.stop);
    timer_at(stop_deadline_us_);
    for (auto const& connection : connections_) connection->on_drain();
}

// ---- memory

std::unique_ptr<ServerExchange> Worker::take_exchange(Connection& connection) {
    std::unique_ptr<ServerExchange> exchange;
    if (spare_exchanges_.empty()) {
        exchange = std::make_unique<ServerExchange>(*this);
    } else {
        exchange = std::move(spare_exchanges_.back());
        spare_exchanges_.pop_back();
    }
    exchange->connection = &connection;
    return exchange;
}

void Worker::give_exchange(std::unique_ptr<ServerExchange> exchange) {
    if (spare_exchanges_.size() >= exchanges_kept_max) return;
    exchange->reset();
    spare_exchanges_.push_back(std::move(exchange));
}

Buffer Worker::take_buffer() {
    if (spare_buffers_.empty()) return {};
    Buffer buffer = std::move(spare_buffers_.back());
    spare_buffers_.pop_back();
    return buffer;
}

void Worker::give_buffer(Buffer buffer) {
    buffer.shrink(buffer_kept_bytes_max);
    buffer.clear();
    if (buffer.capacity() > 0 && spare_buffers_.size() < buffers_kept_max)
        spare_buffers_.push_back(std::move(buffer));
}

}  // namespace quern::server
