// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables the product keeps for itself, and how a Schema is stored in them.
//
// `_collections` has a row a collection; it is an ordinary collection to the engine, so that every engine
// keeps it the same way. Its own definition is compiled in.

#include <memory>
#include <span>
#include <string_view>

#include <quern/error.h>
#include "engine/engine.h"
#include "schema/collection.h"
#include "store/write_job.h"

namespace quern::store {

inline constexpr std::string_view collections_table = "_collections";

// Creates the metadata tables in an empty database.
[[nodiscard]] Result<void> create_metadata(WriteContext& context);

// Reads all collections.
// Errors: corrupt — a row cannot be understood, the message names the collection.
[[nodiscard]] Result<std::shared_ptr<Schema const>> load_schema(engine::Reader& reader);

// What is to become of the collections: each of `put` replaces the collection of the same id or is new; each
// id of `removed` goes, its table and its rows with it.
struct SchemaChange {
    std::span<std::shared_ptr<Collection const> const> put;
    std::span<std::string_view const> removed;
};

// Carries a change out in the open transaction: tables, metadata rows, and context.next_schema (also
// context.schema, for what follows in the same job).
// Errors: as engine::Transaction::alter; validation — a removed collection is still the target of a relation.
[[nodiscard]] Result<void> change_schema(WriteContext& context, SchemaChange const& change);

}  // namespace quern::store
