// SPDX-License-Identifier: Apache-2.0
#pragma once

// A request, its answer, and the exchange that holds both.
//
// The server parses a Request, calls the Handler, and sends the Response when the handler has finished the
// exchange: at once, or later from another thread. While an exchange is open its connection reads no further
// request, so answers leave in order and every view into the request stays valid until finish().

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <quern/arena.h>
#include <quern/buffer.h>
#include <quern/error.h>

namespace quern::http {

enum class Method : std::uint8_t { get, head, post, put, patch, del, options };

// The method as written on the wire.
[[nodiscard]] std::string_view name(Method method);

struct Header {
    std::string_view name;   // lower case
    std::string_view value;  // without surrounding white space
};

// Lifetime: every view borrows from the connection's buffer or the exchange's arena, until finish().
struct Request {
    Method method = Method::get;
    std::string_view target;                     // as sent, origin form
    std::string_view raw_path;                   // before '?', not decoded
    std::span<std::string_view const> segments;  // the path split at raw '/', each decoded once; "/" has none
    std::string_view raw_query;                  // after '?', not decoded
    std::span<Header const> headers;
    std::string_view body;  // whole; de-chunked; followed by body_padding_bytes readable bytes
    std::string_view host;
    std::string_view peer_address;  // text form of the client's address

    // Readable bytes behind `body`, so that parsers may read past its end (simdjson needs 64).
    static constexpr std::size_t body_padding_bytes = 64;

    // The first header of that (lower-case) name.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view lower_name) const;
};

// Media types the product answers with.
inline constexpr std::string_view content_type_json = "application/json";
inline constexpr std::string_view content_type_text = "text/plain; charset=utf-8";

struct Response {
    int status = 200;
    std::string_view content_type = content_type_json;  // static, or in the exchange's arena; empty = none
    Buffer body;
    // More header lines, each "Name: value\r\n". Values must hold no CR, LF or NUL (add_header checks).
    Buffer extra_headers;
    bool close = false;  // end the connection after this answer

    // Asserts that neither part holds CR, LF or NUL.
    void add_header(std::string_view name, std::string_view value);
    // Back to an empty 200, memory kept.
    void clear();
};

// A body that arrives while it is being answered.
//
// What has arrived and was not taken is bounded: then nothing more is read, which slows the client down.
// Threads: its exchange's loop.
class BodySource {
public:
    // Whether there is something to take: bytes, the end, or an error. If not, `ready` is called when there
    // is: once, later, on the loop. Precondition: no earlier call waits.
    [[nodiscard]] virtual bool wait(std::move_only_function<void()> ready) = 0;

    // All bytes that have come; none at the end. Precondition: there is something to take.
    // Errors:   request_incomplete — the client is gone; request_timeout — it is too slow; too_large;
    //           body_invalid — a chunk is malformed. The answer is the connection's last then.
    // Lifetime: until the next take(), or until the exchange is finished.
    [[nodiscard]] virtual Result<std::string_view> take() = 0;

protected:
    ~BodySource() = default;
};

// An answer that leaves while it is made. Threads: its exchange's loop.
class AnswerSink {
public:
    // Sends `bytes` behind what was written before. The first call sends the response's head, with the status
    // and the headers of that moment, and clears the response. Returns whether more may be written at once.
    // If not, `ready` is called when it may: once, later, on the loop, when the client has taken what waits
    // or is gone. Precondition: no earlier call waits.
    //
    // finish() ends the answer. A response that is an error by then cannot be told any more: the connection
    // is cut, so that the client does not take what it has for the whole.
    [[nodiscard]] virtual bool write(std::string_view bytes, std::move_only_function<void()> ready) = 0;
    [[nodiscard]] virtual bool is_started() const = 0;
    // Nobody reads any more. What is written then is dropped.
    [[nodiscard]] virtual bool is_gone() const = 0;

protected:
    ~AnswerSink() = default;
};

// One request and its answer.
//
// Threads: its loop, until it is handed to another thread; that thread then owns it alone until finish().
class Exchange {
public:
    Request request;
    Response response;
    Arena arena;  // lives until the answer has been handed to the socket

    // The body, where the handler takes it in pieces; request.body is empty then. Otherwise null.
    BodySource* body_source = nullptr;
    // Null where answers leave whole only.
    AnswerSink* answer_sink = nullptr;

    // Room for what the handler keeps between defer() and finish(); the handler sets and clears it.
    void* user = nullptr;

    // Ends the exchange: the answer is complete. Callable from any thread; from another thread than the
    // loop's it wakes the loop. The exchange must not be touched afterwards.
    virtual void finish() = 0;

    // Runs `work` on the exchange's loop, soon. Callable from any thread.
    virtual void post(std::move_only_function<void()> work) = 0;

    // Index of the loop that owns the exchange, 0-based.
    [[nodiscard]] virtual std::size_t loop_index() const = 0;

    // Monotonic time when the request's head was complete, in microseconds.
    std::int64_t started_us = 0;

protected:
    Exchange() = default;
    ~Exchange() = default;
    Exchange(Exchange const&) = delete;
    Exchange& operator=(Exchange const&) = delete;
};

// What the server calls.
//
// Threads: called on every loop at once; loop-owned state is found by exchange.loop_index().
class Handler {
public:
    virtual ~Handler() = default;

    // Answers the request. Either calls exchange.finish() before it returns, or keeps the exchange and lets
    // some thread call finish() later. It must be finished exactly once.
    virtual void handle(Exchange& exchange) = 0;

    // Whether handle() is to be called as soon as the head of this request is there, with the body in pieces.
    // `head` is the request without its body. Asked only where the server takes bodies in pieces at all.
    [[nodiscard]] virtual bool wants_body_in_pieces(Request const& head) {
        (void)head;
        return false;
    }

    // The requests of one loop iteration have all been handled and the loop is about to send and to block:
    // the place to run a write batch inline and to end the iteration's read snapshot.
    virtual void iteration_end(std::size_t loop_index) { (void)loop_index; }
};

// Parses `raw_query` into decoded name/value pairs, in order; '+' is a space. False where a percent escape is
// malformed or a decoded text is not UTF-8 (`bad_name` then names the pair as far as known).
struct QueryParameter {
    std::string_view name;
    std::string_view value;
};
[[nodiscard]] bool parse_query(std::string_view raw_query, Arena& arena, std::span<QueryParameter>& output,
                               std::string_view& bad_name);

// Decodes percent escapes once into the arena ('+' stays). Nothing when an escape is malformed.
[[nodiscard]] std::optional<std::string_view> percent_decode(std::string_view text, Arena& arena);

}  // namespace quern::http
