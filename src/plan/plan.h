// SPDX-License-Identifier: Apache-2.0
#pragma once

// What is to be read, as data: immutable, printable, comparable, without behaviour.
//
// A Plan is the shape alone. Every value of a request is a numbered parameter, so a plan can be cached and a
// value never becomes text of a query language. A BoundPlan is a plan with this request's values.
//
// Where rows come from. `sources[0]` is the root collection. Every other source is reached from an earlier
// one by a hop along a relation, or stands free (`@collection.x` in a rule). Sources named in Plan::joined
// belong to the main row: each is a to-one hop and contributes exactly one row, all null where the relation
// is empty or its guard refuses. All others belong to one Quantified condition.
//
// Logic has two values. Each leaf is true or false, never unknown, and `negated` is the exact complement. An
// engine that has SQL's unknown must not let it through.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "schema/collection.h"
#include "schema/value.h"

namespace quern::plan {

using SourceIndex = std::uint16_t;
using ParameterIndex = std::uint16_t;
inline constexpr SourceIndex no_source = 0xFFFF;

// A column of a source: an index into its collection's fields, or Collection::version_field / rowid_field.
// The value of a multiple relation is the JSON array of its target ids, in order.
struct Column {
    SourceIndex source = 0;
    std::uint16_t field = 0;
    bool operator==(Column const&) const = default;
};

enum class Function : std::uint8_t {
    none,
    fold,          // text with case folded (`:lower`); other values unchanged
    length,        // number of elements of a JSON array (`:length`); 0 for what is no array
    geo_distance,  // lonA, latA, lonB, latB in degrees → kilometres; null if an argument is no number
    strftime,      // format, time value, modifiers… → text; null if not a time
};

// One side of a comparison.
struct Operand {
    enum class Kind : std::uint8_t {
        null,
        parameter,  // `index` is the parameter
        column,     // `column`
        json_path,  // the value at `path` inside the JSON text of `column`: object keys or array indexes;
                    // null if absent; true/false as 1/0; objects and arrays as JSON text
                    // without the blanks between its tokens
        element,    // the current element of the Quantified condition's Elements source `index`
        call,       // `function` of `arguments`
    };
    Kind kind = Kind::null;
    std::uint16_t index = 0;
    Column column;
    Function function = Function::none;
    std::vector<std::string> path;
    std::vector<Operand> arguments;
    bool operator==(Operand const&) const = default;
};

enum class Comparison : std::uint8_t {
    equal,  // both non-null and equal in the order of compare(Value, Value)
    same,   // equal, or both null
    less,   // both non-null and left < right
    less_equal,
    greater,
    greater_equal,
    like,     // both non-null and LikePattern(right).matches(left); numbers are matched as their JSON text
    is_null,  // left alone
    in_list,  // left non-null and equal to an element of the JSON array in parameter `right`
};

// A condition: a tree.
struct Condition {
    enum class Kind : std::uint8_t { always, never, compare, all_of, any_of, quantified };
    Kind kind = Kind::always;

    // compare
    Comparison comparison = Comparison::equal;
    bool negated = false;  // of compare and of quantified
    Operand left;
    Operand right;

    // all_of, any_of: the parts. quantified: the one predicate.
    std::vector<Condition> parts;

    // quantified: whether some row of `sources` satisfies the predicate (any), or all do. The sources are
    // nested in this order, each giving the rows of its hop; one without rows gives a single row of nulls.
    bool every = false;
    std::vector<SourceIndex> sources;

    bool operator==(Condition const&) const = default;
};

// How a source's rows are found from its parent's row.
enum class Hop : std::uint8_t {
    root,         // all rows of the collection (sources[0])
    to_one,       // parent's single relation `field` → the target row
    to_many,      // parent's multiple relation `field` → the target rows
    to_many_ids,  // the same without reading the target: only its field `id` (index 0) may be used
    back,      // rows of `collection` whose relation `field` (single or multiple) points at the parent's row
    free,      // all rows of `collection` (`@collection.name`)
    elements,  // the elements of the JSON array in the parent's column `field` (select, file, json)
};

struct Source {
    Collection const* collection = nullptr;  // of the rows; null for `elements`
    SourceIndex parent = no_source;
    Hop hop = Hop::root;
    std::uint16_t field = 0;  // to_one, to_many, elements: of the parent's collection; back: of `collection`
    // Only rows that satisfy this are seen through the hop. It may use this source and Quantified conditions
    // whose sources hang on it.
    Condition guard;
    bool operator==(Source const&) const = default;
};

struct SortKey {
    enum class Kind : std::uint8_t { operand, random };
    Kind kind = Kind::operand;
    Operand operand;
    bool descending = false;  // nulls are smallest: first ascending, last descending
    bool operator==(SortKey const&) const = default;
};

// Continue behind a row (keyset paging): only rows that come after the given sort values.
// One parameter for each sort key, in order; a flag says which values are null (it belongs to the shape).
struct Seek {
    std::vector<ParameterIndex> values;
    std::vector<bool> null;
    bool operator==(Seek const&) const = default;
};

struct Plan {
    std::shared_ptr<Schema const> schema;  // keeps the collections alive
    std::vector<Source> sources;
    std::vector<SourceIndex> joined;  // to-one sources of the main row, parents first
    Condition where;
    std::vector<SortKey> sort;    // ends with a unique key whenever the order matters
    std::vector<Operand> output;  // columns of the answer, in order
    bool has_seek = false;
    Seek seek;
    // Row bounds as parameters; no_parameter = none.
    static constexpr ParameterIndex no_parameter = 0xFFFF;
    ParameterIndex limit = no_parameter;
    ParameterIndex offset = no_parameter;
    std::uint16_t parameter_count = 0;

    // Identity for caches: unique for each sealed plan in this process. Set by seal().
    std::uint64_t id = 0;
};

// Freezes a plan for sharing and gives it its id.
[[nodiscard]] std::shared_ptr<Plan const> seal(Plan plan);

// A readable text of the plan, for tests and for `explain`; equal plans print equal.
[[nodiscard]] std::string print(Plan const& plan);
[[nodiscard]] std::string print(Condition const& condition);

// Lifetime: `values` is borrowed, one for each parameter.
struct BoundPlan {
    Plan const& plan;
    std::span<Value const> values;
};

// Small makers, so that plans read well where they are written.
[[nodiscard]] Operand column(SourceIndex source, std::size_t field);
[[nodiscard]] Operand parameter(std::size_t index);
[[nodiscard]] Condition compare(Operand left, Comparison comparison, Operand right, bool negated = false);
[[nodiscard]] Condition is_null(Operand operand, bool negated = false);
// Flattens and simplifies: no parts = always (all_of) or never (any_of), one part = itself, and constants
// vanish.
[[nodiscard]] Condition all_of(std::vector<Condition> parts);
[[nodiscard]] Condition any_of(std::vector<Condition> parts);
// The exact complement, pushed down to the leaves.
[[nodiscard]] Condition negate(Condition condition);

}  // namespace quern::plan
