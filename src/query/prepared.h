// SPDX-License-Identifier: Apache-2.0
#pragma once

// A question after checking: a sealed plan, and where each of its parameters comes from.
//
// A Prepared is made once for all requests of the same shape and shared. bind() then fills in one request.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/plan.h"
#include "query/selection.h"
#include "schema/value.h"

namespace quern::query {

// A Value that owns its text.
struct Constant {
    ValueKind kind = ValueKind::null;
    std::int64_t integer = 0;
    double real = 0;
    std::string text;

    [[nodiscard]] Value value() const;
    bool operator==(Constant const&) const = default;
};

// How a value is fitted to what it is compared with.
enum class Conversion : std::uint8_t {
    none,
    text,     // a number as written, a bool as true/false
    number,   // numeric text as number
    boolean,  // true/false/1/0, also as text
    date,     // to the stored form of a date
};

enum class Macro : std::uint8_t {
    now,
    second,
    minute,
    hour,
    weekday,
    day,
    month,
    year,
    yesterday,
    tomorrow,
    today_start,
    today_end,
    month_start,
    month_end,
    year_start,
    year_end
};

struct ParameterSource {
    enum class Kind : std::uint8_t {
        constant,
        literal,  // the filter's literal `index`
        list,     // the filter's `in (…)` literal `index`, as JSON array text
        macro,    // `macro` at the request's time
        method,
        context,
        auth_id,
        auth_collection_id,
        auth_collection_name,
        auth_field,  // field `index` of the caller's record
        own_id,      // the caller's id if the caller's record is of `collection`
        header,
        query,
        body,  // by `name`
        header_is_set,
        query_is_set,
        body_is_set,
        body_is_changed,  // true, false, or null where the stored row has to tell
        auth_single,
        body_single,  // the one value that all elements of such an array share, else null
        evaluated,    // outcome of comparison `index` of Prepared::evaluations
        record_id,
        ids,
        limit,
        offset,  // of the question
        seek,    // value `index` of the question's seek values
    };
    Kind kind = Kind::constant;
    Conversion conversion = Conversion::none;
    bool fold = false;           // `:lower`
    bool length = false;         // `:length`
    bool null_as_zero = false;   // a null, or a null in a list, stands for the zero value of `conversion`
    bool empty_as_null = false;  // empty text stands for null, as an empty relation is stored
    Macro macro = Macro::now;
    std::uint16_t index = 0;
    Collection const* collection = nullptr;
    std::string name;
    Constant constant;

    bool operator==(ParameterSource const&) const = default;
};

enum class Quantity : std::uint8_t { one, some, every };

// A comparison that needs no row: decided when the request is bound.
struct Evaluation {
    struct Side {
        ParameterSource source;
        bool literal = false;   // written in the text: its zero value equals a missing value
        bool is_array = false;  // JSON array text, compared element by element
        bool is_date = false;
        bool operator==(Side const&) const = default;
    };
    Side left;
    Side right;
    plan::Comparison comparison = plan::Comparison::equal;
    bool negated = false;
    Quantity quantity = Quantity::one;
    bool operator==(Evaluation const&) const = default;
};

// Threads: frozen.
struct Prepared {
    std::shared_ptr<plan::Plan const> plan;
    std::vector<ParameterSource> parameters;  // one a plan parameter
    std::vector<Evaluation> evaluations;

    // The answer's columns: `fields` (indexes into the collection's fields), then the version if asked for,
    // then the sort values if asked for.
    Collection const* collection = nullptr;
    std::vector<std::uint16_t> fields;
    std::optional<std::size_t> version_column;
    std::size_t sort_columns_start = 0;
    std::size_t sort_columns_count = 0;
    // Of a question for related rows: the column that ties a row to its owner (the id, or the relation back).
    std::size_t key_column = 0;

    FieldSelection selection;
    std::vector<ExpandNode> expand;

    // No row can satisfy it: there is no need to ask the engine.
    [[nodiscard]] bool is_never() const { return plan->where.kind == plan::Condition::Kind::never; }
    // Column of field `index` in the answer.
    [[nodiscard]] std::optional<std::size_t> column_of(std::size_t field) const;
};

}  // namespace quern::query
