// SPDX-License-Identifier: Apache-2.0
#pragma once

// What one thread needs to answer requests, and shares with no other: its reader, its plans, its parsers.
//
// Each event loop has a lane, each thread of the slow pool has one, and the writer has one (without a reader:
// it reads through its transaction).

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <quern/buffer.h>
#include "api/row_writer.h"
#include "auth/auth_collection.h"
#include "auth/principal.h"
#include "auth/token.h"
#include "engine/engine.h"
#include "json/reader.h"
#include "plan/plan.h"
#include "query/planner.h"
#include "schema/collection.h"
#include "schema/input.h"
#include "store/store.h"

namespace quern::api {

// An auth collection's settings, read once for each schema.
struct AuthSettings {
    auth::AuthFields fields;
    auth::AuthOptions options;
};

// A way to find an account by its identity.
struct IdentityLookUp {
    Collection const* collection = nullptr;
    std::size_t field = 0;
    bool folded = false;  // ignoring case

    auto operator<=>(IdentityLookUp const&) const = default;
};

// Threads: its thread.
struct Lane {
    explicit Lane(std::unique_ptr<engine::Reader> lane_reader) : reader(std::move(lane_reader)) {}

    std::unique_ptr<engine::Reader> reader;
    query::Planner planner;
    json::Document document;
    auth::Token token;
    Buffer scratch;

    std::shared_ptr<Schema const> schema;
    std::map<Collection const*, std::optional<AuthSettings>> auth_settings;
    std::vector<std::uint16_t> every_field;  // 0, 1, 2 …: the columns of a whole record

    // Whether a read may be given up and run again on the slow pool.
    bool on_loop = false;

    // Takes the current schema, if it has changed.
    void refresh(store::Store const& store) {
        use(store.schema_version(), [&] { return store.schema(); });
    }
    // Takes a given schema (the writer's).
    void use(std::shared_ptr<Schema const> const& given) {
        use(given->version(), [&] { return given; });
    }

    // What the collection takes in. Lifetime: until the schema changes.
    RecordInput const& input_of(Collection const& collection);

    // The writer for a question's rows as its own `fields` wants them. Lifetime: until the next call.
    RowWriter const& writer_of(std::shared_ptr<query::Prepared const> const& prepared, bool superuser);

    // Nothing for a collection that is no auth collection, or whose settings cannot be read.
    AuthSettings const* auth_of(Collection const& collection);
    // The plan that pours id and password hash of the accounts whose `field` is its parameter. Lifetime:
    // until the schema changes. Precondition: auth_of() knows the collection.
    plan::Plan const& look_up_plan(IdentityLookUp const& look_up);
    // The indexes of the first `count` fields.
    std::span<std::uint16_t const> first_fields(std::size_t count);

private:
    // Writers kept; when there are more, all go and are made anew.
    static constexpr std::size_t writers_max = 1024;

    struct KeptWriter {
        std::shared_ptr<query::Prepared const> prepared;  // keeps the key's address taken
        RowWriter writer;
    };

    template <class Get>
    void use(std::uint64_t version, Get get) {
        if (schema != nullptr && schema->version() == version) [[likely]]
            return;
        schema = get();
        auth_settings.clear();
        look_ups_.clear();
        inputs_.clear();
        writers_[0].clear();
        writers_[1].clear();
    }

    std::map<IdentityLookUp, std::shared_ptr<plan::Plan const>> look_ups_;
    std::unordered_map<Collection const*, RecordInput> inputs_;
    std::unordered_map<query::Prepared const*, KeptWriter> writers_[2];  // for others, for superusers
};

}  // namespace quern::api
