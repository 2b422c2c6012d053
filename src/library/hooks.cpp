// SPDX-License-Identifier: Apache-2.0
#include "library/hooks.h"

#include "api/service.h"
#include "library/local_exchange.h"

namespace quern {

struct Hook::State {
    api::HookCall& call;
    api::Service& service;
};

struct HookRunner {
    static Result<void> run(std::function<Result<void>(Hook&)> const& hook, api::HookCall& call,
                            api::Service& service) {
        Hook::State state{call, service};
        Hook handle(state);
        // Somebody else's code: what it throws ends the write, not the writer.
        try {
            return hook(handle);
        } catch (...) {
            return fail(ErrorCode::internal, "A hook of the collection failed.");
        }
    }
};

Hook::Change Hook::change() const { return static_cast<Change>(state_->call.change); }
std::string_view Hook::collection() const { return state_->call.collection.name; }
std::string_view Hook::id() const { return state_->call.id; }
std::string_view Hook::caller_id() const { return state_->call.principal.id; }
bool Hook::is_superuser() const { return state_->call.principal.superuser; }

Result<std::string> Hook::record() {
    LocalReply reply = request(http::Method::get, "/api/collections/" + state_->call.collection.name +
                                                      "/records/" + std::string(state_->call.id));
    if (reply.status != 200) return fail(ErrorCode::internal, "The record of a hook cannot be read.");
    return std::move(reply.body);
}

LocalReply Hook::request(http::Method method, std::string_view target, std::string_view body) {
    http::Header const json[] = {{"content-type", http::content_type_json}};
    library::LocalExchange exchange(0);
    if (exchange.ask(method, target, body, json)) state_->service.answer_inside(state_->call, exchange);
    return exchange.take();
}

void Hook::after_commit(std::move_only_function<void()> work) {
    state_->call.after_commit.push_back(std::move(work));
}

namespace library {

Result<void> Hooks::run(api::HookCall& call) {
    for (Entry const& entry : hooks_) {
        if (entry.change != call.change) continue;
        if (entry.collection != call.collection.name && entry.collection != call.collection.id) continue;
        QUERN_CHECK(HookRunner::run(entry.hook, call, *service_));
    }
    return {};
}

}  // namespace library

}  // namespace quern
