// SPDX-License-Identifier: Apache-2.0
#include "app/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace quern::app {

namespace {

constexpr char quote = '"';
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

}  // namespace

std::string_view foreign_encoding(std::string_view text) {
    using namespace std::string_view_literals;
    if (text.starts_with("\xff\xfe"sv) || text.starts_with("\xfe\xff"sv)) {
        return "the file is UTF-16 or UTF-32; save it as UTF-8";
    }
    // UTF-16 without a mark: every other byte of plain English is zero.
    if (text.substr(0, 64).find('\0') != std::string_view::npos) {
        return "the file holds zero bytes (UTF-16?); save it as UTF-8";
    }
    return {};
}

std::string_view without_byte_order_mark(std::string_view text) {
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return text;
}

CsvReader::CsvReader(std::string_view text, char separator)
    : text_(without_byte_order_mark(text)), separator_(separator) {}

CsvReader::Outcome CsvReader::next() {
    cells_.clear();
    unescaped_count_ = 0;
    skip_empty_lines();
    record_line_ = line_;
    if (at_ == text_.size()) return Outcome::end;
    for (;;) {
        CsvCell cell;
        bool const quoted = at_ < text_.size() && text_[at_] == quote;
        if (!(quoted ? read_quoted(cell) : read_bare(cell))) return refuse(std::move(problem_));
        cells_.push_back(cell);
        if (at_ == text_.size()) return Outcome::record;
        if (text_[at_] == separator_) {
            ++at_;
            continue;
        }
        if (!at_line_end()) return refuse("text behind a closing quote");
        skip_line_end();
        return Outcome::record;
    }
}

// Between the quotes everything is text, but for a doubled quote.
bool CsvReader::read_quoted(CsvCell& cell) {
    cell.quoted = true;
    std::size_t const start = ++at_;
    std::string* copy = nullptr;  // needed as soon as a quote was doubled
    std::size_t copied_to = start;
    for (;;) {
        std::size_t const end = text_.find(quote, at_);
        if (end == std::string_view::npos) {
            problem_ = "a quote that is never closed";
            return false;
        }
        // Line numbers: CRLF is one line end.
        for (std::size_t i = at_; i < end; ++i) {
            if (text_[i] == '\n' || (text_[i] == '\r' && text_[i + 1] != '\n')) ++line_;
        }
        at_ = end + 1;
        if (at_ == text_.size() || text_[at_] != quote) {
            if (copy == nullptr) {
                cell.text = text_.substr(start, end - start);
            } else {
                copy->append(text_.substr(copied_to, end - copied_to));
                cell.text = *copy;
            }
            return true;
        }
        if (copy == nullptr) {
            if (unescaped_count_ == unescaped_.size()) unescaped_.resize(unescaped_.size() + 1);
            copy = &unescaped_[unescaped_count_++];
            copy->clear();
        }
        copy->append(text_.substr(copied_to, at_ - copied_to));  // with one of the two quotes
        copied_to = ++at_;
    }
}

bool CsvReader::read_bare(CsvCell& cell) {
    std::size_t const start = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && !at_line_end()) {
        if (text_[at_] == quote) {
            problem_ = "a quote inside a cell that does not begin with one";
            return false;
        }
        ++at_;
    }
    cell.text = text_.substr(start, at_ - start);
    return true;
}

// The rest of the line is given up; where a quote is never closed, that line alone.
CsvReader::Outcome CsvReader::refuse(std::string problem) {
    problem_ = std::move(problem);
    cells_.clear();
    while (at_ < text_.size() && !at_line_end()) ++at_;
    if (at_ < text_.size()) skip_line_end();
    return Outcome::bad;
}

void CsvReader::skip_line_end() {
    if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
    ++at_;
    ++line_;
}

void CsvReader::skip_empty_lines() {
    while (at_ < text_.size() && at_line_end()) skip_line_end();
}

}  // namespace quern::app
