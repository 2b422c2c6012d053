// SPDX-License-Identifier: Apache-2.0
#pragma once

// Questions about tables, put together step by step and asked later.
//
//     constexpr quern::Table<Book> books;                                       // table.h
//     auto const recent = books.where(field<&Book::year> >= 2000)
//                              .order_by(field<&Book::year>.descending())
//                              .limit(20);
//     auto rows = recent.all(*db);                                              // Result<std::vector<Book>>
//     auto with_authors = recent.with<&Book::author>().all(*db);                // tuples of Book and Author
//     auto per_year = books.group_by(field<&Book::year>)
//                          .having(quern::count() > 1)
//                          .select(field<&Book::year>, quern::count());         // tuples of int and int64
//
// A set is lazy: nothing is asked before all(), first(), each(), count(), exists(), update() or remove(). It
// is immutable: each step gives a new set, and the old one can be used again. A set is turned into a plan
// (query_plan.h), which knows no database; whether the database can do what it asks is found out before
// anything is sent, and is an error with the code `unsupported` that names the ability.
//
// The text of the statement is made when a shape is first asked for, and kept; a set that differs in values
// alone uses the same one. A set over a set is a subquery: in(), exists(), value_of().

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <quern/dialect.h>
#include <quern/error.h>
#include <quern/expression.h>
#include <quern/query_function.h>
#include <quern/query_plan.h>
#include <quern/query_row.h>
#include <quern/sqlite.h>

namespace quern {

namespace detail {

template <class On>
concept SqlTarget = std::same_as<On, Database> || std::same_as<On, Transaction>;

// How statements of plans and tables get to a connection.
struct PlanAccess {
    [[nodiscard]] static Result<SqlRun> start(Database& database, SqlText const& text);
    [[nodiscard]] static Result<SqlRun> start(Transaction& transaction, SqlText const& text);
};

// Runs a plan that reads, and hands its rows to `use(SqlRun&)`.
template <class On, class Use>
auto run_plan(On& on, QueryPlan const& plan, PlanUse use_of_plan, Use use)
    -> std::invoke_result_t<Use&, SqlRun&> {
    auto statement = plan_statement(plan, use_of_plan);
    if (!statement) return fail(std::move(statement).error());
    auto run = PlanAccess::start(on, (*statement)->text);
    if (!run) return fail(std::move(run).error());
    bind_values(*run, **statement, plan);
    return use(*run);
}

// Runs a plan that writes, in a transaction of its own where there is none.
[[nodiscard]] Result<Changes> write_plan(Transaction& transaction, QueryPlan const& plan, PlanUse use);
[[nodiscard]] Result<Changes> write_plan(Database& database, QueryPlan const& plan, PlanUse use);

template <class M, class... E>
consteval void check_over() {
    static_assert(((std::is_void_v<typename E::Root> || std::is_same_v<typename E::Root, M>)&&...),
                  "the expression is over another model than the query set: follow a reference with "
                  "field<&A::reference, &B::member>");
}

}  // namespace detail

// Rows of the table of `M`, each given as a `RowType`. `OuterM` is the model that outer<> fields look at,
// void without any.
//
// Threads: frozen.
// Cost:    a step on a set that is not used again (a chain) copies nothing; otherwise it copies the set.
template <class M, class RowType = M, class OuterM = void>
class QuerySet {
    using Plan = QueryPlan;

public:
    struct QuerySetTag {};
    using Model = M;
    using Row = RowType;
    using OuterModel = OuterM;
    // One expression is selected.
    static constexpr bool is_single = detail::SqlCell<RowType>::is_known;

    QuerySet() {
        constexpr std::size_t nodes_mostly = 16;
        constexpr std::size_t values_mostly = 4;
        plan_.reserve(nodes_mostly, values_mostly);
        plan_.push({.op = PlanOp::from, .what = &detail::table_info<M>()});
    }

    // Those rows that also satisfy the condition.
    template <detail::Expression E>
    [[nodiscard]] auto where(E const& condition) const& {
        return filtered<PlanOp::where>(Plan(plan_), condition);
    }
    template <detail::Expression E>
    [[nodiscard]] auto where(E const& condition) && {
        return filtered<PlanOp::where>(std::move(plan_), condition);
    }

    // In this order instead of the one before; without any, the database's own. What comes first decides.
    template <class... E>
    [[nodiscard]] auto order_by(E const&... key) const& {
        return ordered(Plan(plan_), key...);
    }
    template <class... E>
    [[nodiscard]] auto order_by(E const&... key) && {
        return ordered(std::move(plan_), key...);
    }
    // In a new random order each time.
    [[nodiscard]] QuerySet in_random_order() const {
        Plan plan(plan_);
        plan.push({.op = PlanOp::order, .count = 1});
        plan.push({.op = PlanOp::order_key, .count = 1});
        plan.push({.op = PlanOp::random});
        return QuerySet(std::move(plan));
    }

    // At most so many rows; from this one on, 0 for the first. Errors: parameter_invalid — of the query, for
    // a negative number.
    [[nodiscard]] QuerySet limit(std::int64_t rows) const& {
        return bounded(Plan(plan_), PlanOp::limit, rows);
    }
    [[nodiscard]] QuerySet limit(std::int64_t rows) && {
        return bounded(std::move(plan_), PlanOp::limit, rows);
    }
    [[nodiscard]] QuerySet offset(std::int64_t rows) const& {
        return bounded(Plan(plan_), PlanOp::offset, rows);
    }
    [[nodiscard]] QuerySet offset(std::int64_t rows) && {
        return bounded(std::move(plan_), PlanOp::offset, rows);
    }

    // Rows that are the same are given once.
    [[nodiscard]] QuerySet distinct() const { return marked({.op = PlanOp::distinct}); }
    // The first row for each value of these, by the order. Errors: unsupported — of the query, in SQLite.
    template <detail::Expression... E>
    [[nodiscard]] auto distinct_on(E const&... key) const {
        static_assert(sizeof...(E) > 0, "distinct_on: name at least one expression");
        static_assert(((E::facts.level == detail::Level::row) && ...), "distinct_on: values of the rows");
        return listed(PlanOp::distinct_on, key...);
    }
    // The rows stay locked until the transaction ends. Errors: unsupported — of the query, in SQLite, where
    // a transaction has the whole file to itself.
    [[nodiscard]] QuerySet for_update() const { return marked({.op = PlanOp::lock}); }

    // Rows with equal keys become one; see select().
    template <detail::Expression... E>
    [[nodiscard]] auto group_by(E const&... key) const {
        static_assert(sizeof...(E) > 0, "group_by: name at least one expression");
        static_assert(((E::facts.level == detail::Level::row) && ...), "group_by: by values of the rows");
        return listed(PlanOp::group, key...);
    }
    // Those groups that satisfy the condition.
    template <detail::Expression E>
    [[nodiscard]] auto having(E const& condition) const {
        return filtered<PlanOp::having>(Plan(plan_), condition);
    }

    // These expressions instead of the whole row: a row is the value of the one, or the std::tuple of them.
    template <detail::Expression... E>
    [[nodiscard]] auto select(E const&... expression) const {
        static_assert(sizeof...(E) > 0, "select: name at least one expression");
        using First = std::tuple_element_t<0, std::tuple<detail::OutputOf<E>...>>;
        using Selected = std::conditional_t<sizeof...(E) == 1, First, std::tuple<detail::OutputOf<E>...>>;
        return selected<Selected>(expression...);
    }
    // The same into a described struct, by position: select_as<Summary>(field<&Book::year>, count()).
    template <class T, detail::Expression... E>
    [[nodiscard]] auto select_as(E const&... expression) const {
        detail::check_output_struct<T, E...>();
        return selected<T>(expression...);
    }
    // Each row with the one that it refers to, through one reference or a chain of them; a std::optional
    // where a reference may be NULL. Several calls give several rows, in their order.
    template <auto... Pointer>
    [[nodiscard]] auto with() const {
        using detail::MemberTypeOf;
        static_assert(detail::starts_with_row<M, RowType>, "with: not behind select()");
        detail::check_path<Pointer...>();
        constexpr auto last = detail::last_of<Pointer...>;
        using Target = typename detail::ReferenceTarget<last>::Type;
        constexpr bool nullable = (detail::is_optional<MemberTypeOf<Pointer>> || ...);
        using Related = std::conditional_t<nullable, std::optional<Target>, Target>;
        using Joined = typename detail::AppendRow<RowType, Related>::Type;
        Plan plan(plan_);
        plan.push({.op = PlanOp::related, .count = 1});
        plan.push({.op = PlanOp::row, .what = &detail::row_path<Target, Pointer...>});
        return QuerySet<M, Joined, OuterM>(std::move(plan));
    }

    // --- asking ---
    // `on` is a Database, or the Transaction that is open.
    //
    // Errors of all: unsupported — the database cannot do it, `fields` names the ability; nothing was sent;
    //                parameter_invalid — the set contradicts itself: a column that is neither in group_by()
    //                nor in an aggregate, distinct() ordered by what it does not select, a negative limit;
    //                validation — a value that cannot be stored (SqlValue);
    //                those of Database::query(), and for update() and remove() of Database::execute().

    // All rows. Cost: as Database::query().
    template <detail::SqlTarget On>
    [[nodiscard]] Result<std::vector<Row>> all(On& on) const {
        check_asked();
        return detail::run_plan(on, plan_, detail::PlanUse::rows,
                                [](detail::SqlRun& run) { return detail::read_rows<Row>(run); });
    }
    // The first row, if there is one.
    template <detail::SqlTarget On>
    [[nodiscard]] Result<std::optional<Row>> first(On& on) const {
        check_asked();
        return detail::run_plan(on, plan_, detail::PlanUse::first,
                                [](detail::SqlRun& run) { return detail::read_first<Row>(run); });
    }
    // Calls f(Row&) with each row, as Database::query_each().
    template <detail::SqlTarget On, class F>
    [[nodiscard]] Result<void> each(On& on, F&& f) const {
        check_asked();
        return detail::run_plan(on, plan_, detail::PlanUse::rows,
                                [&f](detail::SqlRun& run) { return detail::read_each<Row>(run, f); });
    }
    // Number of rows, with limit and offset.
    template <detail::SqlTarget On>
    [[nodiscard]] Result<std::int64_t> count(On& on) const {
        check_asked();
        return detail::run_plan(on, plan_, detail::PlanUse::count, [](detail::SqlRun& run) {
            return detail::read_only_value<std::int64_t>(run);
        });
    }
    // Whether there is a row.
    template <detail::SqlTarget On>
    [[nodiscard]] Result<bool> exists(On& on) const {
        check_asked();
        return detail::run_plan(on, plan_, detail::PlanUse::exists,
                                [](detail::SqlRun& run) { return detail::read_only_value<bool>(run); });
    }

    // Sets columns of all rows of the set, and returns how many rows those are:
    // set.update(*db, field<&Book::available>.set(false), field<&Book::year>.set(field<&Book::year> + 1)).
    template <detail::SqlTarget On, class... A>
    Result<std::int64_t> update(On& on, A const&... assignment) const {
        check_asked();
        static_assert(std::is_same_v<M, RowType>, "update: not behind select() or with()");
        static_assert(sizeof...(A) > 0, "update: name what is set, field<&M::member>.set(value)");
        static_assert((std::is_same_v<typename A::Model, M> && ...), "update: a field of another model");
        Plan plan(plan_);
        (write_assignment(plan, assignment), ...);
        return written(detail::write_plan(on, plan, detail::PlanUse::update));
    }
    // Deletes all rows of the set, and returns how many rows those are; rows that go by a cascade are not
    // counted.
    template <detail::SqlTarget On>
    Result<std::int64_t> remove(On& on) const {
        check_asked();
        static_assert(std::is_same_v<M, RowType>, "remove: not behind select() or with()");
        return written(detail::write_plan(on, plan_, detail::PlanUse::remove));
    }

    // The statement that all() sends. Errors: unsupported, parameter_invalid — as all().
    [[nodiscard]] Result<QueryText> sql(Dialect dialect = Dialect::sqlite) const {
        return detail::query_text(plan_, detail::PlanUse::rows, dialect);
    }
    [[nodiscard]] QueryPlan const& plan() const { return plan_; }

private:
    template <class, class, class>
    friend class QuerySet;

    explicit QuerySet(Plan plan) : plan_(std::move(plan)) {}

    static consteval void check_asked() {
        static_assert(
            std::is_void_v<OuterM>,
            "the set has outer<> fields: it is for in(), exists() or value_of() within another set");
    }
    static Result<std::int64_t> written(Result<Changes> changes) {
        if (!changes) return fail(std::move(changes).error());
        return changes->rows;
    }

    template <PlanOp Op, class E>
    static auto filtered(Plan plan, E const& condition) {
        detail::check_condition<E>();
        detail::check_over<M, E>();
        using detail::Level;
        static_assert(
            E::facts.level == Level::row || (Op == PlanOp::having && E::facts.level == Level::group),
            "where: aggregates belong into having(), windows into select()");
        using Outer = typename detail::JoinModels<OuterM, typename E::Outer>::Type;
        plan.push({.op = Op, .count = 1});
        condition.write(plan);
        return QuerySet<M, RowType, Outer>(std::move(plan));
    }
    template <class... E>
    static auto ordered(Plan plan, E const&... key) {
        static_assert(sizeof...(E) > 0, "order_by: name at least one expression");
        detail::check_over<M, decltype(detail::as_order(key))...>();
        plan.push({.op = PlanOp::order, .count = static_cast<std::uint16_t>(sizeof...(E))});
        (detail::as_order(key).write(plan), ...);
        using Outer =
            typename detail::JoinModels<OuterM, typename decltype(detail::as_order(key))::Outer...>::Type;
        return QuerySet<M, RowType, Outer>(std::move(plan));
    }
    static QuerySet bounded(Plan plan, PlanOp op, std::int64_t rows) {
        plan.push_value(op, rows);
        return QuerySet(std::move(plan));
    }
    [[nodiscard]] QuerySet marked(detail::PlanNode node) const {
        Plan plan(plan_);
        plan.push(node);
        return QuerySet(std::move(plan));
    }
    template <class... E>
    [[nodiscard]] auto listed(PlanOp op, E const&... expression) const {
        detail::check_over<M, E...>();
        Plan plan(plan_);
        plan.push({.op = op, .count = static_cast<std::uint16_t>(sizeof...(E))});
        (expression.write(plan), ...);
        using Outer = typename detail::JoinModels<OuterM, typename E::Outer...>::Type;
        return QuerySet<M, RowType, Outer>(std::move(plan));
    }
    template <class T, class... E>
    [[nodiscard]] auto selected(E const&... expression) const {
        static_assert(std::is_same_v<M, RowType>, "select: only once, and not behind with()");
        detail::check_over<M, E...>();
        using Outer = typename detail::JoinModels<OuterM, typename E::Outer...>::Type;
        Plan plan(plan_);
        plan.push({.op = PlanOp::output, .count = static_cast<std::uint16_t>(sizeof...(E))});
        (write_output(plan, expression), ...);
        return QuerySet<M, T, Outer>(std::move(plan));
    }
    template <class E>
    static void write_output(Plan& plan, E const& expression) {
        constexpr bool is_condition = std::is_same_v<typename E::Value, bool>;
        if constexpr (is_condition && E::facts.unknown && !E::facts.nullable)
            plan.push({.op = PlanOp::is_true, .count = 1});
        expression.write(plan);
    }
    template <class A>
    static void write_assignment(Plan& plan, A const& assignment) {
        plan.push({.op = PlanOp::assign, .count = 1, .number = assignment.column});
        write_output(plan, assignment.value);
    }

    Plan plan_;
};

// Whether a query set has rows; its outer<> fields are those of the set that it stands in.
template <class M, class Row, class Outer>
[[nodiscard]] auto exists(QuerySet<M, Row, Outer> const& set) {
    return detail::Subquery<bool, false, Outer, PlanOp::exists>(set.plan());
}
// The one value that a query set selects, of its first row; NULL without rows.
template <class M, class Row, class Outer>
[[nodiscard]] auto value_of(QuerySet<M, Row, Outer> const& set) {
    static_assert(QuerySet<M, Row, Outer>::is_single, "value_of: the set selects one expression");
    return detail::Subquery<detail::Bare<Row>, true, Outer, PlanOp::subquery>(set.plan());
}

}  // namespace quern
