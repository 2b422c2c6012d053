// SPDX-License-Identifier: Apache-2.0
#include <quern/collections.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include <quern/json_writer.h>
#include "json/reader.h"
#include "library/collection_server.h"
#include "library/hooks.h"
#include "library/local_exchange.h"
#include "library/superusers.h"

namespace quern {

namespace {

[[noreturn]] void end_for_disk_error(Error const& error) {
    std::fprintf(stderr, "quern: the disk failed while a commit was on its way: %s\n", error.message.c_str());
    std::_Exit(library::exit_disk_error);
}

}  // namespace

struct Collections::State {
    library::Hooks hooks;
    std::unique_ptr<library::CollectionServer> server;
    // Requests from within have a lane of their own behind those of the loops, one at a time.
    std::size_t local_loop = 0;
    std::mutex local;

    void answer(library::LocalExchange& exchange) {
        std::lock_guard const lock(local);
        server->handler().handle(exchange);
        exchange.run();
        server->handler().iteration_end(local_loop);
    }
};

Collections::Collections(std::unique_ptr<State> state) : state_(std::move(state)) {}
Collections::~Collections() { stop(); }

Result<std::shared_ptr<Collections>> Collections::open(CollectionsOptions options, std::size_t loops) {
    library::CollectionServerOptions server;
    server.directory = std::move(options.directory);
    server.exclusive = options.exclusive;
    server.relaxed = options.relaxed;
    server.loops = loops + 1;
    server.on_fatal = end_for_disk_error;
    auto state = std::make_unique<State>();
    server.hooks = &state->hooks;
    state->local_loop = loops;
    QUERN_TRY(state->server, library::CollectionServer::open(std::move(server)));
    state->hooks.attach(state->server->handler());
    return std::shared_ptr<Collections>(new Collections(std::move(state)));
}

Result<bool> Collections::upsert_superuser(std::string_view email, std::string_view password) {
    library::CollectionServer& server = *state_->server;
    return library::upsert_superuser(server.store(), server.random(), server.hasher(), email, password);
}

void Collections::on_create(std::string_view collection, std::function<Result<void>(Hook&)> hook) {
    state_->hooks.add(api::RecordChange::create, collection, std::move(hook));
}
void Collections::on_update(std::string_view collection, std::function<Result<void>(Hook&)> hook) {
    state_->hooks.add(api::RecordChange::update, collection, std::move(hook));
}
void Collections::on_remove(std::string_view collection, std::function<Result<void>(Hook&)> hook) {
    state_->hooks.add(api::RecordChange::remove, collection, std::move(hook));
}

LocalClient Collections::client() { return LocalClient(*this); }

http::Handler& Collections::handler() { return state_->server->handler(); }

void Collections::stop() { state_->server->stop(); }

void Collections::answer(library::LocalExchange& exchange) { state_->answer(exchange); }

namespace {

// The text that a JSON object has under a key; empty without.
std::string text_at(std::string_view json, std::string_view key) {
    auto const tree = json::Tree::parse(json);
    if (!tree) return {};
    auto const node = tree->root().find(key);
    return node ? std::string(node->text()) : std::string();
}

ErrorCode code_of(int status) {
    switch (status) {
    case 400: return ErrorCode::credentials_invalid;
    case 404: return ErrorCode::not_found;
    case 403: return ErrorCode::forbidden;
    case 429: return ErrorCode::too_many_requests;
    case 503: return ErrorCode::overloaded;
    default: return ErrorCode::internal;
    }
}

}  // namespace

Result<void> LocalClient::sign_in(std::string_view collection, std::string_view identity,
                                  std::string_view password) {
    Buffer body;
    json::Writer writer(body);
    writer.begin_object();
    writer.member("identity", identity);
    writer.member("password", password);
    writer.end_object();
    token_.clear();
    auto const reply =
        post("/api/collections/" + std::string(collection) + "/auth-with-password", body.view());
    if (reply.status != 200) return fail(code_of(reply.status), text_at(reply.body, "message"));
    token_ = text_at(reply.body, "token");
    return {};
}

LocalReply LocalClient::request(http::Method method, std::string_view target, std::string_view body) {
    http::Header const headers[] = {{"content-type", http::content_type_json}, {"authorization", token_}};
    library::LocalExchange exchange(collections_->state_->local_loop);
    if (exchange.ask(method, target, body, std::span(headers).first(token_.empty() ? 1 : 2)))
        collections_->answer(exchange);
    return exchange.take();
}

}  // namespace quern
