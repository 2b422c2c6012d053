// SPDX-License-Identifier: Apache-2.0
#pragma once

// Collections and their fields, as data.
//
// A Schema is one frozen state of all collections. A change makes a new Schema; whoever holds the old one may
// go on with it, and its pointers stay valid as long as the shared_ptr is held.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

enum class FieldType : std::uint8_t {
    text,
    number,
    boolean,
    email,
    url,
    date,
    autodate,
    select,
    json,
    file,
    relation,
    password,
    editor,
    geo_point
};

// The type's name on the wire: "text", "number", "bool", "email", "url", "date", "autodate", "select",
// "json", "file", "relation", "password", "editor", "geoPoint".
[[nodiscard]] std::string_view name(FieldType type);
[[nodiscard]] std::optional<FieldType> field_type_of(std::string_view name);

// One field. Options that the type does not have keep their defaults.
struct Field {
    std::string id;    // stable across renames
    std::string name;  // [A-Za-z_][A-Za-z0-9_]*, the column's name
    FieldType type = FieldType::text;
    bool system = false;  // may not be removed or retyped
    bool hidden = false;  // never shown to, nor usable in a filter by, anyone but superusers
    bool presentable = false;
    bool required = false;     // present, and not empty text
    bool nullable = false;     // null is a value of its own, different from the type's zero value
    bool primary_key = false;  // only the text field `id`
    std::string help;

    std::optional<double> min;  // text: code points (0 = none); number: value; password: code points
    std::optional<double> max;
    std::string pattern;               // text, password: RE2 expression that the whole value must match
    std::string autogenerate_pattern;  // text: made when absent, e.g. "[a-z0-9]{15}"
    bool only_int = false;             // number: a 64-bit integer column, else a real one
    std::vector<std::string> values;   // select: the choices
    std::int64_t max_select = 1;       // select, file, relation: above 1 the value is an array
    std::int64_t min_select = 0;       // relation
    std::string collection_id;         // relation: the target
    bool cascade_delete = false;       // relation: delete this record with its target
    bool on_create = false;            // autodate
    bool on_update = false;            // autodate
    std::string min_date;              // date, normalised; empty = none
    std::string max_date;
    std::int64_t max_size_bytes = 0;          // json, editor, file; 0 = the type's default
    std::vector<std::string> only_domains;    // email, url
    std::vector<std::string> except_domains;  // email, url
    std::vector<std::string> mime_types;      // file
    std::vector<std::string> thumbs;          // file
    bool protected_file = false;              // file
    std::int64_t cost = 0;                    // password
    bool convert_urls = false;                // editor

    bool operator==(Field const&) const = default;

    // Several values in one field.
    [[nodiscard]] bool is_multiple() const {
        return max_select > 1 &&
               (type == FieldType::select || type == FieldType::file || type == FieldType::relation);
    }
    // Kept in a join table instead of a column.
    [[nodiscard]] bool is_join() const { return type == FieldType::relation && max_select > 1; }
    // The value is JSON text.
    [[nodiscard]] bool is_json_text() const {
        return type == FieldType::json || type == FieldType::geo_point || is_multiple();
    }
};

struct IndexColumn {
    std::string field;  // a field's name
    bool descending = false;
    bool ignore_case = false;  // ASCII only (NOCASE)
    bool operator==(IndexColumn const&) const = default;
};

// An index, as read from and printed to `CREATE [UNIQUE] INDEX name ON table (columns) [WHERE field != '']`.
struct Index {
    std::string name;
    bool unique = false;
    std::vector<IndexColumn> columns;
    std::string
        where_not_empty;  // a field's name: rows whose value is '' are not in the index; empty = all rows
    bool operator==(Index const&) const = default;
};

enum class CollectionType : std::uint8_t { base, auth, view };
[[nodiscard]] std::string_view name(CollectionType type);

// A row rule: nothing = superusers only, empty = everyone, else an expression.
using Rule = std::optional<std::string>;

struct Collection {
    std::string id;    // stable, 15 characters, e.g. "pbc_1234567890"
    std::string name;  // [A-Za-z_][A-Za-z0-9_]*, the table's name
    CollectionType type = CollectionType::base;
    bool system = false;
    std::vector<Field> fields;  // fields[0] is always `id`
    std::vector<Index> indexes;
    Rule list_rule;
    Rule view_rule;
    Rule create_rule;
    Rule update_rule;
    Rule delete_rule;
    std::string options_json = "{}";  // what the type adds (auth: token lifetimes and secrets …), verbatim
    std::string created;
    std::string updated;

    bool operator==(Collection const&) const = default;

    // Index into `fields` of the field with that name.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view field_name) const;
    [[nodiscard]] std::optional<std::size_t> find_by_id(std::string_view field_id) const;

    // Every table has, behind its fields, the column `_v`: the record's version, an integer that grows with
    // every write of the database and is never used twice. In plans and assignments it is the field of this
    // index.
    static constexpr std::size_t version_field = 0xFFFE;
    // The insertion order (`@rowid`), readable only.
    static constexpr std::size_t rowid_field = 0xFFFD;
};

// Name of the join table of a multiple relation: `<collection>__<field>`, with columns
// owner, position (0-based), target.
[[nodiscard]] std::string join_table_name(Collection const& collection, Field const& field);

// A relation that points at a collection.
struct Reference {
    Collection const* collection;  // who points
    std::size_t field;             // with which of its fields
};

// Threads: frozen.
class Schema {
public:
    Schema() = default;
    Schema(std::vector<std::shared_ptr<Collection const>> collections, std::uint64_t version);

    // By name (exact, then ignoring ASCII case) or id. Lifetime: as long as the Schema.
    [[nodiscard]] Collection const* find(std::string_view name_or_id) const;
    [[nodiscard]] std::vector<std::shared_ptr<Collection const>> const& collections() const {
        return collections_;
    }
    // Every relation field whose target is `collection`.
    [[nodiscard]] std::vector<Reference> const& references_to(Collection const& collection) const;
    [[nodiscard]] std::shared_ptr<Collection const> share(Collection const& collection) const;
    // Grows with every change.
    [[nodiscard]] std::uint64_t version() const { return version_; }

private:
    struct Less {
        using is_transparent = void;
        bool operator()(std::string_view a, std::string_view b) const { return a < b; }
    };
    std::vector<std::shared_ptr<Collection const>> collections_;
    std::map<std::string, Collection const*, Less> by_name_;  // lower case
    std::map<std::string, Collection const*, Less> by_id_;
    std::map<Collection const*, std::vector<Reference>> references_;
    std::uint64_t version_ = 0;
};

}  // namespace quern
