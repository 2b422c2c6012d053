// SPDX-License-Identifier: Apache-2.0
#include "api/write_call.h"

#include "api/answer.h"
#include "api/body.h"
#include "api/parameters.h"

namespace quern::api {

Result<void> WriteCall::run(store::WriteContext& context) {
    own_after_commit_.clear();  // of a run that was undone
    return run(context, nullptr);
}

Result<void> WriteCall::run_inside(HookCall& outer) {
    after_commit_ = &outer.after_commit;
    hook_depth_ = outer.depth + 1;
    return run(outer.context, &outer);
}

Result<void> WriteCall::run(store::WriteContext& context, HookCall const* outer) {
    Lane& lane = tools_.writer_lane;
    lane.use(context.schema);
    exchange_.response.clear();
    Call call(exchange_, lane, context.transaction, context.now_ms);
    call.route = route_;
    QUERN_TRY(call.parameters, read_query(exchange_.request, exchange_.arena));
    // Who asks is decided again here, where rules are: on the loop it was only to refuse early. An account
    // that is gone by now, or has lost its rights, writes nothing.
    if (outer != nullptr) {
        call.values.principal.superuser = true;
    } else {
        QUERN_CHECK(authenticate(call));
    }
    return apply(call, context);
}

void WriteCall::done(Result<void> result) {
    std::unique_ptr<WriteCall> self(this);
    if (!result) write_error(exchange_.response, result.error());
    if (result) {
        for (auto& work : own_after_commit_) work();
    }
    if (result && is_shown_later()) return tools_.show_later(exchange_, std::move(self));
    if (tools_.observer != nullptr) tools_.observer->answered(exchange_);
    exchange_.finish();
}

Result<void> WriteCall::tell_hooks(Call& call, store::WriteContext& context, RecordChange change,
                                   std::string_view id) {
    if (tools_.hooks == nullptr) return {};
    HookCall hook{.context = context,
                  .collection = *call.collection,
                  .change = change,
                  .id = id,
                  .principal = call.principal(),
                  .after_commit = *after_commit_,
                  .depth = hook_depth_};
    return tools_.hooks->run(hook);
}

Result<json::Node> WriteCall::read_body() {
    if (document_ == nullptr) document_ = tools_.documents.take();
    return read_json_body(exchange_.request, *document_);
}

}  // namespace quern::api
