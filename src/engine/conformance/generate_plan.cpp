// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/generate_plan.h"

#include <algorithm>
#include <array>
#include <optional>

#include "engine/conformance/generate_rows.h"

namespace quern::engine::conformance {

using plan::Comparison;
using plan::Condition;
using plan::Function;
using plan::Hop;
using plan::Operand;
using plan::Plan;
using plan::SortKey;
using plan::Source;
using plan::SourceIndex;

namespace {

constexpr std::size_t depth_max = 3;    // of conditions within each other
constexpr std::size_t sources_max = 9;  // of one plan
constexpr std::array<std::string_view, 6> keys = {"k", "n", "o", "0", "1", "lon"};
constexpr std::array<std::string_view, 6> formats = {"%Y-%m-%d", "%H:%M:%f", "%j %w", "%s", "x%%", "%Q"};
constexpr std::array<std::string_view, 7> modifiers = {
    "+1 days", "-2 months", "start of month", "weekday 1", "unixepoch", "nonsense", "1.5 hours"};

class Maker {
public:
    Maker(Chance& chance, std::shared_ptr<Schema const> const& schema) : chance_(chance) {
        plan_.schema = schema;
    }

    Request make() {
        Source root;
        root.collection = chance_.of(plan_.schema->collections()).get();
        plan_.sources.push_back(root);
        main_ = {0};
        for (std::size_t left = chance_.below(3); left > 0; --left) add_joined();
        plan_.where = chance_.once_in(12) ? Condition{} : condition(main_, depth_max);
        add_sort();
        add_output();
        if (chance_.once_in(3)) plan_.limit = parameter(row_bound());
        if (chance_.once_in(4)) plan_.offset = parameter(row_bound());
        plan_.parameter_count = static_cast<std::uint16_t>(values_.size());
        return Request(plan::seal(std::move(plan_)), std::move(values_));
    }

private:
    using Sources = std::vector<SourceIndex>;

    // A hop that can be made from one of these sources; with `single`, to one row at most.
    std::optional<Source> hop_from(Sources const& parents, bool single) {
        std::vector<Source> hops;
        for (SourceIndex const parent : parents) {
            Source const& from = plan_.sources[parent];
            if (from.collection == nullptr || from.hop == Hop::to_many_ids) continue;
            for (std::size_t position = 0; position < from.collection->fields.size(); ++position) {
                add_hops(hops, parent, static_cast<std::uint16_t>(position), single);
            }
            if (single) continue;
            for (Reference const& reference : plan_.schema->references_to(*from.collection)) {
                Source back;
                back.collection = reference.collection;
                back.parent = parent;
                back.hop = Hop::back;
                back.field = static_cast<std::uint16_t>(reference.field);
                hops.push_back(back);
            }
        }
        if (!single && (hops.empty() || chance_.once_in(10))) {
            Source free;
            free.hop = Hop::free;
            free.collection = chance_.of(plan_.schema->collections()).get();
            return free;
        }
        if (hops.empty()) return std::nullopt;
        return chance_.of(hops);
    }

    // The hops along one field.
    void add_hops(std::vector<Source>& hops, SourceIndex parent, std::uint16_t position, bool single) {
        Field const& field = plan_.sources[parent].collection->fields[position];
        Source source;
        source.parent = parent;
        source.field = position;
        if (field.type == FieldType::relation) source.collection = plan_.schema->find(field.collection_id);
        if (field.type == FieldType::relation && !field.is_join()) {
            source.hop = Hop::to_one;
            hops.push_back(source);
        } else if (field.is_join() && !single) {
            source.hop = Hop::to_many;
            hops.push_back(source);
            source.hop = Hop::to_many_ids;
            hops.push_back(source);
        } else if (field.is_json_text() && !single) {
            source.hop = Hop::elements;
            hops.push_back(source);
        }
    }

    SourceIndex add(Source source) {
        plan_.sources.push_back(std::move(source));
        return static_cast<SourceIndex>(plan_.sources.size() - 1);
    }

    void add_guard(SourceIndex source) {
        Source const& of = plan_.sources[source];
        if (of.hop == Hop::elements || of.hop == Hop::to_many_ids || !chance_.once_in(4)) return;
        Condition guard = condition({source}, 1);
        plan_.sources[source].guard = std::move(guard);
    }

    void add_joined() {
        auto hop = hop_from(main_, true);
        if (!hop) return;
        SourceIndex const source = add(*std::move(hop));
        plan_.joined.push_back(source);
        main_.push_back(source);
        add_guard(source);
    }

    Condition condition(Sources const& visible, std::size_t depth) {
        std::size_t const kind = depth == 0 ? 0 : chance_.below(10);
        if (kind >= 8 && plan_.sources.size() < sources_max) return quantified(visible, depth);
        if (kind >= 4) {
            std::vector<Condition> parts;
            for (std::size_t left = 2 + chance_.below(2); left > 0; --left) {
                parts.push_back(condition(visible, depth - 1));
            }
            return chance_.once_in(2) ? plan::all_of(std::move(parts)) : plan::any_of(std::move(parts));
        }
        return leaf(visible);
    }

    Condition quantified(Sources visible, std::size_t depth) {
        Condition condition;
        condition.kind = Condition::Kind::quantified;
        condition.every = chance_.once_in(2);
        condition.negated = chance_.once_in(3);
        Sources parents = visible;
        for (std::size_t left = 1 + chance_.below(2); left > 0; --left) {
            auto hop = hop_from(parents, false);
            if (!hop) break;
            SourceIndex const source = add(*std::move(hop));
            condition.sources.push_back(source);
            add_guard(source);
            visible.push_back(source);
            parents = {source};  // nested ones hang on the one before
        }
        // The predicate looks at what is quantified more often than at the rest.
        Sources looked_at = condition.sources;
        if (chance_.once_in(3)) looked_at = visible;
        condition.parts.push_back(this->condition(looked_at, depth - 1));
        return condition;
    }

    // An operand and the field whose kind of values it has.
    struct Typed {
        Operand operand;
        Field field;
    };

    Condition leaf(Sources const& visible) {
        constexpr std::array comparisons = {
            Comparison::equal,      Comparison::equal,   Comparison::same,          Comparison::less,
            Comparison::less_equal, Comparison::greater, Comparison::greater_equal, Comparison::like,
            Comparison::is_null,    Comparison::in_list};
        Comparison const comparison = chance_.of(comparisons);
        bool const negated = chance_.once_in(3);
        Typed left =
            chance_.once_in(15) ? Typed{value_operand(generate_value(chance_)), {}} : operand(visible);
        if (comparison == Comparison::is_null) return plan::is_null(std::move(left.operand), negated);
        if (comparison == Comparison::in_list) {
            return plan::compare(std::move(left.operand), comparison,
                                 value_operand(generate_list(chance_, left.field)), negated);
        }
        Operand right;
        if (comparison == Comparison::like && !chance_.once_in(5)) {
            right = value_operand(generate_pattern(chance_));
        } else if (chance_.once_in(4)) {
            right = operand(visible).operand;
        } else if (!chance_.once_in(15)) {
            right = value_operand(generate_value(chance_, left.field));
        }
        return plan::compare(std::move(left.operand), comparison, std::move(right), negated);
    }

    Typed operand(Sources const& visible) {
        SourceIndex const source = chance_.of(visible);
        Source const& from = plan_.sources[source];
        Typed typed;
        if (from.hop == Hop::elements) {
            typed.operand.kind = Operand::Kind::element;
            typed.operand.index = source;
            typed.field.type = FieldType::select;
        } else {
            typed = column(source);
        }
        return chance_.once_in(8) ? call(std::move(typed), visible) : typed;
    }

    Typed column(SourceIndex source) {
        Source const& from = plan_.sources[source];
        std::size_t const position =
            from.hop == Hop::to_many_ids ? 0 : chance_.below(from.collection->fields.size());
        Typed typed{plan::column(source, position), from.collection->fields[position]};
        if (position == 0) typed.field.type = FieldType::relation;  // an id
        if (from.hop != Hop::to_many_ids && chance_.once_in(20)) {
            typed.operand = plan::column(source, Collection::version_field);
            typed.field.type = FieldType::number;
        }
        bool const has_paths =
            typed.field.type == FieldType::json || typed.field.type == FieldType::geo_point;
        if (has_paths && !chance_.once_in(4)) {
            typed.operand.kind = Operand::Kind::json_path;
            for (std::size_t left = 1 + chance_.below(2); left > 0; --left) {
                typed.operand.path.emplace_back(chance_.of(keys));
            }
            typed.field.type = chance_.once_in(2) ? FieldType::text : FieldType::number;
        }
        return typed;
    }

    Typed call(Typed inner, Sources const& visible) {
        constexpr std::array functions = {Function::fold, Function::length, Function::geo_distance,
                                          Function::strftime};
        Operand call;
        call.kind = Operand::Kind::call;
        call.function = chance_.of(functions);
        switch (call.function) {
        case Function::fold:
        case Function::none: call.arguments = {std::move(inner.operand)}; break;
        case Function::length:
            call.arguments = {std::move(inner.operand)};
            inner.field.type = FieldType::number;
            break;
        case Function::geo_distance:
            call.arguments = {std::move(inner.operand), value_operand(Value::of(42.5)),
                              chance_.once_in(2) ? operand(visible).operand : value_operand(Value::of(-5.0)),
                              value_operand(generate_value(chance_))};
            inner.field.type = FieldType::number;
            break;
        case Function::strftime:
            call.arguments = {value_operand(Value::of(chance_.of(formats))), std::move(inner.operand)};
            if (chance_.once_in(2)) call.arguments.push_back(value_operand(Value::of(chance_.of(modifiers))));
            inner.field.type = FieldType::text;
            break;
        }
        return {std::move(call), inner.field};
    }

    void add_sort() {
        for (std::size_t left = chance_.below(3); left > 0; --left) {
            SortKey key;
            key.operand = operand(main_).operand;
            key.descending = chance_.once_in(2);
            plan_.sort.push_back(std::move(key));
        }
        SortKey last;
        last.operand = plan::column(0, chance_.once_in(6) ? Collection::rowid_field : 0);
        last.descending = chance_.once_in(3);
        plan_.sort.push_back(last);
    }

    // The sort keys stand last, so that a seek can be made of them.
    void add_output() {
        plan_.output.push_back(plan::column(0, 0));
        for (std::size_t left = chance_.below(3); left > 0; --left) {
            plan_.output.push_back(operand(main_).operand);
        }
        for (SortKey const& key : plan_.sort) plan_.output.push_back(key.operand);
    }

    ram::OwnedValue row_bound() {
        return chance_.once_in(10) ? Value::of(std::int64_t{9223372036854775807})
                                   : Value::of(static_cast<std::int64_t>(chance_.below(8)));
    }

    Operand value_operand(ram::OwnedValue value) { return plan::parameter(parameter(std::move(value))); }
    plan::ParameterIndex parameter(ram::OwnedValue value) {
        values_.push_back(std::move(value));
        return static_cast<plan::ParameterIndex>(values_.size() - 1);
    }

    Chance& chance_;
    Plan plan_;
    Sources main_;  // the root and what is joined to it
    std::vector<ram::OwnedValue> values_;
};

}  // namespace

Request generate_request(Chance& chance, std::shared_ptr<Schema const> const& schema) {
    return Maker(chance, schema).make();
}

}  // namespace quern::engine::conformance
