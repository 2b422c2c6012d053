// SPDX-License-Identifier: Apache-2.0
// GET /api/collections/{collection}/records
#include <quern/json_writer.h>
#include "api/cursor_seal.h"
#include "api/endpoints.h"
#include "api/etag.h"
#include "api/parameters.h"
#include "api/records.h"
#include "rules/decision.h"

namespace quern::api {

namespace {

constexpr std::int64_t unknown_total = -1;

// Most bytes of a page: a thousand records may hold a megabyte of text each.
constexpr std::size_t page_bytes_max = std::size_t{64} << 20;

// A page as it will be answered.
struct Page {
    std::size_t rows = 0;
    std::int64_t total = unknown_total;
    std::string_view next_cursor;  // empty = the last page
};

Result<query::Query> plan_page(Call& call, query::Access access, ListParameters const& parameters) {
    query::ListQuestion question{.collection = *call.collection,
                                 .access = access,
                                 .filter = parameters.filter,
                                 .sort = parameters.sort,
                                 .fields = parameters.fields,
                                 .expand = parameters.expand,
                                 .limit = parameters.per_page,
                                 .offset = (parameters.page - 1) * parameters.per_page,
                                 .has_seek = false,
                                 .seek = {},
                                 .output = {}};
    if (parameters.cursor) {
        question.offset = 0;
        question.output.sort_values = true;
        if (!parameters.cursor->empty()) {
            QUERN_TRY(question.seek, open_cursor(call, parameters, *parameters.cursor));
            question.has_seek = true;
        }
    }
    return call.planner().list(call.lane.schema, question, call.values, call.arena());
}

// Rows go straight from the engine into `items`.
Result<Page> pour_rows(Call& call, query::Query const& asked, ListParameters const& parameters,
                       Buffer& items) {
    query::Prepared const& prepared = *asked.prepared;
    RowWriter const& writer = call.lane.writer_of(asked.prepared, call.is_superuser());
    Page page;
    RowFunction sink([&](std::span<Value const> row) {
        items.append(page.rows == 0 ? "{" : ",{");
        writer.write_members(row, call.principal(), items);
        items.append('}');
        ++page.rows;
        if (parameters.cursor && static_cast<std::int64_t>(page.rows) == parameters.per_page) {
            page.next_cursor = seal_cursor(
                call, parameters, row.subspan(prepared.sort_columns_start, prepared.sort_columns_count));
        }
        return items.size() <= page_bytes_max;
    });
    QUERN_CHECK(call.reader.select(asked.bound(), sink));
    if (items.size() > page_bytes_max) {
        return fail(ErrorCode::parameter_invalid,
                    "Invalid query parameter \"perPage\": the page would be larger than " +
                        std::to_string(page_bytes_max >> 20) + " MiB.");
    }
    return page;
}

Result<Page> pour_unfolded(Call& call, query::Query const& asked, ListParameters const& parameters,
                           Buffer& items) {
    query::Prepared const& prepared = *asked.prepared;
    RecordSet records;
    QUERN_CHECK(records.load(call, asked, prepared.selection, prepared.expand));
    QUERN_CHECK(records.unfold(call, prepared.expand));
    Page page;
    page.rows = records.size();
    for (std::size_t index = 0; index < records.size(); ++index) {
        if (index > 0) items.append(',');
        if (!records.write(index, items)) return std::unexpected(RecordSet::too_large());
    }
    if (parameters.cursor && page.rows > 0 && static_cast<std::int64_t>(page.rows) == parameters.per_page) {
        page.next_cursor = seal_cursor(call, parameters, records[page.rows - 1].sort_values);
    }
    return page;
}

Result<Page> pour(Call& call, query::Query const& asked, ListParameters const& parameters, Buffer& items) {
    if (asked.is_never() || parameters.per_page == 0) return Page{};
    return !asked.prepared->expand.empty() ? pour_unfolded(call, asked, parameters, items)
                                           : pour_rows(call, asked, parameters, items);
}

// The number of all rows; asked of the engine only when the page itself does not tell.
Result<std::int64_t> count_all(Call& call, query::Access access, ListParameters const& parameters,
                               Page const& page) {
    auto const rows = static_cast<std::int64_t>(page.rows);
    bool const tells =
        parameters.per_page > 0 && rows < parameters.per_page && (rows > 0 || parameters.page == 1);
    if (tells && !parameters.cursor) return (parameters.page - 1) * parameters.per_page + rows;
    query::CountQuestion const question{
        .collection = *call.collection, .access = access, .filter = parameters.filter};
    QUERN_TRY(auto const asked, call.planner().count(call.lane.schema, question, call.values, call.arena()));
    if (asked.is_never()) return 0;
    return call.reader.count(asked.bound());
}

void write_page(Call& call, ListParameters const& parameters, Page const& page, std::string_view items) {
    json::Writer writer(call.response().body);
    writer.begin_object();
    if (!parameters.cursor) writer.member("page", parameters.page);
    writer.member("perPage", parameters.per_page);
    bool const counted = page.total != unknown_total && parameters.per_page > 0;
    writer.member("totalItems", page.total);
    writer.member("totalPages", counted ? (page.total + parameters.per_page - 1) / parameters.per_page
                                        : (page.total == unknown_total ? unknown_total : 0));
    if (parameters.cursor) writer.member("nextCursor", page.next_cursor);
    writer.key("items");
    writer.begin_array();
    writer.raw_members(items);
    writer.end_array();
    writer.end_object();
}

}  // namespace

Result<void> list_records(Call& call) {
    QUERN_CHECK(find_collection(call));
    QUERN_TRY(auto const access, rules::authorise(*call.collection, query::Action::list, call.principal()));
    QUERN_TRY(auto const parameters, read_list_parameters(call.parameters, *call.collection));
    QUERN_TRY(auto const asked, plan_page(call, access, parameters));

    // Rows and total are of one moment.
    call.reader.hold_snapshot();
    Buffer& items = call.lane.scratch;
    items.clear();
    QUERN_TRY(Page page, pour(call, asked, parameters, items));
    if (!parameters.skip_total && !parameters.cursor) {
        QUERN_TRY(page.total, count_all(call, access, parameters, page));
    }

    write_page(call, parameters, page, items.view());
    call.response().add_header("ETag", list_etag(call.response().body.view(), call.arena()));
    if (auto const known = call.request().header("if-none-match")) answer_not_modified(call, *known);
    return {};
}

}  // namespace quern::api
