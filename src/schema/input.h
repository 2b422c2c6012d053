// SPDX-License-Identifier: Apache-2.0
#pragma once

// From what a client sends to what is stored.
//
// It happens in two steps. read() needs the body alone: each member becomes a FieldInput, a value in its
// stored form or a modifier (`tags+`, `views-` …), or an error that names the field. for_insert() and
// for_update() run inside the write's transaction: they apply the inputs to the row as it is there, fill in
// defaults, ids and dates, and check what only the finished value can show (required, minimum and maximum).
//
// What a value may be:
//   text, email, url, editor   a string; a number or bool stands for its JSON text
//   number      a number, or a string that is one ("1.50"); "" is no value. With onlyInt every integer of 64
//   bits
//               is exact and a fraction is refused; without, a whole number that a double cannot hold is
//               refused. -0 is 0.
//   bool        true, false, 1, 0, or one of these in a string; "" is no value
//   date        a string as parse_date() takes it; "" is no value
//   autodate    ignored
//   select, relation, file     a string, or an array of strings; "" and [] are no value. Repeated ones count
//   once. json        anything, kept with every digit geoPoint    {"lon": number, "lat": number} password a
//   string
// null is null in a nullable field and the type's zero in every other. A required field refuses null, absence
// and the empty text, list or date, but not 0, false or a point at 0,0. Members that are no field are
// ignored, and so are hidden fields unless the caller is a superuser.
//
// Codes of FieldError:
//   validation_required                 Cannot be blank.
//   validation_not_a_text               Must be a text.
//   validation_invalid_format           Invalid value format. (pattern, or U+0000 in the text)
//   validation_min_text_constraint      Must be at least N character(s).
//   validation_max_text_constraint      Must be no more than N character(s).
//   validation_not_a_number             Must be a number.
//   validation_not_finite               Must be a finite number.
//   validation_number_precision         The number would lose digits.
//   validation_only_int_constraint      Decimal numbers are not allowed.
//   validation_number_out_of_range      Must fit into 64 bits.
//   validation_min_number_constraint    Must be greater or equal than N.
//   validation_max_number_constraint    Must be less or equal than N.
//   validation_not_a_bool               Must be true or false.
//   validation_is_email                 Must be a valid email address.
//   validation_email_domain_not_allowed Email domain is not allowed.
//   validation_invalid_url              Must be a valid url.
//   validation_url_domain_not_allowed   Url domain is not allowed.
//   validation_invalid_date             Must be a valid date.
//   validation_min_greater_equal_than_required, validation_max_less_equal_than_required   (a date's bounds)
//   validation_invalid_value            Invalid value X. (select: not among the choices; relation: no text)
//   validation_not_enough_values        Select at least N.
//   validation_too_many_values          Select no more than N.
//   validation_json_size_limit          The maximum allowed JSON size is N bytes.
//   validation_content_size_limit       The maximum allowed content size is N bytes.
//   validation_invalid_geo_point, validation_invalid_longitude, validation_invalid_latitude
//   validation_file_unsupported         Files cannot be stored yet.
//   validation_values_mismatch          Values don't match. (passwordConfirm, required beside a password)
//   validation_pk_change                The record primary key cannot be changed.
//   validation_invalid_modifier         This modifier does not fit the field.
// Engines add validation_not_unique and validation_missing_rel_records.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <quern/arena.h>
#include <quern/error.h>
#include "json/reader.h"
#include "schema/collection.h"
#include "schema/id.h"
#include "schema/value.h"

namespace quern {

// Where a field does not say: longest text and password in code points, largest json, editor and file value.
inline constexpr std::size_t text_chars_max_default = 5'000;
inline constexpr std::size_t password_chars_max_default = 1'000;
inline constexpr std::int64_t json_bytes_max_default = std::int64_t{1} << 20;
inline constexpr std::int64_t editor_bytes_max_default = std::int64_t{5} << 20;
// Longest email, url and record id, in bytes.
inline constexpr std::size_t email_bytes_max = 255;
inline constexpr std::size_t url_bytes_max = 2'048;
inline constexpr std::size_t record_id_bytes_max = 255;

enum class InputKind : std::uint8_t {
    set,
    append,    // field+ : behind the values that are there
    prepend,   // +field : before them
    remove,    // field- : these values
    add,       // field+ of a number
    subtract,  // field- of a number
};

// One member of the body.
// Lifetime: the arena's and the body's.
struct FieldInput {
    std::uint16_t field = 0;
    InputKind kind = InputKind::set;
    // A password in clear: the caller hashes it into `value` and clears the flag before the write.
    bool must_hash = false;
    Value value;                              // in its stored form; a list of several values as JSON text
    std::span<std::string_view const> items;  // select, relation, file: the values of the list one by one
};

// One field of a finished row.
struct FieldValue {
    std::uint16_t field = 0;
    Value value;                              // of a multiple relation also: the JSON array
    std::span<std::string_view const> items;  // of a multiple relation: the ids, in order
};

struct InputOptions {
    bool superuser = false;  // may set hidden fields
    bool creating = false;   // of a new record: beside wrong values, missing ones are named too
};

// What the transaction lends.
struct WriteMoment {
    std::int64_t now_ms = 0;
    RandomSource random;
};

// The value of a field that nobody has set: null if nullable, else the type's zero. Lifetime: for ever.
[[nodiscard]] Value default_value(Field const& field);

// What a collection takes in, with its patterns compiled. Make one a collection and keep it.
//
// Lifetime: borrows the collection. Threads: frozen.
class RecordInput {
public:
    explicit RecordInput(Collection const& collection);
    ~RecordInput();
    RecordInput(RecordInput&&) noexcept;

    // Reads the body's members, in order.
    // Errors: validation — `fields` names every member at fault.
    // Cost:   no allocation outside the arena unless there is an error.
    [[nodiscard]] Result<std::span<FieldInput>> read(json::Node body, InputOptions options,
                                                     Arena& arena) const;

    // The whole new row, one value a field, in the collection's order.
    // Errors: validation, as above.
    [[nodiscard]] Result<std::span<FieldValue>> for_insert(std::span<FieldInput const> inputs,
                                                           WriteMoment moment, Arena& arena) const;

    // What is to be changed of a row. `current` is the row as it is, one value a field in the collection's
    // order (a multiple relation as the JSON array of its ids). Fields that keep their value are left out;
    // the dates of updating come last, and only if something else changes. In an auth collection a changed
    // password or email renews `tokenKey`.
    // Errors: validation, as above.
    [[nodiscard]] Result<std::span<FieldValue>> for_update(std::span<FieldInput const> inputs,
                                                           std::span<Value const> current, WriteMoment moment,
                                                           Arena& arena) const;

    // Applies one input to a field's value. Lifetime: the arena's, the input's or that of `current`.
    // Errors: validation — names the field: bounds passed, 64 bits overflown.
    [[nodiscard]] Result<FieldValue> apply(FieldInput const& input, Value const& current, Arena& arena) const;

    [[nodiscard]] Collection const& collection() const { return *collection_; }

private:
    struct Patterns;
    Collection const* collection_;
    std::unique_ptr<Patterns> patterns_;
};

}  // namespace quern
