// SPDX-License-Identifier: Apache-2.0
#pragma once

// How C++ values go into statements and rows come out of them.
//
// A row is one of three things: a struct described with Boost.Describe, whose public members take the columns
// in their order; a std::tuple, likewise; or a single value for statements of one column. Columns are given
// to members by position. So that positions cannot be mixed up, the names are compared as well where the text
// tells them: "SELECT id, title" does not compile into a struct whose first member is `title`; write AS to
// name an expression or to rename a column.
//
// A value's type is strict: NULL goes into a std::optional only, text into a std::string, a number that does
// not fit is an error that names the column. Nothing is converted silently, except whole numbers to double
// where that is exact. Integers are 64 bits wide all the way. Described enumerations, quern::Uuid,
// quern::Timestamp and types of your own are stored as sql_value.h says.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/describe/members.hpp>
#include <boost/describe/modifiers.hpp>
#include <boost/mp11/algorithm.hpp>
#include <boost/mp11/list.hpp>

#include <quern/describe.h>
#include <quern/error.h>
#include <quern/sql_text.h>
#include <quern/sql_value.h>

namespace quern {

// What a write did.
struct Changes {
    std::int64_t rows = 0;            // inserted, updated or deleted by the statement itself
    std::int64_t last_insert_id = 0;  // of the last row that it inserted; 0 when it inserted none
};

namespace detail {

class SqlConnection;
struct Prepared;

// A statement that is running: values are bound, then rows are stepped through. Ends with its object, which
// then gives the statement back.
// Threads: one at a time, that of its connection.
class SqlRun {
public:
    SqlRun(SqlConnection& connection, Prepared& statement)
        : connection_(&connection), statement_(&statement) {}
    SqlRun(SqlRun&& other) noexcept
        : connection_(other.connection_), statement_(std::exchange(other.statement_, nullptr)) {}
    SqlRun& operator=(SqlRun&&) = delete;
    ~SqlRun() {
        if (statement_ != nullptr) end();
    }

    // Parameter `index` is 1-based. Lifetime: text and bytes must live until the run ends.
    void bind_null(int index);
    void bind(int index, std::int64_t value);
    void bind(int index, double value);
    void bind(int index, std::string_view text);
    void bind(int index, std::span<std::byte const> bytes);
    // The same for what dies before the run ends. Cost: a copy, freed when the run ends.
    void bind_copy(int index, std::string_view text);
    void bind_copy(int index, std::span<std::byte const> bytes);
    // There is a value, but none that can be stored: the statement fails.
    void refuse(int index);

    // Whether there is a(nother) row; false at the end and after an error.
    [[nodiscard]] bool step();
    // Of the step, or of a value that did not fit.
    [[nodiscard]] bool failed() const { return code_ != 0; }
    [[nodiscard]] Error error();

    // The current row. Each is false where the stored type is another one. Lifetime of views: until the next
    // step or the end of the run.
    [[nodiscard]] int column_count() const;
    [[nodiscard]] bool is_null(int column) const;
    [[nodiscard]] bool get(int column, std::int64_t& value) const;
    [[nodiscard]] bool get(int column, double& value) const;
    [[nodiscard]] bool get(int column, std::string_view& text) const;
    [[nodiscard]] bool get(int column, std::span<std::byte const>& bytes) const;

    [[nodiscard]] Changes changes() const;
    void clear_changes();

    [[nodiscard]] Error misfit(int column, std::string_view wanted) const;
    [[nodiscard]] Error wrong_column_count(std::size_t wanted) const;

private:
    void end();
    void note(int code);

    SqlConnection* connection_;
    Prepared* statement_;
    int code_ = 0;     // of SQLite
    int refused_ = 0;  // the parameter, 0 for none
    bool copied_ = false;
    std::int64_t changes_before_ = 0;
};

// --- values into statements ---

template <class T>
void bind_value(SqlRun& run, int index, T const& value);

// `stored` dies before the run does.
template <class Stored>
void bind_stored(SqlRun& run, int index, Stored const& stored) {
    if constexpr (is_optional<Stored>) {
        if (stored) return bind_stored(run, index, *stored);
        run.refuse(index);
    } else if constexpr (std::same_as<Stored, std::string>) {
        run.bind_copy(index, std::string_view(stored));
    } else if constexpr (std::same_as<Stored, std::vector<std::byte>>) {
        run.bind_copy(index, std::span<std::byte const>(stored));
    } else {
        bind_value(run, index, stored);
    }
}

template <class T>
void bind_value(SqlRun& run, int index, T const& value) {
    if constexpr (is_optional<T>) {
        if (value) return bind_value(run, index, *value);
        run.bind_null(index);
    } else if constexpr (SqlConverted<T>) {
        bind_stored(run, index, SqlValue<T>::to_sql(value));
    } else if constexpr (SqlNull<T>) {
        run.bind_null(index);
    } else if constexpr (std::same_as<T, bool> || SqlBindableInteger<T>) {
        run.bind(index, static_cast<std::int64_t>(value));
    } else if constexpr (SqlReal<T>) {
        run.bind(index, static_cast<double>(value));
    } else if constexpr (SqlTextual<T>) {
        if constexpr (std::is_pointer_v<T>) {
            if (value == nullptr) return run.bind_null(index);
        }
        run.bind(index, std::string_view(value));
    } else if constexpr (SqlBytes<T>) {
        run.bind(index, std::span<std::byte const>(value));
    }
}

template <class... A>
void bind_all(SqlRun& run, A const&... values) {
    int index = 0;
    (bind_value(run, ++index, values), ...);
}

template <class... A>
consteval void check_bindable() {
    static_assert((is_bindable<A>() && ...),
                  "an argument cannot be bound: SQL takes bool, integers (not unsigned 64-bit ones, which do "
                  "not all fit), double, text, bytes, nullptr, described enumerations, Uuid, Timestamp, a "
                  "type with a quern::SqlValue, or a std::optional of these");
}

template <FixedString Sql, class... A>
consteval void check_arguments() {
    check_sql<Sql>();
    static_assert(sizeof...(A) == SqlStatement<Sql>::shape.bind_count,
                  "the number of arguments is not that of the {placeholders} of the SQL text (a name that "
                  "stands there twice is one; inside quotes braces are plain text)");
    check_bindable<A...>();
}

// --- values out of rows ---

// How a column becomes a T: `wanted` says what it must hold. `is_view` when the T dies with the row.
template <class T>
struct SqlCell {
    static constexpr bool is_known = false;
    static constexpr bool is_view = false;
};

template <SqlInteger T>
struct SqlCell<T> {
    static constexpr bool is_known = true;
    static constexpr bool is_view = false;
    static constexpr std::string_view wanted = sizeof(T) == 8   ? "a whole number"
                                               : sizeof(T) == 4 ? "a whole number of 32 bits"
                                               : sizeof(T) == 2 ? "a whole number of 16 bits"
                                                                : "a whole number of 8 bits";
    static bool read(SqlRun const& run, int column, T& value) {
        std::int64_t stored = 0;
        if (!run.get(column, stored) || !std::in_range<T>(stored)) return false;
        value = static_cast<T>(stored);
        return true;
    }
};

template <>
struct SqlCell<bool> {
    static constexpr bool is_known = true;
    static constexpr bool is_view = false;
    static constexpr std::string_view wanted = "0 or 1";
    static bool read(SqlRun const& run, int column, bool& value) {
        std::int64_t stored = 0;
        if (!run.get(column, stored) || (stored != 0 && stored != 1)) return false;
        value = stored == 1;
        return true;
    }
};

template <>
struct SqlCell<double> {
    static constexpr bool is_known = true;
    static constexpr bool is_view = false;
    static constexpr std::string_view wanted = "a number that a double holds exactly";
    static bool read(SqlRun const& run, int column, double& value) { return run.get(column, value); }
};

template <>
struct SqlCell<std::string_view> {
    static constexpr bool is_known = true;
    static constexpr bool is_view = true;
    static constexpr std::string_view wanted = "text";
    static bool read(SqlRun const& run, int column, std::string_view& value) {
        return run.get(column, value);
    }
};

template <>
struct SqlCell<std::string> {
    static constexpr bool is_known = true;
    static constexpr bool is_view = false;
    static constexpr std::string_view wanted = "text";
    static bool read(SqlRun const& run, int column, std::string& value) {
        std::string_view stored;
        if (!run.get(column, stored)) return false;
        value.assign(stored);
        return true;
    }
};

template <>
struct SqlCell<std::span<std::byte const>> {
    static constexpr bool is_known = true;
    static constexpr bool is_view = true;
    static constexpr std::string_view wanted = "bytes (a BLOB)";
    static bool read(SqlRun const& run, int column, std::span<std::byte const>& value) {
        return run.get(column, value);
    }
};

template <>
struct SqlCell<std::vector<std::byte>> {
    static constexpr bool is_known = true;
    static constexpr bool is_view = false;
    static constexpr std::string_view wanted = "bytes (a BLOB)";
    static bool read(SqlRun const& run, int column, std::vector<std::byte>& value) {
        std::span<std::byte const> stored;
        if (!run.get(column, stored)) return false;
        value.assign(stored.begin(), stored.end());
        return true;
    }
};

template <SqlConverted T>
struct SqlCell<T> {
    using Read = typename SqlConversion<T>::Read;
    static constexpr bool is_known = true;
    static constexpr bool is_view = false;
    static constexpr std::string_view wanted = SqlValue<T>::wanted;
    static bool read(SqlRun const& run, int column, T& value) {
        Read stored{};
        if (!SqlCell<Read>::read(run, column, stored)) return false;
        std::optional<T> converted = SqlValue<T>::from_sql(stored);
        if (!converted) return false;
        value = *std::move(converted);
        return true;
    }
};

template <class T>
struct SqlCell<std::optional<T>> {
    static constexpr bool is_known = SqlCell<T>::is_known && !is_optional<T>;
    static constexpr bool is_view = SqlCell<T>::is_view;
    static constexpr std::string_view wanted = SqlCell<T>::wanted;
    static bool read(SqlRun const& run, int column, std::optional<T>& value) {
        if (run.is_null(column)) {
            value.reset();
            return true;
        }
        if (!value) value.emplace();
        return SqlCell<T>::read(run, column, *value);
    }
};

// Reads one column; false when it does not fit, and then `error` says so.
template <class T>
bool read_cell(SqlRun& run, int column, T& value, std::optional<Error>& error) {
    if (SqlCell<T>::read(run, column, value)) [[likely]]
        return true;
    error = run.misfit(column, SqlCell<T>::wanted);
    return false;
}

// A row of a single value.
template <class T>
struct SqlRow {
    static constexpr bool is_known = SqlCell<T>::is_known;
    static constexpr bool is_view = SqlCell<T>::is_view;
    static constexpr std::size_t column_count = 1;
    static consteval bool names_fit(SqlShape const&) { return true; }
    static bool read(SqlRun& run, T& row, std::optional<Error>& error) {
        return read_cell(run, 0, row, error);
    }
};

template <class... T>
struct SqlRow<std::tuple<T...>> {
    static constexpr bool is_known = (SqlCell<T>::is_known && ...);
    static constexpr bool is_view = (SqlCell<T>::is_view || ...);
    static constexpr std::size_t column_count = sizeof...(T);
    static consteval bool names_fit(SqlShape const&) { return true; }
    static bool read(SqlRun& run, std::tuple<T...>& row, std::optional<Error>& error) {
        return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            return (read_cell(run, static_cast<int>(Index), std::get<Index>(row), error) && ...);
        }
        (std::index_sequence_for<T...>{});
    }
};

template <class T>
concept SqlDescribed = Described<T> && !SqlConverted<T>;

template <SqlDescribed T>
struct SqlRow<T> {
    template <class Member>
    using TypeOf = std::remove_reference_t<decltype(std::declval<T&>().*Member::pointer)>;

    template <class List>
    struct Of;
    template <template <class...> class List, class... Member>
    struct Of<List<Member...>> {
        static constexpr bool is_known = (SqlCell<TypeOf<Member>>::is_known && ...);
        static constexpr bool is_view = (SqlCell<TypeOf<Member>>::is_view || ...);
        static constexpr std::size_t column_count = sizeof...(Member);
        static consteval bool names_fit(SqlShape const& shape) {
            std::size_t index = 0;
            auto const fits = [&](std::string_view name) {
                std::size_t const at = index++;
                return at >= sql_named_columns_max || shape.columns[at].empty() ||
                       is_same_name(shape.columns[at], name);
            };
            return (fits(Member::name) && ...);
        }
        static bool read(SqlRun& run, T& row, std::optional<Error>& error) {
            int column = 0;
            return (read_cell(run, column++, row.*Member::pointer, error) && ...);
        }
    };
    using Members = Of<boost::describe::describe_members<T, boost::describe::mod_public>>;

    static constexpr bool is_known = Members::is_known;
    static constexpr bool is_view = Members::is_view;
    static constexpr std::size_t column_count = Members::column_count;
    static consteval bool names_fit(SqlShape const& shape) { return Members::names_fit(shape); }
    static bool read(SqlRun& run, T& row, std::optional<Error>& error) {
        return Members::read(run, row, error);
    }
};

template <class T>
consteval void check_row() {
    static_assert(
        SqlRow<T>::is_known && std::is_default_constructible_v<T>,
        "a row is a described struct, a std::tuple or a single value, made of integers, bool, "
        "double, std::string, std::vector<std::byte>, described enumerations, Uuid, Timestamp, types "
        "with a quern::SqlValue, and std::optional of these");
}
template <class T>
consteval void check_row_is_kept() {
    static_assert(!SqlRow<T>::is_view,
                  "a view of text or bytes dies with its row: use query_each(), or std::string and "
                  "std::vector<std::byte>");
}

template <FixedString Sql, class T>
consteval void check_columns() {
    check_sql<Sql>();
    check_row<T>();
    constexpr SqlShape const& shape = SqlStatement<Sql>::shape;
    static_assert(shape.fault != SqlFault::none || shape.column_count != 0,
                  "the SQL text gives no rows: use execute(), or add RETURNING");
    constexpr bool counted = shape.column_count != SqlShape::unknown_count && shape.column_count != 0;
    static_assert(!counted || shape.column_count == SqlRow<T>::column_count,
                  "the SQL text gives more or fewer columns than the row type takes");
    static_assert(
        !counted || shape.column_count != SqlRow<T>::column_count || SqlRow<T>::names_fit(shape),
        "a column is not named as the struct's member at its place: put the columns in the order of "
        "the members, or name them with AS");
}

// --- running ---

// Calls `take` with each row, which is read into `row`, until it returns false. `Counted`: the number of
// columns has been compared while compiling.
template <bool Counted, class T, class Take>
Result<void> take_rows(SqlRun& run, T& row, Take take) {
    std::optional<Error> error;
    bool more = run.step();
    if constexpr (!Counted) {
        if (more && run.column_count() != static_cast<int>(SqlRow<T>::column_count))
            return fail(run.wrong_column_count(SqlRow<T>::column_count));
    }
    for (; more; more = run.step()) {
        if (!SqlRow<T>::read(run, row, error)) return fail(*std::move(error));
        if (!take(row)) return {};
    }
    if (run.failed()) [[unlikely]]
        return fail(run.error());
    return {};
}

template <bool Counted, class T, class... A>
Result<std::vector<T>> fetch_all(Result<SqlRun> run, A const&... values) {
    if (!run) [[unlikely]]
        return fail(std::move(run).error());
    bind_all(*run, values...);
    std::vector<T> rows;
    T row{};
    auto taken = take_rows<Counted>(*run, row, [&rows](T& next) {
        rows.push_back(std::exchange(next, T{}));
        return true;
    });
    if (!taken) return fail(std::move(taken).error());
    return rows;
}

template <bool Counted, class T, class... A>
Result<std::optional<T>> fetch_one(Result<SqlRun> run, A const&... values) {
    if (!run) [[unlikely]]
        return fail(std::move(run).error());
    bind_all(*run, values...);
    std::optional<T> found;
    T row{};
    auto taken = take_rows<Counted>(*run, row, [&found](T& next) {
        found.emplace(std::move(next));
        return false;
    });
    if (!taken) return fail(std::move(taken).error());
    return found;
}

// Hands a row to a caller's function, which returns nothing, bool (false stops) or Result<void> (an error
// stops and is kept in `told`). Whether to go on.
template <class T, class F>
bool call_taker(F& f, T& row, Result<void>& told) {
    using Returned = std::invoke_result_t<F&, T&>;
    static_assert(
        std::is_void_v<Returned> || std::same_as<Returned, bool> || std::same_as<Returned, Result<void>>,
        "what is called with each row returns nothing, bool (false stops) or Result<void>");
    if constexpr (std::is_void_v<Returned>) {
        f(row);
        return true;
    } else if constexpr (std::same_as<Returned, bool>) {
        return f(row);
    } else {
        told = f(row);
        return told.has_value();
    }
}

template <bool Counted, class T, class F, class... A>
Result<void> fetch_each(Result<SqlRun> run, F& f, A const&... values) {
    if (!run) [[unlikely]]
        return fail(std::move(run).error());
    bind_all(*run, values...);
    T row{};
    Result<void> told;
    auto taken = take_rows<Counted>(*run, row, [&](T& next) { return call_taker(f, next, told); });
    return taken ? told : taken;
}

// Runs a statement that writes, whose values are bound; rows that it gives are passed over.
inline Result<Changes> run_to_end(SqlRun& run) {
    run.clear_changes();
    while (run.step()) {
    }
    if (run.failed()) return fail(run.error());
    return run.changes();
}

template <class... A>
Result<Changes> run_write(Result<SqlRun> run, A const&... values) {
    if (!run) [[unlikely]]
        return fail(std::move(run).error());
    bind_all(*run, values...);
    return run_to_end(*run);
}

template <FixedString Sql>
inline constexpr bool is_counted = SqlStatement<Sql>::shape.column_count != SqlShape::unknown_count;

}  // namespace detail

}  // namespace quern
