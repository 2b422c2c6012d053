// SPDX-License-Identifier: Apache-2.0
#pragma once

// Fills a plan's parameters from one request, and decides comparisons that need no row.

#include <span>
#include <string_view>

#include <quern/arena.h>
#include <quern/buffer.h>
#include <quern/error.h>
#include "query/lexer.h"
#include "query/prepared.h"
#include "query/request_values.h"

namespace quern::query {

// What parameters are filled from. Lifetime: borrows everything.
struct Supplies {
    RequestValues const& request;
    Arena& arena;
    Buffer& scratch;               // kept between requests, for lists under construction
    std::string_view filter = {};  // for positions in messages
    std::span<Literal const> literals = {};
    std::string_view record_id = {};
    std::string_view ids_json = {};
    std::int64_t limit = 0;
    std::int64_t offset = 0;
    std::span<Value const> seek = {};
};

// Lifetime: the value lives in the arena or the request.
// Errors:   filter_invalid — a literal cannot be converted, with its position.
[[nodiscard]] Result<Value> value_of(ParameterSource const& source, std::span<Evaluation const> evaluations,
                                     Supplies const& supplies);

// A missing value equals a literal zero and nothing else; `!=` is the exact complement.
[[nodiscard]] Result<bool> evaluate(Evaluation const& evaluation, Supplies const& supplies);

// All parameters of a prepared plan.
[[nodiscard]] Result<std::span<Value const>> bind(Prepared const& prepared, Supplies const& supplies);

}  // namespace quern::query
