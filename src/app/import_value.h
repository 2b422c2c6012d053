// SPDX-License-Identifier: Apache-2.0
#pragma once

// One value of an imported file → the JSON of one field, only where nothing is lost.
//
//   field        from JSON                             from a CSV cell
//   text, email… string; a number by its digits        the text
//   number       number; "42.50", but not "007" or ""  the same texts
//   bool         true, false; 0, 1; "true", "false"    true, false (any case), 0, 1
//   date         string with a date                    the same
//   select,      string; with several values an array  the text; with several values a JSON array,
//   relation                                           or one value as it is
//   json         anything                              JSON text, or else the text as a string
//   geoPoint     {"lon": …, "lat": …}                  the same as JSON text
//
// null and an empty CSV cell are no value at all: the field is left out and gets its default. An empty text
// in quotes is an empty text for text fields and no value for the others. In JSON, "" is an empty text and
// nothing else.

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <quern/json_writer.h>
#include "app/csv.h"
#include "json/reader.h"
#include "schema/collection.h"

namespace quern::app {

// A value as the file has it. Lifetime: as long as the row it came from.
class SourceValue {
public:
    explicit SourceValue(json::Node node) : node_(node) {}
    explicit SourceValue(CsvCell cell) : cell_(cell) {}

    [[nodiscard]] bool is_json() const { return node_.has_value(); }
    [[nodiscard]] json::Node node() const { return *node_; }
    [[nodiscard]] CsvCell const& cell() const { return cell_; }
    // A short form for messages.
    [[nodiscard]] std::string shown() const;

private:
    std::optional<json::Node> node_;
    CsvCell cell_;
};

// Finds what a value stands for, e.g. the id of the country whose code it is; nothing when there is none.
using Lookup = std::function<std::optional<std::string_view>(std::string_view value)>;

// Why a value was refused: a sentence for people.
using Refusal = std::string;

// Whether the field can be filled by an import, and if not, why.
[[nodiscard]] std::expected<void, Refusal> check_importable(Field const& field);

// Appends `"name":value` for the field, or nothing when the value is none. With `lookup`, the value (or each
// of several) is replaced by what it stands for. After a refusal what was written is of no use: drop the row.
// Cost: no allocation but for refusals and for CSV cells that hold JSON.
[[nodiscard]] std::expected<void, Refusal> write_member(json::Writer& writer, Field const& field,
                                                        SourceValue const& value,
                                                        Lookup const* lookup = nullptr);

}  // namespace quern::app
