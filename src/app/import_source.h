// SPDX-License-Identifier: Apache-2.0
#pragma once

// The rows of a file, one after the other, whatever its format.
//
// JSON: an array of objects; the file is cut into elements and each is parsed alone, so that no tree of the
// whole is built. NDJSON: an object a line. CSV: a header and records.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <quern/error.h>
#include "app/import_value.h"

namespace quern::app {

enum class ImportFormat : std::uint8_t { json, ndjson, csv };

// By the first character that is no space, where that says it ('[' or '{'), else by the name's ending, else
// CSV.
[[nodiscard]] ImportFormat guess_format(std::filesystem::path const& path, std::string_view text);

// Threads: one at a time.
class RowSource {
public:
    virtual ~RowSource() = default;

    enum class Outcome : std::uint8_t {
        row,
        bad,     // this row cannot be read, problem() says why; the next call goes on behind it
        broken,  // nothing behind this place can be read, problem() says why
        end,
    };
    [[nodiscard]] virtual Outcome next() = 0;

    // The row's value at a path: a column's name, or members and 0-based elements joined by dots. Nothing
    // when the row has no such value. Lifetime: until next().
    [[nodiscard]] virtual std::optional<SourceValue> find(std::string_view path) const = 0;
    // The names at the top of the row, in order. Lifetime: until next().
    virtual void for_each_name(std::function<void(std::string_view)> const& visit) const = 0;

    // Where the last row begins: "line 7", or "element 3 (line 7)", elements counted from 0.
    [[nodiscard]] virtual std::string place() const = 0;
    [[nodiscard]] virtual std::string_view problem() const = 0;
    // Bytes read so far, for progress.
    [[nodiscard]] virtual std::size_t offset() const = 0;
};

// Reads `padded_text`, behind which json::padding_bytes more must be readable.
// Errors:   body_invalid — not the format it should be: UTF-16, no array, no header, a column twice.
// Lifetime: borrows the text.
[[nodiscard]] Result<std::unique_ptr<RowSource>> open_source(std::string_view padded_text,
                                                             ImportFormat format, char separator);

}  // namespace quern::app
