// SPDX-License-Identifier: Apache-2.0
#include "app/import_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace quern::app {

namespace {

// What the API adds to every record; rows that came from it may be sent as they are.
constexpr std::array<std::string_view, 3> api_names = {"collectionId", "collectionName", "expand"};

std::unexpected<Error> bad_option(std::string text) {
    return fail(ErrorCode::parameter_invalid, std::move(text));
}

// "left=right", neither empty.
struct Pair {
    std::string_view left;
    std::string_view right;
};
std::optional<Pair> split(std::string_view text, char between) {
    std::size_t const at = text.find(between);
    if (at == std::string_view::npos || at == 0 || at + 1 == text.size()) return std::nullopt;
    return Pair{.left = text.substr(0, at), .right = text.substr(at + 1)};
}

bool flag(json::Node node, std::string_view member) {
    auto const found = node.find(member);
    return found && found->boolean();
}

std::string text(json::Node node, std::string_view member) {
    auto const found = node.find(member);
    return found ? std::string(found->text()) : std::string();
}

// As much of a field as an import needs to know.
std::optional<Field> read_field(json::Node node) {
    auto const type = field_type_of(text(node, "type"));
    if (!type) return std::nullopt;
    Field field;
    field.name = text(node, "name");
    field.type = *type;
    field.nullable = flag(node, "nullable");
    field.only_int = flag(node, "onlyInt");
    field.collection_id = text(node, "collectionId");
    if (auto const most = node.find("maxSelect"); most && most->integer() > 0)
        field.max_select = most->integer();
    return field;
}

}  // namespace

Result<ImportPlan> ImportPlan::make(json::Node collection, ImportOptions const& options) {
    if (text(collection, "type") == "view")
        return fail(ErrorCode::body_invalid, "a view cannot be written to");
    auto const fields = collection.find("fields");
    if (!fields || !fields->is(json::Type::array)) {
        return fail(ErrorCode::body_invalid, "the server's answer describes no collection");
    }
    ImportPlan plan;
    plan.ignore_unknown_ = options.ignore_unknown;
    QUERN_CHECK(plan.add_fields(*fields));
    QUERN_CHECK(plan.apply_renames(options));
    QUERN_CHECK(plan.apply_maps(options));
    plan.collect_known_names(options);
    return plan;
}

Result<void> ImportPlan::add_fields(json::Node fields) {
    for (json::Node const node : fields) {
        auto field = read_field(node);
        if (!field) {
            excluded_.push_back(
                {text(node, "name"), fmt::format("has the unknown type '{}'", text(node, "type"))});
            continue;
        }
        if (auto importable = check_importable(*field); !importable) {
            excluded_.push_back({std::move(field->name), std::move(importable).error()});
            continue;
        }
        std::string path = field->name;
        entries_.push_back({.field = *std::move(field), .path = std::move(path), .lookup = {}});
    }
    return {};
}

Result<void> ImportPlan::apply_renames(ImportOptions const& options) {
    for (std::string const& rename : options.renames) {
        auto const pair = split(rename, '=');
        if (!pair) return bad_option(fmt::format("--rename {}: must be field=path.in.source", rename));
        Entry* const entry = find(pair->left);
        if (entry == nullptr)
            return bad_option(fmt::format("--rename {}: no field '{}' to fill", rename, pair->left));
        entry->path = pair->right;
    }
    return {};
}

Result<void> ImportPlan::apply_maps(ImportOptions const& options) {
    for (std::string const& map : options.maps) {
        auto const pair = split(map, '=');
        auto const target = pair ? split(pair->right, '.') : std::nullopt;
        if (!target) return bad_option(fmt::format("--map {}: must be field=collection.uniquefield", map));
        Entry* const entry = find(pair->left);
        if (entry == nullptr)
            return bad_option(fmt::format("--map {}: no field '{}' to fill", map, pair->left));
        if (entry->field.type != FieldType::relation) {
            return bad_option(fmt::format("--map {}: '{}' is no relation", map, pair->left));
        }
        lookups_.push_back({.entry = static_cast<std::size_t>(entry - entries_.data()),
                            .field = std::string(pair->left),
                            .target_id = entry->field.collection_id,
                            .collection = std::string(target->left),
                            .unique_field = std::string(target->right)});
    }
    return {};
}

void ImportPlan::collect_known_names(ImportOptions const& options) {
    known_names_.assign(api_names.begin(), api_names.end());
    known_names_.insert(known_names_.end(), options.ignored.begin(), options.ignored.end());
    for (Entry const& entry : entries_) {
        known_names_.push_back(entry.path);
        known_names_.push_back(entry.path.substr(0, entry.path.find('.')));  // the member that holds the rest
    }
    std::ranges::sort(known_names_);
}

ImportPlan::Entry* ImportPlan::find(std::string_view field) {
    auto const found = std::ranges::find(
        entries_, field, [](Entry const& entry) -> std::string_view { return entry.field.name; });
    return found == entries_.end() ? nullptr : &*found;
}

std::vector<Refusal> ImportPlan::unknown_names(RowSource const& row) const {
    std::vector<Refusal> unknown;
    if (ignore_unknown_) return unknown;
    row.for_each_name([this, &unknown](std::string_view name) {
        if (std::ranges::binary_search(known_names_, name, {},
                                       [](auto const& known) -> std::string_view { return known; })) {
            return;
        }
        auto const excluded =
            std::ranges::find(excluded_, name, [](Excluded const& e) -> std::string_view { return e.name; });
        std::string_view const why =
            excluded == excluded_.end() ? std::string_view("goes into no field") : excluded->why;
        unknown.push_back(fmt::format("{}: {}; leave it out with --ignore {}", name, why, name));
    });
    return unknown;
}

std::expected<void, std::vector<Refusal>> ImportPlan::write_row(RowSource const& row, Buffer& output) const {
    std::vector<Refusal> problems = unknown_names(row);
    json::Writer writer(output);
    writer.begin_object();
    for (Entry const& entry : entries_) {
        auto const value = row.find(entry.path);
        if (!value) continue;
        Lookup const* const lookup = entry.lookup ? &entry.lookup : nullptr;
        if (auto written = write_member(writer, entry.field, *value, lookup); !written) {
            problems.push_back(fmt::format("{}: {} {}", entry.field.name, value->shown(), written.error()));
        } else if (entry.field.type == FieldType::password) {
            // Asked for a second time by the API, against slips of the keyboard.
            Field again = entry.field;
            again.name = "passwordConfirm";
            (void)write_member(writer, again, *value);
        }
    }
    writer.end_object();
    if (!problems.empty()) return std::unexpected(std::move(problems));
    return {};
}

}  // namespace quern::app
