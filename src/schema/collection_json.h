// SPDX-License-Identifier: Apache-2.0
#pragma once

// Collections as PocketBase clients send and read them.
//
// Errors name the part at fault by a dotted path into the body: "name", "fields.2.name", "indexes.0".
// Codes beside those of input.h: validation_length_out_of_range, validation_match_invalid,
// validation_found_via, validation_not_in_invalid (a reserved name), validation_collection_name_exists,
// validation_duplicated_field_name, validation_field_type_change, validation_collection_type_change,
// validation_system_field_change, validation_collection_system_name_change,
// validation_collection_system_rule_change, validation_in_invalid,
// validation_field_relation_missing_collection, validation_invalid_regex, validation_is_domain,
// validation_empty, validation_min_greater_equal_than_required, validation_max_less_equal_than_required,
// validation_invalid_index_expression, validation_duplicated_index_name, validation_limit_exceeded,
// validation_invalid_type (a member of the wrong JSON type).

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include <quern/json_writer.h>
#include "json/reader.h"
#include "schema/collection.h"
#include "schema/id.h"

namespace quern {

inline constexpr std::size_t collection_name_chars_max = 255;
inline constexpr std::size_t field_name_chars_max = 100;
inline constexpr std::size_t fields_max = 500;
inline constexpr std::size_t indexes_max = 64;
inline constexpr std::size_t index_columns_max = 16;
inline constexpr std::size_t select_values_max = 1'000;
inline constexpr std::int64_t max_select_max = 10'000;
inline constexpr std::size_t pattern_bytes_max = 1'000;
inline constexpr std::size_t rule_bytes_max = 100'000;  // stored; the filter grammar has its own, lower bound

struct CollectionReading {
    Schema const& schema;
    // The collection to be changed; null = a new one. Members that the body lacks keep their old value.
    Collection const* before = nullptr;
    RandomSource random;
    std::string_view now;  // a stored date, for `created` and `updated`
    // What every auth collection has, whether the body names it or not.
    std::span<Field const> auth_fields;
    std::function<std::vector<Index>(std::string_view collection_id)> auth_indexes;
    // Collections that are made in the same step, so that relations may point at them (id and name are used).
    std::span<Collection const> coming;
    // Whether a rule is well formed: nothing, or why not. Called for every rule that is neither null nor
    // empty.
    std::function<std::optional<std::string>(Collection const&, std::string_view rule)> check_rule;
};

// Reads a collection from a body. `id` is taken from the body for a new collection, else made.
//
// Of an auth collection, `options_json` of the result holds those members of the body that are no part of
// every collection, verbatim and unchecked: the caller completes it from the stored options. Other types have
// "{}". Errors: validation — `fields` names every part at fault.
[[nodiscard]] Result<Collection> read_collection(json::Node body, CollectionReading const& reading);

// Writes a collection; the members of `options_json` follow the common ones, so the caller takes secrets out
// of it before.
void write_collection(Collection const& collection, std::string_view options_json, json::Writer& writer);

// Writes a field with exactly the options of its type.
void write_field(Field const& field, json::Writer& writer);

// Reads a field as write_field() wrote it; options that are absent get their defaults, unknown ones are
// ignored. Errors: validation — paths as in "min"; only types of members are checked, and that `type` is one.
[[nodiscard]] Result<Field> read_field(json::Node body);

// A new collection with the field `id` alone (and the given fields of every auth collection), without rules.
[[nodiscard]] Collection make_collection(std::string_view name, CollectionType type, RandomSource random,
                                         std::string_view now);
// The field `id` as every collection has it.
[[nodiscard]] Field make_id_field();

// An index from its SQL text: CREATE [UNIQUE] INDEX [IF NOT EXISTS] name ON table (column [COLLATE NOCASE]
// [ASC|DESC], …) [WHERE column != '']. Names may be quoted with ", ` or []. The table's name is not looked
// at. Errors: validation — `fields` has one error without a path, its code
// validation_invalid_index_expression.
[[nodiscard]] Result<Index> parse_index(std::string_view sql);
// The same as text, e.g. CREATE UNIQUE INDEX `i` ON `posts` (`title` COLLATE NOCASE DESC) WHERE `title` !=
// ''.
[[nodiscard]] std::string print_index(Index const& index, std::string_view table);

}  // namespace quern
