// SPDX-License-Identifier: Apache-2.0

// Operands, and what comparing them would convert.

#include <algorithm>

#include <quern/assert.h>
#include <quern/json_writer.h>
#include "engine/convert.h"
#include "engine/sql/writer.h"

namespace quern::engine::sql {

using plan::Function;

namespace {

// A path as the text that the JSON function takes: a JSON array of its steps.
std::string path_text(std::vector<std::string> const& path) {
    Buffer buffer;
    json::Writer writer(buffer);
    writer.begin_array();
    for (auto const& step : path) writer.string(step);
    writer.end_array();
    return std::string(buffer.view());
}

bool names_equal(std::string_view left, std::string_view right) {
    return std::ranges::equal(left, right, [](char a, char b) {
        auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
        return lower(a) == lower(b);
    });
}

}  // namespace

void Writer::alias(SourceIndex source) {
    text_ += 's';
    text_ += std::to_string(source);
}

Field const* Writer::field_of(plan::Column column) const {
    if (column.field == Collection::version_field || column.field == Collection::rowid_field) return nullptr;
    Collection const* collection = plan_.sources[column.source].collection;
    QUERN_ASSERT(collection != nullptr && column.field < collection->fields.size(),
                 "a column is of its source");
    return &collection->fields[column.field];
}

bool Writer::is_ids(SourceIndex source) const { return plan_.sources[source].hop == plan::Hop::to_many_ids; }

std::string_view Writer::rowid_name(Collection const& collection) const {
    for (std::string_view const name : dialect_.rowid_names) {
        bool const shadowed = std::ranges::any_of(
            collection.fields, [&](Field const& field) { return names_equal(field.name, name); });
        if (!shadowed) return name;
    }
    return dialect_.rowid_names[0];
}

void Writer::column(plan::Column column) {
    Field const* field = field_of(column);
    if (field != nullptr && field->is_join()) return gathered(column);
    alias(column.source);
    text_ += '.';
    if (is_ids(column.source)) {
        QUERN_ASSERT(column.field == 0, "of a hop to ids only the id is known");
        append_identifier(text_, dialect_, "target");
    } else if (column.field == Collection::version_field) {
        append_identifier(text_, dialect_, "_v");
    } else if (column.field == Collection::rowid_field) {
        text_ += rowid_name(*plan_.sources[column.source].collection);
    } else {
        append_identifier(text_, dialect_, field->name);
    }
}

// A multiple relation as the array of its targets; null for the row of nulls.
void Writer::gathered(plan::Column column) {
    Collection const& collection = *plan_.sources[column.source].collection;
    plan::Column const id{column.source, 0};
    if (null_row_[column.source]) {
        text_ += "CASE WHEN ";
        this->column(id);
        text_ += " IS NOT NULL THEN ";
    }
    text_ += dialect_.gather_open;
    text_ += "SELECT \"target\" FROM ";
    append_identifier(text_, dialect_, join_table_name(collection, collection.fields[column.field]));
    text_ += " WHERE \"owner\" = ";
    this->column(id);
    text_ += " ORDER BY \"position\"";
    text_ += dialect_.gather_close;
    if (null_row_[column.source]) text_ += " END";
}

void Writer::parameter(plan::ParameterIndex index) {
    std::size_t number = bindings_.size();
    if (dialect_.numbered) {
        auto const found = std::ranges::find(bindings_, index, &Binding::parameter);
        number = static_cast<std::size_t>(found - bindings_.begin());
    }
    if (number == bindings_.size())
        bindings_.push_back({.parameter = index, .accepts = accepts_all, .text = {}});
    text_ += dialect_.parameter;
    if (dialect_.numbered) text_ += std::to_string(number + 1);
}

void Writer::constant(std::string text) {
    bindings_.push_back(
        {.parameter = plan::Plan::no_parameter, .accepts = accepts_all, .text = std::move(text)});
    text_ += dialect_.parameter;
    if (dialect_.numbered) text_ += std::to_string(bindings_.size());
}

// Narrows what kinds of values the last written place of a parameter accepts.
void Writer::expect(plan::ParameterIndex index, std::uint8_t accepts) {
    for (Binding& binding : bindings_) {
        if (binding.parameter == index)
            binding.accepts = static_cast<std::uint8_t>(binding.accepts & accepts);
    }
}

void Writer::operand(Operand const& operand) {
    switch (operand.kind) {
    case Operand::Kind::null: text_ += "NULL"; break;
    case Operand::Kind::parameter: parameter(operand.index); break;
    case Operand::Kind::column: column(operand.column); break;
    case Operand::Kind::element:
        alias(operand.index);
        text_ += ".value";
        break;
    case Operand::Kind::json_path:
        text_ += dialect_.json_at;
        text_ += '(';
        column(operand.column);
        text_ += ", ";
        constant(path_text(operand.path));
        text_ += ')';
        break;
    case Operand::Kind::call: call(operand); break;
    }
}

void Writer::call(Operand const& operand) {
    switch (operand.function) {
    case Function::none: QUERN_ASSERT(false, "a call names its function");
    case Function::fold: text_ += dialect_.fold; break;
    case Function::length: text_ += dialect_.length; break;
    case Function::geo_distance: text_ += dialect_.geo_distance; break;
    case Function::strftime: text_ += dialect_.strftime; break;
    }
    text_ += '(';
    for (std::size_t index = 0; index < operand.arguments.size(); ++index) {
        if (index > 0) text_ += ", ";
        this->operand(operand.arguments[index]);
    }
    text_ += ')';
}

Writer::Affinity Writer::affinity(Operand const& operand) const {
    if (operand.kind != Operand::Kind::column) return Affinity::none;
    Field const* field = field_of(operand.column);
    if (field == nullptr) return Affinity::integer;
    if (field->is_join()) return Affinity::none;
    switch (storage_of(*field)) {
    case Storage::integer:
    case Storage::boolean: return Affinity::integer;
    case Storage::real: return Affinity::real;
    default: return Affinity::text;
    }
}

// The kinds of values that an operand may have, as bits of Accepts.
std::uint8_t Writer::kinds(Operand const& operand) const {
    switch (operand.kind) {
    case Operand::Kind::null: return 0;
    case Operand::Kind::parameter:
    case Operand::Kind::json_path:
    case Operand::Kind::element: return accepts_all;
    case Operand::Kind::column:
        switch (affinity(operand)) {
        case Affinity::integer: return accepts_integer | accepts_big_integer;
        case Affinity::real: return accepts_real;
        case Affinity::text:
        case Affinity::none: return accepts_text;
        }
        break;
    case Operand::Kind::call:
        switch (operand.function) {
        case Function::none: break;
        case Function::fold: return kinds(operand.arguments.front());
        case Function::length: return accepts_integer;
        case Function::geo_distance: return accepts_real;
        case Function::strftime: return accepts_text;
        }
        break;
    }
    return accepts_all;
}

bool Writer::never_null(Operand const& operand) const {
    switch (operand.kind) {
    case Operand::Kind::null:
    case Operand::Kind::parameter:
    case Operand::Kind::json_path:
    case Operand::Kind::element: return false;
    case Operand::Kind::column: {
        if (null_row_[operand.column.source]) return false;
        Field const* field = field_of(operand.column);
        if (field == nullptr || field->is_join()) return true;
        return !field->nullable && storage_of(*field) != Storage::relation;
    }
    case Operand::Kind::call:
        if (operand.function == Function::length) return true;
        return operand.function == Function::fold && never_null(operand.arguments.front());
    }
    return false;
}

// Whether `column` would convert values of `other`. A parameter is not asked for its kinds: it is noted what
// it may be bound to, unless this is the text for everything else.
bool Writer::converts(Operand const& column, Operand const& other) {
    std::uint8_t unharmed = accepts_all;
    switch (affinity(column)) {
    case Affinity::none: return false;
    case Affinity::text: unharmed = accepts_text; break;
    case Affinity::integer: unharmed = accepts_integer | accepts_big_integer | accepts_real; break;
    case Affinity::real: unharmed = accepts_integer | accepts_real; break;
    }
    if (other.kind == Operand::Kind::parameter && comparing_ == Comparing::by_column_type) {
        expect(other.index, unharmed);
        return false;
    }
    // An element is a column without a type to SQLite, and of those a text column converts nothing.
    if (other.kind == Operand::Kind::element && affinity(column) == Affinity::text) return false;
    return (kinds(other) & ~unharmed) != 0;
}

void Writer::compared(Operand const& left, std::string_view sign, Operand const& right) {
    std::size_t const start = text_.size();
    operand(left);
    text_ += sign;
    std::size_t const middle = text_.size();
    operand(right);
    bool const left_converts = converts(left, right);
    bool const right_converts = converts(right, left);
    if (!left_converts && !right_converts) return;
    if (right.kind == Operand::Kind::column) text_.insert(middle, dialect_.plain);
    if (left.kind == Operand::Kind::column) text_.insert(start, dialect_.plain);
}

}  // namespace quern::engine::sql
