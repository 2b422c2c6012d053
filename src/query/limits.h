// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a question may ask for at most. Beyond any of these the answer is 400, before any row is read.

#include <cstddef>

namespace quern::query {

// Code points of a filter's or rule's text, values inside `in (…)` not counted.
inline constexpr std::size_t filter_characters_max = 3'500;
inline constexpr std::size_t rule_characters_max = 3'500;
// Values of one `in (…)`, and bytes of a whole filter text with its lists.
inline constexpr std::size_t list_values_max = 10'000;
inline constexpr std::size_t filter_bytes_max = 1024 * 1024;
// Comparisons in one text.
inline constexpr std::size_t expressions_max = 200;
// Brackets and negations inside each other.
inline constexpr std::size_t nesting_max = 20;
// Literals in one text; an `in (…)` counts as one.
inline constexpr std::size_t literals_max = 512;
// Steps along relations in one path.
inline constexpr std::size_t relation_hops_max = 6;
// Keys below a json field in one path.
inline constexpr std::size_t json_steps_max = 16;
// Arguments of one function call.
inline constexpr std::size_t call_arguments_max = 8;
// Sources of one plan: the root, every join and every related set.
inline constexpr std::size_t sources_max = 256;
// To-one sources joined to the main row. SQLite takes 64 tables in a join, the root and a rule's included.
inline constexpr std::size_t joins_max = 32;
inline constexpr std::size_t sort_keys_max = 8;
inline constexpr std::size_t sort_bytes_max = 1'000;
inline constexpr std::size_t fields_bytes_max = 4'000;
inline constexpr std::size_t fields_max = 200;
inline constexpr std::size_t expand_bytes_max = 2'000;
// Relations that are expanded, over all levels.
inline constexpr std::size_t expand_nodes_max = 50;
// Literals of one filter that are compared with each other, so that equal conditions can be merged.
inline constexpr std::size_t identified_literals_max = 16;
// Row-free comparisons of a rule that are settled before the plan is chosen; the others become parameters.
inline constexpr std::size_t settled_comparisons_max = 16;
// Plans kept by one planner; the least recently used goes first. Each costs a few KiB.
inline constexpr std::size_t plans_kept_max = 1'024;
// Bytes that a planner's own buffers keep between requests.
inline constexpr std::size_t scratch_kept_bytes_max = 64 * 1024;

}  // namespace quern::query
