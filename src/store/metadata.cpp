// SPDX-License-Identifier: Apache-2.0
#include "store/metadata.h"

#include <algorithm>
#include <string>
#include <vector>

#include <quern/buffer.h>
#include <quern/json_writer.h>
#include "json/reader.h"
#include "plan/plan.h"
#include "schema/collection_json.h"
#include "schema/row_sink.h"

namespace quern::store {

namespace {

// Fields of `_collections`, in order.
enum MetadataField : std::uint16_t { id, name, type, system, definition, options, created, updated };

Field make_field(std::string field_name, FieldType field_type) {
    Field field;
    field.id = "meta_" + field_name;
    field.name = std::move(field_name);
    field.type = field_type;
    field.system = true;
    return field;
}

Collection make_metadata_collection() {
    Collection made;
    made.id = "meta_collections";
    made.name = collections_table;
    made.system = true;
    made.fields = {make_field("id", FieldType::text),         make_field("name", FieldType::text),
                   make_field("type", FieldType::text),       make_field("system", FieldType::boolean),
                   make_field("definition", FieldType::json), make_field("options", FieldType::json),
                   make_field("created", FieldType::text),    make_field("updated", FieldType::text)};
    made.fields[id].primary_key = true;
    made.indexes = {{"idx__collections_name", true, {{"name", false, true}}, ""}};
    return made;
}

// The schema of the metadata itself: what the engine is told of `_collections`.
std::shared_ptr<Schema const> const& metadata_schema() {
    static std::shared_ptr<Schema const> const schema = std::make_shared<Schema const>(
        std::vector<std::shared_ptr<Collection const>>{
            std::make_shared<Collection const>(make_metadata_collection())},
        0);
    return schema;
}

Collection const& metadata_collection() { return *metadata_schema()->collections().front(); }

std::vector<engine::Assignment> row_of(Collection const& collection, std::string_view definition_json,
                                       std::int64_t version) {
    auto const assign = [](std::uint16_t field, Value value) { return engine::Assignment{field, value, {}}; };
    return {assign(id, Value::of(collection.id)),
            assign(name, Value::of(collection.name)),
            assign(type, Value::of(quern::name(collection.type))),
            assign(system, Value::of(collection.system)),
            assign(definition, Value::of(definition_json)),
            assign(options, Value::of(collection.options_json)),
            assign(created, Value::of(collection.created)),
            assign(updated, Value::of(collection.updated)),
            assign(static_cast<std::uint16_t>(Collection::version_field), Value::of(version))};
}

Result<void> save(WriteContext& context, Collection const& collection, bool is_new) {
    Buffer json;
    json::Writer writer(json);
    write_collection(collection, "{}", writer);
    auto const row = row_of(collection, json.view(), context.next_version());
    if (is_new) return context.transaction.insert(metadata_collection(), row);
    QUERN_TRY(bool const found, context.transaction.update(metadata_collection(), collection.id, row));
    if (!found)
        return fail(ErrorCode::corrupt,
                    "The collection " + collection.name + " is missing from _collections.");
    return {};
}

Rule read_rule(json::Node const& body, std::string_view rule_name) {
    auto const member = body.find(rule_name);
    if (!member || !member->is(json::Type::string)) return std::nullopt;
    return std::string(member->text());
}

Result<Collection> read_definition(std::span<Value const> row) {
    Collection collection;
    collection.id = row[id].text;
    collection.name = row[name].text;
    collection.system = row[system].integer != 0;
    collection.options_json = row[options].text;
    collection.created = row[created].text;
    collection.updated = row[updated].text;
    for (CollectionType const known : {CollectionType::base, CollectionType::auth, CollectionType::view}) {
        if (row[type].text == quern::name(known)) collection.type = known;
    }
    QUERN_TRY(auto const tree, json::Tree::parse(row[definition].text));
    json::Node const body = tree.root();
    if (auto const fields = body.find("fields")) {
        for (json::Node const node : *fields) {
            QUERN_TRY(Field field, read_field(node));
            collection.fields.push_back(std::move(field));
        }
    }
    if (auto const indexes = body.find("indexes")) {
        for (json::Node const node : *indexes) {
            QUERN_TRY(Index index, parse_index(node.text()));
            collection.indexes.push_back(std::move(index));
        }
    }
    collection.list_rule = read_rule(body, "listRule");
    collection.view_rule = read_rule(body, "viewRule");
    collection.create_rule = read_rule(body, "createRule");
    collection.update_rule = read_rule(body, "updateRule");
    collection.delete_rule = read_rule(body, "deleteRule");
    if (collection.fields.empty()) return fail(ErrorCode::corrupt, "it has no fields");
    return collection;
}

}  // namespace

Result<void> create_metadata(WriteContext& context) {
    engine::TableChange const changes[] = {{nullptr, &metadata_collection()}};
    return context.transaction.alter(changes, *metadata_schema());
}

Result<std::shared_ptr<Schema const>> load_schema(engine::Reader& reader) {
    Collection const& metadata = metadata_collection();
    plan::Plan plan;
    plan.schema = metadata_schema();
    plan.sources.push_back({&metadata, plan::no_source, plan::Hop::root, 0, {}});
    for (std::size_t field = 0; field < metadata.fields.size(); ++field)
        plan.output.push_back(plan::column(0, field));
    plan.sort.push_back({plan::SortKey::Kind::operand, plan::column(0, Collection::rowid_field), false});
    auto const sealed = plan::seal(std::move(plan));

    std::vector<std::shared_ptr<Collection const>> collections;
    Result<void> read;
    RowFunction sink([&](std::span<Value const> row) {
        auto collection = read_definition(row);
        if (!collection) {
            read =
                fail(ErrorCode::corrupt, "The definition of the collection " + std::string(row[name].text) +
                                             " cannot be read: " + collection.error().message);
            return false;
        }
        collections.push_back(std::make_shared<Collection const>(*std::move(collection)));
        return true;
    });
    QUERN_CHECK(reader.select({*sealed, {}}, sink));
    QUERN_CHECK(std::move(read));
    return std::make_shared<Schema const>(std::move(collections), 1);
}

namespace {

// What a change means for the tables, and the collections as they will be.
struct Outcome {
    std::vector<engine::TableChange> changes;
    std::vector<std::shared_ptr<Collection const>> replaced;  // keeps what `before` points at alive
    std::shared_ptr<Schema const> next;
};

Result<Outcome> work_out(Schema const& old, SchemaChange const& change) {
    Outcome outcome;
    auto collections = old.collections();
    auto const place_of = [&](std::string_view wanted) {
        return std::ranges::find(collections, wanted, [](auto const& c) { return std::string_view(c->id); });
    };
    for (std::string_view const removed : change.removed) {
        auto const place = place_of(removed);
        if (place == collections.end()) return fail(ErrorCode::not_found);
        outcome.changes.push_back({place->get(), nullptr});
        outcome.replaced.push_back(*place);
        collections.erase(place);
    }
    for (auto const& put : change.put) {
        auto const place = place_of(put->id);
        if (place == collections.end()) {
            outcome.changes.push_back({nullptr, put.get()});
            collections.push_back(put);
        } else {
            outcome.changes.push_back({place->get(), put.get()});
            outcome.replaced.push_back(*place);
            *place = put;
        }
    }
    outcome.next = std::make_shared<Schema const>(std::move(collections), old.version() + 1);
    return outcome;
}

// A collection that a relation still points at stays.
Result<void> check_targets(Schema const& old, Outcome const& outcome) {
    Schema const& next = *outcome.next;
    for (auto const& replaced : outcome.replaced) {
        if (next.find(replaced->id) != nullptr) continue;
        for (Reference const& reference : old.references_to(*replaced)) {
            Collection const* pointing = next.find(reference.collection->id);
            Field const& field = reference.collection->fields[reference.field];
            if (pointing == nullptr || !pointing->find_by_id(field.id)) continue;
            return fail(ErrorCode::validation, "The collection " + replaced->name +
                                                   " cannot be deleted: it is the target of the relation " +
                                                   pointing->name + "." + field.name + ".");
        }
    }
    return {};
}

}  // namespace

Result<void> change_schema(WriteContext& context, SchemaChange const& change) {
    QUERN_TRY(Outcome const outcome, work_out(*context.schema, change));
    QUERN_CHECK(check_targets(*context.schema, outcome));
    QUERN_CHECK(context.transaction.alter(outcome.changes, *outcome.next));
    for (engine::TableChange const& done : outcome.changes) {
        if (done.after != nullptr) {
            QUERN_CHECK(save(context, *done.after, done.before == nullptr));
            continue;
        }
        QUERN_TRY(bool const found, context.transaction.remove(metadata_collection(), done.before->id));
        if (!found) return fail(ErrorCode::corrupt, "The collection is missing from _collections.");
    }
    context.next_schema = outcome.next;
    context.schema = outcome.next;
    return {};
}

}  // namespace quern::store
