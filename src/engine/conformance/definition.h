// SPDX-License-Identifier: Apache-2.0
#pragma once

// Collections, rows and values as test cases write them.
//
// A collection:
//     collection posts                     its id is "posts" too, or as said: collection entries id:posts
//     field title text                     also: email url date autodate editor password
//     field size number int nullable       `int` = 64-bit integers; without, reals
//     field data json
//     field kinds select many              `many` = several values
//     field author relation:people         and `many` for a join table
//     field heading text id:title          an id of its own says what was renamed
//     index unique title:nocase, size where title
// The field `id` is always there. Rows are JSON objects; {"$text": "…"} puts a text as it is, whatever the
// field.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "engine/engine.h"
#include "engine/ram/owned_value.h"
#include "schema/collection.h"

namespace quern::engine::conformance {

// Reads the lines of one collection, the first of which begins with "collection".
[[nodiscard]] Result<Collection> read_collection(std::vector<std::string> const& lines);

// A schema of these collections; relations name their targets by id.
[[nodiscard]] std::shared_ptr<Schema const> schema_of(std::vector<Collection> const& collections,
                                                      std::uint64_t version);

// The assignments that a JSON object asks for, with the bytes they borrow.
class RowText {
public:
    // Errors: body_invalid — no JSON object, or it names an unknown field.
    [[nodiscard]] static Result<RowText> read(Collection const& collection, std::string_view json);

    // Lifetime: as long as this object is neither changed nor moved.
    [[nodiscard]] std::vector<Assignment> assignments() const;

private:
    struct Part {
        std::uint16_t field = 0;
        ram::OwnedValue value;
        std::vector<std::string> targets;
        mutable std::vector<std::string_view> target_views;
    };
    std::vector<Part> parts_;
};

// A value as JSON, where a real always shows a point or an exponent: what answers are compared by.
[[nodiscard]] std::string print(Value const& value);
// A row as a JSON array of its values.
[[nodiscard]] std::string print(std::span<Value const> columns);
// The same of an answer's line, so that 1 and 1.0 differ and blanks do not.
[[nodiscard]] Result<std::string> normalise(std::string_view json_array);

}  // namespace quern::engine::conformance
