// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/generate_rows.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <quern/buffer.h>
#include <quern/json_writer.h>
#include "engine/conformance/definition.h"

namespace quern::engine::conformance {

namespace {

constexpr std::array<std::string_view, 24> texts = {
    "",   "a",   "A",   "ab",   "aB",   "b", "ä",   "Ä",  "ß",      "Σ",       "ς", "5",
    "05", "5.0", "1e5", "null", "100%", "_", "a,b", "\\", "x\"y'z", "[\"a\"]", "0", " a"};
constexpr std::array<std::int64_t, 12> integers = {0,
                                                   1,
                                                   -1,
                                                   5,
                                                   7,
                                                   100,
                                                   9007199254740992,
                                                   9007199254740993,
                                                   -9007199254740993,
                                                   9223372036854775807,
                                                   -9223372036854775807 - 1,
                                                   9223372036854775295};
constexpr std::array<double, 12> reals = {
    0.0, 0.5, -1.5, 1.0, 5.0, 5.5, 100.0, 1e300, 9007199254740992.0, 9223372036854775808.0, 0.1, 1e-7};
constexpr std::array<std::string_view, 5> dates = {"", "2026-01-31 12:00:00.000Z", "2026-01-31 12:00:00.001Z",
                                                   "1999-12-31 23:59:59.999Z", "2024-02-29 00:00:00.000Z"};
// The ways that a json field may be filled, some of them no JSON.
constexpr std::array<std::string_view, 22> documents = {"null",
                                                        "true",
                                                        "5",
                                                        "5.0",
                                                        "\"a\"",
                                                        "\"5\"",
                                                        "[]",
                                                        "{}",
                                                        R"(["a","b",5,null,true])",
                                                        R"([[1],{"k":"a"}])",
                                                        R"({"k":"a","n":5})",
                                                        R"({"k":5,"n":"5"})",
                                                        R"({"k":null,"o":{"k":[1,2.5,"a"]}})",
                                                        R"({"k":true,"n":false})",
                                                        R"({"k":9007199254740993,"n":9223372036854775808})",
                                                        R"({"k":"ä","n":1e2})",
                                                        R"( { "k" : "a" , "o" : [ 1 ] } )",
                                                        R"({"k":"\u00e4\"\n"})",
                                                        R"({"k":"a"} x)",
                                                        R"([1,2)",
                                                        "",
                                                        "[0.5,\"ab\",\"a,b\"]"};
constexpr std::array<std::string_view, 7> choices = {"a", "b", "ab", "a,b", "ä", "5", "x\"y"};
constexpr std::array<std::string_view, 4> places = {R"({"lon":0,"lat":0})", R"({"lon":23.32,"lat":42.69})",
                                                    R"({"lon":-180,"lat":90})", R"({"lon":5,"lat":0.5})"};

std::string quoted(std::string_view text) {
    Buffer json;
    json::append_string(json, text);
    return std::string(json.view());
}

std::string verbatim(std::string_view text) { return "{\"$text\":" + quoted(text) + "}"; }

std::string choice_array(Chance& chance) {
    std::string json = "[";
    for (std::size_t left = chance.below(4); left > 0; --left) {
        if (json.size() > 1) json += ",";
        json += quoted(chance.of(choices));
    }
    return json + "]";
}

// An id that is there, or with `faults` perhaps is not; empty when there is none.
std::string target_of(Chance& chance, Field const& field, Ids const& ids, bool faults) {
    if (faults && chance.once_in(12)) return "missing";
    auto const found = ids.find(field.collection_id);
    if (found == ids.end() || found->second.empty()) return {};
    return chance.of(found->second);
}

std::string targets_of(Chance& chance, Field const& field, Ids const& ids, bool faults) {
    std::vector<std::string> targets;
    for (std::size_t left = chance.below(4); left > 0; --left) {
        std::string target = target_of(chance, field, ids, faults);
        bool const is_new = std::ranges::find(targets, target) == targets.end();
        if (!target.empty() && is_new) targets.push_back(std::move(target));
    }
    std::string json = "[";
    for (std::string const& target : targets) json += (json.size() > 1 ? "," : "") + quoted(target);
    return json + "]";
}

std::string field_json(Chance& chance, Field const& field, Ids const& ids, bool faults) {
    if (field.is_join()) return targets_of(chance, field, ids, faults);
    if (field.type == FieldType::relation) {
        std::string const target = target_of(chance, field, ids, faults);
        return target.empty() || chance.once_in(4) ? "null" : quoted(target);
    }
    if (field.nullable && chance.once_in(4)) return "null";
    if (field.is_multiple()) return choice_array(chance);
    switch (field.type) {
    case FieldType::number:
        return field.only_int ? print(Value::of(chance.of(integers))) : print(Value::of(chance.of(reals)));
    case FieldType::boolean: return chance.once_in(2) ? "true" : "false";
    case FieldType::date: return quoted(chance.of(dates));
    case FieldType::select: return quoted(chance.of(choices));
    case FieldType::json: return verbatim(chance.of(documents));
    case FieldType::geo_point: return verbatim(chance.of(places));
    default: return quoted(chance.of(texts));
    }
}

// At most one index is unique, and not on the id: which one of several broken ones is told is up to the
// engine.
Index generate_index(Chance& chance, Collection const& collection, std::size_t number) {
    Index index;
    index.name = "idx_" + collection.id + "_" + std::to_string(number);
    index.unique = collection.indexes.empty() && chance.once_in(2);
    std::vector<std::string> usable;
    for (Field const& field : collection.fields) {
        bool const is_usable = !field.is_join() && field.type != FieldType::json && !field.primary_key;
        if (is_usable) usable.push_back(field.name);
    }
    if (usable.empty()) usable.push_back("id"), index.unique = false;
    for (std::size_t left = 1 + chance.below(2); left > 0; --left) {
        IndexColumn column{chance.of(usable), chance.once_in(3), chance.once_in(4)};
        bool const twice = !index.columns.empty() && index.columns.front().field == column.field;
        if (!twice) index.columns.push_back(column);
    }
    if (chance.once_in(3)) index.where_not_empty = chance.of(usable);
    return index;
}

}  // namespace

Field generate_field(Chance& chance, std::size_t number, std::vector<std::string> const& targets) {
    constexpr std::array types = {FieldType::text,     FieldType::text,     FieldType::number,
                                  FieldType::number,   FieldType::boolean,  FieldType::select,
                                  FieldType::json,     FieldType::relation, FieldType::relation,
                                  FieldType::relation, FieldType::date,     FieldType::geo_point};
    Field field;
    field.id = field.name = "f" + std::to_string(number);
    field.type = chance.of(types);
    field.nullable = chance.once_in(3) && field.type != FieldType::relation;
    field.only_int = field.type == FieldType::number && chance.once_in(2);
    bool const may_be_many = field.type == FieldType::select || field.type == FieldType::relation;
    if (may_be_many && chance.once_in(2)) field.max_select = 10;
    if (field.type == FieldType::relation) field.collection_id = chance.of(targets);
    return field;
}

std::vector<Collection> generate_collections(Chance& chance) {
    std::vector<std::string> ids;
    for (std::size_t left = 2 + chance.below(3); left > 0; --left)
        ids.push_back("c" + std::to_string(ids.size()));
    std::vector<Collection> collections;
    for (std::string const& id : ids) {
        auto collection = read_collection({"collection " + id});
        QUERN_ASSERT(collection, "a collection may have no fields of its own");
        std::size_t const fields = 2 + chance.below(6);
        for (std::size_t number = 0; number < fields; ++number) {
            collection->fields.push_back(generate_field(chance, number, ids));
        }
        for (std::size_t left = chance.below(3); left > 0; --left) {
            collection->indexes.push_back(generate_index(chance, *collection, left));
        }
        collections.push_back(*std::move(collection));
    }
    return collections;
}

std::string generate_row(Chance& chance, Collection const& collection, Ids const& ids, bool faults) {
    std::string json;
    for (std::size_t position = 1; position < collection.fields.size(); ++position) {
        if (chance.once_in(8)) continue;
        Field const& field = collection.fields[position];
        json += "," + quoted(field.name) + ":" + field_json(chance, field, ids, faults);
    }
    return json;
}

ram::OwnedValue generate_value(Chance& chance) {
    switch (chance.below(6)) {
    case 0: return Value{};
    case 1: return Value::of(chance.of(integers));
    case 2: return Value::of(chance.of(reals));
    case 3: return Value::of(chance.of(dates));
    case 4: return Value::of(chance.of(documents));
    default: return Value::of(chance.of(texts));
    }
}

ram::OwnedValue generate_value(Chance& chance, Field const& field) {
    if (chance.once_in(4)) return generate_value(chance);
    if (field.is_multiple()) return Value::of(chance.of(choices));
    switch (field.type) {
    case FieldType::number:
        return chance.once_in(2) ? Value::of(chance.of(integers)) : Value::of(chance.of(reals));
    case FieldType::boolean: return Value::of(chance.once_in(2));
    case FieldType::date: return Value::of(chance.of(dates));
    case FieldType::select: return Value::of(chance.of(choices));
    case FieldType::json: return chance.once_in(2) ? generate_value(chance) : Value::of(chance.of(documents));
    case FieldType::geo_point: return Value::of(chance.of(places));
    case FieldType::relation: return Value::of(std::string_view("r" + std::to_string(chance.below(12))));
    default: return Value::of(chance.of(texts));
    }
}

ram::OwnedValue generate_list(Chance& chance, Field const& field) {
    std::string json = "[";
    for (std::size_t left = chance.below(5); left > 0; --left) {
        if (json.size() > 1) json += ",";
        json += print(generate_value(chance, field).view());
    }
    return Value::of(std::string_view(json + "]"));
}

ram::OwnedValue generate_pattern(Chance& chance) {
    if (chance.once_in(8)) return generate_value(chance);
    std::string pattern(chance.of(texts));
    if (chance.once_in(2)) pattern = "%" + pattern;
    if (chance.once_in(2)) pattern += "%";
    if (chance.once_in(6)) pattern += "\\";
    return Value::of(std::string_view(pattern));
}

}  // namespace quern::engine::conformance
