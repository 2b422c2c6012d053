// SPDX-License-Identifier: Apache-2.0
#include "api/service.h"

#include "api/answer.h"
#include "api/endpoints.h"
#include "api/parameters.h"
#include "api/sign_in.h"

namespace quern::api {

namespace {

engine::Budget budget_on_loop(ServiceOptions const& options) {
    return {options.loop_read_max, ErrorCode::interrupted};
}

Result<void> dispatch_read(Call& call) {
    switch (call.route.endpoint) {
    case Endpoint::health: return get_health(call);
    case Endpoint::records_list: return list_records(call);
    case Endpoint::record_view: return view_record(call);
    case Endpoint::collections_list: return list_collections(call);
    case Endpoint::collection_view: return view_collection(call);
    case Endpoint::collections_scaffolds: return get_scaffolds(call);
    case Endpoint::auth_methods: return get_auth_methods(call);
    case Endpoint::auth_refresh: return refresh_token(call);
    case Endpoint::method_not_allowed: return fail(ErrorCode::method_not_allowed);
    default: return fail(ErrorCode::not_found);
    }
}

// For reads of one row by a key, in front of what is not begun again on the slow pool. They are short by
// their nature: under a budget, a loop that did not get to run for a moment would look like a long read.
class WithoutBudget {
public:
    WithoutBudget(Lane& lane, ServiceOptions const& options) : lane_(lane), options_(options) {
        if (lane_.on_loop) lane_.reader->set_budget({});
    }
    WithoutBudget(WithoutBudget const&) = delete;
    WithoutBudget& operator=(WithoutBudget const&) = delete;
    ~WithoutBudget() {
        if (lane_.on_loop) lane_.reader->set_budget(budget_on_loop(options_));
    }

private:
    Lane& lane_;
    ServiceOptions const& options_;
};

// Null for an endpoint that does not write.
std::unique_ptr<WriteCall> make_write(http::Exchange& exchange, WriteTools& tools, Route const& route) {
    switch (route.endpoint) {
    case Endpoint::records_create: return make_record_create(exchange, tools, route);
    case Endpoint::record_update: return make_record_update(exchange, tools, route);
    case Endpoint::record_delete: return make_record_delete(exchange, tools, route);
    case Endpoint::collections_create: return make_collection_create(exchange, tools, route);
    case Endpoint::collection_update: return make_collection_update(exchange, tools, route);
    case Endpoint::collection_delete: return make_collection_delete(exchange, tools, route);
    case Endpoint::collection_truncate: return make_collection_truncate(exchange, tools, route);
    case Endpoint::collections_import: return make_collections_import(exchange, tools, route);
    default: return nullptr;
    }
}

bool is_write(Endpoint endpoint) {
    switch (endpoint) {
    case Endpoint::records_create:
    case Endpoint::record_update:
    case Endpoint::record_delete:
    case Endpoint::collections_create:
    case Endpoint::collection_update:
    case Endpoint::collection_delete:
    case Endpoint::collection_truncate:
    case Endpoint::collections_import: return true;
    default: return false;
    }
}

}  // namespace

Service::Service(Needs needs, ServiceOptions options)
    : needs_(needs),
      options_(options),
      tools_{.store = needs.store,
             .writer_lane = writer_lane_,
             .random = needs.random,
             .observer = needs.observer,
             .hooks = needs.hooks} {
    tools_.show_later = [this](http::Exchange& exchange, std::unique_ptr<WriteCall> job) {
        exchange.user = job.release();
        exchange.post([this, &exchange] { answer_written(exchange, *lanes_[exchange.loop_index()]); });
    };
}

Service::~Service() { stop(); }

Result<std::unique_ptr<Service>> Service::open(Needs needs, ServiceOptions options) {
    std::unique_ptr<Service> service(new Service(needs, options));
    for (std::size_t index = 0; index < options.loops; ++index) {
        QUERN_TRY(auto reader, needs.store.open_reader());
        reader->set_budget(budget_on_loop(options));
        auto lane = std::make_unique<Lane>(std::move(reader));
        lane->on_loop = true;
        service->lanes_.push_back(std::move(lane));
    }
    std::vector<std::unique_ptr<Lane>> slow_lanes;
    for (std::size_t index = 0; index < options.slow_threads; ++index) {
        QUERN_TRY(auto reader, needs.store.open_reader());
        reader->set_budget({options.slow_read_max, ErrorCode::timeout});
        slow_lanes.push_back(std::make_unique<Lane>(std::move(reader)));
    }
    service->slow_pool_ = std::make_unique<SlowPool>(
        std::move(slow_lanes),
        [raw = service.get()](http::Exchange& exchange, Lane& lane) { raw->answer_slowly(exchange, lane); });
    return service;
}

void Service::stop() {
    if (slow_pool_) slow_pool_->stop();
}

void Service::handle(http::Exchange& exchange) {
    Lane& lane = *lanes_[exchange.loop_index()];
    Route const route = match(exchange.request);
    if (route.endpoint == Endpoint::auth_with_password) return answer_sign_in(exchange, lane, route);
    if (is_write(route.endpoint)) return answer_write(exchange, lane, route);
    answer_read(exchange, lane, route);
}

void Service::iteration_end(std::size_t loop_index) {
    // A sleeping loop holds no snapshot: it would keep the log from being reset.
    lanes_[loop_index]->reader->end_snapshot();
    if (options_.inline_writer && needs_.store.has_pending()) needs_.store.run_pending();
}

Result<void> Service::open_call(Call& call, Route const& route) {
    call.route = route;
    call.lane.refresh(needs_.store);
    QUERN_TRY(call.parameters, read_query(call.request(), call.arena()));
    return authenticate(call);
}

Result<void> Service::open_for_write(Call& call, Route const& route) {
    WithoutBudget const by_key(call.lane, options_);
    return open_call(call, route);
}

void Service::answer_read(http::Exchange& exchange, Lane& lane, Route const& route) {
    Call call(exchange, lane, *lane.reader, now_ms());
    auto answered = open_call(call, route);
    if (answered) answered = dispatch_read(call);
    if (!lane.on_loop) lane.reader->end_snapshot();
    if (!answered && answered.error().code == ErrorCode::interrupted && lane.on_loop) {
        exchange.response.clear();
        if (slow_pool_->submit(exchange)) return;
        answered = fail(ErrorCode::overloaded);
    }
    if (!answered) {
        write_error(exchange.response, answered.error());
        if (route.endpoint == Endpoint::method_not_allowed)
            exchange.response.add_header("Allow", route.allow);
    }
    finish(exchange);
}

void Service::answer_slowly(http::Exchange& exchange, Lane& lane) {
    std::chrono::microseconds const waited(needs_.clock.monotonic_us() - exchange.started_us);
    bool const too_late = waited > options_.slow_wait_max;
    if (exchange.user != nullptr) {
        return too_late ? finish_written(exchange) : answer_written(exchange, lane);
    }
    if (too_late) return refuse(exchange, Error(ErrorCode::timeout));
    answer_read(exchange, lane, match(exchange.request));
}

void Service::answer_written(http::Exchange& exchange, Lane& lane) {
    lane.refresh(needs_.store);
    // One that was taken earlier in this iteration may be older than the write.
    lane.reader->end_snapshot();
    Call call(exchange, lane, *lane.reader, now_ms());
    call.route = match(exchange.request);
    auto const shown = static_cast<WriteCall*>(exchange.user)->show(call);
    if (!lane.on_loop) lane.reader->end_snapshot();
    bool const took_long = !shown && shown.error().code == ErrorCode::interrupted;
    if (took_long && lane.on_loop && slow_pool_->submit(exchange)) return;
    finish_written(exchange);
}

void Service::finish_written(http::Exchange& exchange) {
    std::unique_ptr<WriteCall> const job(static_cast<WriteCall*>(exchange.user));
    exchange.user = nullptr;
    finish(exchange);
}

void Service::answer_write(http::Exchange& exchange, Lane& lane, Route const& route) {
    std::unique_ptr<WriteCall> job = make_write(exchange, tools_, route);
    Call call(exchange, lane, *lane.reader, now_ms());
    auto started = open_for_write(call, route);
    if (started) started = job->prepare(call);
    if (!started) return refuse(exchange, started.error());
    if (job->has_password()) return hash_then_submit(exchange, std::move(job));
    submit(exchange, std::move(job));
}

void Service::submit(http::Exchange& exchange, std::unique_ptr<WriteCall> job) {
    if (auto queued = needs_.store.submit(*job); !queued) return refuse(exchange, queued.error());
    (void)job.release();  // deletes itself when it has been told how it ended
}

void Service::hash_then_submit(http::Exchange& exchange, std::unique_ptr<WriteCall> job) {
    WriteCall& writing = *job;
    auto started = needs_.password_pool.submit(
        [this, &writing] { return writing.hash_password(needs_.hasher); },
        [&exchange](auth::PasswordPool::Job done) { exchange.post(std::move(done)); },
        [this, &exchange, job = std::move(job)](Result<void> hashed) mutable {
            if (!hashed) return refuse(exchange, hashed.error());
            submit(exchange, std::move(job));
        });
    if (!started) refuse(exchange, started.error());
}

void Service::answer_sign_in(http::Exchange& exchange, Lane& lane, Route const& route) {
    if (auto started = start_sign_in(exchange, lane, route); !started) refuse(exchange, started.error());
}

Result<void> Service::start_sign_in(http::Exchange& exchange, Lane& lane, Route const& route) {
    Call call(exchange, lane, *lane.reader, now_ms());
    call.route = route;
    lane.refresh(needs_.store);
    QUERN_TRY(call.parameters, read_query(exchange.request, exchange.arena));
    QUERN_TRY(auto sign_in, [&] {
        WithoutBudget const by_key(lane, options_);
        return read_sign_in(call);
    }());
    return needs_.password_pool.submit(
        [this, sign_in] {
            return auth::verify_password(needs_.hasher, sign_in->stored_hash, sign_in->password);
        },
        [&exchange](auth::PasswordPool::Job job) { exchange.post(std::move(job)); },
        [this, &exchange, &lane, sign_in](Result<auth::SignIn> verified) {
            Call answering(exchange, lane, *lane.reader, now_ms());
            lane.refresh(needs_.store);
            auto answered = answer_verified(answering, *sign_in, std::move(verified));
            if (!answered) write_error(exchange.response, answered.error());
            finish(exchange);
        });
}

// Related records may be many: then the budget stays, and who signs in is asked to try again.
Result<void> Service::answer_verified(Call& call, PendingSignIn const& sign_in,
                                      Result<auth::SignIn> verified) {
    QUERN_TRY(call.parameters, read_query(call.request(), call.arena()));
    if (call.query("expand")) return answer_sign_in_verified(call, sign_in, std::move(verified));
    WithoutBudget const by_key(call.lane, options_);
    return answer_sign_in_verified(call, sign_in, std::move(verified));
}

void Service::answer_inside(HookCall& outer, http::Exchange& exchange) {
    if (inside_lanes_.size() <= outer.depth) inside_lanes_.push_back(std::make_unique<Lane>(nullptr));
    Lane& lane = *inside_lanes_[outer.depth];
    lane.use(outer.context.schema);
    Call call(exchange, lane, outer.context.transaction, outer.context.now_ms);
    call.route = match(exchange.request);
    call.values.principal.superuser = true;
    auto parameters = read_query(exchange.request, exchange.arena);
    if (!parameters) return write_error(exchange.response, parameters.error());
    call.parameters = *parameters;
    auto const answered =
        is_write(call.route.endpoint) ? write_inside(outer, exchange, call) : dispatch_read(call);
    if (!answered) write_error(exchange.response, answered.error());
}

Result<void> Service::write_inside(HookCall& outer, http::Exchange& exchange, Call& call) {
    bool const of_record = call.route.endpoint == Endpoint::records_create ||
                           call.route.endpoint == Endpoint::record_update ||
                           call.route.endpoint == Endpoint::record_delete;
    if (!of_record) return fail(ErrorCode::unsupported, "A hook may write records only.");
    if (outer.depth >= hook_depth_max)
        return fail(ErrorCode::unsupported, "Hooks write inside of hooks too deeply.");
    WriteTools tools{
        .store = needs_.store, .writer_lane = call.lane, .random = needs_.random, .hooks = needs_.hooks};
    std::unique_ptr<WriteCall> const job = make_write(exchange, tools, call.route);
    QUERN_CHECK(job->prepare(call));
    if (job->has_password()) QUERN_CHECK(job->hash_password(needs_.hasher));
    engine::Transaction& transaction = outer.context.transaction;
    QUERN_CHECK(transaction.savepoint());
    auto const done = job->run_inside(outer);
    if (!transaction.is_active()) return done ? Result<void>(fail(ErrorCode::io)) : done;
    QUERN_CHECK(done ? transaction.release_savepoint() : transaction.rollback_to_savepoint());
    return done;
}

void Service::refuse(http::Exchange& exchange, Error const& error) {
    write_error(exchange.response, error);
    finish(exchange);
}

void Service::finish(http::Exchange& exchange) {
    if (needs_.observer != nullptr) needs_.observer->answered(exchange);
    exchange.finish();
}

}  // namespace quern::api
