// SPDX-License-Identifier: Apache-2.0
#pragma once

// Collections as the API reads and writes them: between their JSON and the schema.

#include <memory>
#include <string>
#include <vector>

#include <quern/error.h>
#include "api/call.h"
#include "crypto/random.h"
#include "json/reader.h"
#include "schema/collection.h"

namespace quern::api {

// Appends a collection as JSON, without secrets.
void write_collection_json(Collection const& collection, Buffer& output);

// What is being put together in one schema change.
struct CollectionDraft {
    Call& call;
    crypto::Random& random;
    std::int64_t now_ms = 0;
};

// Reads one collection from a body; `before` is the one to be changed, or null. `coming` are others made in
// the same step. Errors: validation — every part at fault; also forbidden changes of system collections.
[[nodiscard]] Result<Collection> read_collection_body(CollectionDraft const& draft, json::Node body,
                                                      Collection const* before,
                                                      std::span<Collection const> coming);

// Checks the rules of the collections to be saved against the schema as it will be.
// Errors: validation — `fields` names the rule.
[[nodiscard]] Result<void> check_drafted_rules(Schema const& now,
                                               std::vector<std::shared_ptr<Collection const>> const& put);

}  // namespace quern::api
