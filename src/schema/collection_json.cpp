// SPDX-License-Identifier: Apache-2.0
#include "schema/collection_json.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "schema/field_options.h"

namespace quern {

namespace {

// Tables that SQL engines bring along: a collection of that name would hide them from our own statements.
bool is_engine_name(std::string_view lower_name) {
    constexpr std::string_view names[] = {"json_each", "json_tree", "jsonb_each",   "jsonb_tree",
                                          "dbstat",    "fts5vocab", "fts3tokenize", "generate_series"};
    return lower_name.starts_with("sqlite_") || lower_name.starts_with("pragma_") ||
           lower_name.starts_with("pg_") || std::ranges::find(names, lower_name) != std::end(names);
}

struct RuleMember {
    std::string_view name;
    Rule Collection::*rule;
};
constexpr std::array<RuleMember, 5> rule_members = {{{"listRule", &Collection::list_rule},
                                                     {"viewRule", &Collection::view_rule},
                                                     {"createRule", &Collection::create_rule},
                                                     {"updateRule", &Collection::update_rule},
                                                     {"deleteRule", &Collection::delete_rule}}};

// Members that every collection has; the others of an auth collection are its options.
constexpr std::array<std::string_view, 8> common_members = {"id",     "name",    "type",    "system",
                                                            "fields", "indexes", "created", "updated"};

bool is_common(std::string_view member) {
    return std::ranges::find(common_members, member) != common_members.end() ||
           std::ranges::find(rule_members, member, &RuleMember::name) != rule_members.end();
}

bool same_name(std::string_view a, std::string_view b) { return to_lower(a) == to_lower(b); }

class CollectionReader {
public:
    CollectionReader(json::Node body, CollectionReading const& reading)
        : body_(body), reading_(reading), before_(reading.before) {
        if (before_) collection_ = *before_;
    }

    Result<Collection> run() {
        if (!body_.is(json::Type::object)) {
            return fail(Error(ErrorCode::body_invalid, "A collection must be a JSON object."));
        }
        read_type();
        read_id();
        read_name();
        read_fields();
        read_rules();
        read_indexes();
        read_options();
        collection_.updated = reading_.now;
        if (!before_) collection_.created = reading_.now;
        // Rules are looked at last: they may name any of the new fields.
        if (error_.fields.empty()) check_rules();
        if (!error_.fields.empty()) return fail(std::move(error_));
        return std::move(collection_);
    }

private:
    void report(std::string path, std::string code, std::string message) {
        error_.fields.push_back({std::move(path), std::move(code), std::move(message)});
    }
    void report_type(std::string path) {
        report(std::move(path), "validation_invalid_type", "The value has the wrong type.");
    }
    // The member's text; nothing where it is absent, or no text, which is reported.
    std::optional<std::string> text_member(std::string_view name) {
        auto const member = body_.find(name);
        if (!member) return std::nullopt;
        if (member->is(json::Type::string) && member->text().find('\0') == std::string_view::npos) {
            return std::string(member->text());
        }
        report_type(std::string(name));
        return std::nullopt;
    }

    void read_type() {
        auto const type = text_member("type");
        if (!type) return;
        if (before_) {
            if (*type != name(before_->type)) {
                report("type", "validation_collection_type_change", "Collection type cannot be changed.");
            }
        } else if (*type == "auth") {
            collection_.type = CollectionType::auth;
        } else if (*type == "view") {
            report("type", "validation_in_invalid", "View collections are not supported.");
        } else if (*type != "base") {
            report("type", "validation_in_invalid", "Must be a valid value.");
        }
    }

    void read_id() {
        auto const id = text_member("id");
        if (before_) {
            if (id && *id != before_->id) {
                report("id", "validation_invalid_value", "The collection id cannot be changed.");
            }
            return;
        }
        if (!id || id->empty()) {
            collection_.id = make_collection_id(reading_.random);
            return;
        }
        constexpr std::size_t id_chars_max = 100;
        bool const good = id->size() <= id_chars_max && std::ranges::all_of(*id, [](char c) {
                              return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                     (c >= '0' && c <= '9') || c == '_' || c == '-';
                          });
        if (!good) return report("id", "validation_match_invalid", "Must be in a valid format.");
        if (reading_.schema.find(*id)) return report("id", "validation_not_unique", "Value must be unique.");
        collection_.id = *id;
    }

    void read_name() {
        auto const name = text_member("name");
        if (!name) {
            if (!before_ && !body_.find("name")) report("name", "validation_required", "Cannot be blank.");
            return;
        }
        if (before_ && *name == before_->name) return;
        if (before_ && before_->system) {
            return report("name", "validation_collection_system_name_change",
                          "System collection name cannot be changed.");
        }
        collection_.name = *name;
        check_name(*name);
    }

    void check_name(std::string const& name) {
        if (name.empty()) return report("name", "validation_required", "Cannot be blank.");
        if (name.size() > collection_name_chars_max) {
            return report("name", "validation_length_out_of_range", "The length must be between 1 and 255.");
        }
        if (!is_identifier(name))
            return report("name", "validation_match_invalid", "Must be in a valid format.");
        std::string const lower = to_lower(name);
        if (lower.find("_via_") != std::string::npos) {
            return report("name", "validation_found_via", "The value cannot contain \"_via_\".");
        }
        // `_…` are the product's own tables, `a__b` join tables, `sqlite_…` the engine's.
        if (lower.starts_with('_') || lower.ends_with('_') || lower.find("__") != std::string::npos ||
            is_engine_name(lower)) {
            return report("name", "validation_not_in_invalid", "This name is reserved.");
        }
        Collection const* const found = reading_.schema.find(name);
        if (found && found != before_) {
            report("name", "validation_collection_name_exists",
                   "Collection name must be unique (case insensitive).");
        }
    }

    // --- fields ---

    void read_fields() {
        auto const list = body_.find("fields");
        if (list && !list->is(json::Type::array)) return report_type("fields");
        if (list && list->size() > fields_max) {
            return report("fields", "validation_limit_exceeded",
                          "At most " + std::to_string(fields_max) + " fields are allowed.");
        }
        if (list) {
            collection_.fields.clear();
            for (json::Node const body : *list) read_one_field(body);
        }
        add_system_fields();
        give_ids();
        check_unique_names();
    }

    // The field that is meant: of the same id, or, where the body has none, of the same name.
    Field const* old_field(json::Node body) const {
        if (!before_) return nullptr;
        auto const id = body.find("id");
        bool const has_id = id && !id->text().empty();
        auto const name = body.find("name");
        auto const found =
            has_id ? before_->find_by_id(id->text()) : (name ? before_->find(name->text()) : std::nullopt);
        return found ? &before_->fields[*found] : nullptr;
    }

    // What a system field of that name starts from in a new collection.
    std::optional<Field> system_field(std::string_view name) const {
        if (name == "id") return make_id_field();
        if (collection_.type != CollectionType::auth) return std::nullopt;
        auto const found = std::ranges::find(reading_.auth_fields, name, &Field::name);
        if (found == reading_.auth_fields.end()) return std::nullopt;
        return *found;
    }

    void read_one_field(json::Node body) {
        std::string const path = "fields." + std::to_string(next_position_++) + ".";
        if (!body.is(json::Type::object)) return report_type(path.substr(0, path.size() - 1));
        Field const* const old = old_field(body);
        auto const name = body.find("name");
        auto const system = old ? std::nullopt : system_field(name ? name->text() : std::string_view());
        Field field = old ? *old : system.value_or(Field{});
        bool const protected_field = field.system;
        Field const start = field;
        if (!read_field_type(body, path, old || system ? &start : nullptr, field)) return;

        std::vector<FieldError> errors;
        read_field_options(body, field, errors);
        field.system = start.system;
        field.primary_key = start.primary_key || (field.primary_key && field.name != "id");
        if (old) field.id = old->id;
        check_field(field, errors);
        if (protected_field) protect(start, field, errors);
        check_relation(old, field, errors);
        for (FieldError& error : errors)
            report(path + error.field, std::move(error.code), std::move(error.message));
        sent_.push_back({field.name, next_position_ - 1});
        collection_.fields.push_back(std::move(field));
    }

    bool read_field_type(json::Node body, std::string const& path, Field const* start, Field& field) {
        auto const member = body.find("type");
        auto const type = member ? field_type_of(member->text()) : std::nullopt;
        if (!type && (member || !start)) {
            report(path + "type", "validation_in_invalid", "Must be a valid value.");
            return false;
        }
        if (!type || (start && *type == start->type)) return true;
        if (start && (start->system || !can_change_type(start->type, *type))) {
            report(path + "type", "validation_field_type_change", "Field type cannot be changed.");
            return false;
        }
        // Options of the old type must not shine through.
        Field fresh;
        fresh.id = field.id;
        fresh.name = field.name;
        field = std::move(fresh);
        field.type = *type;
        return true;
    }

    static void protect(Field const& start, Field& field, std::vector<FieldError>& errors) {
        if (field.name != start.name) {
            errors.push_back(
                {"name", "validation_system_field_change", "System field name cannot be changed."});
            field.name = start.name;  // so that what follows from it is not reported too
        }
        field.system = true;
        field.primary_key = start.primary_key;
        field.nullable = false;
        if (start.primary_key || start.type == FieldType::password || start.name == "tokenKey") {
            field.required = true;
            field.hidden = start.hidden;
        }
    }

    // A target may be named or be given by its id; what is kept is the id.
    void check_relation(Field const* old, Field& field, std::vector<FieldError>& errors) const {
        if (field.type != FieldType::relation) return;
        if (field.collection_id.empty()) {
            errors.push_back({"collectionId", "validation_required", "Cannot be blank."});
            return;
        }
        auto const is_it = [&](Collection const& target) {
            return target.id == field.collection_id || same_name(target.name, field.collection_id);
        };
        auto const coming = std::ranges::find_if(reading_.coming, is_it);
        Collection const* const known = reading_.schema.find(field.collection_id);
        if (is_it(collection_)) {
            field.collection_id = collection_.id;
        } else if (coming != reading_.coming.end()) {
            field.collection_id = coming->id;
        } else if (known) {
            field.collection_id = known->id;
        } else {
            errors.push_back({"collectionId", "validation_field_relation_missing_collection",
                              "The relation collection doesn't exist."});
            return;
        }
        if (old && old->type == FieldType::relation && old->collection_id != field.collection_id) {
            errors.push_back({"collectionId", "validation_field_relation_change",
                              "The relation collection cannot be changed."});
        }
    }

    // System fields that the body leaves out stay, behind `id`, which is always first.
    void add_system_fields() {
        std::vector<Field>& fields = collection_.fields;
        std::vector<Field> wanted = {make_id_field()};
        if (collection_.type == CollectionType::auth) {
            wanted.insert(wanted.end(), reading_.auth_fields.begin(), reading_.auth_fields.end());
        }
        if (before_) {
            for (Field const& old : before_->fields) {
                if (old.system) wanted.push_back(old);
            }
        }
        std::size_t place = 0;
        for (Field& field : wanted) {
            auto const found = std::ranges::find(fields, field.name, &Field::name);
            if (found == fields.end()) {
                // The stored form of a field is better than the built-in one.
                auto const old = before_ ? before_->find(field.name) : std::nullopt;
                Field missing = old ? before_->fields[*old] : std::move(field);
                fields.insert(fields.begin() + static_cast<std::ptrdiff_t>(place++), std::move(missing));
            } else if (found->name == "id") {
                std::rotate(fields.begin(), found, found + 1);
                place = std::max<std::size_t>(place, 1);
            }
        }
    }

    void give_ids() {
        std::vector<std::string> taken;
        for (Field const& field : collection_.fields) {
            if (!field.id.empty()) taken.push_back(field.id);
        }
        if (before_) {
            for (Field const& field : before_->fields) taken.push_back(field.id);
        }
        for (Field& field : collection_.fields) {
            if (!field.id.empty()) continue;
            field.id = make_field_id(name(field.type), field.name, taken);
            taken.push_back(field.id);
        }
    }

    void check_unique_names() {
        std::set<std::string> names;
        std::set<std::string> ids;
        for (Field const& field : collection_.fields) {
            if (!names.insert(to_lower(field.name)).second) {
                report(sent_path(field) + ".name", "validation_duplicated_field_name",
                       "Duplicated or invalid field name " + field.name + ".");
            }
            if (!ids.insert(field.id).second) {
                report(sent_path(field) + ".id", "validation_not_unique", "Value must be unique.");
            }
        }
    }

    // Where the body names the field; of several of the same name, the last.
    std::string sent_path(Field const& field) const {
        auto const place = std::find_if(sent_.rbegin(), sent_.rend(),
                                        [&](Sent const& sent) { return same_name(sent.name, field.name); });
        return place == sent_.rend() ? "fields" : "fields." + std::to_string(place->position);
    }

    // --- rules ---

    void read_rules() {
        for (RuleMember const& member : rule_members) {
            auto const value = body_.find(member.name);
            if (!value) continue;
            std::string const path(member.name);
            if (!value->is_null() && !value->is(json::Type::string)) {
                report_type(path);
                continue;
            }
            Rule rule;
            if (!value->is_null()) rule = std::string(value->text());
            if (rule && rule->size() > rule_bytes_max) {
                report(path, "validation_length_out_of_range", "The rule is too long.");
            }
            bool const changed = !before_ || before_->*member.rule != rule;
            if (before_ && before_->system && changed) {
                report(path, "validation_collection_system_rule_change",
                       "System collection API rule cannot be changed.");
            }
            collection_.*member.rule = std::move(rule);
        }
    }

    void check_rules() {
        if (!reading_.check_rule) return;
        for (RuleMember const& member : rule_members) {
            Rule const& rule = collection_.*member.rule;
            if (!rule || rule->empty()) continue;
            if (auto const why = reading_.check_rule(collection_, *rule)) {
                report(std::string(member.name), "validation_invalid_rule", "Invalid rule. " + *why);
            }
        }
    }

    // --- indexes ---

    void read_indexes() {
        auto const list = body_.find("indexes");
        if (list && !list->is(json::Type::array) && !list->is_null()) return report_type("indexes");
        if (list) {
            collection_.indexes.clear();
            std::size_t position = 0;
            for (json::Node const sql : *list) read_one_index(sql, "indexes." + std::to_string(position++));
        } else {
            follow_renames();
        }
        add_auth_indexes();
        if (collection_.indexes.size() > indexes_max) {
            report("indexes", "validation_limit_exceeded",
                   "At most " + std::to_string(indexes_max) + " indexes are allowed.");
        }
        for (std::size_t position = 0; position < collection_.indexes.size(); ++position)
            check_index(position);
    }

    void read_one_index(json::Node sql, std::string path) {
        if (!sql.is(json::Type::string)) return report_type(std::move(path));
        auto index = parse_index(sql.text());
        if (!index) {
            FieldError& error = index.error().fields.front();
            return report(std::move(path), std::move(error.code), std::move(error.message));
        }
        collection_.indexes.push_back(*std::move(index));
    }

    // Indexes that the body does not speak of go with their fields' new names.
    void follow_renames() {
        if (!before_) return;
        auto const follow = [&](std::string& field_name) {
            auto const old = before_->find(field_name);
            auto const now = old ? collection_.find_by_id(before_->fields[*old].id) : std::nullopt;
            if (now) field_name = collection_.fields[*now].name;
        };
        for (Index& index : collection_.indexes) {
            for (IndexColumn& column : index.columns) follow(column.field);
            if (!index.where_not_empty.empty()) follow(index.where_not_empty);
        }
    }

    void add_auth_indexes() {
        if (collection_.type != CollectionType::auth || !reading_.auth_indexes) return;
        for (Index& wanted : reading_.auth_indexes(collection_.id)) {
            bool const there = std::ranges::any_of(collection_.indexes, [&](Index const& index) {
                return index.unique && index.columns.size() == 1 &&
                       index.columns[0].field == wanted.columns.at(0).field;
            });
            if (!there) collection_.indexes.push_back(std::move(wanted));
        }
    }

    // Names of indexes are unique in the whole database.
    bool is_index_name_taken(std::size_t position) const {
        std::string const name = to_lower(collection_.indexes[position].name);
        auto const has_name = [&](Index const& index) { return to_lower(index.name) == name; };
        if (std::any_of(collection_.indexes.begin(),
                        collection_.indexes.begin() + static_cast<std::ptrdiff_t>(position), has_name)) {
            return true;
        }
        return std::ranges::any_of(reading_.schema.collections(), [&](auto const& other) {
            return other->id != collection_.id && std::ranges::any_of(other->indexes, has_name);
        });
    }

    void check_index(std::size_t position) {
        Index& index = collection_.indexes[position];
        std::string const path = "indexes." + std::to_string(position);
        if (is_index_name_taken(position)) {
            return report(path, "validation_duplicated_index_name", "The index name already exists.");
        }
        if (!is_identifier(index.name) || to_lower(index.name).starts_with("sqlite_")) {
            return report(path, "validation_invalid_index_expression", "The index name is not a valid name.");
        }
        // Names that begin with `_` are those of the indexes that the engine makes by itself.
        bool const is_table =
            reading_.schema.find(index.name) != nullptr || same_name(index.name, collection_.name);
        if (index.name.starts_with('_') || is_table) {
            return report(path, "validation_not_in_invalid",
                          "The index name is reserved or that of a collection.");
        }
        if (index.columns.size() > index_columns_max) {
            return report(path, "validation_limit_exceeded",
                          "At most " + std::to_string(index_columns_max) + " columns are allowed.");
        }
        // SQL names ignore case; the index keeps the field's own spelling.
        auto const resolve = [&](std::string& field_name) {
            auto const found = std::ranges::find_if(
                collection_.fields, [&](Field const& field) { return same_name(field.name, field_name); });
            if (found == collection_.fields.end() || found->is_join()) {
                report(path, "validation_invalid_index_expression",
                       "The index " + index.name + " names \"" + field_name + "\", which is no column.");
                return;
            }
            field_name = found->name;
        };
        for (IndexColumn& column : index.columns) resolve(column.field);
        if (!index.where_not_empty.empty()) resolve(index.where_not_empty);
    }

    // --- options ---

    void read_options() {
        if (collection_.type != CollectionType::auth) {
            collection_.options_json = "{}";
            return;
        }
        Buffer buffer;
        json::Writer writer(buffer);
        writer.begin_object();
        for (json::Node const member : body_) {
            if (!is_common(member.key())) writer.member_raw(member.key(), member.raw());
        }
        writer.end_object();
        collection_.options_json = buffer.view();
    }

    // A field of the body and its place there.
    struct Sent {
        std::string name;
        std::size_t position;
    };

    json::Node body_;
    CollectionReading const& reading_;
    Collection const* before_;
    Collection collection_;
    std::vector<Sent> sent_;
    std::size_t next_position_ = 0;
    Error error_{ErrorCode::validation};
};

}  // namespace

Result<Collection> read_collection(json::Node body, CollectionReading const& reading) {
    return CollectionReader(body, reading).run();
}

Field make_id_field() {
    Field id;
    id.id = make_field_id("text", "id", {});
    id.name = "id";
    id.type = FieldType::text;
    id.system = true;
    id.required = true;
    id.primary_key = true;
    id.min = record_id_length;
    id.max = record_id_length;
    id.pattern = record_id_pattern;
    id.autogenerate_pattern = record_id_autogenerate;
    return id;
}

Collection make_collection(std::string_view name, CollectionType type, RandomSource random,
                           std::string_view now) {
    Collection collection;
    collection.id = make_collection_id(random);
    collection.name = name;
    collection.type = type;
    collection.fields.push_back(make_id_field());
    collection.created = now;
    collection.updated = now;
    return collection;
}

void write_collection(Collection const& collection, std::string_view options_json, json::Writer& writer) {
    writer.begin_object();
    writer.member("id", collection.id);
    for (RuleMember const& member : rule_members) {
        Rule const& rule = collection.*member.rule;
        writer.key(member.name);
        rule ? writer.string(*rule) : writer.null();
    }
    writer.member("name", collection.name);
    writer.member("type", name(collection.type));
    writer.key("fields");
    writer.begin_array();
    for (Field const& field : collection.fields) write_field(field, writer);
    writer.end_array();
    writer.key("indexes");
    writer.begin_array();
    for (Index const& index : collection.indexes) writer.string(print_index(index, collection.name));
    writer.end_array();
    writer.member("created", collection.created);
    writer.member("updated", collection.updated);
    writer.member("system", collection.system);
    if (collection.type == CollectionType::auth) {
        if (auto const options = json::Tree::parse(options_json);
            options && options->root().is(json::Type::object)) {
            for (json::Node const member : options->root()) writer.member_raw(member.key(), member.raw());
        }
    }
    writer.end_object();
}

}  // namespace quern
