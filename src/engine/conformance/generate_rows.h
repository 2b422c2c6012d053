// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random collections, rows and values. Values come from small pools full of corners, so that they meet.

#include <map>
#include <string>
#include <vector>

#include "engine/conformance/chance.h"
#include "engine/ram/owned_value.h"
#include "schema/collection.h"

namespace quern::engine::conformance {

// Ids of the rows that are there, by collection id.
using Ids = std::map<std::string, std::vector<std::string>>;

// Two to four collections with relations to each other and themselves.
[[nodiscard]] std::vector<Collection> generate_collections(Chance& chance);

// A new field of any type, named and identified by `number`; relations lead to one of `targets`.
[[nodiscard]] Field generate_field(Chance& chance, std::size_t number,
                                   std::vector<std::string> const& targets);

// The JSON (as RowText reads it) of a row's fields without its id. Relations point at ids that are there;
// with `faults`, some do not, and unique values meet more often.
[[nodiscard]] std::string generate_row(Chance& chance, Collection const& collection, Ids const& ids,
                                       bool faults);

// A value that a request may compare the field with: most often one of its kind, sometimes any.
[[nodiscard]] ram::OwnedValue generate_value(Chance& chance, Field const& field);
// Any value.
[[nodiscard]] ram::OwnedValue generate_value(Chance& chance);
// A JSON array of such values, as the list of `in`.
[[nodiscard]] ram::OwnedValue generate_list(Chance& chance, Field const& field);
// A pattern of `like`.
[[nodiscard]] ram::OwnedValue generate_pattern(Chance& chance);

}  // namespace quern::engine::conformance
