// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of query sets: models, models that a reference leads to, selected values, and tuples of these.

#include <cstddef>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/mp11/algorithm.hpp>

#include <quern/expression.h>
#include <quern/sqlite_row.h>

namespace quern::detail {

template <auto... Pointer>
inline constexpr auto last_of = std::get<sizeof...(Pointer) - 1>(std::tuple{Pointer...});

// The model that a reference leads to.
template <auto Pointer>
struct ReferenceTarget {
    template <class P>
    struct Is : std::false_type {};
    template <class Target>
    struct Is<ReferencePart<Pointer, Target>> : std::true_type {};
    template <class T>
    struct List;
    template <FixedString Name, class... P>
    struct List<ModelParts<Name, P...>> {
        using Found = boost::mp11::mp_copy_if<boost::mp11::mp_list<P...>, Is>;
    };
    using Found = typename List<std::remove_cvref_t<decltype(ClassOf<Pointer>::model)>>::Found;
    static_assert(boost::mp11::mp_size<Found>::value == 1,
                  "with: the member is no reference (quern::references in the model)");
    template <class P>
    struct TargetOf;
    template <class Target>
    struct TargetOf<ReferencePart<Pointer, Target>> {
        using Type = Target;
    };
    using Type = typename TargetOf<boost::mp11::mp_first<Found>>::Type;
};

// The rows of `Target`, reached through references.
template <class Target, auto... Pointer>
inline constexpr FieldPath row_path{path_hops<Pointer...>, &table_info<Target>, 0};

template <class M, class Row>
inline constexpr bool starts_with_row = std::is_same_v<M, Row>;
template <class M, class... Rest>
inline constexpr bool starts_with_row<M, std::tuple<M, Rest...>> = true;
template <class Row, class Next>
struct AppendRow {
    using Type = std::tuple<Row, Next>;
};
template <class... Row, class Next>
struct AppendRow<std::tuple<Row...>, Next> {
    using Type = std::tuple<Row..., Next>;
};

// What a selected expression is in C++.
template <class E>
using OutputOf = std::conditional_t<E::facts.nullable, std::optional<typename E::Value>, typename E::Value>;

template <class Member, class E>
inline constexpr bool takes_output = is_same_kind<Bare<Member>, typename E::Value> &&
                                     (is_optional<Member> || !E::facts.nullable) && SqlCell<Member>::is_known
                                     && !SqlCell<Member>::is_view;

template <class T, class... E>
consteval void check_output_struct() {
    static_assert(Described<T>, "select_as: a described struct");
    static_assert(member_count<T> == sizeof...(E),
                  "select_as: the struct has more or fewer members than there are expressions");
    if constexpr (Described<T> && member_count<T> == sizeof...(E)) {
        []<std::size_t... Index>(std::index_sequence<Index...>) {
            static_assert(
                (takes_output<typename Member<T, Index>::Type, E> && ...),
                "select_as: a member is of another kind than the expression at its place, or cannot "
                "be NULL where that can");
        }
        (std::index_sequence_for<E...>());
    }
}

// Reads a T from the columns at `column` on, and moves it behind them. Errors: into `error`.
template <class T>
struct SetRow {
    static bool read(SqlRun& run, int& column, T& row, std::optional<Error>& error) {
        return read_cell(run, column++, row, error);
    }
};

template <Described T>
struct SetRow<T> {
    static bool read(SqlRun& run, int& column, T& row, std::optional<Error>& error) {
        bool fine = true;
        for_each_member<T>([&](auto index) {
            fine = fine && read_cell(run, column++, row.*Member<T, index>::pointer, error);
        });
        return fine;
    }
};

// A row behind a reference that may be NULL: it is not there when its key is NULL.
template <Model T>
struct SetRow<std::optional<T>> {
    static bool read(SqlRun& run, int& column, std::optional<T>& row, std::optional<Error>& error) {
        if (run.is_null(column + read_model<T>.key[0])) {
            row.reset();
            column += static_cast<int>(member_count<T>);
            return true;
        }
        if (!row) row.emplace();
        return SetRow<T>::read(run, column, *row, error);
    }
};

template <class... T>
struct SetRow<std::tuple<T...>> {
    static bool read(SqlRun& run, int& column, std::tuple<T...>& row, std::optional<Error>& error) {
        return std::apply([&](T&... part) { return (SetRow<T>::read(run, column, part, error) && ...); },
                          row);
    }
};

// Calls `take(row)` with each row until it says false.
template <class T, class Take>
Result<void> take_set_rows(SqlRun& run, Take take) {
    std::optional<Error> error;
    T row{};
    while (run.step()) {
        int column = 0;
        if (!SetRow<T>::read(run, column, row, error)) return fail(*std::move(error));
        if (!take(row)) return {};
    }
    if (run.failed()) [[unlikely]]
        return fail(run.error());
    return {};
}

template <class T>
Result<std::vector<T>> read_rows(SqlRun& run) {
    std::vector<T> rows;
    std::optional<Error> error;
    while (run.step()) {
        int column = 0;
        if constexpr (std::is_same_v<T, bool>) {  // whose vector has no elements to refer to
            bool row = false;
            if (!SetRow<T>::read(run, column, row, error)) return fail(*std::move(error));
            rows.push_back(row);
        } else {
            if (!SetRow<T>::read(run, column, rows.emplace_back(), error)) return fail(*std::move(error));
        }
    }
    if (run.failed()) [[unlikely]]
        return fail(run.error());
    return rows;
}

template <class T>
Result<std::optional<T>> read_first(SqlRun& run) {
    std::optional<T> found;
    auto taken = take_set_rows<T>(run, [&found](T& row) {
        found.emplace(std::move(row));
        return false;
    });
    if (!taken) return fail(std::move(taken).error());
    return found;
}

template <class T, class F>
Result<void> read_each(SqlRun& run, F& f) {
    Result<void> told;
    auto taken = take_set_rows<T>(run, [&](T& row) { return call_taker(f, row, told); });
    return taken ? told : taken;
}

// Of a query that always gives one row.
template <class T>
Result<T> read_only_value(SqlRun& run) {
    auto found = read_first<T>(run);
    if (!found) return fail(std::move(found).error());
    return **std::move(found);
}

}  // namespace quern::detail
