// SPDX-License-Identifier: Apache-2.0
#include "app/load_worker.h"

#include <algorithm>
#include <span>

#include "os/fd.h"
#include "os/socket.h"

namespace quern::app {

namespace {

constexpr std::int64_t look_interval_us = 50'000;
// At a fixed rate the next request is waited for awake when it is so near: the system's timer is coarser.
constexpr std::int64_t awake_us = 2'000;
constexpr std::size_t receive_bytes = 64 * 1024;

}  // namespace

void LoadOutcome::add(LoadOutcome const& other) {
    latencies.add(other.latencies);
    complete += other.complete;
    bytes += other.bytes;
    for (std::size_t index = 0; index < statuses.size(); ++index) statuses[index] += other.statuses[index];
    refused += other.refused;
    broken += other.broken;
    timed_out += other.timed_out;
}

class LoadWorker::Connection final : public os::EventSource {
public:
    explicit Connection(LoadWorker& worker) : worker_(worker) {}

    void on_ready(os::Ready ready) override {
        if (!socket) return;
        if (os::has(ready, os::Ready::write)) flush();
        if (socket && (os::has(ready, os::Ready::read) || os::has(ready, os::Ready::failed))) receive();
    }

    void start(std::int64_t intended, std::uint64_t key) {
        intended_us = intended;
        sent_us = worker_.clock_.monotonic_us();
        is_waiting = true;
        bytes = 0;
        reader.start(worker_.plan_.request.is_head());
        output_.clear();
        worker_.plan_.request.write(key, output_);
        written_ = 0;
        flush();
    }

    os::Fd socket;
    LoadResponseReader reader;
    bool is_waiting = false;
    std::int64_t intended_us = 0;
    std::int64_t sent_us = 0;
    std::uint64_t bytes = 0;

private:
    void flush() {
        while (written_ < output_.size()) {
            auto const sent = os::send(socket.get(), output_.view().substr(written_));
            if (sent.outcome == os::Transfer::failed) return worker_.failed(*this);
            if (sent.outcome == os::Transfer::would_block) return watch(true);
            written_ += sent.bytes;
        }
        if (watches_write_) watch(false);
    }
    void watch(bool write) {
        watches_write_ = write;
        worker_.loop_->modify(socket.get(), write ? os::Ready::read | os::Ready::write : os::Ready::read,
                              *this);
    }
    void receive() {
        thread_local std::array<char, receive_bytes> buffer;
        auto const received = os::receive(socket.get(), buffer);
        if (received.outcome == os::Transfer::would_block) return;
        bool const closed = received.outcome == os::Transfer::failed || received.bytes == 0;
        if (!is_waiting) return worker_.failed(*this);  // closed while idle, or bytes nobody asked for
        bytes += received.bytes;
        std::string_view rest(buffer.data(), received.bytes);
        auto const state = closed ? reader.closed() : reader.read(rest);
        if (state == LoadResponseReader::State::more) return;
        if (state == LoadResponseReader::State::broken || !rest.empty()) return worker_.failed(*this);
        worker_.answered(*this);
    }

    LoadWorker& worker_;
    Buffer output_;
    std::size_t written_ = 0;
    bool watches_write_ = false;
};

LoadWorker::LoadWorker(os::Clock const& clock, LoadPlan plan)
    : clock_(clock), plan_(std::move(plan)), random_(plan_.seed * 0x9e37'79b9'7f4a'7c15 + 1) {}

LoadWorker::~LoadWorker() = default;

Result<LoadOutcome> LoadWorker::run() {
    QUERN_TRY(loop_, os::EventLoop::create(clock_));
    for (std::size_t index = 0; index < plan_.connections; ++index) {
        connections_.push_back(std::make_unique<Connection>(*this));
        QUERN_CHECK(open(*connections_.back()));
    }
    loop_->set_timer_us(plan_.start_us);
    loop_->run(*this);
    connections_.clear();
    loop_.reset();
    return std::move(outcome_);
}

Result<void> LoadWorker::open(Connection& connection) {
    QUERN_TRY(connection.socket, os::connect_tcp(plan_.target.host, plan_.target.port));
    os::set_non_blocking(connection.socket.get());
    return loop_->add(connection.socket.get(), os::Ready::read, connection);
}

// --- asking ---

std::int64_t LoadWorker::due_us(std::uint64_t index) const {
    return plan_.start_us + static_cast<std::int64_t>(static_cast<double>(index) * 1e6 / plan_.rate);
}

std::uint64_t LoadWorker::next_key() {
    // splitmix64 (public domain, Sebastiano Vigna)
    std::uint64_t value = random_ += 0x9e37'79b9'7f4a'7c15;
    value = (value ^ (value >> 30U)) * 0xbf58'476d'1ce4'e5b9;
    value = (value ^ (value >> 27U)) * 0x94d0'49bb'1331'11eb;
    return (value ^ (value >> 31U)) % plan_.keys + 1;
}

void LoadWorker::send_next(Connection& connection, std::int64_t intended_us) {
    ++waiting_;
    connection.start(intended_us, next_key());
}

// Those whose moment has come, as far as there are connections without a request.
void LoadWorker::send_due() {
    std::int64_t const now_us = clock_.monotonic_us();
    while (!idle_.empty() && due_us(sent_) <= std::min(now_us, plan_.end_us - 1)) {
        Connection* const connection = idle_.back();
        idle_.pop_back();
        send_next(*connection, due_us(sent_++));
    }
}

void LoadWorker::idle(Connection& connection) {
    if (plan_.rate > 0) {
        idle_.push_back(&connection);
    } else if (!is_over()) {
        send_next(connection, clock_.monotonic_us());
    }
}

void LoadWorker::answered(Connection& connection) {
    std::int64_t const now_us = clock_.monotonic_us();
    --waiting_;
    connection.is_waiting = false;
    progress_.fetch_add(1, std::memory_order_relaxed);
    if (connection.intended_us >= plan_.measure_us) outcome_.latencies.add(now_us - connection.intended_us);
    if (now_us >= plan_.measure_us && now_us < plan_.end_us) {
        ++outcome_.complete;
        outcome_.bytes += connection.bytes;
        auto const kind = static_cast<std::size_t>(connection.reader.status() / 100);
        ++outcome_.statuses[std::min(kind, outcome_.statuses.size() - 1)];
    }
    if (!connection.reader.keeps_connection()) {
        connection.socket.reset();
        if (is_over()) return;
        if (auto opened = open(connection); !opened) {
            ++outcome_.refused;
            return;
        }
    }
    idle(connection);
}

// The connection is of no use any more. It is opened again when the connections are next looked after, so
// that a server which is gone is not asked without a pause.
void LoadWorker::failed(Connection& connection) {
    if (connection.is_waiting) {
        --waiting_;
        connection.is_waiting = false;
        ++outcome_.broken;
    }
    std::erase(idle_, &connection);
    connection.socket.reset();
}

void LoadWorker::look_after() {
    std::int64_t const now_us = clock_.monotonic_us();
    for (auto const& connection : connections_) {
        if (connection->is_waiting && now_us - connection->sent_us > plan_.timeout_us) {
            ++outcome_.timed_out;
            --waiting_;
            connection->is_waiting = false;
            connection->socket.reset();
        }
        if (connection->socket || is_over()) continue;
        if (auto opened = open(*connection); !opened) {
            ++outcome_.refused;
            continue;
        }
        idle(*connection);
    }
}

void LoadWorker::on_timer() {
    if (sent_ == 0 && idle_.empty() && waiting_ == 0) {
        for (auto const& connection : connections_) {
            if (connection->socket) idle(*connection);
        }
    }
    look_after();
    loop_->set_timer_us(clock_.monotonic_us() + look_interval_us);
}

void LoadWorker::on_iteration(bool) {
    if (is_over() && waiting_ == 0) return loop_->quit();
    if (plan_.rate == 0) return;
    send_due();
    if (idle_.empty() || is_over()) return;
    std::int64_t const left_us = due_us(sent_) - clock_.monotonic_us();
    if (left_us < awake_us) {
        loop_->skip_next_wait();
    } else {
        loop_->set_timer_us(std::min(loop_->timer_us(), clock_.monotonic_us() + left_us - awake_us / 2));
    }
}

}  // namespace quern::app
