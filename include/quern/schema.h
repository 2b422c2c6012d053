// SPDX-License-Identifier: Apache-2.0
#pragma once

// JSON schemas of the types that Json<T>, Query<T> and answers are made of, with their rules.

#include <limits>
#include <string>
#include <string_view>
#include <typeindex>

#include <quern/describe.h>
#include <quern/openapi.h>

namespace quern::detail {

[[nodiscard]] std::string json_quoted(std::string_view text);

inline void add_rule(std::string& schema, Length const& rule, std::string_view what) {
    if (rule.min > 0) schema += ",\"min" + std::string(what) + "\":" + bound_text(rule.min);
    if (rule.max < SIZE_MAX) schema += ",\"max" + std::string(what) + "\":" + bound_text(rule.max);
}
template <class N>
void add_rule(std::string& schema, AtLeast<N> const& rule, std::string_view) {
    schema += ",\"minimum\":" + bound_text(rule.bound);
}
template <class N>
void add_rule(std::string& schema, AtMost<N> const& rule, std::string_view) {
    schema += ",\"maximum\":" + bound_text(rule.bound);
}
inline void add_rule(std::string& schema, MultipleOf const& rule, std::string_view) {
    schema += ",\"multipleOf\":" + number_text(rule.factor);
}
inline void add_rule(std::string& schema, Email const&, std::string_view) {
    schema += ",\"format\":\"email\"";
}
template <FixedString Text>
void add_rule(std::string& schema, Pattern<Text> const&, std::string_view) {
    schema += ",\"pattern\":" + json_quoted("^(?:" + std::string(Text.view()) + ")$");
}
inline void add_rule(std::string&, HasDefault const&, std::string_view) {}
template <FixedString Name>
void add_rule(std::string&, Named<Name> const&, std::string_view) {}
// Stands in the element's schema.
template <class... R>
void add_rule(std::string&, Each<R...> const&, std::string_view) {}

// What a schema shows of a struct. This plan is the struct as it is read, and as it is written whole.
struct WholeSchema {
    static constexpr bool is_component = true;       // by name; else it stands where it is used
    static constexpr std::string_view variant = {};  // of the name
    template <class M>
    static constexpr bool keeps = true;
    template <class M>
    static constexpr bool is_required = M::is_required;
    template <class M>
    using Type = typename M::Type;
    template <class M>
    using Inside = WholeSchema;
};

template <class Plan, class T, class... R>
std::string planned_schema(openapi::Schemas& schemas, std::tuple<R...> const& rules);

template <class Plan, class Element, class Rule>
void read_each(openapi::Schemas&, Rule const&, std::string&) {}
template <class Plan, class Element, class... R>
void read_each(openapi::Schemas& schemas, Each<R...> const& rule, std::string& schema) {
    schema = planned_schema<Plan, Element>(schemas, rule.rules);
}
// The elements' schema, with the rules that `each` gives them.
template <class Plan, class Element, class... R>
std::string element_schema(openapi::Schemas& schemas, std::tuple<R...> const& rules) {
    std::string schema;
    std::apply([&](auto const&... rule) { (read_each<Plan, Element>(schemas, rule, schema), ...); }, rules);
    return schema.empty() ? planned_schema<Plan, Element>(schemas, std::tuple<>{}) : schema;
}

template <class Plan, Described T>
std::string struct_schema(openapi::Schemas& schemas) {
    std::string members;
    std::string required;
    for_each_member<T>([&](auto index) {
        using M = Member<T, index>;
        if constexpr (Plan::template keeps<M>) {
            if (!members.empty()) members += ',';
            members += json_quoted(M::name) + ":" +
                       planned_schema<typename Plan::template Inside<M>, typename Plan::template Type<M>>(
                           schemas, M::rules);
            if (!Plan::template is_required<M>) return;
            if (!required.empty()) required += ',';
            required += json_quoted(M::name);
        }
    });
    std::string schema = R"({"type":"object","properties":{)" + members + "}";
    if (!required.empty()) schema += ",\"required\":[" + required + "]";
    if (!struct_says<T, IgnoreUnknown>) schema += ",\"additionalProperties\":false";
    return schema + "}";
}

template <class T>
std::string number_schema() {
    if constexpr (std::floating_point<T>) return R"({"type":"number")";
    std::string schema = R"({"type":"integer")";
    if (sizeof(T) == sizeof(std::int64_t)) schema += R"(,"format":"int64")";
    return schema;
}

template <class T>
std::string enum_schema() {
    std::string names;
    for (auto const& [name, value] : enumerators<T>) {
        if (!names.empty()) names += ',';
        names += json_quoted(name);
    }
    return R"({"type":"string","enum":[)" + names + "]";
}

// The schema without its closing brace.
template <class Plan, class T, class... R>
std::string open_schema(openapi::Schemas& schemas, std::tuple<R...> const& rules) {
    if constexpr (std::same_as<T, bool>) {
        return R"({"type":"boolean")";
    } else if constexpr (is_number<T>) {
        return number_schema<T>();
    } else if constexpr (is_list<T>) {
        return R"({"type":"array","items":)" + element_schema<Plan, typename T::value_type>(schemas, rules);
    } else if constexpr (is_map<T>) {
        return R"({"type":"object","additionalProperties":)" +
               planned_schema<Plan, typename T::mapped_type>(schemas, std::tuple<>{});
    } else if constexpr (DescribedEnum<T>) {
        return enum_schema<T>();
    } else if constexpr (is_text<T>) {
        return R"({"type":"string")";
    } else {
        std::string schema(FromText<T>::schema);
        schema.pop_back();
        return schema;
    }
}

template <class Plan, class T, class... R>
std::string planned_schema(openapi::Schemas& schemas, std::tuple<R...> const& rules) {
    if constexpr (is_optional<T>) {
        return R"({"anyOf":[)" + planned_schema<Plan, typename T::value_type>(schemas, rules) +
               R"(,{"type":"null"}]})";
    } else if constexpr (Described<T> && Plan::is_component) {
        auto const write = [](openapi::Schemas& inside) { return struct_schema<Plan, T>(inside); };
        return schemas.reference(typeid(T), write, Plan::variant);
    } else if constexpr (Described<T>) {
        return struct_schema<Plan, T>(schemas);
    } else {
        std::string schema = open_schema<Plan, T>(schemas, rules);
        constexpr std::string_view what = is_text<T> ? "Length" : is_map<T> ? "Properties" : "Items";
        std::apply([&](auto const&... rule) { (add_rule(schema, rule, what), ...); }, rules);
        return schema + "}";
    }
}
template <class T>
std::string schema_of(openapi::Schemas& schemas) {
    return planned_schema<WholeSchema, T>(schemas, std::tuple<>{});
}

// The members of a described struct as parameters of one kind.
template <Described T>
void describe_parameters(openapi::Operation& operation, std::string_view in) {
    for_each_member<T>([&](auto index) {
        using M = Member<T, index>;
        bool const required = M::is_required && !is_vector<typename M::Type>;
        operation.parameter(
            in, M::name, in == "path" || required,
            planned_schema<WholeSchema, Bare<typename M::Type>>(operation.schemas(), M::rules));
    });
}

}  // namespace quern::detail
