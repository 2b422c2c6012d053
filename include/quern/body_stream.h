// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies that are taken while they arrive, for uploads that are larger than memory.
//
//     app.post<"/files/{name}">([](std::string_view name, quern::BodyStream body) -> quern::Task<…> {
//         while (auto piece = co_await body.next()) file.append(*piece);
//         if (auto end = body.end(); !end) co_return quern::fail(end.error());
//         …
//     });
//
// The handler runs as soon as the request's head is there. While it does something else, no more than a few
// hundred kilobytes are read ahead: the client is slowed down. A handler that returns before the end, perhaps
// because it refuses the upload, has its answer sent, and then the connection closes. A client that waits for
// "100 Continue" gets it when the handler asks for the first piece.

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <quern/error.h>
#include <quern/extract.h>
#include <quern/http.h>

namespace quern {

// The body of the request, in pieces. A handler that takes it is a coroutine, and takes no other form of the
// body.
// Limits:  AppOptions::streamed_body_bytes_max. How long a client may take is counted only while the handler
//          waits for it: 30 s for the next byte, and 1 kB/s on average after the first 5 s.
// Threads: its loop.
class BodyStream {
public:
    BodyStream(http::BodySource* source, std::string_view whole) : source_(source), whole_(whole) {}
    BodyStream(BodyStream&& other) noexcept = default;
    BodyStream& operator=(BodyStream&& other) noexcept = default;
    BodyStream(BodyStream const&) = delete;
    BodyStream& operator=(BodyStream const&) = delete;
    ~BodyStream() = default;

    // co_await body.next() gives what has come, at least one byte; nothing at the end of the body, and
    // nothing after an error, which end() tells apart. Lifetime: a piece lives until the next call. Cost: no
    // allocation once warm; a piece is what has come since the last, not what the client sent at once.
    // Example: examples/upload/main.cpp [pieces]
    [[nodiscard]] auto next() { return Next{*this}; }

    // Whether the body has come to its end. Ask it behind the loop, before anything is made of what has come.
    // Errors: request_incomplete — the client is gone, or next() has not been called up to the end;
    //         request_timeout — the client is too slow; too_large; body_invalid — a chunk is malformed.
    [[nodiscard]] Result<void> end() const;

    // That have come so far.
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    struct Next {
        BodyStream& body;
        [[nodiscard]] bool await_ready() const noexcept { return body.source_ == nullptr || body.is_over_; }
        [[nodiscard]] bool await_suspend(std::coroutine_handle<> waiting) const {
            return !body.source_->wait([waiting] { waiting.resume(); });
        }
        [[nodiscard]] std::optional<std::string_view> await_resume() const { return body.take(); }
    };
    [[nodiscard]] std::optional<std::string_view> take();

    http::BodySource* source_;  // null: the body is `whole_`
    std::string_view whole_;
    std::uint64_t bytes_ = 0;
    bool is_over_ = false;
    std::optional<Error> error_;
};

template <>
struct Extract<BodyStream> {
    static constexpr bool takes_body_in_pieces = true;
    static Result<BodyStream> from(Call& call);
    static void describe(openapi::Operation& operation);
};

}  // namespace quern
