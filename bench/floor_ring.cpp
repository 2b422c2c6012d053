// SPDX-License-Identifier: Apache-2.0
//
// The answer of floor.cpp through io_uring: what a second way to wait for requests could gain at the most.
// `floor_ring PORT`. Connections and bytes arrive by multishot operations into a ring of buffers; answers
// leave by plain send(), which needs no lifetime beyond the call.

#include <liburing.h>

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "floor.h"
#include "program.h"

namespace {

constexpr unsigned entries = 4096;
constexpr unsigned buffers = 1024;  // a power of two
constexpr unsigned buffer_bytes = 4096;
constexpr int buffer_group = 1;
constexpr std::uint64_t accepting = 1;  // the other operations' data are descriptors shifted by one

class Ring {
public:
    Ring() {
        io_uring_params params{};
        params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE;
        params.cq_entries = 4 * entries;
        bench::require(io_uring_queue_init_params(entries, &ring_, &params) == 0, "the kernel lends a ring");
        io_uring_register_ring_fd(&ring_);
        void* memory = nullptr;
        bench::require(::posix_memalign(&memory, 4096, buffers * sizeof(io_uring_buf)) == 0, "memory");
        io_uring_buf_reg registration{};
        registration.ring_addr = reinterpret_cast<std::uintptr_t>(memory);
        registration.ring_entries = buffers;
        registration.bgid = buffer_group;
        bench::require(io_uring_register_buf_ring(&ring_, &registration, 0) == 0, "it takes the buffers");
        lent_ = static_cast<io_uring_buf_ring*>(memory);
        io_uring_buf_ring_init(lent_);
        bytes_ = static_cast<char*>(std::malloc(std::size_t{buffers} * buffer_bytes));
        for (unsigned id = 0; id < buffers; ++id) lend(static_cast<std::uint16_t>(id));
        give_back_lent();
    }
    ~Ring() {
        io_uring_queue_exit(&ring_);
        std::free(bytes_);
    }
    Ring(Ring const&) = delete;
    Ring& operator=(Ring const&) = delete;

    void accept(int listener) {
        io_uring_sqe* const entry = next();
        io_uring_prep_multishot_accept(entry, listener, nullptr, nullptr, SOCK_CLOEXEC);
        io_uring_sqe_set_data64(entry, accepting);
    }
    void receive(int fd) {
        io_uring_sqe* const entry = next();
        io_uring_prep_recv_multishot(entry, fd, nullptr, 0, 0);
        entry->flags |= IOSQE_BUFFER_SELECT;
        entry->buf_group = buffer_group;
        io_uring_sqe_set_data64(entry, static_cast<std::uint64_t>(fd) << 1);
    }
    [[nodiscard]] char const* buffer(unsigned id) const { return bytes_ + std::size_t{id} * buffer_bytes; }
    void lend(std::uint16_t id) {
        io_uring_buf_ring_add(lent_, bytes_ + std::size_t{id} * buffer_bytes, buffer_bytes, id,
                              io_uring_buf_ring_mask(buffers), static_cast<int>(lent_count_++));
    }
    void give_back_lent() {
        io_uring_buf_ring_advance(lent_, static_cast<int>(lent_count_));
        lent_count_ = 0;
    }
    void wait() { io_uring_submit_and_wait(&ring_, 1); }
    template <class F>
    void each(F const& take) {
        unsigned head = 0;
        unsigned count = 0;
        io_uring_cqe* done = nullptr;
        io_uring_for_each_cqe(&ring_, head, done) {
            take(*done);
            ++count;
        }
        io_uring_cq_advance(&ring_, count);
    }

private:
    io_uring_sqe* next() {
        io_uring_sqe* entry = io_uring_get_sqe(&ring_);
        while (entry == nullptr) {
            io_uring_submit(&ring_);
            entry = io_uring_get_sqe(&ring_);
        }
        return entry;
    }
    io_uring ring_{};
    io_uring_buf_ring* lent_ = nullptr;
    char* bytes_ = nullptr;
    unsigned lent_count_ = 0;
};

void serve(Ring& ring, int listener) {
    ring.accept(listener);
    while (bench::floor_stopped == 0) {
        ring.wait();
        ring.each([&](io_uring_cqe const& done) {
            bool const more = (done.flags & IORING_CQE_F_MORE) != 0;
            if (done.user_data == accepting) {
                if (done.res >= 0) ring.receive(done.res);
                if (!more) ring.accept(listener);
                return;
            }
            int const fd = static_cast<int>(done.user_data >> 1);
            if (done.res > 0) {
                auto const id = static_cast<std::uint16_t>(done.flags >> IORING_CQE_BUFFER_SHIFT);
                std::string_view const bytes(ring.buffer(id), static_cast<std::size_t>(done.res));
                if (bytes.ends_with("\r\n\r\n"))
                    ::send(fd, bench::floor_response.data(), bench::floor_response.size(), MSG_NOSIGNAL);
                ring.lend(id);
            }
            if (more) return;
            if (done.res > 0 || done.res == -ENOBUFS) {
                ring.receive(fd);
            } else {
                ::close(fd);
            }
        });
        ring.give_back_lent();
    }
}

}  // namespace

int main(int count, char** arguments) {
    std::uint16_t const port = bench::port_of(count, arguments);
    bench::stop_floor_on_signals();
    int const listener = bench::open_floor_listener(port, 0);
    bench::require(listener >= 0, "it listens");
    Ring ring;
    serve(ring, listener);
    ::close(listener);
    return 0;
}
