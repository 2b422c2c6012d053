// SPDX-License-Identifier: Apache-2.0
#include "schema/record_json.h"

#include <algorithm>
#include <array>

#include <quern/assert.h>
#include "base/text.h"
#include "json/path.h"

namespace quern {

namespace {

void append_base64(Buffer& output, std::string_view bytes) {
    constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    auto const byte = [&](std::size_t index) -> std::uint32_t {
        return index < bytes.size() ? static_cast<unsigned char>(bytes[index]) : 0;
    };
    for (std::size_t offset = 0; offset < bytes.size(); offset += 3) {
        std::uint32_t const group = byte(offset) << 16 | byte(offset + 1) << 8 | byte(offset + 2);
        char* const place = output.reserve(4);
        place[0] = digits[group >> 18];
        place[1] = digits[group >> 12 & 63];
        place[2] = offset + 1 < bytes.size() ? digits[group >> 6 & 63] : '=';
        place[3] = offset + 2 < bytes.size() ? digits[group & 63] : '=';
        output.advance(4);
    }
}

void append_blob(Buffer& output, std::string_view bytes) {
    output.append("{\"$blob\":\"");
    append_base64(output, bytes);
    output.append("\"}");
}

// What decides how a value is printed.
struct Form {
    FieldType type;
    bool json_text;
    bool empty_text_for_null;
    bool list;
};

Form form_of(Field const& field) {
    return {
        .type = field.type,
        .json_text = field.is_json_text(),
        .empty_text_for_null = field.type == FieldType::relation && !field.is_multiple() && !field.nullable,
        .list = field.is_multiple()};
}

void append_value(Form form, Value const& value, Buffer& output) {
    switch (value.kind) {
    case ValueKind::text:
        if (!form.json_text) {
            json::append_string(output, value.text);
        } else if (value.text == "[]" || json::is_json(value.text)) {
            output.append(value.text);
        } else {
            output.append("null");
        }
        return;
    case ValueKind::integer:
        if (form.type == FieldType::boolean) {
            output.append(value.integer != 0 ? std::string_view("true") : std::string_view("false"));
        } else {
            output.append_integer(value.integer);
        }
        return;
    case ValueKind::real: json::append_real(output, value.real); return;
    case ValueKind::null:
        output.append(form.empty_text_for_null
                          ? std::string_view("\"\"")
                          : (form.list ? std::string_view("[]") : std::string_view("null")));
        return;
    case ValueKind::blob: append_blob(output, value.text); return;
    }
}

bool is_email_of_auth(Collection const& collection, Field const& field) {
    return collection.type == CollectionType::auth && field.name == "email";
}

}  // namespace

bool is_shown(Collection const& collection, Field const& field, bool superuser) {
    if (field.type == FieldType::password) return false;
    if (collection.type == CollectionType::auth && field.name == "tokenKey") return false;
    return superuser || !field.hidden;
}

RecordWriter::RecordWriter(Collection const& collection, std::span<RecordColumn const> columns,
                           RecordWriterOptions options)
    : column_count_(columns.size()) {
    Buffer keys;
    auto const add_text = [&](std::string_view name, std::string_view text) {
        keys.append(',');
        json::make_key(keys, name);
        json::append_string(keys, text);
    };
    if (options.collection_id) add_text("collectionId", collection.id);
    if (options.collection_name) add_text("collectionName", collection.name);
    prefix_length_ = static_cast<std::uint32_t>(keys.size());
    for (std::size_t index = 0; index < columns.size(); ++index) {
        RecordColumn const& column = columns[index];
        if (!column.shown || column.field == Collection::version_field ||
            column.field == Collection::rowid_field) {
            continue;
        }
        QUERN_ASSERT(column.field < collection.fields.size(), "a column names a field of its collection");
        Field const& field = collection.fields[column.field];
        if (!is_shown(collection, field, options.superuser)) continue;
        auto const begin = static_cast<std::uint32_t>(keys.size());
        keys.append(',');
        json::make_key(keys, field.name);
        Form const form = form_of(field);
        items_.push_back({.key_begin = begin,
                          .key_length = static_cast<std::uint32_t>(keys.size()) - begin,
                          .column = static_cast<std::uint16_t>(index),
                          .type = form.type,
                          .json_text = form.json_text,
                          .empty_text_for_null = form.empty_text_for_null,
                          .list = form.list,
                          .is_email = is_email_of_auth(collection, field),
                          .excerpt_chars = column.excerpt_chars,
                          .excerpt_ellipsis = column.excerpt_ellipsis});
    }
    keys_ = keys.view();
}

void RecordWriter::write_value(Item const& item, Value const& value, Buffer& output) {
    if (item.excerpt_chars > 0 && value.is_text() && !item.json_text) [[unlikely]] {
        json::append_string(output, excerpt(value.text, item.excerpt_chars, item.excerpt_ellipsis));
        return;
    }
    append_value({item.type, item.json_text, item.empty_text_for_null, item.list}, value, output);
}

void RecordWriter::write_members(std::span<Value const> row, bool show_email, Buffer& output) const {
    QUERN_ASSERT(row.size() == column_count_, "the row has the columns that the writer was made for");
    std::string_view const keys = keys_;
    std::size_t skip = 1;  // the first member has no comma
    if (prefix_length_ > 0) {
        output.append(keys.substr(1, prefix_length_ - 1));
        skip = 0;
    }
    for (Item const& item : items_) {
        if (item.is_email && !show_email) continue;
        output.append(keys.substr(item.key_begin + skip, item.key_length - skip));
        skip = 0;
        write_value(item, row[item.column], output);
    }
}

void RecordWriter::write(std::span<Value const> row, bool show_email, Buffer& output) const {
    output.append('{');
    write_members(row, show_email, output);
    output.append('}');
}

void write_value(Field const& field, Value const& value, json::Writer& writer) {
    // The writer has the comma to put, so it is told of a value of no length first.
    writer.raw({});
    append_value(form_of(field), value, writer.buffer());
}

namespace {

// Strips tags and folds white space; stops behind `chars_max` code points that count.
class Excerpter {
public:
    Excerpter(std::string_view html, std::size_t chars_max) : html_(html), chars_max_(chars_max) {}

    // Whether something was left out.
    bool run() {
        while (offset_ < html_.size()) {
            char const c = html_[offset_];
            if (c == '<' && starts_tag()) {
                skip_tag();
                space_ = space_ || !output_.empty();
            } else if (c == '&') {
                if (!put(entity())) return true;
            } else if (!put(next_code_point(html_, offset_))) {
                return true;
            }
        }
        return false;
    }
    [[nodiscard]] std::string& output() { return output_; }

private:
    [[nodiscard]] bool starts_tag() const {
        if (offset_ + 1 >= html_.size()) return false;
        char const next = html_[offset_ + 1];
        return next == '/' || next == '!' || (next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z');
    }

    void skip_tag() {
        // What stands in a script or style is no text.
        for (std::string_view const name : {"script", "style"}) {
            std::string const folded = fold_case(html_.substr(offset_ + 1, name.size()));
            if (folded != name) continue;
            // Without its end it goes on to the end of the text, which also keeps this linear.
            std::string const end = "</" + std::string(name);
            std::size_t at = offset_ + 1;
            while (at < html_.size() && (html_[at] != '<' || fold_case(html_.substr(at, end.size())) != end))
                ++at;
            offset_ = at;
            break;
        }
        if (offset_ == html_.size()) return;
        offset_ = std::min(html_.find('>', offset_), html_.size() - 1) + 1;
    }

    char32_t entity() {
        struct Name {
            std::string_view text;
            char32_t character;
        };
        constexpr std::array<Name, 6> names = {{{"&amp;", '&'},
                                                {"&lt;", '<'},
                                                {"&gt;", '>'},
                                                {"&quot;", '"'},
                                                {"&#39;", '\''},
                                                {"&nbsp;", ' '}}};
        for (auto const& name : names) {
            if (!html_.substr(offset_).starts_with(name.text)) continue;
            offset_ += name.text.size();
            return name.character;
        }
        ++offset_;
        return '&';
    }

    // False when there is no room for the character.
    bool put(char32_t character) {
        bool const is_space =
            character == ' ' || (character >= '\t' && character <= '\r') || character == 0xA0;
        if (is_space) {
            space_ = space_ || !output_.empty();
            return true;
        }
        std::size_t const wanted = space_ ? 2 : 1;
        if (chars_ + wanted > chars_max_) return false;
        if (space_) output_.push_back(' ');
        append_utf8(output_, character);
        chars_ += wanted;
        space_ = false;
        return true;
    }

    std::string_view html_;
    std::size_t chars_max_;
    std::size_t offset_ = 0;
    std::size_t chars_ = 0;
    bool space_ = false;  // white space since the last character
    std::string output_;
};

}  // namespace

std::string excerpt(std::string_view html, std::size_t chars_max, bool ellipsis) {
    Excerpter excerpter(html, chars_max);
    bool const cut = excerpter.run();
    if (cut && ellipsis) excerpter.output() += "...";
    return std::move(excerpter.output());
}

}  // namespace quern
