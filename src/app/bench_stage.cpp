// SPDX-License-Identifier: Apache-2.0
#include "app/bench_stage.h"

#include <fmt/format.h>

#include <quern/arena.h>
#include <quern/assert.h>
#include "json/reader.h"
#include "library/database.h"
#include "query/planner.h"
#include "rules/decision.h"
#include "schema/collection_json.h"
#include "schema/date.h"
#include "store/metadata.h"

namespace quern::app {

namespace {

constexpr std::string_view accounts_definition =
    R"({"id": "pbc_0000000001", "name": "accounts", "type": "base", "fields": []})";

// Open but for lists, which show an account its own. Every relation has an index without being asked for.
constexpr std::string_view posts_definition = R"text({{
    "name": "{0}", "type": "base",
    "listRule": "owner = @request.auth.id", "viewRule": "",
    "createRule": "", "updateRule": "", "deleteRule": "",
    "fields": [
        {{"name": "title", "type": "text", "required": true}},
        {{"name": "body", "type": "text"}},
        {{"name": "category", "type": "text"}},
        {{"name": "owner", "type": "relation", "collectionId": "pbc_0000000001", "required": true}},
        {{"name": "rank", "type": "number", "onlyInt": true}},
        {{"name": "views", "type": "number", "onlyInt": true}},
        {{"name": "created", "type": "autodate", "onCreate": true}},
        {{"name": "updated", "type": "autodate", "onCreate": true, "onUpdate": true}}
    ],
    "indexes": ["CREATE INDEX {0}_by_rank ON {0} (category, rank)"]
}})text";

constexpr std::int64_t us_per_ms = 1000;

}  // namespace

std::string_view name_of(PostTable table) {
    switch (table) {
    case PostTable::kept: return "posts";
    case PostTable::made: return "posts_made";
    case PostTable::removed: return "posts_removed";
    }
    return {};
}

Result<std::unique_ptr<BenchStage>> BenchStage::open(StageOptions options, os::Clock const& clock) {
    std::unique_ptr<BenchStage> stage(new BenchStage(options, clock));
    library::DatabaseOptions database{.directory = std::move(options.directory),
                                      .exclusive = false,
                                      .relaxed = options.relaxed,
                                      .store = {}};
    database.store.on_fatal = std::move(options.on_fatal);
    QUERN_TRY(stage->store_, library::open_database(std::move(database), clock, stage->random_));
    QUERN_CHECK(stage->make_collection(accounts_definition));
    for (PostTable const table : {PostTable::kept, PostTable::made, PostTable::removed})
        QUERN_CHECK(stage->make_collection(fmt::format(posts_definition, name_of(table))));
    QUERN_CHECK(stage->make_accounts());
    return stage;
}

Collection const& BenchStage::collection(PostTable table) const {
    Collection const* const found = schema()->find(name_of(table));
    QUERN_ASSERT(found != nullptr, "the stage has made it");
    return *found;
}

Result<void> BenchStage::make_collection(std::string_view definition) {
    QUERN_TRY(auto const body, json::Tree::parse(definition));
    auto const schema_now = schema();
    std::string const now = format_date(clock_.realtime_us() / us_per_ms);
    CollectionReading const reading{.schema = *schema_now,
                                    .before = nullptr,
                                    .random = RandomSource(random_),
                                    .now = now,
                                    .auth_fields = {},
                                    .auth_indexes = {},
                                    .coming = {},
                                    .check_rule = {}};
    QUERN_TRY(Collection made, read_collection(body.root(), reading));
    std::shared_ptr<Collection const> const put[] = {std::make_shared<Collection const>(std::move(made))};
    return store_->write_now(
        [&](store::WriteContext& context) {
            return store::change_schema(context, {put, {}});
        },
        true);
}

Result<void> BenchStage::make_accounts() {
    Arena arena;
    for (std::size_t number = 0; number < bench_groups; ++number)
        account_ids_.emplace_back(make_record_id(RandomSource(random_), arena));
    return store_->write_now(
        [&](store::WriteContext& context) -> Result<void> {
            Collection const& accounts = *context.schema->find(accounts_name);
            for (std::string const& id : account_ids_) {
                engine::Assignment const row[] = {
                    {0, Value::of(id), {}},
                    {Collection::version_field, Value::of(context.next_version()), {}}};
                QUERN_CHECK(context.transaction.insert(accounts, row));
            }
            return {};
        },
        true);
}

Result<std::size_t> BenchStage::count(PostTable table) {
    QUERN_TRY(auto const reader, store_->open_reader());
    query::Planner planner;
    Arena arena;
    query::CountQuestion const question{
        .collection = collection(table), .access = query::Access::all(), .filter = {}};
    QUERN_TRY(auto const asked, planner.count(schema(), question, {}, arena));
    QUERN_TRY(std::int64_t const count, reader->count(asked.bound()));
    return static_cast<std::size_t>(count);
}

}  // namespace quern::app
