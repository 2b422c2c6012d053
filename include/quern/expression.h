// SPDX-License-Identifier: Apache-2.0
#pragma once

// Expressions over the columns of models, checked by the compiler.
//
//     using quern::field;
//     field<&Book::year> >= 2000 && !field<&Book::available>
//     field<&Book::author, &Author::name>.starts_with("Le ")     follows the reference
//     quern::lower(field<&Book::title>) == "kindred"
//
// A field is named by its member pointer, or by several: each but the last is a reference, and the next is a
// member of the model that it refers to. An expression belongs to the model that its first pointers name;
// one that mixes two models does not compile, nor does one that compares a number with a text.
//
// Conditions have two values. A comparison by <, <=, > or >= with NULL is false; == and != treat NULL as
// std::optional treats nothing: it equals NULL alone. `!` is the exact complement. So a row is either in
// where(c) or in where(!c), never in neither.
//
// Values are kept beside the expression and bound; they never become text of a statement.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <quern/expression_core.h>
#include <quern/model.h>
#include <quern/query_plan.h>

namespace quern {

namespace detail {

// --- fields ---

// Whether `Pointer` is a reference of its model to `Target`.
template <auto Pointer, class Target>
consteval bool is_reference_to() {
    return []<FixedString Name, class... P>(std::type_identity<ModelParts<Name, P...>>) {
        return (std::is_same_v<P, ReferencePart<Pointer, Target>> || ...);
    }
    (std::type_identity<std::remove_cvref_t<decltype(ClassOf<Pointer>::model)>>());
}

template <auto First, auto... Rest>
consteval bool is_connected() {
    if constexpr (sizeof...(Rest) == 0) {
        return true;
    } else {
        constexpr auto next = std::get<0>(std::tuple{Rest...});
        return is_reference_to<First, ClassOf<next>>() && is_connected<Rest...>();
    }
}

template <auto... Pointer>
consteval void check_path() {
    static_assert((Model<ClassOf<Pointer>> && ...), "field: the struct has no model");
    static_assert((are_members<ClassOf<Pointer>, Pointer> && ...),
                  "field: the member is not described with its struct");
    static_assert(is_connected<Pointer...>(),
                  "field: each pointer but the last is a reference (quern::references in the model) to the "
                  "struct of the next");
}

template <auto... Pointer>
inline constexpr std::array path_hops{PathHop{
    &table_info<ClassOf<Pointer>>, static_cast<std::uint16_t>(member_index<ClassOf<Pointer>, Pointer>)}...};
template <auto... Pointer>
inline constexpr FieldPath field_path{std::span(path_hops<Pointer...>).first(sizeof...(Pointer) - 1),
                                   path_hops<Pointer...>.back().table, path_hops<Pointer...>.back().column};

// What a column is set to.
template <class M, class E>
struct Assignment {
    using Model = M;
    std::uint16_t column = 0;
    E value;
};

template <PlanOp Op, auto... Pointer>
class FieldOf : public ExpressionMethods<FieldOf<Op, Pointer...>> {
    static constexpr auto pointers = std::tuple{Pointer...};
    static constexpr auto last = std::get<sizeof...(Pointer) - 1>(pointers);
    using First = ClassOf<std::get<0>(pointers)>;
    static constexpr bool is_nullable = (is_optional<MemberTypeOf<Pointer>> || ...);

public:
    using Value = Bare<MemberTypeOf<last>>;
    using Root = std::conditional_t<Op == PlanOp::column, First, void>;
    using Outer = std::conditional_t<Op == PlanOp::column, void, First>;
    static constexpr ExpressionFacts facts{is_nullable, is_nullable, Level::row};

    void write(QueryPlan& plan) const {
        check_path<Pointer...>();
        plan.push({.op = Op, .what = &field_path<Pointer...>});
    }

    // For QuerySet::update(): what the column gets, a value or an expression over the row as it is before.
    template <class T>
    [[nodiscard]] auto set(T const& value) const {
        static_assert(Op == PlanOp::column && sizeof...(Pointer) == 1,
                      "set: only columns of the table itself");
        check_path<Pointer...>();
        constexpr auto column = static_cast<std::uint16_t>(member_index<First, last>);
        if constexpr (SqlNull<T>) {
            static_assert(is_nullable, "set: the column is never null: its member is no std::optional");
            return Assignment<First, Literal<Value, true>>{column, Literal<Value, true>(nullptr)};
        } else {
            using From = Lifted<T>;
            check_comparable<FieldOf, From>();
            static_assert(
                std::is_void_v<typename From::Outer> &&
                    (std::is_void_v<typename From::Root> || std::is_same_v<typename From::Root, First>),
                "set: the value is of the row itself; values of other tables come by value_of()");
            static_assert(From::facts.level == Level::row, "set: neither an aggregate nor a window");
            static_assert(is_nullable || !Lifted<T>::facts.nullable,
                          "set: the column is never null, but the value may be: see quern::coalesce()");
            return Assignment<First, Lifted<T>>{column, lift(value)};
        }
    }
};

// --- operators ---

template <class L, class R>
concept OperatorArguments = Expression<L> || Expression<R>;

template <class L, class R>
auto compare_order(PlanOp op, L const& left, R const& right) {
    static_assert(!SqlNull<L> && !SqlNull<R>, "nothing comes before or after nothing: use is_null()");
    check_comparable<Lifted<L>, Lifted<R>>();
    constexpr auto facts = facts_of<Lifted<L>, Lifted<R>>(any_nullable<Lifted<L>, Lifted<R>>);
    return operation<bool, condition_facts(facts)>({.op = op}, lift(left), lift(right));
}

// Equal as std::optional is: nothing equals nothing alone.
template <bool Negated, class L, class R>
auto compare_equal(L const& left, R const& right) {
    if constexpr (SqlNull<R>) {
        return operation<bool, ExpressionFacts{false, false, Lifted<L>::facts.level}>(
            {.op = Negated ? PlanOp::not_null : PlanOp::is_null}, lift(left));
    } else if constexpr (SqlNull<L>) {
        return compare_equal<Negated>(right, left);
    } else {
        check_comparable<Lifted<L>, Lifted<R>>();
        constexpr bool left_nullable = any_unknown<Lifted<L>>;
        constexpr bool right_nullable = any_unknown<Lifted<R>>;
        constexpr bool same = Negated ? left_nullable || right_nullable : left_nullable && right_nullable;
        constexpr bool unknown = !same && (left_nullable || right_nullable);
        constexpr PlanOp op = same ? (Negated ? PlanOp::not_same : PlanOp::same)
                                   : (Negated ? PlanOp::not_equal : PlanOp::equal);
        constexpr ExpressionFacts facts{false, unknown, highest_level<Lifted<L>, Lifted<R>>};
        return operation<bool, facts>({.op = op}, lift(left), lift(right));
    }
}

template <bool CanVanish = false, class L, class R>
auto compute(PlanOp op, L const& left, R const& right) {
    using Left = Lifted<L>;
    using Right = Lifted<R>;
    static_assert(value_kind<typename Left::Value>() == ValueKind::number &&
                      value_kind<typename Right::Value>() == ValueKind::number,
                  "arithmetic is for numbers (and + for two texts)");
    using V = std::conditional_t<SqlReal<typename Left::Value> || SqlReal<typename Right::Value>, double,
                                 std::int64_t>;
    constexpr auto facts = facts_of<Left, Right>(any_nullable<Left, Right>);
    // A division by zero is NULL, and so is what is no number, as infinity less infinity.
    constexpr bool unknown = facts.unknown || CanVanish || std::is_same_v<V, double>;
    return operation<V, ExpressionFacts{facts.nullable, unknown, facts.level}>({.op = op}, lift(left),
                                                                               lift(right));
}

// What a condition is made of: a comparison, or a column that holds true or false.
template <class E>
consteval void check_condition() {
    static_assert(Expression<E> && std::is_same_v<typename E::Value, bool>,
                  "a condition is a comparison or a field of type bool");
}

template <class L, class R>
auto connect(PlanOp op, L const& left, R const& right) {
    check_condition<Lifted<L>>();
    check_condition<Lifted<R>>();
    constexpr ExpressionFacts facts{false, any_unknown<Lifted<L>, Lifted<R>>,
                                    highest_level<Lifted<L>, Lifted<R>>};
    return operation<bool, facts>({.op = op}, lift(left), lift(right));
}

// Found by the compiler through the expressions' own namespace.
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator==(L const& left, R const& right) { return compare_equal<false>(left, right); }
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator!=(L const& left, R const& right) { return compare_equal<true>(left, right); }
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator<(L const& left, R const& right) {
    return compare_order(PlanOp::less, left, right);
}
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator<=(L const& left, R const& right) {
    return compare_order(PlanOp::less_equal, left, right);
}
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator>(L const& left, R const& right) {
    return compare_order(PlanOp::greater, left, right);
}
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator>=(L const& left, R const& right) {
    return compare_order(PlanOp::greater_equal, left, right);
}
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator&&(L const& left, R const& right) { return connect(PlanOp::all_of, left, right); }
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator||(L const& left, R const& right) { return connect(PlanOp::any_of, left, right); }
template <Expression E>
[[nodiscard]] auto operator!(E const& condition) {
    check_condition<E>();
    constexpr PlanOp op = E::facts.unknown ? PlanOp::not_true : PlanOp::logical_not;
    return operation<bool, ExpressionFacts{false, false, E::facts.level}>({.op = op}, condition);
}
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator+(L const& left, R const& right) {
    if constexpr (value_kind<typename Lifted<L>::Value>() == ValueKind::text &&
                  value_kind<typename Lifted<R>::Value>() == ValueKind::text) {
        constexpr auto facts = facts_of<Lifted<L>, Lifted<R>>(any_nullable<Lifted<L>, Lifted<R>>);
        return operation<std::string, facts>({.op = PlanOp::concatenate}, lift(left), lift(right));
    } else {
        return compute(PlanOp::add, left, right);
    }
}
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator-(L const& left, R const& right) { return compute(PlanOp::subtract, left, right); }
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator*(L const& left, R const& right) { return compute(PlanOp::multiply, left, right); }
// Between whole numbers the result is whole, cut towards zero; a division by zero is NULL in SQLite and an
// error in PostgreSQL.
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator/(L const& left, R const& right) {
    return compute<true>(PlanOp::divide, left, right);
}
template <class L, class R>
requires OperatorArguments<L, R>
[[nodiscard]] auto operator%(L const& left, R const& right) {
    static_assert(SqlInteger<typename Lifted<L>::Value> && SqlInteger<typename Lifted<R>::Value>,
                  "% is for whole numbers");
    return compute<true>(PlanOp::modulo, left, right);
}

}  // namespace detail

// A column of a model, or of one that it refers to.
template <auto... Pointer>
inline constexpr detail::FieldOf<PlanOp::column, Pointer...> field{};
// Within a subquery: a column of the row that the query around it looks at.
template <auto... Pointer>
inline constexpr detail::FieldOf<PlanOp::outer_column, Pointer...> outer{};

// A condition that is put together while the program runs: starts as always() or never() and takes any
// condition over the same model.
//
//     quern::Condition<Book> wanted = quern::never;
//     for (auto const& word : words) wanted = wanted || field<&Book::title>.contains(word);
// Cost: each step copies what there is so far. Limits: see plan_depth_max; a row of && or || is one level.
template <class M>
class Condition : public detail::ExpressionMethods<Condition<M>> {
public:
    using Value = bool;
    using Root = M;
    using Outer = void;
    static constexpr detail::ExpressionFacts facts{false, true, detail::Level::row};

    // Holds for every row.
    Condition() : Condition(true) {}
    // Holds for every row, or for none.
    explicit Condition(bool always) {
        QueryPlan plan;
        plan.push_value(always);
        plan_ = std::make_shared<QueryPlan const>(std::move(plan));
    }
    template <detail::Expression E>
    requires(!std::same_as<E, Condition>) Condition(E const& condition) {
        detail::check_condition<E>();
        static_assert(std::is_void_v<typename E::Root> || std::is_same_v<typename E::Root, M>,
                      "Condition: the expression is over another model");
        static_assert(std::is_void_v<typename E::Outer> && E::facts.level == detail::Level::row,
                      "Condition: neither outer fields nor aggregates");
        QueryPlan plan;
        condition.write(plan);
        plan_ = std::make_shared<QueryPlan const>(std::move(plan));
    }
    void write(QueryPlan& plan) const { plan.push_part(*plan_); }

private:
    std::shared_ptr<QueryPlan const> plan_;  // never changes: copies share it
};

}  // namespace quern
