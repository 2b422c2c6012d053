// SPDX-License-Identifier: Apache-2.0
#pragma once

// Functions, aggregates and window functions for expressions.
//
//     quern::lower(field<&Book::title>)
//     quern::count()   quern::sum(field<&Book::pages>).where(field<&Book::available>)
//     quern::rank().over(quern::window.partition_by(field<&Book::author>).order_by(field<&Book::year>))
//     quern::when(field<&Book::year> < 1900, "old").otherwise("new")
//
// NULL among the arguments makes NULL, unless it is said otherwise; aggregates pass over NULL.

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <quern/expression.h>

namespace quern {

namespace detail {

constexpr std::uint32_t number_of(PlanFunction function) { return static_cast<std::uint32_t>(function); }

template <class E>
consteval void check_text() {
    static_assert(value_kind<typename E::Value>() == ValueKind::text, "this function is for texts");
}
template <class E>
consteval void check_number() {
    static_assert(value_kind<typename E::Value>() == ValueKind::number, "this function is for numbers");
}
template <class E>
consteval void check_ordered() {
    static_assert(value_kind<typename E::Value>() != ValueKind::boolean &&
                      value_kind<typename E::Value>() != ValueKind::bytes,
                  "min, max: of numbers and texts; of conditions, see count().where()");
}
// What a whole number becomes in a calculation.
template <class V>
using Widened = std::conditional_t<SqlReal<V>, double, std::int64_t>;

template <class V, class... E>
auto call(PlanFunction function, E... argument) {
    return operation<V, facts_of<E...>(any_nullable<E...>)>(
        {.op = PlanOp::function, .number = number_of(function)}, std::move(argument)...);
}

// --- windows ---

template <class Partition, class Order>
class Window;

template <class... P, class... O>
class Window<std::tuple<P...>, std::tuple<O...>> {
public:
    using Root = typename JoinModels<typename P::Root..., typename O::Root...>::Type;
    using Outer = typename JoinModels<typename P::Outer..., typename O::Outer...>::Type;
    static constexpr std::size_t partition_count = sizeof...(P);
    static constexpr std::size_t operand_count = sizeof...(P) + sizeof...(O);

    constexpr Window() = default;
    Window(std::tuple<P...> partition, std::tuple<O...> order, std::uint8_t flags, std::uint16_t rows)
        : partition_(std::move(partition)), order_(std::move(order)), flags_(flags), rows_(rows) {}

    // Rows with the same values are looked at together.
    template <Expression... E>
    [[nodiscard]] auto partition_by(E const&... key) const {
        static_assert(((E::facts.level != Level::window) && ...), "a window within a window");
        return Window<std::tuple<E...>, std::tuple<O...>>(std::tuple(key...), order_, flags_, rows_);
    }
    template <class... E>
    [[nodiscard]] auto order_by(E const&... key) const {
        static_assert(((decltype(as_order(key))::facts.level != Level::window) && ...),
                      "a window within a window");
        return Window<std::tuple<P...>, std::tuple<decltype(as_order(key))...>>(
            partition_, std::tuple(as_order(key)...), flags_, rows_);
    }
    // All rows of the partition, not only those up to this one.
    [[nodiscard]] Window whole_partition() const {
        return {partition_, order_, plan_flag::whole_partition, 0};
    }
    // This row and so many before it. Limits: 65 535.
    [[nodiscard]] Window rows_before(std::uint16_t count) const {
        return {partition_, order_, plan_flag::rows_before, count};
    }

    [[nodiscard]] std::uint8_t flags() const { return flags_; }
    [[nodiscard]] std::uint32_t number() const {
        return static_cast<std::uint32_t>(partition_count) | (std::uint32_t{rows_} << 16U);
    }
    void write(QueryPlan& plan) const {
        std::apply([&plan](auto const&... key) { (key.write(plan), ...); }, partition_);
        std::apply([&plan](auto const&... key) { (key.write(plan), ...); }, order_);
    }

private:
    std::tuple<P...> partition_;
    std::tuple<O...> order_;
    std::uint8_t flags_ = 0;
    std::uint16_t rows_ = 0;
};

template <class F, class W>
class Over : public ExpressionMethods<Over<F, W>> {
public:
    using Value = typename F::Value;
    using Root = typename JoinModels<typename F::Root, typename W::Root>::Type;
    using Outer = typename JoinModels<typename F::Outer, typename W::Outer>::Type;
    static constexpr ExpressionFacts facts{F::facts.nullable, F::facts.nullable, Level::window};

    Over(F function, W window) : function_(std::move(function)), window_(std::move(window)) {}
    void write(QueryPlan& plan) const {
        plan.push({.op = PlanOp::over,
                   .flags = window_.flags(),
                   .count = static_cast<std::uint16_t>(1 + W::operand_count),
                   .number = window_.number()});
        function_.write(plan);
        window_.write(plan);
    }

private:
    F function_;
    W window_;
};

// A function that is of use over a window only.
template <class V, bool Nullable, class... E>
class WindowFunction {
public:
    using Value = V;
    using Root = typename JoinModels<typename E::Root...>::Type;
    using Outer = typename JoinModels<typename E::Outer...>::Type;
    static constexpr ExpressionFacts facts{Nullable, Nullable, Level::window};

    explicit WindowFunction(PlanFunction function, E... argument)
        : function_(function), arguments_(std::move(argument)...) {}
    template <class W>
    [[nodiscard]] auto over(W const& window) const {
        return Over<WindowFunction, W>(*this, window);
    }
    void write(QueryPlan& plan) const {
        plan.push({.op = PlanOp::function,
                   .count = static_cast<std::uint16_t>(sizeof...(E)),
                   .number = number_of(function_)});
        std::apply([&plan](auto const&... argument) { (argument.write(plan), ...); }, arguments_);
    }

private:
    PlanFunction function_;
    std::tuple<E...> arguments_;
};

// --- aggregates ---

struct NoFilter {
    using Root = void;
    using Outer = void;
    static constexpr ExpressionFacts facts{};
    void write(QueryPlan&) const {}
};

template <class V, bool Nullable, class Filter, class... E>
class Aggregate : public ExpressionMethods<Aggregate<V, Nullable, Filter, E...>> {
    static constexpr bool is_filtered = !std::is_same_v<Filter, NoFilter>;

public:
    using Value = V;
    using Root = typename JoinModels<typename Filter::Root, typename E::Root...>::Type;
    using Outer = typename JoinModels<typename Filter::Outer, typename E::Outer...>::Type;
    static constexpr ExpressionFacts facts{Nullable, Nullable, Level::group};
    static_assert(((E::facts.level == Level::row) && ...), "an aggregate is of values of the rows");
    static_assert(!std::is_void_v<Root> || std::is_void_v<Outer>,
                  "an aggregate of outer<> fields alone is one of the query around");

    Aggregate(PlanFunction function, std::uint8_t flags, Filter filter, std::tuple<E...> arguments)
        : function_(function), flags_(flags), filter_(std::move(filter)), arguments_(std::move(arguments)) {}

    // Of those rows only.
    template <Expression C>
    [[nodiscard]] auto where(C const& condition) const {
        check_condition<C>();
        static_assert(C::facts.level == Level::row, "where: of values of the rows");
        static_assert(!is_filtered, "where: name one condition, with && for several");
        return Aggregate<V, Nullable, C, E...>(function_, flags_ | plan_flag::filtered, condition,
                                               arguments_);
    }
    // Each value once.
    [[nodiscard]] Aggregate distinct() const {
        return {function_, static_cast<std::uint8_t>(flags_ | plan_flag::distinct), filter_, arguments_};
    }
    // For each row, over the rows of a window.
    template <class W>
    [[nodiscard]] auto over(W const& window) const {
        return Over<Aggregate, W>(*this, window);
    }
    void write(QueryPlan& plan) const {
        plan.push({.op = PlanOp::aggregate,
                   .flags = flags_,
                   .count = static_cast<std::uint16_t>(sizeof...(E) + (is_filtered ? 1 : 0)),
                   .number = number_of(function_)});
        std::apply([&plan](auto const&... argument) { (argument.write(plan), ...); }, arguments_);
        filter_.write(plan);
    }

private:
    PlanFunction function_;
    std::uint8_t flags_;
    Filter filter_;
    std::tuple<E...> arguments_;
};

template <class V, bool Nullable, class... E>
auto aggregate(PlanFunction function, E... argument) {
    return Aggregate<V, Nullable, NoFilter, E...>(function, 0, {}, std::tuple<E...>(std::move(argument)...));
}

// --- when ---

template <class V, class... E>
class When {
public:
    explicit When(std::tuple<E...> parts) : parts_(std::move(parts)) {}

    template <Expression C, class T>
    [[nodiscard]] auto when(C const& condition, T const& value) const {
        check_condition<C>();
        static_assert(is_same_kind<V, typename Lifted<T>::Value>, "when: the values are of different kinds");
        return When<V, E..., C, Lifted<T>>(
            std::tuple_cat(parts_, std::tuple<C, Lifted<T>>(condition, lift(value))));
    }
    template <class T>
    [[nodiscard]] auto otherwise(T const& value) const {
        static_assert(is_same_kind<V, typename Lifted<T>::Value>, "otherwise: the value is of another kind");
        return finish(lift(value));
    }

private:
    template <class Last>
    [[nodiscard]] auto finish(Last last) const {
        // Whether a condition can be null does not matter, but looking at the values alone is not worth it.
        constexpr auto facts = facts_of<E..., Last>(any_nullable<E..., Last>);
        return std::apply(
            [&last](E const&... part) {
                return operation<V, facts>({.op = PlanOp::when}, part..., std::move(last));
            },
            parts_);
    }
    std::tuple<E...> parts_;
};

template <FixedString Name>
inline constexpr std::string_view function_name = kept_name<Name>.view();

}  // namespace detail

// --- functions ---

// Of ASCII letters in SQLite; as the locale tells in PostgreSQL.
template <detail::Expression E>
[[nodiscard]] auto lower(E const& text) {
    detail::check_text<E>();
    return detail::call<std::string>(PlanFunction::lower, text);
}
template <detail::Expression E>
[[nodiscard]] auto upper(E const& text) {
    detail::check_text<E>();
    return detail::call<std::string>(PlanFunction::upper, text);
}
// Number of code points.
template <detail::Expression E>
[[nodiscard]] auto length(E const& text) {
    detail::check_text<E>();
    return detail::call<std::int64_t>(PlanFunction::length, text);
}
// Without blanks at both ends.
template <detail::Expression E>
[[nodiscard]] auto trim(E const& text) {
    detail::check_text<E>();
    return detail::call<std::string>(PlanFunction::trim, text);
}
template <detail::Expression E, class A, class B>
[[nodiscard]] auto replace(E const& text, A const& part, B const& by) {
    detail::check_text<E>();
    detail::check_text<detail::Lifted<A>>();
    detail::check_text<detail::Lifted<B>>();
    return detail::call<std::string>(PlanFunction::replace, text, detail::lift(part), detail::lift(by));
}
// `count` code points from the one at `from`, which is 1 for the first.
template <detail::Expression E, class F, class N>
[[nodiscard]] auto substring(E const& text, F const& from, N const& count) {
    detail::check_text<E>();
    detail::check_number<detail::Lifted<F>>();
    detail::check_number<detail::Lifted<N>>();
    return detail::call<std::string>(PlanFunction::substring, text, detail::lift(from), detail::lift(count));
}
template <detail::Expression E>
[[nodiscard]] auto abs(E const& number) {
    detail::check_number<E>();
    return detail::call<detail::Widened<typename E::Value>>(PlanFunction::absolute, number);
}
// To the nearest whole number, as a double; a half away from zero in SQLite, to an even one in PostgreSQL.
template <detail::Expression E>
[[nodiscard]] auto round(E const& number) {
    detail::check_number<E>();
    return detail::call<double>(PlanFunction::round, number);
}
// The first that is not NULL.
template <detail::Expression E, class... T>
[[nodiscard]] auto coalesce(E const& first, T const&... rest) {
    static_assert(sizeof...(T) > 0, "coalesce: name at least two");
    (detail::check_comparable<E, detail::Lifted<T>>(), ...);
    constexpr bool nullable = E::facts.nullable && (detail::Lifted<T>::facts.nullable && ...);
    constexpr detail::ExpressionFacts facts{nullable, nullable,
                                            detail::highest_level<E, detail::Lifted<T>...>};
    return detail::operation<typename E::Value, facts>(
        {.op = PlanOp::function, .number = detail::number_of(PlanFunction::coalesce)}, first,
        detail::lift(rest)...);
}
// A function of the database by its name, with the type of its result (a std::optional where it may be NULL):
// call<"soundex", std::string>(field<&Author::name>).
template <FixedString Name, class R, class... T>
[[nodiscard]] auto call(T const&... argument) {
    constexpr bool nullable = detail::is_optional<R>;
    constexpr detail::ExpressionFacts facts{nullable, nullable, detail::highest_level<detail::Lifted<T>...>};
    return detail::operation<detail::Bare<R>, facts>(
        {.op = PlanOp::named_function, .what = &detail::function_name<Name>}, detail::lift(argument)...);
}
// `value` where the condition holds; go on with .when(condition, value), end with .otherwise(value).
template <detail::Expression C, class T>
[[nodiscard]] auto when(C const& condition, T const& value) {
    using Value = typename detail::Lifted<T>::Value;
    return detail::When<Value>(std::tuple<>()).when(condition, value);
}

// --- aggregates ---

// Number of rows.
[[nodiscard]] inline auto count() { return detail::aggregate<std::int64_t, false>(PlanFunction::count); }
// Number of rows in which it is not NULL; with .distinct(), of different values.
template <detail::Expression E>
[[nodiscard]] auto count(E const& expression) {
    return detail::aggregate<std::int64_t, false>(PlanFunction::count, expression);
}
// NULL for no rows. Errors: internal — of the query: a sum of whole numbers passes 64 bits.
template <detail::Expression E>
[[nodiscard]] auto sum(E const& number) {
    detail::check_number<E>();
    return detail::aggregate<detail::Widened<typename E::Value>, true>(PlanFunction::sum, number);
}
template <detail::Expression E>
[[nodiscard]] auto avg(E const& number) {
    detail::check_number<E>();
    return detail::aggregate<double, true>(PlanFunction::average, number);
}
template <detail::Expression E>
[[nodiscard]] auto min(E const& expression) {
    detail::check_ordered<E>();
    return detail::aggregate<typename E::Value, true>(PlanFunction::minimum, expression);
}
template <detail::Expression E>
[[nodiscard]] auto max(E const& expression) {
    detail::check_ordered<E>();
    return detail::aggregate<typename E::Value, true>(PlanFunction::maximum, expression);
}
// The texts of the rows in one, in no particular order.
template <detail::Expression E, class S>
[[nodiscard]] auto join_text(E const& text, S const& separator) {
    detail::check_text<E>();
    return detail::aggregate<std::string, true>(PlanFunction::join_text, text, detail::lift(separator));
}
// Of a sample. Errors: unsupported — of the query, in SQLite.
template <detail::Expression E>
[[nodiscard]] auto stddev(E const& number) {
    detail::check_number<E>();
    return detail::aggregate<double, true>(PlanFunction::deviation, number);
}
template <detail::Expression E>
[[nodiscard]] auto variance(E const& number) {
    detail::check_number<E>();
    return detail::aggregate<double, true>(PlanFunction::variance, number);
}

// --- window functions ---

// All rows of the query; go on with .partition_by(...) and .order_by(...).
inline constexpr detail::Window<std::tuple<>, std::tuple<>> window{};

[[nodiscard]] inline auto row_number() {
    return detail::WindowFunction<std::int64_t, false>(PlanFunction::row_number);
}
[[nodiscard]] inline auto rank() { return detail::WindowFunction<std::int64_t, false>(PlanFunction::rank); }
[[nodiscard]] inline auto dense_rank() {
    return detail::WindowFunction<std::int64_t, false>(PlanFunction::dense_rank);
}
// The rows in so many parts of equal size, from 1.
template <class N>
[[nodiscard]] auto ntile(N const& parts) {
    return detail::WindowFunction<std::int64_t, false, detail::Lifted<N>>(PlanFunction::ntile,
                                                                          detail::lift(parts));
}
// Its value `distance` rows before, NULL where there is none; and behind.
template <detail::Expression E>
[[nodiscard]] auto lag(E const& expression, std::int64_t distance = 1) {
    using Distance = detail::Lifted<std::int64_t>;
    return detail::WindowFunction<typename E::Value, true, E, Distance>(PlanFunction::lag, expression,
                                                                        detail::lift(distance));
}
template <detail::Expression E>
[[nodiscard]] auto lead(E const& expression, std::int64_t distance = 1) {
    using Distance = detail::Lifted<std::int64_t>;
    return detail::WindowFunction<typename E::Value, true, E, Distance>(PlanFunction::lead, expression,
                                                                        detail::lift(distance));
}
template <detail::Expression E>
[[nodiscard]] auto first_value(E const& expression) {
    return detail::WindowFunction<typename E::Value, E::facts.nullable, E>(PlanFunction::first_value,
                                                                           expression);
}
// Of the rows up to this one, unless the window is the whole_partition().
template <detail::Expression E>
[[nodiscard]] auto last_value(E const& expression) {
    return detail::WindowFunction<typename E::Value, E::facts.nullable, E>(PlanFunction::last_value,
                                                                           expression);
}

}  // namespace quern
