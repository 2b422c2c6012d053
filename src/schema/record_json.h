// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows as the JSON that clients read.
//
// A value is printed by what it is, never by what its text looks like. What does not fit its field, as it may
// be in a file that somebody else has written, is still printed and never breaks the answer:
//   integer, real     a number; a real that is not finite is null
//   text              a string; ill-formed bytes are U+FFFD
//   blob              {"$blob":"<base64>"}, so that it cannot be mistaken for a text
//   null              null; "" for an empty relation that is not nullable, [] for an empty list
//   bool field        an integer is false if it is 0, else true; other kinds as above
//   json, geoPoint, lists   text that is valid JSON as it is, other text as null; other kinds as above
// Passwords and token keys are never printed, hidden fields only for superusers.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/buffer.h>
#include <quern/json_writer.h>
#include "schema/collection.h"
#include "schema/value.h"

namespace quern {

// One column of the rows to be written, in the plan's order.
struct RecordColumn {
    std::uint16_t field = 0;  // index into the collection's fields; version and rowid are read but not shown
    bool shown = true;        // false: read for another purpose
    std::uint32_t excerpt_chars = 0;  // above 0: texts are cut to an excerpt of that many code points
    bool excerpt_ellipsis = false;
};

struct RecordWriterOptions {
    bool superuser = false;       // show hidden fields
    bool collection_id = true;    // write the member collectionId
    bool collection_name = true;  // write the member collectionName
};

// Writes rows of one shape. Everything but the values is prepared, so keep it as long as the plan.
//
// Threads: frozen. Cost: no allocation but the buffer's (and an excerpt's own); some 0.15 µs for eight
// columns.
class RecordWriter {
public:
    RecordWriter(Collection const& collection, std::span<RecordColumn const> columns,
                 RecordWriterOptions options);

    // Writes `{…}`. `show_email` says whether the caller may see the `email` of this row of an auth
    // collection.
    void write(std::span<Value const> row, bool show_email, Buffer& output) const;
    // The same without braces, so that more members can follow.
    void write_members(std::span<Value const> row, bool show_email, Buffer& output) const;

private:
    struct Item {
        std::uint32_t key_begin;  // in keys_: `,"name":`
        std::uint32_t key_length;
        std::uint16_t column;
        FieldType type;
        bool json_text;
        bool empty_text_for_null;  // a relation that is not nullable
        bool list;                 // null is []
        bool is_email;
        std::uint32_t excerpt_chars;
        bool excerpt_ellipsis;
    };
    static void write_value(Item const& item, Value const& value, Buffer& output);

    std::string keys_;
    std::uint32_t prefix_length_ = 0;  // of keys_: the collection's members, or nothing
    std::vector<Item> items_;
    std::size_t column_count_ = 0;
};

// Writes one value as the field's member shows it.
void write_value(Field const& field, Value const& value, json::Writer& writer);

// Whether an answer may ever show the field to this caller.
[[nodiscard]] bool is_shown(Collection const& collection, Field const& field, bool superuser);

// The first code points of a text without its HTML tags, white space made single; "..." behind a cut if asked
// for.
[[nodiscard]] std::string excerpt(std::string_view html, std::size_t chars_max, bool ellipsis);

}  // namespace quern
