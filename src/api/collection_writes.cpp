// SPDX-License-Identifier: Apache-2.0
// POST /api/collections, PATCH, DELETE and DELETE …/truncate of /api/collections/{collection},
// PUT /api/collections/import
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "api/answer.h"
#include "api/collections.h"
#include "api/write_call.h"
#include "store/metadata.h"

namespace quern::api {

namespace {

// Collections of one import.
constexpr std::size_t import_collections_max = 1'000;

// Every change of the schema: for superusers, in a transaction of its own.
class SchemaCall : public WriteCall {
public:
    SchemaCall(http::Exchange& exchange, WriteTools& tools, Route route) : WriteCall(exchange, tools, route) {
        alone = true;
    }

    Result<void> prepare(Call& call) override { return require_superuser(call); }

protected:
    Result<void> apply(Call& call, store::WriteContext& context) final {
        QUERN_CHECK(require_superuser(call));
        return change(call, context);
    }
    [[nodiscard]] virtual Result<void> change(Call& call, store::WriteContext& context) = 0;

    [[nodiscard]] CollectionDraft draft(Call& call, store::WriteContext const& context) const {
        return {call, tools_.random, context.now_ms};
    }

    static Result<void> put(store::WriteContext& context,
                            std::vector<std::shared_ptr<Collection const>> const& put,
                            std::vector<std::string_view> const& removed) {
        QUERN_CHECK(check_drafted_rules(*context.schema, put));
        return store::change_schema(context, {put, removed});
    }
};

class CollectionCreate final : public SchemaCall {
public:
    using SchemaCall::SchemaCall;

protected:
    Result<void> change(Call& call, store::WriteContext& context) override {
        QUERN_TRY(auto const body, read_body());
        QUERN_TRY(auto collection, read_collection_body(draft(call, context), body, nullptr, {}));
        auto const made = std::make_shared<Collection const>(std::move(collection));
        QUERN_CHECK(put(context, {made}, {}));
        write_collection_json(*made, call.response().body);
        return {};
    }
};

class CollectionUpdate final : public SchemaCall {
public:
    using SchemaCall::SchemaCall;

protected:
    Result<void> change(Call& call, store::WriteContext& context) override {
        QUERN_CHECK(find_collection(call));
        QUERN_TRY(auto const body, read_body());
        QUERN_TRY(auto collection, read_collection_body(draft(call, context), body, call.collection, {}));
        auto const changed = std::make_shared<Collection const>(std::move(collection));
        QUERN_CHECK(put(context, {changed}, {}));
        write_collection_json(*changed, call.response().body);
        return {};
    }
};

Result<void> refuse_system(Collection const& collection) {
    if (!collection.system) return {};
    return fail(ErrorCode::bad_request,
                "The collection " + collection.name + " is a system collection and stays.");
}

class CollectionDelete final : public SchemaCall {
public:
    using SchemaCall::SchemaCall;

protected:
    Result<void> change(Call& call, store::WriteContext& context) override {
        QUERN_CHECK(find_collection(call));
        QUERN_CHECK(refuse_system(*call.collection));
        std::string const id = call.collection->id;
        QUERN_CHECK(put(context, {}, {id}));
        write_no_content(call.response());
        return {};
    }
};

class CollectionTruncate final : public SchemaCall {
public:
    using SchemaCall::SchemaCall;

protected:
    Result<void> change(Call& call, store::WriteContext& context) override {
        QUERN_CHECK(find_collection(call));
        QUERN_CHECK(refuse_system(*call.collection));
        QUERN_CHECK(context.transaction.truncate(*call.collection));
        write_no_content(call.response());
        return {};
    }
};

// {"collections": […], "deleteMissing": false}
class CollectionsImport final : public SchemaCall {
public:
    using SchemaCall::SchemaCall;

protected:
    Result<void> change(Call& call, store::WriteContext& context) override {
        QUERN_TRY(auto const body, read_body());
        auto const list = body.find("collections");
        if (!list || !list->is(json::Type::array) || list->size() == 0) {
            return std::unexpected(Error::of_field("collections", "validation_required", "Cannot be blank."));
        }
        if (list->size() > import_collections_max) {
            return std::unexpected(
                Error::of_field("collections", "validation_limit_exceeded", "Are too many."));
        }
        auto const flag = body.find("deleteMissing");
        bool const delete_missing = flag && flag->boolean();
        QUERN_TRY(auto const collections, read_all(call, context, *list, delete_missing));
        std::vector<std::string_view> removed;
        if (delete_missing) {
            for (auto const& existing : context.schema->collections()) {
                bool const kept =
                    std::ranges::any_of(collections, [&](auto const& c) { return c->id == existing->id; });
                if (!kept && !existing->system) removed.push_back(existing->id);
            }
        }
        QUERN_CHECK(put(context, collections, removed));
        write_no_content(call.response());
        return {};
    }

private:
    static Collection const* existing(Schema const& schema, json::Node const& node) {
        for (std::string_view const key : {"id", "name"}) {
            auto const member = node.find(key);
            if (!member || !member->is(json::Type::string) || member->text().empty()) continue;
            Collection const* found = schema.find(member->text());
            if (found != nullptr) return found;
        }
        return nullptr;
    }

    // An import adds and changes; what it does not name stays unless it was asked to delete.
    static void keep_missing(Collection const& before, Collection& collection) {
        for (Field const& field : before.fields) {
            bool const named = std::ranges::any_of(collection.fields, [&](Field const& other) {
                return other.id == field.id || is_same_name(other.name, field.name);
            });
            if (!named) collection.fields.push_back(field);
        }
        for (Index const& index : before.indexes) {
            bool const named =
                std::ranges::find(collection.indexes, index.name, &Index::name) != collection.indexes.end();
            bool const usable = std::ranges::all_of(index.columns, [&](IndexColumn const& column) {
                return collection.find(column.field).has_value();
            });
            if (!named && usable) collection.indexes.push_back(index);
        }
    }

    // Relations may point at collections further down the list: the first reading finds ids and names, the
    // second resolves.
    Result<std::vector<std::shared_ptr<Collection const>>> read_all(Call& call, store::WriteContext& context,
                                                                    json::Node list, bool delete_missing) {
        std::vector<Collection> coming = names_of(call, context, list);
        QUERN_CHECK(refuse_repeated(coming));
        std::vector<std::shared_ptr<Collection const>> collections;
        std::size_t index = 0;
        for (json::Node const node : list) {
            auto collection =
                read_collection_body(draft(call, context), node, existing(*context.schema, node), coming);
            if (!collection) {
                Error error = collection.error();
                for (FieldError& field : error.fields) {
                    field.field = "collections." + std::to_string(index) + "." + field.field;
                }
                return std::unexpected(std::move(error));
            }
            collection->id = coming[index].id;
            if (Collection const* before = existing(*context.schema, node);
                before != nullptr && !delete_missing) {
                keep_missing(*before, *collection);
            }
            collections.push_back(std::make_shared<Collection const>(*std::move(collection)));
            ++index;
        }
        return collections;
    }

    static Result<void> refuse_repeated(std::span<Collection const> coming) {
        for (std::size_t index = 1; index < coming.size(); ++index) {
            for (Collection const& earlier : coming.first(index)) {
                bool const same_name = is_same_name(earlier.name, coming[index].name);
                if (earlier.id != coming[index].id && !same_name) continue;
                return std::unexpected(Error::of_field("collections." + std::to_string(index) + ".name",
                                                       "validation_collection_name_exists",
                                                       "The same collection stands twice in the list."));
            }
        }
        return {};
    }

    // SQL names ignore case.
    static bool is_same_name(std::string_view left, std::string_view right) {
        return std::ranges::equal(left, right, [](char a, char b) {
            auto const lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
            return lower(a) == lower(b);
        });
    }

    std::vector<Collection> names_of(Call& call, store::WriteContext& context, json::Node list) {
        std::vector<Collection> coming;
        for (json::Node const node : list) {
            Collection collection;
            Collection const* before = existing(*context.schema, node);
            auto const id = node.find("id");
            auto const name = node.find("name");
            if (before != nullptr) {
                collection.id = before->id;
            } else if (id && id->is(json::Type::string) && !id->text().empty()) {
                collection.id = id->text();
            } else {
                collection.id = make_collection_id(RandomSource(draft(call, context).random));
            }
            if (name && name->is(json::Type::string)) collection.name = name->text();
            coming.push_back(std::move(collection));
        }
        return coming;
    }
};

}  // namespace

std::unique_ptr<WriteCall> make_collection_create(http::Exchange& exchange, WriteTools& tools, Route route) {
    return std::make_unique<CollectionCreate>(exchange, tools, route);
}
std::unique_ptr<WriteCall> make_collection_update(http::Exchange& exchange, WriteTools& tools, Route route) {
    return std::make_unique<CollectionUpdate>(exchange, tools, route);
}
std::unique_ptr<WriteCall> make_collection_delete(http::Exchange& exchange, WriteTools& tools, Route route) {
    return std::make_unique<CollectionDelete>(exchange, tools, route);
}
std::unique_ptr<WriteCall> make_collection_truncate(http::Exchange& exchange, WriteTools& tools,
                                                    Route route) {
    return std::make_unique<CollectionTruncate>(exchange, tools, route);
}
std::unique_ptr<WriteCall> make_collections_import(http::Exchange& exchange, WriteTools& tools, Route route) {
    return std::make_unique<CollectionsImport>(exchange, tools, route);
}

}  // namespace quern::api
