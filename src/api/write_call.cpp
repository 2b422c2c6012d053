// SPDX-License-Identifier: Apache-2.0
#include "api/write_call.h"

#include "api/answer.h"
#include "api/body.h"
#include "api/parameters.h"

namespace quern::api {

Result<void> WriteCall::run(store::WriteContext& context) {
    Lane& lane = tools_.writer_lane;
    lane.use(context.schema);
    exchange_.response.clear();
    Call call(exchange_, lane, context.transaction, context.now_ms);
    call.route = route_;
    QUERN_TRY(call.parameters, read_query(exchange_.request, exchange_.arena));
    // Who asks is decided again here, where rules are: on the loop it was only to refuse early. An account
    // that is gone by now, or has lost its rights, writes nothing.
    QUERN_CHECK(authenticate(call));
    return apply(call, context);
}

void WriteCall::done(Result<void> result) {
    std::unique_ptr<WriteCall> self(this);
    if (!result) write_error(exchange_.response, result.error());
    if (result && is_shown_later()) return tools_.show_later(exchange_, std::move(self));
    if (tools_.observer != nullptr) tools_.observer->answered(exchange_);
    exchange_.finish();
}

Result<json::Node> WriteCall::read_body() {
    if (document_ == nullptr) document_ = tools_.documents.take();
    return read_json_body(exchange_.request, *document_);
}

}  // namespace quern::api
