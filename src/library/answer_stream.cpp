// SPDX-License-Identifier: Apache-2.0
#include <quern/answer_stream.h>

#include <quern/assert.h>
#include <quern/openapi.h>

namespace quern {

namespace {

constexpr std::string_view any_bytes = "application/octet-stream";

}  // namespace

void AnswerStream::status(int status) {
    QUERN_ASSERT(!exchange_->answer_sink->is_started(), "the head has been sent");
    exchange_->response.status = status;
}
void AnswerStream::content_type(std::string_view type) {
    QUERN_ASSERT(!exchange_->answer_sink->is_started(), "the head has been sent");
    exchange_->response.content_type = exchange_->arena.copy(type);
}
void AnswerStream::header(std::string_view name, std::string_view value) {
    QUERN_ASSERT(!exchange_->answer_sink->is_started(), "the head has been sent");
    exchange_->response.add_header(name, value);
}

Result<AnswerStream> Extract<AnswerStream>::from(Call& call) {
    if (call.exchange.answer_sink == nullptr)
        return fail(ErrorCode::unsupported, "An answer in pieces needs a connection.");
    call.exchange.response.content_type = any_bytes;
    return AnswerStream(call.exchange);
}

void Extract<AnswerStream>::describe(openapi::Operation& operation) { operation.response(200, "*/*", "{}"); }

}  // namespace quern
