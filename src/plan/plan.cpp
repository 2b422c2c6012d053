// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <atomic>

#include <quern/assert.h>

namespace quern::plan {

std::shared_ptr<Plan const> seal(Plan plan) {
    static std::atomic<std::uint64_t> last_id = 0;
    QUERN_ASSERT(!plan.sources.empty(), "a plan reads from somewhere");
    QUERN_ASSERT(plan.schema != nullptr, "a plan keeps its schema alive");
    plan.id = ++last_id;
    return std::make_shared<Plan const>(std::move(plan));
}

Operand column(SourceIndex source, std::size_t field) {
    Operand operand;
    operand.kind = Operand::Kind::column;
    operand.column = {source, static_cast<std::uint16_t>(field)};
    return operand;
}

Operand parameter(std::size_t index) {
    Operand operand;
    operand.kind = Operand::Kind::parameter;
    operand.index = static_cast<std::uint16_t>(index);
    return operand;
}

Condition compare(Operand left, Comparison comparison, Operand right, bool negated) {
    Condition condition;
    condition.kind = Condition::Kind::compare;
    condition.comparison = comparison;
    condition.negated = negated;
    condition.left = std::move(left);
    condition.right = std::move(right);
    return condition;
}

Condition is_null(Operand operand, bool negated) {
    return compare(std::move(operand), Comparison::is_null, {}, negated);
}

namespace {

Condition join(std::vector<Condition> parts, Condition::Kind kind, Condition::Kind neutral,
               Condition::Kind absorbing) {
    Condition joined;
    joined.kind = kind;
    for (Condition& part : parts) {
        if (part.kind == neutral) continue;
        if (part.kind == absorbing) return part;
        if (part.kind == kind) {
            for (Condition& inner : part.parts) joined.parts.push_back(std::move(inner));
        } else {
            joined.parts.push_back(std::move(part));
        }
    }
    if (joined.parts.empty()) {
        joined.kind = neutral;
        return joined;
    }
    if (joined.parts.size() == 1) {
        Condition only = std::move(joined.parts.front());
        return only;
    }
    return joined;
}

}  // namespace

Condition all_of(std::vector<Condition> parts) {
    return join(std::move(parts), Condition::Kind::all_of, Condition::Kind::always, Condition::Kind::never);
}

Condition any_of(std::vector<Condition> parts) {
    return join(std::move(parts), Condition::Kind::any_of, Condition::Kind::never, Condition::Kind::always);
}

Condition negate(Condition condition) {
    switch (condition.kind) {
    case Condition::Kind::always: condition.kind = Condition::Kind::never; break;
    case Condition::Kind::never: condition.kind = Condition::Kind::always; break;
    case Condition::Kind::compare:
    case Condition::Kind::quantified: condition.negated = !condition.negated; break;
    case Condition::Kind::all_of:
    case Condition::Kind::any_of:
        condition.kind =
            condition.kind == Condition::Kind::all_of ? Condition::Kind::any_of : Condition::Kind::all_of;
        for (Condition& part : condition.parts) part = negate(std::move(part));
        break;
    }
    return condition;
}

namespace {

constexpr std::string_view comparison_signs[] = {"=", "same", "<", "<=", ">", ">=", "~", "is null", "in"};
constexpr std::string_view hop_names[] = {"root", "to_one", "to_many", "to_many_ids",
                                          "back", "free",   "elements"};
constexpr std::string_view function_names[] = {"none", "fold", "length", "geoDistance", "strftime"};

std::string field_text(std::size_t field) {
    if (field == Collection::version_field) return "_v";
    if (field == Collection::rowid_field) return "rowid";
    return "f" + std::to_string(field);
}

std::string print(Operand const& operand) {
    switch (operand.kind) {
    case Operand::Kind::null: return "null";
    case Operand::Kind::parameter: return "?" + std::to_string(operand.index);
    case Operand::Kind::column:
    case Operand::Kind::json_path: {
        std::string text =
            "s" + std::to_string(operand.column.source) + "." + field_text(operand.column.field);
        for (auto const& step : operand.path) text += "[" + step + "]";
        return text;
    }
    case Operand::Kind::element: return "element(s" + std::to_string(operand.index) + ")";
    case Operand::Kind::call: {
        std::string text(function_names[static_cast<std::size_t>(operand.function)]);
        text += "(";
        for (std::size_t index = 0; index < operand.arguments.size(); ++index) {
            text += (index == 0 ? "" : ", ") + print(operand.arguments[index]);
        }
        return text + ")";
    }
    }
    return {};
}

std::string print_parts(Condition const& condition, std::string_view joiner) {
    std::string text = "(";
    for (std::size_t index = 0; index < condition.parts.size(); ++index) {
        if (index > 0) text += joiner;
        text += print(condition.parts[index]);
    }
    return text + ")";
}

std::string print(Source const& source, std::size_t index) {
    std::string text = "s" + std::to_string(index) + " = ";
    text += hop_names[static_cast<std::size_t>(source.hop)];
    if (source.collection != nullptr) text += " " + source.collection->name;
    if (source.parent != no_source) {
        text += " from s" + std::to_string(source.parent) + " by " + field_text(source.field);
    }
    if (source.guard.kind != Condition::Kind::always) text += " guard " + print(source.guard);
    return text + "\n";
}

}  // namespace

std::string print(Condition const& condition) {
    switch (condition.kind) {
    case Condition::Kind::always: return "always";
    case Condition::Kind::never: return "never";
    case Condition::Kind::compare: {
        std::string text = condition.negated ? "!" : "";
        text += print(condition.left);
        text += " ";
        text += comparison_signs[static_cast<std::size_t>(condition.comparison)];
        if (condition.comparison != Comparison::is_null) text += " " + print(condition.right);
        return text;
    }
    case Condition::Kind::all_of: return print_parts(condition, " and ");
    case Condition::Kind::any_of: return print_parts(condition, " or ");
    case Condition::Kind::quantified: {
        std::string text = condition.negated ? "!" : "";
        text += condition.every ? "every(" : "some(";
        for (SourceIndex const source : condition.sources) text += "s" + std::to_string(source) + " ";
        return text + ": " + print(condition.parts.front()) + ")";
    }
    }
    return {};
}

std::string print(Plan const& plan) {
    std::string text;
    for (std::size_t index = 0; index < plan.sources.size(); ++index)
        text += print(plan.sources[index], index);
    text += "joined";
    for (SourceIndex const source : plan.joined) text += " s" + std::to_string(source);
    text += "\nwhere " + print(plan.where) + "\nsort";
    for (SortKey const& key : plan.sort) {
        text += key.descending ? " -" : " +";
        text += key.kind == SortKey::Kind::random ? "random" : print(key.operand);
    }
    text += "\noutput";
    for (Operand const& operand : plan.output) text += " " + print(operand);
    if (plan.has_seek) {
        text += "\nseek";
        for (std::size_t index = 0; index < plan.seek.values.size(); ++index) {
            text += plan.seek.null[index] ? " null" : " ?" + std::to_string(plan.seek.values[index]);
        }
    }
    if (plan.limit != Plan::no_parameter) text += "\nlimit ?" + std::to_string(plan.limit);
    if (plan.offset != Plan::no_parameter) text += "\noffset ?" + std::to_string(plan.offset);
    return text + "\n";
}

}  // namespace quern::plan
