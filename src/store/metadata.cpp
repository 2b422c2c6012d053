// SPDX-License-Identifier: Apache-2.0
#include "store/metadata.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/buffer.h"
#include "json/reader.h"
#include "json/writer.h"
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

Collection const& metadata_collection() {
    static Collection const collection = [] {
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
    }();
    return collection;
}

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
    if (!found) return fail(ErrorCode::corrupt, "The collection " + collection.name + " is missing from _collections.");
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
    return context.transaction.alter(changes, Schema());
}

Result<std::shared_ptr<Schema const>> load_schema(engine::Reader& reader) {
    // The plan needs a schema that holds the metadata's own definition for as long as it runs.
    auto const own = std::make_shared<Schema const>(
        std::vector<std::shared_ptr<Collection const>>{std::make_shared<Collection const>(metadata_collection())}, 0);
    Collection const& metadata = *own->collections().front();
    plan::Plan plan;
    plan.schema = own;
    plan.sources.push_back({&metadata, plan::no_source, plan::Hop::root, 0, {}});
    for (std::size_t field = 0; field < metadata.fields.size(); ++field) plan.output.push_back(plan::column(0, field));
    plan.sort.push_back({plan::SortKey::Kind::operand, plan::column(0, Collection::rowid_field), false});
    auto const sealed = plan::seal(std::move(plan));

    std::vector<std::shared_ptr<Collection const>> collections;
    Result<void> read;
    RowFunction sink([&](std::span<Value const> row) {
        auto collection = read_definition(row);
        if (!collection) {
            read = fail(ErrorCode::corrupt, "The definition of the collection " + std::string(row[name].text) +
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

Result<void> change_schema(WriteContext& context, SchemaChange const& change) {
    Schema const& old = *context.schema;
    auto collections = old.collections();
    std::vector<engine::TableChange> changes;
    std::vector<std::shared_ptr<Collection const>> gone;  // keeps what `before` points at alive
    for (std::string_view const removed : change.removed) {
        auto const place = std::ranges::find(collections, removed, [](auto const& c) { return std::string_view(c->id); });
        if (place == collections.end()) return fail(ErrorCode::not_found);
        changes.push_back({place->get(), nullptr});
        gone.push_back(*place);
        collections.erase(place);
    }
    for (auto const& put : change.put) {
        auto const place = std::ranges::find(collections, put->id, [](auto const& c) { return c->id; });
        if (place == collections.end()) {
            changes.push_back({nullptr, put.get()});
            collections.push_back(put);
        } else {
            changes.push_back({place->get(), put.get()});
            gone.push_back(*place);
            *place = put;
        }
    }
    auto const next = std::make_shared<Schema const>(std::move(collections), old.version() + 1);
    for (auto const& removed : gone) {
        if (next->find(removed->id) != nullptr) continue;
        for (Reference const& reference : old.references_to(*removed)) {
            if (next->find(reference.collection->id) == nullptr) continue;
            Collection const& pointing = *next->find(reference.collection->id);
            if (!pointing.find_by_id(reference.collection->fields[reference.field].id)) continue;
            return fail(ErrorCode::validation, "The collection " + removed->name +
                                                   " cannot be deleted: it is the target of the relation " +
                                                   pointing.name + "." +
                                                   reference.collection->fields[reference.field].name + ".");
        }
    }
    QUERN_CHECK(context.transaction.alter(changes, *next));
    for (engine::TableChange const& done : changes) {
        if (done.after != nullptr) {
            QUERN_CHECK(save(context, *done.after, done.before == nullptr));
        } else {
            QUERN_TRY(bool const found, context.transaction.remove(metadata_collection(), done.before->id));
            if (!found) return fail(ErrorCode::corrupt, "The collection is missing from _collections.");
        }
    }
    context.next_schema = next;
    context.schema = next;
    return {};
}

}  // namespace quern::store
