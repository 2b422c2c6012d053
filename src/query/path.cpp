// SPDX-License-Identifier: Apache-2.0

// Paths through the schema: along relations, back through them, and into json fields.

#include <algorithm>
#include <utility>

#include "query/compiler.h"
#include "query/limits.h"
#include "query/macro.h"
#include "query/selection.h"

namespace quern::query {

namespace {

constexpr std::string_view back_marker = "_via_";
constexpr std::size_t id_field = 0;

Side side_of(std::string_view text, std::size_t offset) {
    Side side;
    side.text = text;
    side.offset = offset;
    return side;
}

}  // namespace

Result<Side> Compiler::lower_side(Operand const& operand, Scope& scope) {
    if (operand.kind == Operand::Kind::path) return lower_path(operand, scope);
    if (operand.kind == Operand::Kind::call) return lower_call(operand, scope);
    Side side = side_of(operand.text, operand.offset);
    side.kind = Side::Kind::literal;
    side.literal = &scope.literals[operand.literal];
    return side;
}

Compiler::Path Compiler::split(std::string_view text, std::size_t offset) {
    Path path;
    path.text = text;
    path.offset = offset;
    std::string_view rest = text;
    // A modifier is what follows the last colon, if no dot comes after it: `@collection.a:b.c` has none.
    std::size_t const colon = rest.rfind(':');
    if (colon != std::string_view::npos && rest.find('.', colon) == std::string_view::npos) {
        path.modifier = rest.substr(colon + 1);
        path.has_modifier = true;
        rest = rest.substr(0, colon);
    }
    while (true) {
        std::size_t const dot = rest.find('.');
        path.steps.push_back(rest.substr(0, dot));
        if (dot == std::string_view::npos) return path;
        rest.remove_prefix(dot + 1);
    }
}

Result<Side> Compiler::lower_path(Operand const& operand, Scope& scope) {
    Path const path = split(operand.text, operand.offset);
    if (path.text.starts_with('@')) {
        if (auto const macro = macro_of(path.text)) {
            Side side = side_of(path.text, path.offset);
            side.kind = Side::Kind::request;
            side.source.kind = ParameterSource::Kind::macro;
            side.source.macro = *macro;
            side.domain = is_date(*macro) ? Domain::date : Domain::number;
            return side;
        }
        if (scope.trust == Trust::rule && path.steps[0] == "@request") return request_path(path, scope);
        if (scope.trust == Trust::rule && path.steps[0] == "@collection") return collection_path(path, scope);
        return fail(unknown_field(path, scope));
    }
    Place place;
    place.source = scope.root;
    place.collection = plan_.sources[scope.root].collection;
    place.joinable = scope.may_join;
    return follow(std::move(place), path, 0, scope);
}

Result<Side> Compiler::lower_call(Operand const& operand, Scope& scope) {
    Side side = side_of(operand.text, operand.offset);
    side.kind = Side::Kind::call;
    side.nullable = true;
    side.operand.kind = plan::Operand::Kind::call;
    bool const is_distance = operand.text == "geoDistance";
    if (!is_distance && operand.text != "strftime") {
        return fail(
            error_at(scope, operand.offset, "unknown function \"" + std::string(operand.text) + "\""));
    }
    side.operand.function = is_distance ? plan::Function::geo_distance : plan::Function::strftime;
    side.domain = is_distance ? Domain::number : Domain::text;
    std::size_t const count = operand.arguments.size();
    if (is_distance ? count != 4 : count < 1) {
        return fail(error_at(
            scope, operand.offset,
            is_distance ? "geoDistance takes lonA, latA, lonB, latB" : "strftime takes a format and a time"));
    }
    for (Operand const& argument : operand.arguments) {
        QUERN_TRY(Side part, lower_side(argument, scope));
        QUERN_TRY(plan::Operand value,
                  value_operand(part, is_distance ? Conversion::number : Conversion::none, scope));
        side.operand.arguments.push_back(std::move(value));
        side.many = side.many || part.many;
        std::ranges::move(part.masks, std::back_inserter(side.masks));
        for (plan::SourceIndex const source : part.nested) {
            if (std::ranges::find(side.nested, source) == side.nested.end()) side.nested.push_back(source);
        }
    }
    return side;
}

Result<Side> Compiler::follow(Place place, Path const& path, std::size_t first_step, Scope& scope) {
    if (first_step >= path.steps.size()) return fail(unknown_field(path, scope));
    for (std::size_t index = first_step; index < path.steps.size(); ++index) {
        bool const last = index + 1 == path.steps.size();
        auto const found = find_field(*place.collection, path.steps[index], scope);
        if (!found) {
            QUERN_TRY(auto arrived, hop_back(place, path.steps[index], path, scope));
            if (!arrived) return fail(unknown_field(path, scope));
            place = *std::move(arrived);
            if (last) return field_side(place, id_field, path, index + 1, scope);
            continue;
        }
        Field const& field = place.collection->fields[*found];
        if (last || field.type != FieldType::relation)
            return field_side(place, *found, path, index + 1, scope);
        Collection const* const target = schema_->find(field.collection_id);
        if (target == nullptr) return fail(unknown_field(path, scope));
        // The id of the target is the relation's own value, as long as no guard may hide it.
        bool const needs_guard = scope.trust == Trust::client && target->list_rule != "";
        if (!needs_guard && index + 2 == path.steps.size() && path.steps[index + 1] == "id" &&
            !path.has_modifier) {
            QUERN_TRY(Side side, field_side(place, *found, path, index + 2, scope));
            side.contains_habit = false;
            return side;
        }
        auto const kind = field.is_join() ? plan::Hop::to_many : plan::Hop::to_one;
        QUERN_TRY(place, hop(std::move(place), kind, *target, *found, path, scope));
    }
    return fail(unknown_field(path, scope));
}

std::optional<std::size_t> Compiler::find_field(Collection const& collection, std::string_view name,
                                                Scope const& scope) const {
    auto const found = collection.find(name);
    if (!found || scope.trust == Trust::rule) return found;
    if (!is_visible(collection, collection.fields[*found], scope.trust == Trust::superuser))
        return std::nullopt;
    return found;
}

Result<Compiler::Place> Compiler::hop(Place place, plan::Hop kind, Collection const& target,
                                      std::size_t field, Path const& path, Scope& scope) {
    if (scope.trust == Trust::client && !target.list_rule) return fail(unknown_field(path, scope));
    if (++place.hops > relation_hops_max) {
        return fail(error_at(scope, path.offset,
                             "a path follows more than " + std::to_string(relation_hops_max) + " relations"));
    }
    bool const guarded = scope.trust == Trust::client && !target.list_rule->empty();
    bool const joined = place.joinable && kind == plan::Hop::to_one;
    QUERN_TRY(place.source, source_for({place.source, kind, &target, field, guarded}, joined));
    place.collection = &target;
    place.hopped = true;
    place.joinable = joined;
    if (!joined) place.nested.push_back(place.source);
    if (kind == plan::Hop::to_many || kind == plan::Hop::back) place.many = true;
    return place;
}

// `comments_via_post`: rows of `comments` whose relation `post` points here.
Result<std::optional<Compiler::Place>> Compiler::hop_back(Place const& place, std::string_view step,
                                                          Path const& path, Scope& scope) {
    std::size_t marker = step.find(back_marker);
    for (; marker != std::string_view::npos; marker = step.find(back_marker, marker + 1)) {
        Collection const* const source = schema_->find(step.substr(0, marker));
        if (source == nullptr) continue;
        auto const field = find_field(*source, step.substr(marker + back_marker.size()), scope);
        if (!field || source->fields[*field].type != FieldType::relation) continue;
        if (schema_->find(source->fields[*field].collection_id) != place.collection) continue;
        QUERN_TRY(Place arrived, hop(place, plan::Hop::back, *source, *field, path, scope));
        return arrived;
    }
    return std::optional<Place>();
}

// A path that is shared by several conditions is joined once. Related rows are shared within one comparison
// only: each comparison has its own quantifier.
Result<plan::SourceIndex> Compiler::source_for(SourceKey const& key, bool joined) {
    auto& known = joined ? joined_ : comparison_;
    if (auto const found = known.find(key); found != known.end()) return found->second;
    if (plan_.sources.size() >= sources_max || (joined && plan_.joined.size() >= joins_max)) {
        return fail(ErrorCode::filter_too_large, "The query follows too many relations.");
    }
    auto const source = add_source(key.collection, key.parent, key.hop, key.field);
    known.emplace(key, source);
    if (joined) plan_.joined.push_back(source);
    if (key.guarded) QUERN_CHECK(add_guard(source, *key.collection));
    return source;
}

// The target's list rule, for the rows seen through a hop. The rule's own hops are trusted and stay inside
// the guard.
Result<void> Compiler::add_guard(plan::SourceIndex source, Collection const& target) {
    auto outer = std::exchange(comparison_, {});
    auto outer_aliases = std::exchange(comparison_aliases_, {});
    auto guard = lower_rule(*target.list_rule, "listRule", source, false, nullptr);
    comparison_ = std::move(outer);
    comparison_aliases_ = std::move(outer_aliases);
    if (!guard) return fail(ErrorCode::internal, "The list rule of \"" + target.name + "\" is broken.");
    plan_.sources[source].guard = *std::move(guard);
    return {};
}

Result<Side> Compiler::field_side(Place const& place, std::size_t index, Path const& path,
                                  std::size_t next_step, Scope& scope) {
    Field const& field = place.collection->fields[index];
    bool const is_json = field.type == FieldType::json || field.type == FieldType::geo_point;
    std::size_t const below = path.steps.size() - std::min(next_step, path.steps.size());
    if (below > 0 && !is_json) return fail(unknown_field(path, scope));
    if (below > json_steps_max)
        return fail(error_at(scope, path.offset, "a path goes too deep into a json field"));
    if (path.has_modifier && path.modifier == "each" && field.is_json_text() && below == 0) {
        return many_side(place, index, path, scope);
    }
    if (field.is_multiple() && !(path.has_modifier && path.modifier == "length")) {
        return many_side(place, index, path, scope);
    }

    Side side = side_of(path.text, path.offset);
    side.operand = plan::column(place.source, index);
    side.domain = domain_of(field);
    side.nullable = field.nullable && field.type != FieldType::relation;
    side.absent = place.hopped;
    side.stored_null = field.type == FieldType::relation;
    side.never_zero = side.stored_null || index == id_field;
    side.unrelated = place.unrelated;
    side.many = place.many;
    side.nested = place.nested;
    bool const whole_length = path.has_modifier && path.modifier == "length" && below == 0;
    if (is_json && !whole_length) {
        side.operand.kind = plan::Operand::Kind::json_path;
        for (std::size_t step = next_step; step < path.steps.size(); ++step) {
            if (path.steps[step].empty()) return fail(unknown_field(path, scope));
            side.operand.path.emplace_back(path.steps[step]);
        }
    }
    mask_email(side, place, field, scope);
    QUERN_CHECK(modify(side, field, path, scope));
    return side;
}

// Another account's email is there only for those it was made visible to.
void Compiler::mask_email(Side& side, Place const& place, Field const& field, Scope const& scope) {
    bool const is_email = place.collection->type == CollectionType::auth && field.name == "email";
    if (!is_email || scope.trust != Trust::client) return;
    auto const visibility = place.collection->find("emailVisibility");
    if (!visibility) return;
    ParameterSource own;
    own.kind = ParameterSource::Kind::own_id;
    own.collection = place.collection;
    std::vector<Condition> seen;
    seen.push_back(plan::compare(plan::column(place.source, *visibility), plan::Comparison::equal,
                                 constant(Value::of(true))));
    seen.push_back(
        plan::compare(plan::column(place.source, id_field), plan::Comparison::equal, parameter(own)));
    side.masks.push_back(plan::any_of(std::move(seen)));
}

// A field of several values as the end of a path: each of its values is a row.
Result<Side> Compiler::many_side(Place const& place, std::size_t index, Path const& path, Scope& scope) {
    Field const& field = place.collection->fields[index];
    Side side = side_of(path.text, path.offset);
    bool const is_ids = field.is_join();
    Collection const* const target = is_ids ? schema_->find(field.collection_id) : nullptr;
    if (is_ids && target == nullptr) return fail(unknown_field(path, scope));
    plan::Hop const kind = is_ids ? plan::Hop::to_many_ids : plan::Hop::elements;
    QUERN_TRY(auto const source, source_for({place.source, kind, target, index, false}, false));
    if (is_ids) {
        side.operand = plan::column(source, id_field);
    } else {
        side.operand.kind = plan::Operand::Kind::element;
        side.operand.index = source;
    }
    side.domain = field.is_multiple() ? Domain::text : Domain::any;
    side.absent = true;
    side.stored_null = side.never_zero = is_ids;
    side.is_element = !is_ids;
    side.unrelated = place.unrelated;
    side.many = true;
    side.nested = place.nested;
    side.nested.push_back(source);
    side.contains_habit = true;
    QUERN_CHECK(modify(side, field, path, scope));
    return side;
}

Result<void> Compiler::modify(Side& side, Field const& field, Path const& path, Scope const& scope) {
    if (!path.has_modifier) return {};
    auto const call = [&side](plan::Function function) {
        plan::Operand inner = std::exchange(side.operand, {});
        side.operand.kind = plan::Operand::Kind::call;
        side.operand.function = function;
        side.operand.arguments.push_back(std::move(inner));
    };
    if (path.modifier == "lower") {
        call(plan::Function::fold);
        return {};
    }
    if (path.modifier == "length" && field.is_json_text()) {
        call(plan::Function::length);
        side.domain = Domain::number;
        side.nullable = side.absent = side.stored_null = false;
        return {};
    }
    if (path.modifier == "each" && side.many && field.is_json_text()) {
        side.contains_habit = false;
        return {};
    }
    return fail(error_at(scope, path.offset,
                         "\"" + std::string(path.text.substr(0, 200)) +
                             "\" does not take :" + std::string(path.modifier.substr(0, 50))));
}

// `@collection.name:alias.field`: any row of another collection.
Result<Side> Compiler::collection_path(Path const& path, Scope& scope) {
    if (path.steps.size() < 3) return fail(unknown_field(path, scope));
    std::string_view const alias = path.steps[1];
    Collection const* const collection = schema_->find(alias.substr(0, alias.find(':')));
    if (collection == nullptr) return fail(unknown_field(path, scope));
    Place place;
    place.collection = collection;
    place.hopped = place.many = place.unrelated = true;
    place.joinable = false;
    auto const shared = scope.any ? scope.aliases.find(alias) : scope.aliases.end();
    if (shared != scope.aliases.end()) {
        place.source = shared->second;
        return follow(std::move(place), path, 2, scope);
    }
    QUERN_TRY(place.source, alias_source(*collection, alias));
    place.nested.push_back(place.source);
    return follow(std::move(place), path, 2, scope);
}

// Both sides of a comparison that name the same alias speak of the same row.
Result<plan::SourceIndex> Compiler::alias_source(Collection const& collection, std::string_view alias) {
    auto const found = comparison_aliases_.find(alias);
    if (found != comparison_aliases_.end()) return found->second;
    if (plan_.sources.size() >= sources_max) {
        return fail(ErrorCode::filter_too_large, "The query follows too many relations.");
    }
    auto const source = add_source(&collection, plan::no_source, plan::Hop::free, 0);
    comparison_aliases_.emplace(alias, source);
    return source;
}

}  // namespace quern::query
