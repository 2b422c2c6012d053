// SPDX-License-Identifier: Apache-2.0
#pragma once

// From a request's texts to a plan with its values.
//
// The client's filter is read once without allocation: that gives its shape (the text with literals replaced
// by their class) and the literals. A shape seen before costs a look-up and the binding of values; a new one
// is parsed, checked against schema and rules, lowered and sealed.
//
// Messages: `Invalid filter at position 7: unknown field "titel".` Positions are 1-based characters. A field
// that does not exist, one that is hidden and a relation that the caller may not follow give the same
// message.
//
// Read the questions, then Planner.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <quern/arena.h>
#include <quern/error.h>
#include "plan/plan.h"
#include "query/access.h"
#include "query/prepared.h"
#include "query/request_values.h"
#include "schema/collection.h"

namespace quern::query {

// Which columns the answer has.
struct Output {
    // Indexes into the collection's fields. Empty = derived from `fields` and `expand` (fields_to_read).
    std::span<std::uint16_t const> columns = {};
    bool version = false;      // and the record's version
    bool sort_values = false;  // and the values of all sort keys, for a cursor
};

// A page of a list.
struct ListQuestion {
    Collection const& collection;
    Access access;
    std::string_view filter = {};
    std::string_view sort = {};
    std::string_view fields = {};
    std::string_view expand = {};
    std::int64_t limit = 0;   // rows; 0 = no bound
    std::int64_t offset = 0;  // rows
    // Go on behind the row with these sort values (decode_cursor).
    bool has_seek = false;
    std::span<Value const> seek = {};
    Output output = {};
};

// How many rows a list has in all.
struct CountQuestion {
    Collection const& collection;
    Access access;
    std::string_view filter = {};
};

// One record. With `filter`, only if it satisfies that too.
struct ViewQuestion {
    Collection const& collection;
    Access access;
    std::string_view id = {};
    std::string_view filter = {};
    std::string_view fields = {};
    std::string_view expand = {};
    Output output = {};
};

// Whether a rule admits one record as it is stored now. The answer is one row or none; its column is the id.
struct CheckQuestion {
    Collection const& collection;
    Access access;
    std::string_view id = {};
    std::string_view filter = {};
};

// Records that belong to others, for `expand`: those whose id is in `ids`, or whose relation points into
// `ids`. Prepared::key_column tells which column ties a record to its owner.
struct RelatedQuestion {
    Collection const& collection;  // of the records wanted
    Access access;
    std::string_view ids_json = {};  // JSON array of ids (json_array() makes one)
    bool back = false;
    std::uint16_t field = 0;     // back: the relation, of `collection`
    std::string_view sort = {};  // back: "" is the order of insertion
    std::int64_t limit = 0;      // rows over all owners; 0 = no bound
    Output output = {};          // columns: ExpandNode::columns
};

// A plan with this request's values.
// Lifetime: `values` lives in the arena given with the question, and in the request.
struct Query {
    std::shared_ptr<Prepared const> prepared;
    std::span<Value const> values;

    [[nodiscard]] plan::BoundPlan bound() const { return {*prepared->plan, values}; }
    [[nodiscard]] bool is_never() const { return prepared->is_never(); }
};

// Makes plans and keeps them. One for each thread and database.
//
// Errors:  filter_invalid, filter_too_large, sort_invalid, parameter_invalid — the client's text, with
// position;
//          internal — a stored rule is broken; nobody but superusers sees rows then.
// Threads: its loop.
// Cost:    a known shape: no allocation beyond the arena, about 0.2 µs for a short filter; a new one tens of
// µs.
class Planner {
public:
    Planner();
    ~Planner();
    Planner(Planner const&) = delete;
    Planner& operator=(Planner const&) = delete;

    using SchemaPointer = std::shared_ptr<Schema const>;

    [[nodiscard]] Result<Query> list(SchemaPointer const& schema, ListQuestion const& question,
                                     RequestValues const& request, Arena& arena);
    [[nodiscard]] Result<Query> count(SchemaPointer const& schema, CountQuestion const& question,
                                      RequestValues const& request, Arena& arena);
    [[nodiscard]] Result<Query> view(SchemaPointer const& schema, ViewQuestion const& question,
                                     RequestValues const& request, Arena& arena);
    [[nodiscard]] Result<Query> check(SchemaPointer const& schema, CheckQuestion const& question,
                                      RequestValues const& request, Arena& arena);
    [[nodiscard]] Result<Query> related(SchemaPointer const& schema, RelatedQuestion const& question,
                                        RequestValues const& request, Arena& arena);

    // Plans made so far and not taken from those kept: grows with new shapes only.
    [[nodiscard]] std::uint64_t plans_made() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

// The ids as JSON array text, in the arena.
[[nodiscard]] std::string_view json_array(std::span<std::string_view const> ids, Arena& arena);

// Checks a rule's text against a schema that is about to be saved: every path, type and limit.
// Errors: filter_invalid, filter_too_large — the message names `name` ("listRule") and the position.
[[nodiscard]] Result<void> check_rule(std::shared_ptr<Schema const> const& schema,
                                      Collection const& collection, std::string_view name,
                                      std::string_view text);

}  // namespace quern::query
