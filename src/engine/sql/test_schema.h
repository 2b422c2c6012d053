// SPDX-License-Identifier: Apache-2.0
#pragma once

// Collections for the tests of this room and the rooms above: short makers, and a small blog.

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "schema/collection.h"

namespace quern::test {

inline Field field(std::string name, FieldType type) {
    Field made;
    made.id = "f_" + name;
    made.name = std::move(name);
    made.type = type;
    made.primary_key = made.name == "id";
    return made;
}

inline Field nullable(Field made) {
    made.nullable = true;
    return made;
}

inline Field integer(std::string name) {
    Field made = field(std::move(name), FieldType::number);
    made.only_int = true;
    return made;
}

inline Field relation(std::string name, std::string target, std::int64_t max = 1) {
    Field made = field(std::move(name), FieldType::relation);
    made.collection_id = std::move(target);
    made.max_select = max;
    return made;
}

inline Field many(std::string name, FieldType type) {
    Field made = field(std::move(name), type);
    made.max_select = 10;
    return made;
}

// The field `id` comes by itself. The collection's id is "c_" and its name.
inline Collection collection(std::string name, std::vector<Field> fields, std::vector<Index> indexes = {}) {
    Collection made;
    made.id = "c_" + name;
    made.name = std::move(name);
    made.fields.push_back(field("id", FieldType::text));
    for (Field& one : fields) made.fields.push_back(std::move(one));
    made.indexes = std::move(indexes);
    return made;
}

inline std::shared_ptr<Schema const> schema(std::vector<Collection> collections, std::uint64_t version = 1) {
    std::vector<std::shared_ptr<Collection const>> shared;
    for (Collection& one : collections) shared.push_back(std::make_shared<Collection const>(std::move(one)));
    return std::make_shared<Schema const>(std::move(shared), version);
}

// users(id name), tags(id name), posts(id title body? views score done kinds data author tags), comments(id
// text post)
inline std::shared_ptr<Schema const> blog(std::uint64_t version = 1) {
    return schema(
        {collection("users", {field("name", FieldType::text), relation("boss", "c_users")}),
         collection("tags", {field("name", FieldType::text)}),
         collection("posts",
                    {field("title", FieldType::text), nullable(field("body", FieldType::text)),
                     integer("views"), field("score", FieldType::number), field("done", FieldType::boolean),
                     many("kinds", FieldType::select), field("data", FieldType::json),
                     relation("author", "c_users"), relation("tags", "c_tags", 10)},
                    {Index{"i_title", false, {{"title", false, false}}, ""}}),
         collection("comments", {field("text", FieldType::text), relation("post", "c_posts")})},
        version);
}

// A plan over one collection, to be filled in and sealed.
inline plan::Plan from(std::shared_ptr<Schema const> const& schema, std::string_view name) {
    plan::Plan made;
    made.schema = schema;
    plan::Source root;
    root.collection = schema->find(name);
    made.sources.push_back(std::move(root));
    return made;
}

inline std::uint16_t index_of(plan::Plan const& plan, plan::SourceIndex source, std::string_view name) {
    return static_cast<std::uint16_t>(plan.sources[source].collection->find(name).value());
}

inline plan::Operand column(plan::Plan const& plan, plan::SourceIndex source, std::string_view name) {
    return plan::column(source, index_of(plan, source, name));
}

// Adds a source; `field` is the name in the collection that the hop says.
inline plan::SourceIndex hop(plan::Plan& plan, plan::Hop hop, plan::SourceIndex parent,
                             std::string_view collection, std::string_view field) {
    plan::Source source;
    source.hop = hop;
    source.parent = parent;
    if (hop != plan::Hop::elements) source.collection = plan.schema->find(collection);
    if (hop == plan::Hop::back) {
        source.field = static_cast<std::uint16_t>(source.collection->find(field).value());
    } else if (hop != plan::Hop::free) {
        source.field = index_of(plan, parent, field);
    }
    plan.sources.push_back(std::move(source));
    return static_cast<plan::SourceIndex>(plan.sources.size() - 1);
}

inline plan::Condition some(std::vector<plan::SourceIndex> sources, plan::Condition predicate,
                            bool every = false, bool negated = false) {
    plan::Condition made;
    made.kind = plan::Condition::Kind::quantified;
    made.sources = std::move(sources);
    made.parts.push_back(std::move(predicate));
    made.every = every;
    made.negated = negated;
    return made;
}

}  // namespace quern::test
