// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a question to a sealed plan: the slow way, taken once for each shape.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <quern/arena.h>
#include <quern/error.h>
#include "query/lexer.h"
#include "query/planner.h"
#include "query/prepared.h"

namespace quern::query {

enum class QuestionKind : std::uint8_t { list, count, view, check, related };

// All questions in one form. Lifetime: borrows.
struct QuestionData {
    QuestionKind kind;
    Collection const& collection;
    Access access;
    std::string_view filter = {};
    std::string_view sort = {};
    std::string_view fields = {};
    std::string_view expand = {};
    std::string_view record_id = {};
    std::string_view ids_json = {};
    bool back = false;
    std::uint16_t field = 0;
    std::int64_t limit = 0;
    std::int64_t offset = 0;
    bool has_seek = false;
    std::span<Value const> seek = {};
    Output output = {};
};

// What else the plan depends on.
struct PlanContext {
    std::shared_ptr<Schema const> const& schema;
    Collection const* caller = nullptr;
    bool superuser = false;
    std::uint32_t outcomes = 0;  // of the rule's row-free comparisons
    std::span<Literal const> literals;
    bool has_filter = false;  // the filter has tokens
};

[[nodiscard]] Result<std::shared_ptr<Prepared const>> make_plan(QuestionData const& question,
                                                                PlanContext const& context, Arena& arena);

// The comparisons of a rule that need no row, in the order in which its plan asks for their outcomes; at most
// settled_comparisons_max.
[[nodiscard]] Result<std::vector<Evaluation>> row_free_comparisons(
    std::shared_ptr<Schema const> const& schema, Collection const& collection, Action action,
    Collection const* caller, Arena& arena);

}  // namespace quern::query
