// SPDX-License-Identifier: Apache-2.0
#include "api/call.h"

#include <algorithm>

#include "schema/row_sink.h"

namespace quern::api {

namespace {

constexpr std::int64_t ms_per_s = 1000;

// Rules write a header's name with '_' for '-'.
bool is_header(std::string_view sent, std::string_view asked) {
    return std::ranges::equal(sent, asked, [](char a, char b) { return a == b || (a == '-' && b == '_'); });
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    return std::ranges::equal(text, lower, [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
    });
}

// The token of `TOKEN` or `Bearer TOKEN`; the scheme's name in any case, spaces behind it.
std::string_view token_of(std::string_view header) {
    constexpr std::string_view scheme = "bearer";
    if (header.size() > scheme.size() && header[scheme.size()] == ' ' &&
        equals_ignoring_case(header.substr(0, scheme.size()), scheme)) {
        header.remove_prefix(scheme.size());
        while (header.starts_with(' ')) header.remove_prefix(1);
    }
    return header;
}

std::unexpected<Error> refuse() {
    return fail(ErrorCode::unauthorized, "The request requires a valid record authorization token.");
}

Value value_of(json::Node const& node) {
    switch (node.type()) {
    case json::Type::null: return {};
    case json::Type::boolean: return Value::of(node.boolean());
    case json::Type::integer: return Value::of(node.integer());
    case json::Type::real: {
        auto const number = node.real();
        return number ? Value::of(*number) : Value{};
    }
    case json::Type::string: return Value::of(node.text());
    case json::Type::array:
    case json::Type::object: return Value::of(node.raw());
    }
    return {};
}

}  // namespace

std::optional<std::string_view> Call::header(std::string_view name) const {
    for (http::Header const& sent : exchange.request.headers) {
        if (is_header(sent.name, name)) return sent.value;
    }
    return std::nullopt;
}

std::optional<std::string_view> Call::query(std::string_view name) const {
    for (http::QueryParameter const& parameter : parameters) {
        if (parameter.name == name) return parameter.value;
    }
    return std::nullopt;
}

std::optional<bool> Call::body_changed(std::string_view field) const {
    if (!changes || collection == nullptr) return std::nullopt;
    auto const index = collection->find(field);
    return index && std::ranges::find(*changes, *index, &FieldValue::field) != changes->end();
}

Result<std::span<Value const>> read_row(Call& call, Collection const& collection, std::string_view id,
                                        query::Access access) {
    query::ViewQuestion const question{
        .collection = collection,
        .access = access,
        .id = id,
        .filter = {},
        .fields = {},
        .expand = {},
        .output = {.columns = call.lane.first_fields(collection.fields.size()), .version = true}};
    QUERN_TRY(auto const asked, call.planner().view(call.lane.schema, question, call.values, call.arena()));
    if (asked.is_never()) return std::span<Value const>();
    std::span<Value> record;
    RowFunction sink([&](std::span<Value const> row) {
        record = call.arena().array<Value>(row.size());
        std::ranges::copy(row, record.begin());
        for (Value& value : record) {
            if (!value.text.empty()) value.text = call.arena().copy(value.text);
        }
        return false;
    });
    QUERN_CHECK(call.reader.select(asked.bound(), sink));
    return std::span<Value const>(record);
}

std::optional<Value> Call::body(std::string_view path) const {
    if (collection != nullptr) {
        if (auto const field = collection->find(path)) {
            auto const input = std::ranges::find(inputs, *field, &FieldInput::field);
            if (input == inputs.end()) return std::nullopt;
            return input->value;
        }
    }
    if (!json_body) return std::nullopt;
    auto const node = json_body->at(path);
    return node ? std::optional(value_of(*node)) : std::nullopt;
}

Result<void> authenticate(Call& call) {
    std::optional<std::string_view> header;
    for (http::Header const& sent : call.request().headers) {
        if (sent.name != "authorization") continue;
        if (header) return fail(ErrorCode::bad_request, "There is more than one Authorization header.");
        header = sent.value;
    }
    if (!header || header->empty()) return {};

    auth::Token& token = call.lane.token;
    if (!token.parse(token_of(*header))) return refuse();
    auth::TokenClaims const& claims = token.unverified_claims();
    Collection const* collection = call.lane.schema->find(claims.collection_id);
    if (collection == nullptr || collection->id != claims.collection_id) return refuse();
    AuthSettings const* settings = call.lane.auth_of(*collection);
    if (settings == nullptr) return refuse();
    QUERN_TRY(auto const row, read_row(call, *collection, claims.id, query::Access::all()));
    if (row.empty()) return refuse();
    auto const record = row.first(collection->fields.size());
    auto const principal = auth::authenticate(
        token, *collection, settings->fields, settings->options.auth_token, record,
        {.type = auth::TokenType::auth, .now_s = call.values.now_ms / ms_per_s, .not_before_s = 0});
    if (!principal) return refuse();
    call.values.principal = *principal;
    return {};
}

Result<void> require_superuser(Call const& call) {
    if (call.is_superuser()) return {};
    if (call.principal().is_anonymous()) return refuse();
    return fail(ErrorCode::forbidden, "The authorized record is not allowed to perform this action.");
}

Result<void> find_collection(Call& call) {
    call.collection = call.lane.schema->find(call.route.collection);
    if (call.collection != nullptr) return {};
    return fail(ErrorCode::not_found, "Missing collection context.");
}

}  // namespace quern::api
