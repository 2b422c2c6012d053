// SPDX-License-Identifier: Apache-2.0
#pragma once

// Answers that leave while they are made, for what is larger than memory or has no end yet.
//
//     app.get<"/export">([](quern::State<Source> source, quern::AnswerStream answer) -> quern::Task<> {
//         answer.content_type("application/x-ndjson");
//         while (auto line = source->next())
//             if (!co_await answer.write(*line)) co_return;
//     });
//
// Before the first write the handler may still return an error or an empty answer as any other does. After it
// the client has the status: an error that is returned, or thrown, cuts the connection, so that the client
// does not take what it has for the whole. Such answers leave uncompressed and without a length.

#include <coroutine>
#include <string_view>

#include <quern/error.h>
#include <quern/extract.h>
#include <quern/http.h>

namespace quern {

// The answer, to be written in pieces. A handler that takes it returns Task<> or Task<Result<void>>.
// Limits:  a client that takes nothing for 30 s is cut off.
// Threads: its loop.
class AnswerStream {
public:
    explicit AnswerStream(http::Exchange& exchange) : exchange_(&exchange) {}

    // The head: 200 and application/octet-stream, unless these say otherwise before the first write.
    // Precondition: header() is given no CR, LF or NUL.
    void status(int status);
    void content_type(std::string_view type);
    void header(std::string_view name, std::string_view value);

    // co_await answer.write(bytes) sends them behind those before. It waits while more than some hundred
    // kilobytes have not been taken by the client. False: the client is gone, nothing more is needed.
    // Lifetime: `bytes` are copied before it waits.
    // Cost: one copy; no allocation once warm.
    // Example: src/library/answer_stream_test.cpp [write]
    [[nodiscard]] auto write(std::string_view bytes) { return Write{*exchange_->answer_sink, bytes}; }

private:
    struct Write {
        http::AnswerSink& sink;
        std::string_view bytes;
        [[nodiscard]] bool await_ready() const noexcept { return false; }
        [[nodiscard]] bool await_suspend(std::coroutine_handle<> waiting) const {
            return !sink.write(bytes, [waiting] { waiting.resume(); });
        }
        [[nodiscard]] bool await_resume() const { return !sink.is_gone(); }
    };

    http::Exchange* exchange_;
};

// Errors: unsupported — there is no connection that could be written to.
template <>
struct Extract<AnswerStream> {
    static constexpr bool makes_answer = true;
    static Result<AnswerStream> from(Call& call);
    static void describe(openapi::Operation& operation);
};

}  // namespace quern
