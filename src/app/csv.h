// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads CSV (RFC 4180), strictly.
//
//   name,note\r\n
//   Ada,"said ""hello"",\n
//   and left"\r\n
//
// Records end with CRLF, LF or CR. A cell in double quotes may hold separators, line ends and doubled quotes.
// A byte order mark in front is passed over, UTF-16 is refused. Quotes are either right or the record is bad:
// nothing is guessed, because a guess shifts cells unnoticed. Empty lines are passed over.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>

namespace quern::app {

struct CsvCell {
    std::string_view text;
    bool quoted = false;  // tells "" (an empty text) from nothing at all
    bool operator==(CsvCell const&) const = default;
};

// Threads: one at a time. Cost: one pass; only cells with doubled quotes are copied.
class CsvReader {
public:
    // Lifetime: borrows `text` as long as the reader lives.
    explicit CsvReader(std::string_view text, char separator = ',');

    enum class Outcome : std::uint8_t {
        record,  // cells() holds a record
        bad,     // the record cannot be understood, problem() says why; the next call goes on behind it
        end,
    };
    [[nodiscard]] Outcome next();

    // Lifetime: until the next call of next().
    [[nodiscard]] std::vector<CsvCell> const& cells() const { return cells_; }
    [[nodiscard]] std::string const& problem() const { return problem_; }
    // The line (1-based) on which the last record began.
    [[nodiscard]] std::size_t line() const { return record_line_; }
    // Bytes read so far.
    [[nodiscard]] std::size_t offset() const { return at_; }

private:
    [[nodiscard]] bool read_quoted(CsvCell& cell);
    [[nodiscard]] bool read_bare(CsvCell& cell);
    [[nodiscard]] Outcome refuse(std::string problem);
    [[nodiscard]] bool at_line_end() const { return text_[at_] == '\r' || text_[at_] == '\n'; }
    void skip_line_end();
    void skip_empty_lines();

    std::string_view text_;
    char separator_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t record_line_ = 0;
    std::vector<CsvCell> cells_;
    std::deque<std::string>
        unescaped_;  // texts of cells with doubled quotes, of this record; they never move
    std::size_t unescaped_count_ = 0;
    std::string problem_;
};

// Why a text cannot be read as UTF-8 (a byte order mark of another encoding, or zero bytes); empty if it can.
[[nodiscard]] std::string_view foreign_encoding(std::string_view text);

// The text without a UTF-8 byte order mark in front.
[[nodiscard]] std::string_view without_byte_order_mark(std::string_view text);

}  // namespace quern::app
