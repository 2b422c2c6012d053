// SPDX-License-Identifier: Apache-2.0
// GET /api/collections/{collection}/records/{id}
#include "api/endpoints.h"
#include "api/etag.h"
#include "api/parameters.h"
#include "api/records.h"
#include "rules/decision.h"

namespace quern::api {

namespace {

constexpr int not_modified = 304;

Result<query::Query> plan_record(Call& call, query::Access access, std::string_view id) {
    QUERN_TRY(auto const parameters, read_record_parameters(call.parameters, *call.collection));
    query::ViewQuestion const question{.collection = *call.collection,
                                       .access = access,
                                       .id = id,
                                       .filter = {},
                                       .fields = parameters.fields,
                                       .expand = parameters.expand,
                                       .output = {.columns = {}, .version = true}};
    return call.planner().view(call.lane.schema, question, call.values, call.arena());
}

// The common case: the row goes straight from the engine into the answer.
Result<bool> pour_record(Call& call, query::Query const& asked) {
    query::Prepared const& prepared = *asked.prepared;
    Buffer& body = call.response().body;
    RowWriter const& writer = call.lane.writer_of(asked.prepared, call.is_superuser());
    bool found = false;
    RowFunction sink([&](std::span<Value const> row) {
        found = true;
        body.append('{');
        writer.write_members(row, call.principal(), body);
        body.append('}');
        call.response().add_header("ETag", record_etag(row[*prepared.version_column].integer,
                                                       *call.collection, call.is_superuser(), call.arena()));
        return false;
    });
    QUERN_CHECK(call.reader.select(asked.bound(), sink));
    return found;
}

Result<bool> pour_unfolded(Call& call, query::Query const& asked) {
    query::Prepared const& prepared = *asked.prepared;
    RecordSet records;
    call.reader.hold_snapshot();
    QUERN_CHECK(records.load(call, asked, prepared.selection, prepared.expand));
    QUERN_CHECK(records.unfold(call, prepared.expand));
    if (records.size() == 0) return false;
    Buffer& body = call.response().body;
    if (!records.write(0, body)) return std::unexpected(RecordSet::too_large());
    call.response().add_header("ETag", record_etag(records[0].version, body.view(), call.arena()));
    return true;
}

}  // namespace

Result<bool> answer_with_record(Call& call, query::Access access, std::string_view id) {
    QUERN_TRY(auto const asked, plan_record(call, access, id));
    if (asked.is_never()) return false;
    return asked.prepared->expand.empty() ? pour_record(call, asked) : pour_unfolded(call, asked);
}

Result<PlainRecord> answer_with_plain_record(Call& call, query::Access access, std::string_view id) {
    QUERN_TRY(auto const asked, plan_record(call, access, id));
    if (asked.is_never()) return PlainRecord{};
    QUERN_TRY(bool const found, pour_record(call, asked));
    return PlainRecord{.found = found, .has_related = !asked.prepared->expand.empty()};
}

Result<void> view_record(Call& call) {
    QUERN_CHECK(find_collection(call));
    QUERN_TRY(auto const access, rules::authorise(*call.collection, query::Action::view, call.principal()));
    QUERN_TRY(bool const found, answer_with_record(call, access, call.route.record));
    if (!found) return fail(ErrorCode::not_found);
    // Only after the rule has let the record through may a tag be compared.
    if (auto const known = call.request().header("if-none-match")) answer_not_modified(call, *known);
    return {};
}

void answer_not_modified(Call& call, std::string_view known) {
    std::string_view const headers = call.response().extra_headers.view();
    constexpr std::string_view name = "ETag: ";
    std::size_t const start = headers.find(name);
    if (start == std::string_view::npos) return;
    std::size_t const end = headers.find("\r\n", start);
    if (!matches_any(known, headers.substr(start + name.size(), end - start - name.size()))) return;
    call.response().status = not_modified;
    call.response().body.clear();
    call.response().content_type = {};
}

}  // namespace quern::api
