// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/definition.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include <quern/buffer.h>
#include <quern/json_writer.h>
#include "json/reader.h"

namespace quern::engine::conformance {

namespace {

std::vector<std::string> words_of(std::string_view line) {
    std::vector<std::string> words;
    std::string word;
    for (char const c : line) {
        if (c != ' ' && c != ',') {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::exchange(word, {}));
        }
    }
    if (!word.empty()) words.push_back(word);
    return words;
}

// The part of "name:value" behind the colon; nothing when the word does not begin with `name`.
std::optional<std::string> labelled(std::string const& word, std::string_view label) {
    if (!word.starts_with(label)) return std::nullopt;
    return word.substr(label.size());
}

std::unexpected<Error> not_understood(std::string const& line) {
    return fail(ErrorCode::bad_request, "this line is not understood: " + line);
}

Field id_field() {
    Field id;
    id.id = id.name = "id";
    id.system = id.required = id.primary_key = true;
    return id;
}

// many values, at most this number; the tests use fewer.
constexpr std::int64_t many = 99'999;

Result<Field> read_field(std::vector<std::string> const& words, std::string const& line) {
    if (words.size() < 3) return not_understood(line);
    Field field;
    field.id = field.name = words[1];
    std::string type = words[2];
    if (auto const target = labelled(type, "relation:")) {
        type = "relation";
        field.collection_id = *target;
    }
    auto const known = field_type_of(type);
    if (!known) return not_understood(line);
    field.type = *known;
    for (std::size_t index = 3; index < words.size(); ++index) {
        if (words[index] == "int") {
            field.only_int = true;
        } else if (words[index] == "nullable") {
            field.nullable = true;
        } else if (words[index] == "many") {
            field.max_select = many;
        } else if (auto const id = labelled(words[index], "id:")) {
            field.id = *id;
        } else {
            return not_understood(line);
        }
    }
    return field;
}

Index read_index(std::vector<std::string> words, std::string const& collection, std::size_t number) {
    Index index;
    index.name = "idx_" + collection + "_" + std::to_string(number);
    words.erase(words.begin());
    if (words.front() == "unique") {
        index.unique = true;
        words.erase(words.begin());
    }
    if (words.size() > 2 && words[words.size() - 2] == "where") {
        index.where_not_empty = words.back();
        words.resize(words.size() - 2);
    }
    for (std::string& word : words) {
        IndexColumn column;
        column.ignore_case = word.ends_with(":nocase");
        column.field = word.substr(0, word.find(':'));
        index.columns.push_back(column);
    }
    return index;
}

// The value that a JSON node means in a field.
Result<ram::OwnedValue> value_of(Field const& field, json::Node node) {
    if (auto const text = node.find("$text")) return ram::OwnedValue(Value::of(text->text()));
    if (field.type == FieldType::json) {
        return node.is_null() && field.nullable ? ram::OwnedValue() : ram::OwnedValue(Value::of(node.raw()));
    }
    bool const is_real = field.type == FieldType::number && !field.only_int;
    switch (node.type()) {
    case json::Type::null: return ram::OwnedValue();
    case json::Type::boolean: return ram::OwnedValue(Value::of(node.boolean()));
    case json::Type::integer:
        if (is_real) return ram::OwnedValue(Value::of(node.real().value_or(0)));
        return ram::OwnedValue(Value::of(node.integer()));
    case json::Type::real: return ram::OwnedValue(Value::of(node.real().value_or(0)));
    case json::Type::string: return ram::OwnedValue(Value::of(node.text()));
    case json::Type::array:
    case json::Type::object: return ram::OwnedValue(Value::of(node.raw()));
    }
    return ram::OwnedValue();
}

}  // namespace

Result<Collection> read_collection(std::vector<std::string> const& lines) {
    Collection collection;
    collection.fields.push_back(id_field());
    for (std::string const& line : lines) {
        auto const words = words_of(line);
        if (words.size() < 2) return not_understood(line);
        if (words[0] == "collection") {
            collection.id = collection.name = words[1];
            if (words.size() > 2) collection.id = labelled(words[2], "id:").value_or(words[1]);
        } else if (words[0] == "field") {
            QUERN_TRY(Field field, read_field(words, line));
            collection.fields.push_back(std::move(field));
        } else if (words[0] == "index") {
            collection.indexes.push_back(read_index(words, collection.id, collection.indexes.size()));
        } else {
            return not_understood(line);
        }
    }
    return collection;
}

std::shared_ptr<Schema const> schema_of(std::vector<Collection> const& collections, std::uint64_t version) {
    std::vector<std::shared_ptr<Collection const>> shared;
    for (Collection const& collection : collections) {
        shared.push_back(std::make_shared<Collection const>(collection));
    }
    return std::make_shared<Schema const>(std::move(shared), version);
}

Result<RowText> RowText::read(Collection const& collection, std::string_view json) {
    QUERN_TRY(json::Tree const tree, json::Tree::parse(json));
    if (!tree.root().is(json::Type::object)) return fail(ErrorCode::body_invalid, "a row is a JSON object");
    RowText row;
    for (json::Node const node : tree.root()) {
        Part part;
        if (node.key() == "_v") {
            part.field = Collection::version_field;
            part.value = Value::of(node.integer());
        } else {
            auto const position = collection.find(node.key());
            if (!position) return fail(ErrorCode::body_invalid, "no such field: " + std::string(node.key()));
            part.field = static_cast<std::uint16_t>(*position);
            Field const& field = collection.fields[*position];
            if (field.is_join()) {
                for (json::Node const target : node) part.targets.emplace_back(target.text());
            } else {
                QUERN_TRY(part.value, value_of(field, node));
            }
        }
        row.parts_.push_back(std::move(part));
    }
    return row;
}

std::vector<Assignment> RowText::assignments() const {
    std::vector<Assignment> assignments;
    for (Part const& part : parts_) {
        part.target_views.assign(part.targets.begin(), part.targets.end());
        assignments.push_back({part.field, part.value.view(), part.target_views});
    }
    return assignments;
}

std::string print(Value const& value) {
    Buffer text;
    switch (value.kind) {
    case ValueKind::null: text.append("null"); break;
    case ValueKind::integer: text.append_integer(value.integer); break;
    case ValueKind::real:
        json::append_real(text, value.real);
        if (text.view().find_first_not_of("-0123456789") == std::string_view::npos) text.append(".0");
        break;
    case ValueKind::text:
    case ValueKind::blob: json::append_string(text, value.text); break;
    }
    return std::string(text.view());
}

std::string print(std::span<Value const> columns) {
    std::string text = "[";
    for (Value const& value : columns) {
        if (text.size() > 1) text += ", ";
        text += print(value);
    }
    return text + "]";
}

Result<std::string> normalise(std::string_view json_array) {
    QUERN_TRY(json::Tree const tree, json::Tree::parse(json_array));
    std::vector<Value> columns;
    for (json::Node const node : tree.root()) {
        switch (node.type()) {
        case json::Type::null: columns.emplace_back(); break;
        case json::Type::boolean: columns.push_back(Value::of(node.boolean())); break;
        case json::Type::integer: columns.push_back(Value::of(node.integer())); break;
        case json::Type::real: columns.push_back(Value::of(node.real().value_or(0))); break;
        case json::Type::string: columns.push_back(Value::of(node.text())); break;
        case json::Type::array:
        case json::Type::object: return fail(ErrorCode::body_invalid, "write arrays and objects as strings");
        }
    }
    return print(columns);
}

}  // namespace quern::engine::conformance
