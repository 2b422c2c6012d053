// SPDX-License-Identifier: Apache-2.0
#pragma once

// What expressions over the columns of models are made of; expression.h is what one writes them with.
//
// An expression knows its value's type, the model that it is over (`Root`), the model that its outer<> fields
// look at (`Outer`), and three facts: whether it can be NULL, whether it can be neither true nor false, and
// whether it is of a row, a group or a window. It writes itself into a plan in prefix order.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <quern/model.h>
#include <quern/query_plan.h>

namespace quern {

namespace detail {

// How much of a query an expression needs: the row, the group, or the rows around in a window.
enum class Level : std::uint8_t { row, group, window };

struct ExpressionFacts {
    bool nullable = false;
    // A condition that may be neither true nor false; a value that may be NULL although its type says
    // nothing of it, as that of a division. What is nullable is unknown too.
    bool unknown = false;
    Level level = Level::row;
};

struct ExpressionTag {};
template <class E>
concept Expression = std::derived_from<std::remove_cvref_t<E>, ExpressionTag>;

// The model of two expressions together; void belongs to every model.
template <class A, class B>
consteval auto join_models() {
    if constexpr (std::is_void_v<A>) {
        return std::type_identity<B>();
    } else {
        static_assert(std::is_void_v<B> || std::is_same_v<A, B>,
                      "an expression mixes the columns of two models: follow a reference with "
                      "field<&A::reference, &B::member>, or look at the other rows in a subquery");
        return std::type_identity<A>();
    }
}
template <class... M>
struct JoinModels {
    using Type = void;
};
template <class First, class... Rest>
struct JoinModels<First, Rest...> {
    using Type = typename decltype(join_models<First, typename JoinModels<Rest...>::Type>())::type;
};

template <class... E>
inline constexpr bool any_nullable = (E::facts.nullable || ...);
template <class... E>
inline constexpr bool any_unknown = (E::facts.unknown || ...);
template <class... E>
inline constexpr Level highest_level = [] {
    Level highest = Level::row;
    ((highest = E::facts.level > highest ? E::facts.level : highest), ...);
    return highest;
}();
template <class... E>
constexpr ExpressionFacts facts_of(bool nullable) {
    return {nullable, nullable || any_unknown<E...>, highest_level<E...>};
}
// Of a condition over such an expression: null there is neither true nor false here.
constexpr ExpressionFacts condition_facts(ExpressionFacts operands) {
    return {false, operands.unknown, operands.level};
}

// --- values ---

enum class ValueKind : std::uint8_t { boolean, number, text, bytes, other };
template <class T>
consteval ValueKind value_kind() {
    if constexpr (SqlConverted<T>) {
        return ValueKind::other;
    } else if constexpr (std::same_as<T, bool>) {
        return ValueKind::boolean;
    } else if constexpr (SqlInteger<T> || SqlReal<T>) {
        return ValueKind::number;
    } else if constexpr (SqlTextual<T>) {
        return ValueKind::text;
    } else {
        return ValueKind::bytes;
    }
}
template <class A, class B>
inline constexpr bool is_same_kind = value_kind<A>() == value_kind<B>() &&
                                     (value_kind<A>() != ValueKind::other || std::same_as<A, B>);

template <class T>
SqlParameter to_parameter(T const& value) {
    if constexpr (is_optional<T>) {
        return value ? to_parameter(*value) : SqlParameter(nullptr);
    } else if constexpr (SqlConverted<T>) {
        auto const stored = SqlValue<T>::to_sql(value);
        if constexpr (is_optional<std::remove_const_t<decltype(stored)>>) {
            return stored ? to_parameter(*stored) : SqlParameter();
        } else {
            return to_parameter(stored);
        }
    } else if constexpr (SqlNull<T>) {
        return nullptr;
    } else if constexpr (std::same_as<T, bool>) {
        return value;
    } else if constexpr (SqlBindableInteger<T>) {
        return static_cast<std::int64_t>(value);
    } else if constexpr (SqlReal<T>) {
        // What is no number compares with nothing in C++, is NULL in SQLite and the largest in PostgreSQL.
        if (value != value) return SqlParameter();
        return static_cast<double>(value);
    } else if constexpr (SqlTextual<T>) {
        if constexpr (std::is_pointer_v<T>) {
            if (value == nullptr) return SqlParameter();
        }
        return std::string(std::string_view(value));
    } else {
        std::span<std::byte const> const bytes = value;
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    }
}

// What an expression of this C++ type is, as a column would be.
template <class T>
struct ValueOf {
    using Type = T;
};
template <SqlTextual T>
requires(!SqlConverted<T>) struct ValueOf<T> {
    using Type = std::string;
};

// --- what every expression can do ---

template <class V, ExpressionFacts Facts, class... E>
class Operation;
template <class V, ExpressionFacts Facts, class... E>
auto operation(PlanNode head, E... operand) {
    return Operation<V, Facts, E...>(head, std::move(operand)...);
}

template <class T>
auto lift(T const& value);
template <class T>
using Lifted = decltype(lift(std::declval<T const&>()));

template <class L, class R>
consteval void check_comparable() {
    static_assert(is_same_kind<typename L::Value, typename R::Value>,
                  "the two sides are of different kinds: numbers are compared with numbers, texts with "
                  "texts, and an enumeration, a UUID or a type of your own with its like");
}

// One expression of an order.
template <class E>
class Ordered {
public:
    using Root = typename E::Root;
    using Outer = typename E::Outer;
    static constexpr ExpressionFacts facts = E::facts;
    struct OrderedTag {};

    Ordered(E expression, std::uint8_t flags) : expression_(std::move(expression)), flags_(flags) {}

    // Where rows go in which it is NULL. Without either: first when ascending, last when descending.
    [[nodiscard]] Ordered nulls_first() const { return with(plan_flag::nulls_first); }
    [[nodiscard]] Ordered nulls_last() const { return with(plan_flag::nulls_last); }

    void write(QueryPlan& plan) const {
        plan.push({.op = PlanOp::order_key, .flags = flags_, .count = 1});
        expression_.write(plan);
    }

private:
    [[nodiscard]] Ordered with(std::uint8_t where) const {
        return {expression_, static_cast<std::uint8_t>((flags_ & plan_flag::descending) | where)};
    }
    E expression_;
    std::uint8_t flags_;
};

template <class E>
auto as_order(E const& key) {
    if constexpr (requires { typename E::OrderedTag; }) {
        return key;
    } else {
        static_assert(Expression<E>, "order: an expression, or one with .ascending() or .descending()");
        return Ordered<E>(key, 0);
    }
}

// A list of values that something is looked for in.
template <class E>
class ListTest;
template <class E, class Set>
class SetTest;

template <class Derived>
class ExpressionMethods : public ExpressionTag {
public:
    [[nodiscard]] auto is_null() const { return test(PlanOp::is_null); }
    [[nodiscard]] auto is_not_null() const { return test(PlanOp::not_null); }

    // Among some values, which may be none: a range of them, or a query set that selects one expression.
    template <class T>
    [[nodiscard]] auto in(std::initializer_list<T> values) const {
        return in_range(values);
    }
    template <class Some>
    [[nodiscard]] auto in(Some const& some) const {
        if constexpr (requires { typename Some::QuerySetTag; }) {
            return SetTest<Derived, Some>(self(), some);
        } else {
            return in_range(some);
        }
    }
    // low <= this and this <= high.
    template <class L, class H>
    [[nodiscard]] auto between(L const& low, H const& high) const {
        check_comparable<Derived, Lifted<L>>();
        check_comparable<Derived, Lifted<H>>();
        constexpr auto facts =
            facts_of<Derived, Lifted<L>, Lifted<H>>(any_nullable<Derived, Lifted<L>, Lifted<H>>);
        return operation<bool, condition_facts(facts)>({.op = PlanOp::between}, self(), lift(low),
                                                       lift(high));
    }

    // For texts, by their bytes: upper and lower case are apart.
    template <class T>
    [[nodiscard]] auto contains(T const& part) const {
        return text_test(PlanOp::contains, part);
    }
    template <class T>
    [[nodiscard]] auto starts_with(T const& part) const {
        return text_test(PlanOp::starts_with, part);
    }
    template <class T>
    [[nodiscard]] auto ends_with(T const& part) const {
        return text_test(PlanOp::ends_with, part);
    }
    // % stands for any text, _ for one character, \ makes the next one plain. Whether a is A is the
    // database's habit: it is in SQLite, for ASCII, and is not in PostgreSQL.
    template <class T>
    [[nodiscard]] auto like(T const& pattern) const {
        return text_test(PlanOp::like, pattern);
    }
    // A regular expression in the database's own syntax.
    // Errors: unsupported — of the query, where the database knows none (SQLite).
    template <class T>
    [[nodiscard]] auto matches(T const& pattern) const {
        return text_test(PlanOp::regex, pattern);
    }

    [[nodiscard]] auto ascending() const { return Ordered<Derived>(self(), 0); }
    [[nodiscard]] auto descending() const { return Ordered<Derived>(self(), plan_flag::descending); }

private:
    [[nodiscard]] Derived const& self() const { return static_cast<Derived const&>(*this); }
    [[nodiscard]] auto test(PlanOp op) const {
        return operation<bool, ExpressionFacts{false, false, Derived::facts.level}>({.op = op}, self());
    }
    template <class T>
    [[nodiscard]] auto text_test(PlanOp op, T const& part) const {
        using Part = Lifted<T>;
        static_assert(value_kind<typename Derived::Value>() == ValueKind::text &&
                          value_kind<typename Part::Value>() == ValueKind::text,
                      "contains, starts_with, ends_with, like and matches are for texts");
        constexpr auto facts = facts_of<Derived, Part>(any_nullable<Derived, Part>);
        return operation<bool, condition_facts(facts)>({.op = op}, self(), lift(part));
    }
    template <class Range>
    [[nodiscard]] auto in_range(Range const& values) const {
        using T = std::remove_cvref_t<decltype(*std::begin(values))>;
        static_assert(!is_optional<T>, "in: nothing is in no list; the values are no std::optional");
        check_comparable<Derived, Lifted<T>>();
        std::vector<SqlParameter> kept;
        for (T const& value : values) kept.push_back(to_parameter(value));
        return ListTest<Derived>(self(), std::move(kept));
    }
};

// An operator with its operands.
template <class V, ExpressionFacts Facts, class... E>
class Operation : public ExpressionMethods<Operation<V, Facts, E...>> {
public:
    using Value = V;
    using Root = typename JoinModels<typename E::Root...>::Type;
    using Outer = typename JoinModels<typename E::Outer...>::Type;
    static constexpr ExpressionFacts facts = Facts;

    explicit Operation(PlanNode head, E... operand) : head_(head), operands_(std::move(operand)...) {
        head_.count = static_cast<std::uint16_t>(sizeof...(E));
    }
    void write(QueryPlan& plan) const {
        plan.push(head_);
        std::apply([&plan](auto const&... operand) { (operand.write(plan), ...); }, operands_);
    }

private:
    PlanNode head_;
    std::tuple<E...> operands_;
};

// A value that is bound.
template <class V, bool Nullable>
class Literal : public ExpressionMethods<Literal<V, Nullable>> {
public:
    using Value = V;
    using Root = void;
    using Outer = void;
    static constexpr ExpressionFacts facts{Nullable, Nullable, Level::row};

    explicit Literal(SqlParameter value) : value_(std::move(value)) {}
    void write(QueryPlan& plan) const { plan.push_value(value_); }

private:
    SqlParameter value_;
};

template <class T>
auto lift(T const& value) {
    if constexpr (Expression<T>) {
        return value;
    } else {
        static_assert(is_bindable<std::decay_t<T>>() && !SqlNull<T>,
                      "a value of an expression cannot be bound: SQL takes bool, integers (not unsigned "
                      "64-bit ones), double, text, bytes, the types of sql_value.h, or a std::optional of "
                      "these; nothing is compared by == std::nullopt");
        return Literal<typename ValueOf<Bare<std::decay_t<T>>>::Type, is_optional<T>>(to_parameter(value));
    }
}

template <class E>
class ListTest : public ExpressionMethods<ListTest<E>> {
public:
    using Value = bool;
    using Root = typename E::Root;
    using Outer = typename E::Outer;
    static constexpr ExpressionFacts facts = condition_facts(E::facts);

    ListTest(E expression, std::vector<SqlParameter> values)
        : expression_(std::move(expression)), values_(std::move(values)) {}
    void write(QueryPlan& plan) const {
        plan.push({.op = PlanOp::in_list, .count = 1, .number = static_cast<std::uint32_t>(values_.size())});
        expression_.write(plan);
        for (SqlParameter const& value : values_) plan.push_value(value);
    }

private:
    E expression_;
    std::vector<SqlParameter> values_;
};

// `expression` in the one column that a query set selects.
template <class E, class Set>
class SetTest : public ExpressionMethods<SetTest<E, Set>> {
    static_assert(Set::is_single, "in: the query set selects one expression, see QuerySet::select()");

public:
    using Value = bool;
    using Root = typename JoinModels<typename E::Root, typename Set::OuterModel>::Type;
    using Outer = typename E::Outer;
    // A NULL among the rows makes "not in" unknown.
    static constexpr ExpressionFacts facts{false, true, E::facts.level};

    SetTest(E expression, Set const& set) : expression_(std::move(expression)), set_(set.plan()) {
        static_assert(is_same_kind<typename E::Value, Bare<typename Set::Row>>,
                      "in: the query set selects values of another kind");
    }
    void write(QueryPlan& plan) const {
        plan.push({.op = PlanOp::in_set, .count = 2});
        expression_.write(plan);
        plan.push_subquery(set_);
    }

private:
    E expression_;
    QueryPlan set_;
};

// Whether a query set has rows (exists), or its one value.
template <class V, bool Nullable, class OuterModel, PlanOp Op>
class Subquery : public ExpressionMethods<Subquery<V, Nullable, OuterModel, Op>> {
public:
    using Value = V;
    using Root = OuterModel;
    using Outer = void;
    static constexpr ExpressionFacts facts{Nullable, Nullable, Level::row};

    explicit Subquery(QueryPlan plan) : plan_(std::move(plan)) {}
    void write(QueryPlan& plan) const {
        if constexpr (Op == PlanOp::exists) plan.push({.op = PlanOp::exists, .count = 1});
        plan.push_subquery(plan_);
    }

private:
    QueryPlan plan_;
};

}  // namespace detail

}  // namespace quern
