// SPDX-License-Identifier: Apache-2.0
#pragma once

// Query parameters, read strictly: what is unknown or malformed is an error and never a broader answer.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <quern/arena.h>
#include <quern/error.h>
#include <quern/http.h>
#include "schema/collection.h"

namespace quern::api {

// Records on a page when nothing is said, and at most; a larger number is taken as the largest.
inline constexpr std::int64_t per_page_default = 30;
inline constexpr std::int64_t per_page_max = 1000;
// Highest page number: keeps page × perPage far inside 64 bits.
inline constexpr std::int64_t page_max = 1'000'000'000;

struct ListParameters {
    std::int64_t page = 1;
    std::int64_t per_page = per_page_default;  // 0 = totals only
    bool skip_total = false;
    std::string_view filter;
    std::string_view sort;
    std::string_view fields;
    std::string_view expand;
    std::optional<std::string_view> cursor;  // empty = from the start
};

// Decodes the query string.
// Errors: parameter_invalid — a malformed escape or text that is not UTF-8; the message names the parameter.
[[nodiscard]] Result<std::span<http::QueryParameter const>> read_query(http::Request const& request,
                                                                       Arena& arena);

// Errors: parameter_invalid — naming the parameter. One that only a rule of `collection` reads
// (`@request.query.name`) is let through.
[[nodiscard]] Result<ListParameters> read_list_parameters(std::span<http::QueryParameter const> query,
                                                          Collection const& collection);

// `fields` and `expand` alone, for single records.
struct RecordParameters {
    std::string_view fields;
    std::string_view expand;
};
[[nodiscard]] Result<RecordParameters> read_record_parameters(std::span<http::QueryParameter const> query,
                                                              Collection const& collection);

}  // namespace quern::api
