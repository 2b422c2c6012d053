// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads one request from a stream of bytes, in pieces of any size.
//
// The bytes that belong to the request are copied once into the reader's own memory, so the request outlives
// the buffer it was received into and may be answered later by another thread. What follows the request is
// left to the caller. A request has the same outcome wherever its bytes were cut.
//
// Threads: one at a time. Cost: no allocation once warm, unless a request is larger than those before it.

#include <cstdint>
#include <string_view>

#include <quern/arena.h>
#include <quern/buffer.h>
#include <quern/http.h>
#include "http/chunked.h"
#include "http/head.h"

namespace quern::http {

class RequestReader {
public:
    // Memory kept for the next request.
    static constexpr std::size_t kept_bytes_max = 16 * 1024;

    enum class Outcome : std::uint8_t {
        more,      // everything was consumed, and it is not enough
        head,      // of feed_to_body() alone: the head is complete, begin_body() is due
        complete,  // build() is due, then reset()
        refused,   // see error(); the stream cannot be used any further
    };
    struct Progress {
        Outcome outcome = Outcome::more;
        std::size_t consumed = 0;
    };

    [[nodiscard]] Progress feed(std::string_view bytes, std::uint64_t body_bytes_max);

    // The same in two steps, for who decides about the body by the head: feed_to_body() until it says `head`
    // (or `complete`, where there is no body), then begin_body(), then feed() or feed_piece(), not both.
    [[nodiscard]] Progress feed_to_body(std::string_view bytes, std::uint64_t body_bytes_max);
    // False when an announced length is too much; see error().
    [[nodiscard]] bool begin_body(std::uint64_t body_bytes_max);
    // Appends decoded bytes of the body to `output` instead of keeping them.
    [[nodiscard]] Progress feed_piece(std::string_view bytes, Buffer& output);

    // Fills `request` after `complete`, or without its body after `head`. False when the path is to be
    // refused; see error(). Lifetime: the request's views borrow from this reader and the arena, until
    // reset().
    [[nodiscard]] bool build(Request& request, Arena& arena);

    // The stream has ended in the middle of a request: the error to answer with, unless nothing but an empty
    // line had come.
    [[nodiscard]] ProtocolError cut_off() const { return {400, "The request is incomplete."}; }

    // Forgets the request. Memory above `kept_bytes_max` is given back.
    void reset();

    [[nodiscard]] ProtocolError error() const { return error_; }
    // Bytes of a request have come, other than empty lines before it.
    [[nodiscard]] bool started() const {
        return state_ != State::head || input_.view().find_first_not_of("\r\n") != std::string_view::npos;
    }
    // The head is complete and the body is not.
    [[nodiscard]] bool in_body() const { return state_ == State::body; }
    // The client waits for "100 Continue": no byte of the body has come.
    [[nodiscard]] bool awaits_continue() const {
        return in_body() && head_.expects_continue && body_received_ == 0;
    }
    // Bytes of the body that have come, as sent.
    [[nodiscard]] std::uint64_t body_received() const { return body_received_; }
    // Of the request being read; set when its head is complete. After `refused` only its method counts (GET
    // when it was not read).
    [[nodiscard]] Head const& head() const { return head_; }

private:
    enum class State : std::uint8_t { head, body, complete };

    Progress feed_head(std::string_view bytes, std::uint64_t body_bytes_max);
    Progress feed_body(std::string_view bytes);
    Progress decode_body(std::string_view bytes, Buffer& output);
    Progress refuse(ProtocolError error);
    void complete();

    State state_ = State::head;
    std::size_t retry_bytes_ = 0;
    std::uint64_t body_received_ = 0;
    Buffer input_;  // the head as sent, then the body as decoded
    ChunkedDecoder chunked_;
    ProtocolError error_;
    Head head_;
};

}  // namespace quern::http
