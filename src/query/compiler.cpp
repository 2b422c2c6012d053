// SPDX-License-Identifier: Apache-2.0
#include "query/compiler.h"

#include <algorithm>
#include <utility>

#include "query/limits.h"
#include "query/shape.h"

namespace quern::query {

Compiler::Compiler(std::shared_ptr<Schema const> schema, Collection const& root, Collection const* caller,
                   Arena& arena)
    : schema_(std::move(schema)), caller_(caller), arena_(arena) {
    plan_.schema = schema_;
    (void)add_source(&root, plan::no_source, plan::Hop::root, 0);
}

plan::SourceIndex Compiler::add_source(Collection const* collection, plan::SourceIndex parent, plan::Hop hop,
                                       std::size_t field) {
    plan::Source source;
    source.collection = collection;
    source.parent = parent;
    source.hop = hop;
    source.field = static_cast<std::uint16_t>(field);
    plan_.sources.push_back(std::move(source));
    return static_cast<plan::SourceIndex>(plan_.sources.size() - 1);
}

Result<plan::Condition> Compiler::lower_text(std::string_view text, Scope scope) {
    scope.text = text;
    QUERN_TRY(Expression const expression, parse(text, scope.label, arena_));
    return lower(expression, scope);
}

Result<plan::Condition> Compiler::lower_rule(std::string_view text, std::string_view label,
                                             plan::SourceIndex root, bool may_join, Settlement* settlement) {
    Buffer shape;
    Scope scope;
    scope.trust = Trust::rule;
    scope.label = label;
    QUERN_TRY(scope.literals, append_shape(text, label, rule_characters_max, arena_, shape));
    if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return Condition{};
    scope.root = root;
    scope.may_join = may_join;
    scope.settlement = settlement;
    return lower_text(text, std::move(scope));
}

Result<plan::Condition> Compiler::lower(Expression const& expression, Scope& scope) {
    if (plan_.sources.size() > sources_max) {
        return fail(ErrorCode::filter_too_large,
                    "The " + std::string(scope.label) + " follows too many relations.");
    }
    switch (expression.kind) {
    case Expression::Kind::compare: return lower_comparison(expression, scope);
    case Expression::Kind::negation: {
        // "No row satisfies both" is not "not the same row": rows are not shared across a negation.
        auto outer = std::exchange(scope.aliases, {});
        auto inner = lower(expression.parts.front(), scope);
        scope.aliases = std::move(outer);
        if (!inner) return inner;
        return plan::negate(std::move(*inner));
    }
    case Expression::Kind::both: return lower_both(distinct(expression, scope), scope);
    case Expression::Kind::either: {
        std::vector<Condition> parts;
        for (Expression const* part : distinct(expression, scope)) {
            QUERN_TRY(parts.emplace_back(), lower(*part, scope));
        }
        return plan::any_of(std::move(parts));
    }
    }
    return Condition{};
}

// Conditions of one && group that speak of the same `@collection` alias with '?' must hold for the same row:
// they are gathered under one quantifier. "Some row" distributes over ||, so elsewhere each has its own.
Result<plan::Condition> Compiler::lower_both(std::vector<Expression const*> const& parts, Scope& scope) {
    std::vector<Aliases> used(parts.size());
    std::map<std::string, std::size_t, std::less<>> users;
    for (std::size_t index = 0; index < parts.size(); ++index) {
        if (scope.trust == Trust::rule) collect_aliases(*parts[index], used[index]);
        for (auto const& alias : used[index]) ++users[alias];
    }
    Aliases own;
    for (auto const& [alias, count] : users) {
        if (count < 2 || scope.aliases.contains(alias)) continue;
        Collection const* const collection = schema_->find(alias.substr(0, alias.find(':')));
        if (collection == nullptr) continue;  // reported where the path is lowered
        own.insert(alias);
        scope.aliases[alias] = add_source(collection, plan::no_source, plan::Hop::free, 0);
    }
    for (auto& aliases : used) {
        std::erase_if(aliases, [&own](auto const& alias) { return !own.contains(alias); });
    }
    std::vector<Condition> lowered;
    for (Expression const* part : parts) {
        QUERN_TRY(lowered.emplace_back(), lower(*part, scope));
    }
    lowered = close_aliases(std::move(lowered), used, scope);
    for (auto const& alias : own) scope.aliases.erase(alias);
    return plan::all_of(std::move(lowered));
}

std::vector<plan::Condition> Compiler::close_aliases(std::vector<Condition> lowered,
                                                     std::vector<Aliases> const& used, Scope const& scope) {
    std::vector<Condition> closed;
    std::vector<bool> taken(lowered.size(), false);
    for (std::size_t first = 0; first < lowered.size(); ++first) {
        if (taken[first]) continue;
        if (used[first].empty()) {
            closed.push_back(std::move(lowered[first]));
            continue;
        }
        // Everything that is tied to the first by a chain of common aliases.
        Aliases group = used[first];
        std::vector<Condition> parts;
        std::vector<bool> member(lowered.size(), false);
        for (bool grew = true; grew;) {
            grew = false;
            for (std::size_t index = first; index < lowered.size(); ++index) {
                bool const tied =
                    std::ranges::any_of(used[index], [&](auto const& a) { return group.contains(a); });
                if (member[index] || !tied) continue;
                member[index] = taken[index] = grew = true;
                group.insert(used[index].begin(), used[index].end());
            }
        }
        Condition quantified;
        quantified.kind = Condition::Kind::quantified;
        for (auto const& alias : group) quantified.sources.push_back(scope.aliases.find(alias)->second);
        for (std::size_t index = first; index < lowered.size(); ++index) {
            if (member[index]) parts.push_back(std::move(lowered[index]));
        }
        quantified.parts.push_back(plan::all_of(std::move(parts)));
        closed.push_back(std::move(quantified));
    }
    return closed;
}

// A condition that is written twice is asked once.
std::vector<Expression const*> Compiler::distinct(Expression const& expression, Scope const& scope) {
    std::vector<Expression const*> parts;
    for (Expression const& part : expression.parts) {
        bool const seen = std::ranges::any_of(
            parts, [&](Expression const* other) { return is_same(*other, part, scope.literals); });
        if (!seen) parts.push_back(&part);
    }
    return parts;
}

void Compiler::collect_aliases(Expression const& expression, Aliases& found) {
    if (expression.kind == Expression::Kind::negation) return;
    for (Expression const& part : expression.parts) collect_aliases(part, found);
    if (expression.kind != Expression::Kind::compare || !expression.any) return;
    auto const collect = [&found](auto const& self, Operand const& operand) -> void {
        constexpr std::string_view prefix = "@collection.";
        for (Operand const& argument : operand.arguments) self(self, argument);
        if (operand.kind != Operand::Kind::path || !operand.text.starts_with(prefix)) return;
        std::string_view const rest = operand.text.substr(prefix.size());
        found.emplace(rest.substr(0, rest.find('.')));
    };
    collect(collect, expression.left);
    collect(collect, expression.right);
}

plan::ParameterIndex Compiler::parameter_index(ParameterSource const& source) {
    auto const found = std::ranges::find(parameters_, source);
    if (found != parameters_.end()) return static_cast<plan::ParameterIndex>(found - parameters_.begin());
    parameters_.push_back(source);
    return static_cast<plan::ParameterIndex>(parameters_.size() - 1);
}

plan::Operand Compiler::parameter(ParameterSource const& source) {
    return plan::parameter(parameter_index(source));
}

Error Compiler::error_at(Scope const& scope, std::size_t offset, std::string_view why) {
    std::string message = "Invalid " + std::string(scope.label) + " at position " +
                          std::to_string(position_of(scope.text, offset)) + ": " + std::string(why) + ".";
    return Error(scope.code, std::move(message));
}

// The whole path is named, never the step that failed: that would tell which of its relations exist.
Error Compiler::unknown_field(Path const& path, Scope const& scope) {
    return error_at(scope, path.offset, "unknown field \"" + std::string(path.text.substr(0, 200)) + "\"");
}

}  // namespace quern::query
