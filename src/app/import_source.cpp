// SPDX-License-Identifier: Apache-2.0
#include "app/import_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "app/csv.h"
#include "json/reader.h"

namespace quern::app {

namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

// What both JSON formats share: a row is a parsed object.
class JsonRows : public RowSource {
public:
    std::optional<SourceValue> find(std::string_view path) const override {
        // A member whose own name has the dots comes first.
        auto node = row_->find(path);
        if (!node) node = row_->at(path);
        if (!node) return std::nullopt;
        return SourceValue(*node);
    }
    void for_each_name(std::function<void(std::string_view)> const& visit) const override {
        for (json::Node const member : *row_) visit(member.key());
    }
    std::string_view problem() const override { return problem_; }

protected:
    Outcome parse_row(std::string_view padded_text) {
        auto parsed = document_.parse_object(padded_text);
        if (!parsed) {
            problem_ = parsed.error().message;
            return Outcome::bad;
        }
        row_ = *parsed;
        return Outcome::row;
    }

    std::string problem_;

private:
    json::Document document_;
    std::optional<json::Node> row_;
};

// Cuts an array into its elements: brackets are counted, strings are stepped over. What is inside an element
// is the parser's business.
class JsonArrayRows final : public JsonRows {
public:
    explicit JsonArrayRows(std::string_view text) : text_(text) {}

    Outcome next() override {
        if (done_) return finish();
        skip_space();
        if (!started_) {
            // open_source() has seen the bracket.
            ++at_;
            started_ = true;
            skip_space();
            if (peek() == ']') return close();
        } else if (peek() == ']') {
            return close();
        } else if (peek() == ',') {
            ++at_;
            skip_space();
        } else {
            return broken(at_ == text_.size() ? "the array is not closed"
                                              : "a comma is missing between elements");
        }
        row_line_ = line_;
        ++element_;
        std::size_t const start = at_;
        if (!skip_value()) return broken("an element is not closed");
        if (at_ == start) return broken("an element is missing");
        return parse_row(text_.substr(start, at_ - start));
    }

    std::string place() const override {
        return fmt::format("element {} (line {})", element_ - 1, row_line_);
    }
    std::size_t offset() const override { return at_; }

private:
    [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void skip_space() {
        for (; at_ < text_.size() && is_space(text_[at_]); ++at_) count_line(at_);
    }
    // CRLF is one line end.
    void count_line(std::size_t at) {
        if (text_[at] == '\n' || (text_[at] == '\r' && (at + 1 == text_.size() || text_[at + 1] != '\n')))
            ++line_;
    }

    // Moves behind the value that begins here: to the comma or bracket that ends it. False at the end of the
    // text.
    bool skip_value() {
        std::size_t depth = 0;
        for (; at_ < text_.size(); ++at_) {
            char const c = text_[at_];
            if (c == '"') {
                if (!skip_string()) return false;
            } else if (c == '{' || c == '[') {
                ++depth;
            } else if (depth > 0 && (c == '}' || c == ']')) {
                --depth;
            } else if (depth == 0 && (c == ',' || c == ']')) {
                return true;
            } else {
                count_line(at_);
            }
        }
        return false;
    }
    // From the opening quote to the closing one.
    bool skip_string() {
        for (++at_; at_ < text_.size(); ++at_) {
            if (text_[at_] == '"') return true;
            if (text_[at_] == '\\') ++at_;
        }
        return false;
    }

    Outcome close() {
        ++at_;
        skip_space();
        if (at_ < text_.size()) return broken("text behind the end of the array");
        done_ = true;
        return Outcome::end;
    }
    Outcome broken(std::string_view why) {
        problem_ = why;
        row_line_ = line_;
        done_ = broken_ = true;
        return Outcome::broken;
    }
    [[nodiscard]] Outcome finish() const { return broken_ ? Outcome::broken : Outcome::end; }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t row_line_ = 1;
    std::size_t element_ = 0;  // elements begun so far
    bool started_ = false;
    bool done_ = false;
    bool broken_ = false;
};

class NdjsonRows final : public JsonRows {
public:
    explicit NdjsonRows(std::string_view text) : text_(text) {}

    Outcome next() override {
        while (at_ < text_.size()) {
            std::size_t const end = std::min(text_.find('\n', at_), text_.size());
            std::string_view const line = trimmed(text_.substr(at_, end - at_));
            at_ = std::min(end + 1, text_.size());
            ++line_;
            if (!line.empty()) return parse_row(line);
        }
        return Outcome::end;
    }
    std::string place() const override { return fmt::format("line {}", line_); }
    std::size_t offset() const override { return at_; }

private:
    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t line_ = 0;
};

class CsvRows final : public RowSource {
public:
    CsvRows(std::string_view text, char separator) : reader_(text, separator) {}

    Result<void> read_header() {
        auto const outcome = reader_.next();
        if (outcome == CsvReader::Outcome::end) return fail(ErrorCode::body_invalid, "the file is empty");
        if (outcome == CsvReader::Outcome::bad) {
            return fail(ErrorCode::body_invalid,
                        fmt::format("line {}: {}", reader_.line(), reader_.problem()));
        }
        for (CsvCell const& cell : reader_.cells()) {
            std::string_view const name = trimmed(cell.text);
            if (name.empty()) {
                return fail(ErrorCode::body_invalid, fmt::format("column {} has no name", names_.size() + 1));
            }
            if (std::ranges::find(names_, name) != names_.end()) {
                return fail(ErrorCode::body_invalid, fmt::format("the column '{}' is there twice", name));
            }
            names_.emplace_back(name);
        }
        return {};
    }

    Outcome next() override {
        switch (reader_.next()) {
        case CsvReader::Outcome::end: return Outcome::end;
        case CsvReader::Outcome::bad: problem_ = reader_.problem(); return Outcome::bad;
        case CsvReader::Outcome::record: break;
        }
        if (reader_.cells().size() != names_.size()) {
            problem_ = fmt::format("{} cells, but the header has {}", reader_.cells().size(), names_.size());
            return Outcome::bad;
        }
        return Outcome::row;
    }
    std::optional<SourceValue> find(std::string_view path) const override {
        auto const found = std::ranges::find(names_, path);
        if (found == names_.end()) return std::nullopt;
        return SourceValue(reader_.cells()[static_cast<std::size_t>(found - names_.begin())]);
    }
    void for_each_name(std::function<void(std::string_view)> const& visit) const override {
        for (std::string const& name : names_) visit(name);
    }
    std::string place() const override { return fmt::format("line {}", reader_.line()); }
    std::string_view problem() const override { return problem_; }
    std::size_t offset() const override { return reader_.offset(); }

private:
    CsvReader reader_;
    std::vector<std::string> names_;
    std::string problem_;
};

}  // namespace

ImportFormat guess_format(std::filesystem::path const& path, std::string_view text) {
    std::string_view const content = trimmed(without_byte_order_mark(text).substr(0, 4096));
    if (content.starts_with('[')) return ImportFormat::json;
    if (content.starts_with('{')) return ImportFormat::ndjson;
    if (path.extension() == ".json") return ImportFormat::json;
    if (path.extension() == ".ndjson" || path.extension() == ".jsonl") return ImportFormat::ndjson;
    return ImportFormat::csv;
}

Result<std::unique_ptr<RowSource>> open_source(std::string_view padded_text, ImportFormat format,
                                               char separator) {
    if (auto const why = foreign_encoding(padded_text); !why.empty()) {
        return fail(ErrorCode::body_invalid, std::string(why));
    }
    std::string_view const text = without_byte_order_mark(padded_text);
    switch (format) {
    case ImportFormat::json:
        if (!trimmed(text).starts_with('[')) {
            return fail(ErrorCode::body_invalid, "a JSON file must hold an array of objects");
        }
        return std::make_unique<JsonArrayRows>(text);
    case ImportFormat::ndjson: return std::make_unique<NdjsonRows>(text);
    case ImportFormat::csv: break;
    }
    auto rows = std::make_unique<CsvRows>(text, separator);
    QUERN_CHECK(rows->read_header());
    return rows;
}

}  // namespace quern::app
