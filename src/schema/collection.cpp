// SPDX-License-Identifier: Apache-2.0
#include "schema/collection.h"

#include <algorithm>
#include <array>

#include <quern/assert.h>

namespace quern {

namespace {

constexpr std::array<std::string_view, 14> field_type_names = {
    "text",   "number", "bool", "email",    "url",      "date",   "autodate",
    "select", "json",   "file", "relation", "password", "editor", "geoPoint"};

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return result;
}

bool is_lower(std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::vector<Reference> const no_references;

}  // namespace

std::string_view name(FieldType type) { return field_type_names[static_cast<std::size_t>(type)]; }

std::optional<FieldType> field_type_of(std::string_view type_name) {
    auto const* found = std::ranges::find(field_type_names, type_name);
    if (found == field_type_names.end()) return std::nullopt;
    return static_cast<FieldType>(found - field_type_names.begin());
}

std::string_view name(CollectionType type) {
    switch (type) {
    case CollectionType::base: return "base";
    case CollectionType::auth: return "auth";
    case CollectionType::view: return "view";
    }
    return {};
}

std::optional<std::size_t> Collection::find(std::string_view field_name) const {
    for (std::size_t index = 0; index < fields.size(); ++index) {
        if (fields[index].name == field_name) return index;
    }
    return std::nullopt;
}

std::optional<std::size_t> Collection::find_by_id(std::string_view field_id) const {
    for (std::size_t index = 0; index < fields.size(); ++index) {
        if (fields[index].id == field_id) return index;
    }
    return std::nullopt;
}

std::string join_table_name(Collection const& collection, Field const& field) {
    QUERN_ASSERT(field.is_join(), "only a multiple relation has a join table");
    return collection.name + "__" + field.name;
}

Schema::Schema(std::vector<std::shared_ptr<Collection const>> collections, std::uint64_t version)
    : collections_(std::move(collections)), version_(version) {
    for (auto const& collection : collections_) {
        by_name_[lower(collection->name)] = collection.get();
        by_id_[collection->id] = collection.get();
    }
    for (auto const& collection : collections_) {
        for (std::size_t index = 0; index < collection->fields.size(); ++index) {
            Field const& field = collection->fields[index];
            if (field.type != FieldType::relation) continue;
            if (auto const target = by_id_.find(field.collection_id); target != by_id_.end()) {
                references_[target->second].push_back({collection.get(), index});
            }
        }
    }
}

Collection const* Schema::find(std::string_view name_or_id) const {
    auto found = is_lower(name_or_id) ? by_name_.find(name_or_id) : by_name_.find(lower(name_or_id));
    if (found != by_name_.end()) return found->second;
    found = by_id_.find(name_or_id);
    return found == by_id_.end() ? nullptr : found->second;
}

std::vector<Reference> const& Schema::references_to(Collection const& collection) const {
    auto const found = references_.find(&collection);
    return found == references_.end() ? no_references : found->second;
}

std::shared_ptr<Collection const> Schema::share(Collection const& collection) const {
    auto const found = std::ranges::find(collections_, &collection, &std::shared_ptr<Collection const>::get);
    QUERN_ASSERT(found != collections_.end(), "the collection is of this schema");
    return *found;
}

}  // namespace quern
