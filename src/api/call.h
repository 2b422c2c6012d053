// SPDX-License-Identifier: Apache-2.0
#pragma once

// One request on its way through the API: who asks, for what, and with what at hand.

#include <optional>
#include <span>
#include <string_view>

#include <quern/error.h>
#include <quern/http.h>
#include "api/lane.h"
#include "api/routes.h"
#include "query/request_values.h"
#include "schema/input.h"

namespace quern::api {

// Lifetime: the handling of one request on one thread. Everything in it borrows from the exchange and the
// lane.
class Call final : public query::RequestLookup {
public:
    // Errors: parameter_invalid — the query string; unauthorized — a token that is not good;
    //         not_found — no such collection.
    // `reader` is where reads go: the lane's, or the open transaction.
    Call(http::Exchange& call_exchange, Lane& call_lane, engine::Reader& call_reader, std::int64_t now_ms)
        : exchange(call_exchange), lane(call_lane), reader(call_reader) {
        values.now_ms = now_ms;
        values.lookup = this;
        values.method = http::name(call_exchange.request.method);
    }

    http::Exchange& exchange;
    Lane& lane;
    engine::Reader& reader;
    Route route;
    Collection const* collection = nullptr;  // of the route, where it names one
    std::span<http::QueryParameter const> parameters;
    std::optional<json::Node> json_body;  // when it has been read
    std::span<FieldInput const> inputs;   // what the body says of the collection's fields
    // The fields that an update has changed, once it has; before that the stored row tells.
    std::optional<std::span<FieldValue const>> changes;
    query::RequestValues values;

    [[nodiscard]] Arena& arena() { return exchange.arena; }
    [[nodiscard]] http::Request const& request() const { return exchange.request; }
    [[nodiscard]] http::Response& response() { return exchange.response; }
    [[nodiscard]] Principal const& principal() const { return values.principal; }
    [[nodiscard]] bool is_superuser() const { return values.principal.superuser; }
    [[nodiscard]] query::Planner& planner() { return lane.planner; }

    std::optional<std::string_view> header(std::string_view name) const override;
    std::optional<std::string_view> query(std::string_view name) const override;
    std::optional<Value> body(std::string_view path) const override;
    std::optional<bool> body_changed(std::string_view field) const override;
};

// Finds out who is asking from the Authorization header; without one the caller is anonymous.
// Errors: unauthorized — a token that is malformed, forged, expired or of a caller who is gone: such a
// request is
//         refused, not answered as if nobody had signed in; bad_request — several such headers.
[[nodiscard]] Result<void> authenticate(Call& call);

// All fields of a record, in order, hidden ones too, and behind them its version; empty when there is no such
// record, or `access` does not admit it.
// Lifetime: the call's arena.
[[nodiscard]] Result<std::span<Value const>> read_row(Call& call, Collection const& collection,
                                                      std::string_view id, query::Access access);

// Errors: unauthorized — nobody is signed in; forbidden — somebody else is.
[[nodiscard]] Result<void> require_superuser(Call const& call);

// Sets call.collection from the route.
// Errors: not_found.
[[nodiscard]] Result<void> find_collection(Call& call);

}  // namespace quern::api
