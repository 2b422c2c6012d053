// SPDX-License-Identifier: Apache-2.0

// `@request.…`: what a rule may know about the request and its caller.

#include <algorithm>
#include <utility>

#include "query/compiler.h"
#include "query/limits.h"

namespace quern::query {

namespace {

using Kind = ParameterSource::Kind;

// What follows `steps[first]` of a path, with its dots.
std::string rest_of(std::span<std::string_view const> steps, std::size_t first) {
    std::string name;
    for (std::size_t index = first; index < steps.size(); ++index) {
        if (!name.empty()) name += '.';
        name += steps[index];
    }
    return name;
}

bool is_body(std::string_view step) { return step == "body" || step == "data"; }

}  // namespace

Result<Side> Compiler::request_path(Path const& path, Scope& scope) {
    if (path.steps.size() < 2) return fail(unknown_field(path, scope));
    std::string_view const part = path.steps[1];
    ParameterSource source;
    if (path.steps.size() == 2 && (part == "method" || part == "context")) {
        source.kind = part == "method" ? Kind::method : Kind::context;
        return request_side(std::move(source), path, Domain::text, scope);
    }
    if (path.steps.size() < 3 || path.steps[2].empty()) return fail(unknown_field(path, scope));
    if (part == "auth") return auth_path(path, scope);
    if (is_body(part)) return body_path(path, scope);
    if (part != "headers" && part != "query") return fail(unknown_field(path, scope));
    source.kind = part == "headers" ? Kind::header : Kind::query;
    source.name = rest_of(path.steps, 2);
    return request_side(std::move(source), path, Domain::any, scope);
}

Result<Side> Compiler::request_side(ParameterSource source, Path const& path, Domain domain,
                                    Scope const& scope) {
    Side side;
    side.kind = Side::Kind::request;
    side.offset = path.offset;
    side.text = path.text;
    side.domain = domain;
    side.source = std::move(source);
    QUERN_CHECK(modify_request(side, path, scope));
    return side;
}

Result<void> Compiler::modify_request(Side& side, Path const& path, Scope const& scope) {
    if (!path.has_modifier) return {};
    if (path.modifier == "lower") {
        side.source.fold = true;
        return {};
    }
    if (path.modifier == "length") {
        side.source.length = true;
        side.is_array = false;
        side.domain = Domain::number;
        return {};
    }
    if (path.modifier == "each" && (side.is_array || side.source.kind == Kind::body)) {
        side.is_array = true;
        side.contains_habit = false;
        return {};
    }
    if (path.modifier == "isset") {
        side.domain = Domain::boolean;
        side.is_array = false;
        switch (side.source.kind) {
        case Kind::header: side.source.kind = Kind::header_is_set; return {};
        case Kind::query: side.source.kind = Kind::query_is_set; return {};
        case Kind::body: side.source.kind = Kind::body_is_set; return {};
        default: break;
        }
        bool const is_set = side.source.kind != Kind::constant;
        side.source = {};
        side.source.constant.kind = ValueKind::integer;
        side.source.constant.integer = is_set ? 1 : 0;
        return {};
    }
    return fail(error_at(scope, path.offset,
                         "\"" + std::string(path.text.substr(0, 200)) +
                             "\" does not take :" + std::string(path.modifier.substr(0, 50))));
}

// The caller's record. Fields are values of the request; what lies behind a relation is read from the
// database. Callers whose collection has no such field have null there; a field that no auth collection has
// is a mistake.
Result<Side> Compiler::auth_path(Path const& path, Scope& scope) {
    std::string_view const first = path.steps[2];
    bool const single = path.steps.size() == 3;
    ParameterSource source;
    if (single && (first == "id" || first == "collectionId" || first == "collectionName")) {
        if (caller_ != nullptr) {
            source.kind = first == "id"             ? Kind::auth_id
                          : first == "collectionId" ? Kind::auth_collection_id
                                                    : Kind::auth_collection_name;
        }
        return request_side(std::move(source), path, Domain::text, scope);
    }
    bool const is_back = first.find("_via_") != std::string_view::npos;
    bool const known = std::ranges::any_of(schema_->collections(), [&](auto const& collection) {
        return collection->type == CollectionType::auth && collection->find(first);
    });
    if (!known && !is_back) return fail(unknown_field(path, scope));
    auto const field = caller_ == nullptr ? std::nullopt : caller_->find(first);
    if (caller_ == nullptr || (!field && !is_back)) return request_side({}, path, Domain::any, scope);

    if (field) {
        Field const& definition = caller_->fields[*field];
        source.kind = Kind::auth_field;
        source.index = static_cast<std::uint16_t>(*field);
        bool const is_json = definition.type == FieldType::json || definition.type == FieldType::geo_point;
        bool const counted = path.has_modifier && path.modifier == "length";
        if (single && (!is_json || counted))
            return array_or_value(std::move(source), definition, path, scope);
        Collection const* const target = schema_->find(definition.collection_id);
        if (!single && definition.type == FieldType::relation && target != nullptr) {
            QUERN_TRY(Place place, free_row(*target, source, definition.is_multiple()));
            return follow(std::move(place), path, 3, scope);
        }
    }
    // Into a json field, or back along a relation: from the caller's row itself.
    source = {};
    source.kind = Kind::auth_id;
    QUERN_TRY(Place place, free_row(*caller_, source, false));
    return follow(std::move(place), path, 2, scope);
}

Result<Side> Compiler::array_or_value(ParameterSource source, Field const& field, Path const& path,
                                      Scope const& scope) {
    Side side;
    side.kind = Side::Kind::request;
    side.offset = path.offset;
    side.text = path.text;
    side.domain = domain_of(field);
    side.source = std::move(source);
    side.is_array = side.contains_habit = field.is_multiple();
    QUERN_CHECK(modify_request(side, path, scope));
    return side;
}

Result<Side> Compiler::body_path(Path const& path, Scope& scope) {
    Collection const& collection = *plan_.sources[0].collection;
    auto const found = collection.find(path.steps[2]);
    ParameterSource source;
    source.kind = Kind::body;
    source.name = rest_of(path.steps, 2);
    if (!found) return request_side(std::move(source), path, Domain::any, scope);
    Field const& field = collection.fields[*found];
    if (path.steps.size() == 3) {
        bool const is_text = field.type == FieldType::json || field.type == FieldType::geo_point;
        if (is_text) return request_side(std::move(source), path, Domain::any, scope);
        return array_or_value(std::move(source), field, path, scope);
    }
    if (field.type != FieldType::relation) return request_side(std::move(source), path, Domain::any, scope);
    Collection const* const target = schema_->find(field.collection_id);
    if (target == nullptr) return fail(unknown_field(path, scope));
    source.name = std::string(path.steps[2]);
    QUERN_TRY(Place place, free_row(*target, source, field.is_multiple()));
    return follow(std::move(place), path, 3, scope);
}

// The row, or rows, of `target` whose ids the request gives.
Result<Compiler::Place> Compiler::free_row(Collection const& target, ParameterSource const& ids,
                                           bool several) {
    if (plan_.sources.size() >= sources_max) {
        return fail(ErrorCode::filter_too_large, "The query follows too many relations.");
    }
    Place place;
    place.source = add_source(&target, plan::no_source, plan::Hop::free, 0);
    place.collection = &target;
    place.nested.push_back(place.source);
    place.hopped = place.unrelated = true;
    place.many = several;
    place.joinable = false;
    auto const comparison = several ? plan::Comparison::in_list : plan::Comparison::equal;
    plan_.sources[place.source].guard =
        plan::compare(plan::column(place.source, 0), comparison, parameter(ids));
    return place;
}

// `@request.body.x:changed`: x is set, and to something else than the stored row has.
Result<std::optional<plan::Condition>> Compiler::lower_changed(Expression const& expression, Scope& scope) {
    if (expression.left.kind != Operand::Kind::path || scope.trust != Trust::rule) return std::nullopt;
    Path const path = split(expression.left.text, expression.left.offset);
    bool const meant = path.modifier == "changed" && path.steps.size() == 3 && path.steps[0] == "@request" &&
                       is_body(path.steps[1]);
    if (!meant) return std::nullopt;
    Collection const& collection = *plan_.sources[scope.root].collection;
    auto const found = collection.find(path.steps[2]);
    if (!found) return fail(unknown_field(path, scope));

    bool wanted = true;
    if (!expression.bare) {
        bool const flag = expression.right.kind == Operand::Kind::literal &&
                          (scope.literals[expression.right.literal].kind == LiteralClass::yes ||
                           scope.literals[expression.right.literal].kind == LiteralClass::no);
        bool const sign = expression.sign == Operator::equal || expression.sign == Operator::not_equal;
        if (!flag || !sign)
            return fail(error_at(scope, path.offset, ":changed is compared with true or false"));
        wanted = (scope.literals[expression.right.literal].kind == LiteralClass::yes) ==
                 (expression.sign == Operator::equal);
    }
    Field const& field = collection.fields[*found];
    ParameterSource body;
    body.kind = Kind::body;
    body.name = std::string(path.steps[2]);
    body.conversion = conversion_to(domain_of(field));
    body.empty_as_null = field.type == FieldType::relation && !field.is_multiple();
    body.null_as_zero = !field.nullable && field.type != FieldType::relation && !field.is_json_text();
    ParameterSource is_set = body;
    is_set = {};
    is_set.kind = Kind::body_is_set;
    is_set.name = body.name;
    // The request may know better: after a write the stored row no longer tells what the write changed.
    ParameterSource told = is_set;
    told.kind = Kind::body_is_changed;
    Condition differs =
        plan::compare(plan::column(scope.root, *found), plan::Comparison::same, parameter(body), true);
    Condition by_row = plan::all_of({plan::is_null(parameter(told)), std::move(differs)});
    Condition by_word = plan::compare(parameter(told), plan::Comparison::equal, constant(Value::of(true)));
    std::vector<Condition> parts;
    parts.push_back(plan::compare(parameter(is_set), plan::Comparison::equal, constant(Value::of(true))));
    parts.push_back(plan::any_of({std::move(by_word), std::move(by_row)}));
    Condition changed = plan::all_of(std::move(parts));
    return wanted ? std::move(changed) : plan::negate(std::move(changed));
}

}  // namespace quern::query
