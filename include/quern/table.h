// SPDX-License-Identifier: Apache-2.0
#pragma once

// The table of a model: rows in, rows out.
//
//     constexpr quern::Table<Book> books;
//     auto id = books.insert(*db, Book{.author = 1, .title = "Kindred", .year = 1979});   // Result<int64_t>
//     auto book = books.get(*db, *id);                                                    // Result<optional>
//     auto many = books.insert_many(*db, shelf);                     // in one transaction, many rows a time
//     auto kept = books.on_conflict<&Book::isbn>().update<&Book::title>().insert(*db, *book);
//
// `on` is a Database, and a write is then a transaction of its own, or the Transaction that is open. In a
// coroutine, in_transaction() waits without holding the loop.
//
// What has more conditions than a key is a query set: books.where(…), see query_set.h.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include <quern/query_set.h>

namespace quern {

namespace detail {

// Rows of one INSERT of insert_many(). More gain nothing: what a statement costs by itself is spread well
// before. Within every database's limit of parameters, for at most members_max columns.
inline constexpr std::size_t insert_rows_max = 128;

enum class Conflict : std::uint8_t { fails, ignored, updates };

// What an INSERT says behind its rows.
struct InsertForm {
    TableInfo const* table = nullptr;
    Conflict conflict = Conflict::fails;
    std::span<std::uint16_t const> target;   // columns of the unique index or key
    std::span<std::uint16_t const> updated;  // columns that take the new row's value
};

[[nodiscard]] SqlText insert_text(InsertForm const& form, std::size_t rows);
[[nodiscard]] SqlText get_text(TableInfo const& table);
[[nodiscard]] SqlText update_text(TableInfo const& table);
[[nodiscard]] SqlText remove_text(TableInfo const& table);

template <class M>
void bind_row(SqlRun& run, int& index, M const& row) {
    for_each_member<M>([&](auto member) {
        auto const& value = row.*Member<M, member>::pointer;
        ++index;
        if constexpr (KeyPointers<KeyPartOf<M>>::is_given && member() == read_model<M>.key[0]) {
            if (value == 0) return run.bind_null(index);
        }
        bind_value(run, index, value);
    });
}

template <class K>
void bind_key(SqlRun& run, int& index, K const& key) {
    bind_value(run, ++index, key);
}
template <class... K>
void bind_key(SqlRun& run, int& index, std::tuple<K...> const& key) {
    std::apply([&](K const&... part) { (bind_value(run, ++index, part), ...); }, key);
}

// From the row itself: what is bound must live until the run ends.
template <class M>
void bind_key_of(SqlRun& run, int& index, M const& row) {
    std::apply([&](auto... pointer) { (bind_value(run, ++index, row.*pointer), ...); },
               KeyPointers<KeyPartOf<M>>::pointers);
}

template <class M>
KeyOf<M> key_of(M const& row) {
    return std::apply([&row](auto... pointer) { return KeyOf<M>(row.*pointer...); },
                      KeyPointers<KeyPartOf<M>>::pointers);
}

// Runs a statement that writes, its values bound by `bind(SqlRun&)`.
template <class Bind>
Result<Changes> write_bound(Transaction& transaction, SqlText const& text, Bind bind) {
    auto run = PlanAccess::start(transaction, text);
    if (!run) return fail(std::move(run).error());
    bind(*run);
    return run_to_end(*run);
}

// Calls f(Transaction&): in the open one, or in one that is opened for it.
template <class F>
auto with_transaction(Transaction& transaction, F f) {
    return f(transaction);
}
template <class F>
auto with_transaction(Database& database, F f) {
    return database.transaction(f);
}

// The statements of one model and one form of INSERT; made when first used.
template <class M, Conflict C, class Target, class Updated>
struct InsertTexts;
template <auto... Pointer>
struct Pointers {};

template <class M, Conflict C, auto... Target, auto... Updated>
struct InsertTexts<M, C, Pointers<Target...>, Pointers<Updated...>> {
    static InsertForm form() {
        return {&table_info<M>(), C, column_numbers<M, Target...>, column_numbers<M, Updated...>};
    }
    static SqlText const& one() {
        static SqlText const text = insert_text(form(), 1);
        return text;
    }
    static SqlText const& many() {
        static SqlText const text = insert_text(form(), insert_rows_max);
        return text;
    }
};

// Inserts rows, in statements of insert_rows_max and the rest one by one. Returns how many were written.
template <class Texts, class M>
Result<std::int64_t> insert_rows(Transaction& transaction, std::span<M const> rows) {
    std::int64_t written = 0;
    while (!rows.empty()) {
        bool const full = rows.size() >= insert_rows_max;
        std::span<M const> const chunk = rows.first(full ? insert_rows_max : 1);
        auto changes = write_bound(transaction, full ? Texts::many() : Texts::one(), [&chunk](SqlRun& run) {
            int index = 0;
            for (M const& row : chunk) bind_row(run, index, row);
        });
        if (!changes) return fail(std::move(changes).error());
        written += changes->rows;
        rows = rows.subspan(chunk.size());
    }
    return written;
}

template <class M, class Rows>
consteval void check_rows() {
    static_assert(std::convertible_to<Rows const&, std::span<M const>>,
                  "insert_many: a contiguous range of the model's rows, as a std::vector is");
}

// All columns that are neither in the key nor in the target.
template <class M, auto... Target>
inline constexpr auto other_columns = [] {
    std::array<std::uint16_t, member_count<M>> columns{};
    std::size_t count = 0;
    for (std::uint16_t column = 0; column < member_count<M>; ++column) {
        bool taken = ((member_index<M, Target> == column) || ...);
        for (std::uint16_t const part : read_model<M>.key) taken = taken || part == column;
        if (!taken) columns[count++] = column;
    }
    return std::pair(columns, count);
}();

// Whether these columns are the key or a unique index of the model.
template <class M, auto... Target>
consteval bool is_unique_target() {
    constexpr auto target = column_numbers<M, Target...>;
    auto const is_target = [&target](std::span<std::uint16_t const> columns) {
        return std::ranges::is_permutation(columns, target);
    };
    bool found = is_target(read_model<M>.key);
    for (std::size_t index = 0; index < read_model<M>.index_count; ++index)
        found =
            found || (read_model<M>.indexes[index].unique && is_target(read_model<M>.indexes[index].columns));
    return found;
}

}  // namespace detail

// What insert() does with a row whose values in `Target` another row has already. From
// Table::on_conflict(); go on with ignore(), update_all() or update<…>(), end with insert() or
// insert_many().
template <class M, detail::Conflict C, class Target, class Updated>
class Upsert {
    using Texts = detail::InsertTexts<M, C, Target, Updated>;

public:
    // Inserts the row, or does what was said. Returns whether a row was written.
    // Errors: those of Table::insert(), but for the conflict that is provided for.
    template <detail::SqlTarget On>
    Result<bool> insert(On& on, M const& row) const {
        auto written = insert_many(on, std::span<M const>(&row, 1));
        if (!written) return fail(std::move(written).error());
        return *written > 0;
    }
    // The same with many rows, all or none. Returns how many were written.
    template <detail::SqlTarget On, class Rows>
    Result<std::int64_t> insert_many(On& on, Rows const& rows) const {
        detail::check_rows<M, Rows>();
        return on.transaction([span = std::span<M const>(rows)](Transaction& transaction) {
            return detail::insert_rows<Texts>(transaction, span);
        });
    }
};

template <class M, auto... Target>
class ConflictChoice {
    static_assert(detail::is_unique_target<M, Target...>(),
                  "on_conflict: these members are neither the key nor a quern::unique of the model");

public:
    // The other row stays as it is.
    [[nodiscard]] auto ignore() const {
        return Upsert<M, detail::Conflict::ignored, detail::Pointers<Target...>, detail::Pointers<>>();
    }
    // The other row takes these members' values from the new one.
    template <auto... Updated>
    [[nodiscard]] auto update() const {
        static_assert(sizeof...(Updated) > 0, "update: name what is taken from the new row, or ignore()");
        detail::check_part<M, Updated...>();
        return Upsert<M, detail::Conflict::updates, detail::Pointers<Target...>,
                      detail::Pointers<Updated...>>();
    }
    // The other row takes everything but its key.
    [[nodiscard]] auto update_all() const {
        constexpr auto others = detail::other_columns<M, Target...>;
        static_assert(others.second > 0, "update_all: there is nothing but the key: ignore()");
        return [&others]<std::size_t... Index>(std::index_sequence<Index...>) {
            return Upsert<M, detail::Conflict::updates, detail::Pointers<Target...>,
                          detail::Pointers<detail::Member<M, others.first[Index]>::pointer...>>();
        }
        (std::make_index_sequence<others.second>());
    }
};

// Threads: any.
template <class M>
class Table {
    static_assert(detail::Model<M>, "a model is a described struct with a static member `model`");

public:
    using Key = detail::KeyOf<M>;

    // --- one row ---

    // The row with that key. For a key of several members: a std::tuple of them.
    // Errors: those of Database::query().
    // Cost:   no allocation once warm, but for what the row holds.
    template <detail::SqlTarget On>
    [[nodiscard]] Result<std::optional<M>> get(On& on, Key const& key) const {
        static SqlText const text = detail::get_text(detail::table_info<M>());
        auto run = detail::PlanAccess::start(on, text);
        if (!run) return fail(std::move(run).error());
        int index = 0;
        detail::bind_key(*run, index, key);
        return detail::read_first<M>(*run);
    }

    // Inserts a row, and returns its key. A key of one whole number that is 0 is given by the database; the
    // row in hand keeps its 0.
    // Errors: conflict — another row has the key, or the values of a quern::unique; `fields` names the
    //         columns as table.column; validation — a reference points nowhere, a quern::check refuses, a
    //         value cannot be stored; those of Database::execute().
    template <detail::SqlTarget On>
    Result<Key> insert(On& on, M const& row) const {
        return detail::with_transaction(on, [&row](Transaction& transaction) -> Result<Key> {
            auto changes = detail::write_bound(transaction, Texts::one(), [&row](detail::SqlRun& run) {
                int index = 0;
                detail::bind_row(run, index, row);
            });
            if (!changes) return fail(std::move(changes).error());
            if constexpr (detail::KeyPointers<detail::KeyPartOf<M>>::is_given)
                return static_cast<Key>(changes->last_insert_id);
            return detail::key_of(row);
        });
    }

    // Inserts many rows, all or none, and returns their number. `rows` is a contiguous range.
    // Errors: as insert().
    template <detail::SqlTarget On, class Rows>
    Result<std::int64_t> insert_many(On& on, Rows const& rows) const {
        detail::check_rows<M, Rows>();
        return on.transaction([span = std::span<M const>(rows)](Transaction& transaction) {
            return detail::insert_rows<Texts>(transaction, span);
        });
    }

    // Gives the row with this row's key all other values of this row. Returns whether there is such a row.
    // Errors: as insert().
    template <detail::SqlTarget On>
    Result<bool> update(On& on, M const& row) const {
        static_assert(detail::other_columns<M>.second > 0, "update: there is nothing but the key");
        return written(detail::with_transaction(on, [&row](Transaction& transaction) {
            static SqlText const text = detail::update_text(detail::table_info<M>());
            return detail::write_bound(transaction, text, [&row](detail::SqlRun& run) {
                int index = 0;
                bind_others(run, index, row);
                detail::bind_key_of(run, index, row);
            });
        }));
    }

    // Deletes the row with that key. Returns whether there was one.
    // Errors: validation — another row refers to it, and the reference has no policy for that; those of
    //         Database::execute().
    template <detail::SqlTarget On>
    Result<bool> remove(On& on, Key const& key) const {
        return written(detail::with_transaction(on, [&key](Transaction& transaction) {
            static SqlText const text = detail::remove_text(detail::table_info<M>());
            return detail::write_bound(transaction, text, [&key](detail::SqlRun& run) {
                int index = 0;
                detail::bind_key(run, index, key);
            });
        }));
    }

    // What insert() is to do where another row has the same values in these members, which are the key or a
    // quern::unique.
    template <auto... Target>
    [[nodiscard]] auto on_conflict() const {
        return ConflictChoice<M, Target...>();
    }

    // --- query sets, see QuerySet ---

    // All rows.
    [[nodiscard]] QuerySet<M> query() const { return {}; }
    template <detail::Expression E>
    [[nodiscard]] auto where(E const& condition) const {
        return QuerySet<M>().where(condition);
    }
    template <class... E>
    [[nodiscard]] auto order_by(E const&... key) const {
        return QuerySet<M>().order_by(key...);
    }
    template <detail::Expression... E>
    [[nodiscard]] auto group_by(E const&... key) const {
        return QuerySet<M>().group_by(key...);
    }
    template <detail::Expression... E>
    [[nodiscard]] auto select(E const&... expression) const {
        return QuerySet<M>().select(expression...);
    }
    template <class T, detail::Expression... E>
    [[nodiscard]] auto select_as(E const&... expression) const {
        return QuerySet<M>().template select_as<T>(expression...);
    }
    template <auto... Pointer>
    [[nodiscard]] auto with() const {
        return QuerySet<M>().template with<Pointer...>();
    }
    template <detail::SqlTarget On>
    [[nodiscard]] auto all(On& on) const {
        return QuerySet<M>().all(on);
    }
    template <detail::SqlTarget On>
    [[nodiscard]] auto count(On& on) const {
        return QuerySet<M>().count(on);
    }

private:
    using Texts = detail::InsertTexts<M, detail::Conflict::fails, detail::Pointers<>, detail::Pointers<>>;

    static Result<bool> written(Result<Changes> changes) {
        if (!changes) return fail(std::move(changes).error());
        return changes->rows > 0;
    }
    static void bind_others(detail::SqlRun& run, int& index, M const& row) {
        constexpr auto others = detail::other_columns<M>;
        [&]<std::size_t... Index>(std::index_sequence<Index...>) {
            (detail::bind_value(run, ++index, row.*detail::Member<M, others.first[Index]>::pointer), ...);
        }
        (std::make_index_sequence<others.second>());
    }
};

}  // namespace quern
