// SPDX-License-Identifier: Apache-2.0
// GET /api/collections, GET /api/collections/{collection}, GET /api/collections/meta/scaffolds, GET
// /api/health
#include <algorithm>

#include <quern/json_writer.h>
#include "api/collections.h"
#include "api/endpoints.h"
#include "api/parameters.h"
#include "auth/auth_collection.h"
#include "schema/collection_json.h"

namespace quern::api {

namespace {

// Collections are few and in memory: sorted by name, a page of them is cut out.
std::vector<Collection const*> sorted_collections(Schema const& schema) {
    std::vector<Collection const*> sorted;
    for (auto const& collection : schema.collections()) sorted.push_back(collection.get());
    std::ranges::sort(sorted, {}, [](Collection const* collection) { return collection->name; });
    return sorted;
}

void write_scaffold(CollectionType type, json::Writer& writer) {
    Collection collection;
    collection.type = type;
    collection.fields = {make_id_field()};
    if (type == CollectionType::auth) {
        for (Field& field : auth::auth_system_fields()) collection.fields.push_back(std::move(field));
    }
    writer.key(name(type));
    write_collection(collection, "{}", writer);
}

}  // namespace

Result<void> get_health(Call& call) {
    call.response().body.append(R"({"code":200,"message":"API is healthy.","data":{}})");
    return {};
}

Result<void> list_collections(Call& call) {
    QUERN_CHECK(require_superuser(call));
    static Collection const no_rules;
    QUERN_TRY(auto const parameters, read_list_parameters(call.parameters, no_rules));
    for (auto const& [name, value] :
         {std::pair("filter", parameters.filter), {"sort", parameters.sort}, {"expand", parameters.expand}}) {
        if (!value.empty()) {
            return fail(ErrorCode::parameter_invalid, std::string("Invalid query parameter \"") + name +
                                                          "\": collections are listed by name.");
        }
    }
    auto const sorted = sorted_collections(*call.lane.schema);
    auto const total = static_cast<std::int64_t>(sorted.size());
    std::int64_t const first = std::min(total, (parameters.page - 1) * parameters.per_page);
    std::int64_t const last = std::min(total, first + parameters.per_page);
    json::Writer writer(call.response().body);
    writer.begin_object();
    writer.member("page", parameters.page);
    writer.member("perPage", parameters.per_page);
    writer.member("totalItems", parameters.skip_total ? -1 : total);
    writer.member("totalPages", parameters.skip_total || parameters.per_page == 0
                                    ? -1
                                    : (total + parameters.per_page - 1) / parameters.per_page);
    writer.key("items");
    writer.begin_array();
    Buffer json;
    for (std::int64_t index = first; index < last; ++index) {
        json.clear();
        write_collection_json(*sorted[static_cast<std::size_t>(index)], json);
        writer.raw(json.view());
    }
    writer.end_array();
    writer.end_object();
    return {};
}

Result<void> view_collection(Call& call) {
    QUERN_CHECK(require_superuser(call));
    QUERN_CHECK(find_collection(call));
    write_collection_json(*call.collection, call.response().body);
    return {};
}

Result<void> get_scaffolds(Call& call) {
    QUERN_CHECK(require_superuser(call));
    json::Writer writer(call.response().body);
    writer.begin_object();
    write_scaffold(CollectionType::base, writer);
    write_scaffold(CollectionType::auth, writer);
    writer.end_object();
    return {};
}

}  // namespace quern::api
