// SPDX-License-Identifier: Apache-2.0
#include <quern/body_stream.h>

#include <quern/openapi.h>

namespace quern {

std::optional<std::string_view> BodyStream::take() {
    if (is_over_) return std::nullopt;
    std::string_view piece;
    if (source_ != nullptr) {
        auto taken = source_->take();
        if (!taken) error_ = std::move(taken).error();
        piece = taken.value_or(std::string_view());
    } else {
        piece = std::exchange(whole_, std::string_view());
    }
    is_over_ = piece.empty();
    if (is_over_) return std::nullopt;
    bytes_ += piece.size();
    return piece;
}

Result<void> BodyStream::end() const {
    if (error_) return std::unexpected(*error_);
    if (!is_over_) return fail(ErrorCode::request_incomplete, "The request was not read to its end.");
    return {};
}

Result<BodyStream> Extract<BodyStream>::from(Call& call) {
    return BodyStream(call.exchange.body_source, call.exchange.request.body);
}

void Extract<BodyStream>::describe(openapi::Operation& operation) {
    operation.body("*/*", "{}");
    for (int const status : {400, 408, 413}) operation.problem(status);
}

}  // namespace quern
