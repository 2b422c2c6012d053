// SPDX-License-Identifier: Apache-2.0
#include "library/database.h"

#include "auth/auth_collection.h"
#include "engine/sqlite/sqlite.h"
#include "os/file.h"
#include "schema/date.h"
#include "store/metadata.h"

namespace quern::library {

namespace {

Result<void> create_superusers(store::Store& store, os::Clock const& clock, crypto::Random& random) {
    if (store.schema()->find(auth::superusers_id) != nullptr) return {};
    auto superusers = std::make_shared<Collection>(auth::make_superusers(random));
    superusers->created = superusers->updated = format_date(clock.realtime_us() / 1000);
    std::shared_ptr<Collection const> const put[] = {superusers};
    return store.write_now(
        [&](store::WriteContext& context) {
            return store::change_schema(context, {put, {}});
        },
        true);
}

}  // namespace

Result<std::unique_ptr<store::Store>> open_database(DatabaseOptions options, os::Clock const& clock,
                                                    crypto::Random& random) {
    QUERN_CHECK(os::make_directories(options.directory));
    engine::sqlite::Options engine_options;
    engine_options.path = options.directory / database_file;
    engine_options.exclusive = options.exclusive;
    engine_options.synchronous =
        options.relaxed ? engine::sqlite::Synchronous::normal : engine::sqlite::Synchronous::full;
    engine_options.clock = &clock;
    auto engine = engine::sqlite::open(std::move(engine_options));
    if (!engine && engine.error().code == ErrorCode::overloaded) {
        return fail(ErrorCode::overloaded,
                    "Another program has " + (options.directory / database_file).string() +
                        " open. A server that was started with --exclusive keeps it to itself.");
    }
    if (!engine) return std::unexpected(std::move(engine).error());
    QUERN_TRY(auto store, store::Store::open(*std::move(engine), clock, std::move(options.store)));
    QUERN_CHECK(create_superusers(*store, clock, random));
    return store;
}

}  // namespace quern::library
