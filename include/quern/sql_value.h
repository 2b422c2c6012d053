// SPDX-License-Identifier: Apache-2.0
#pragma once

// Types that SQL does not know, as values that it does: enumerations, UUIDs, moments, and types of your own.
//
//     template <>
//     struct quern::SqlValue<Money> {
//         static std::int64_t to_sql(Money money) { return money.cents; }
//         static std::optional<Money> from_sql(std::int64_t cents) { return Money{cents}; }
//         static constexpr std::string_view wanted = "an amount in cents";
//     };
//
// Such a type is then an argument of statements, a column of rows and what a std::optional of those holds.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/mp11/utility.hpp>

#include <quern/capture.h>
#include <quern/describe.h>
#include <quern/timestamp.h>

namespace quern {

// How a type is stored in a column. Specialise it for types of your own, in front of their first use:
//
//   static Stored to_sql(T const& value);            also T by value, also a std::optional<Stored>: nothing
//                                                    is a value that cannot be stored
//   static std::optional<T> from_sql(Stored);        nothing: what the column holds is no T
//   static constexpr std::string_view wanted = "…";  what the column must hold, for the error's message
//
// Stored is bool, a whole number (not an unsigned one of 64 bits), double, std::string, std::string_view or
// std::vector<std::byte>. from_sql is handed text as std::string_view and bytes as
// std::span<std::byte const>.
//
// Errors:   validation — of the statement, when to_sql gives nothing; it does not run;
//           internal — of the read, when from_sql gives nothing, with the column and `wanted`.
// Lifetime: a std::string_view from to_sql must live as long as the value that it was made from. What
// from_sql
//           is handed dies when it returns.
// Threads:  any.
// Cost:     a std::string or vector from to_sql is copied once more by SQLite.
template <class T>
struct SqlValue;

namespace detail {

// "one of low, high" in an array, closed by nothing.
template <DescribedEnum E>
inline constexpr auto enumerator_choice = [] {
    constexpr std::string_view start = "one of ";
    constexpr std::string_view between = ", ";
    constexpr std::size_t size = [&] {
        std::size_t sum = start.size();
        for (auto const& [name, value] : enumerators<E>) sum += name.size() + between.size();
        return sum - (enumerators<E>.empty() ? 0 : between.size());
    }();
    std::array<char, size> text{};
    std::size_t at = 0;
    auto const add = [&](std::string_view piece) {
        for (char const c : piece) text[at++] = c;
    };
    add(start);
    for (auto const& [name, value] : enumerators<E>) {
        if (at != start.size()) add(between);
        add(name);
    }
    return text;
}();

}  // namespace detail

// An enumeration described with QUERN_DESCRIBE_ENUM, by the names of its values.
template <detail::DescribedEnum E>
struct SqlValue<E> {
    static constexpr std::string_view wanted{detail::enumerator_choice<E>.data(),
                                             detail::enumerator_choice<E>.size()};
    static std::optional<std::string_view> to_sql(E value) {
        std::string_view const name = detail::enumerator_name(value);
        return name.empty() ? std::nullopt : std::optional(name);
    }
    static std::optional<E> from_sql(std::string_view name) { return detail::read_enumerator<E>(name); }
};

// By its usual form; read in either case.
template <>
struct SqlValue<Uuid> {
    static constexpr std::string_view wanted = "a UUID";
    static std::string to_sql(Uuid const& uuid) { return uuid.text(); }
    static std::optional<Uuid> from_sql(std::string_view text) { return Uuid::parse(text); }
};

// As timestamp.h has it, so that texts sort as the moments do. One outside its limits cannot be stored.
template <>
struct SqlValue<Timestamp> {
    static constexpr std::string_view wanted = "a date as 2026-01-31 23:59:59.123Z";
    static std::optional<std::string> to_sql(Timestamp moment) {
        if (moment < timestamp_min || moment > timestamp_max) return std::nullopt;
        return timestamp_text(moment);
    }
    static std::optional<Timestamp> from_sql(std::string_view text) { return parse_timestamp(text); }
};

// --- what can be bound ---

namespace detail {

template <class T>
concept SqlCharacter = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
    std::same_as<T, char16_t> || std::same_as<T, char32_t>;
template <class T>
concept SqlInteger = std::integral<T> && !SqlCharacter<T> && !std::same_as<T, bool>;
// Every value of it is one of SQLite's.
template <class T>
concept SqlBindableInteger = SqlInteger<T> &&(sizeof(T) < sizeof(std::int64_t) || std::is_signed_v<T>);
template <class T>
concept SqlReal = std::same_as<T, double> || std::same_as<T, float>;
template <class T>
concept SqlNull = std::same_as<T, std::nullptr_t> || std::same_as<T, std::nullopt_t>;
template <class T>
concept SqlTextual = std::convertible_to<T const&, std::string_view> && !SqlNull<T>;
template <class T>
concept SqlBytes = std::convertible_to<T const&, std::span<std::byte const>>;

// What a SqlValue may store.
template <class T>
concept SqlStorable = std::same_as<T, bool> || SqlBindableInteger<T> || std::same_as<T, double> ||
    std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
    std::same_as<T, std::vector<std::byte>>;
template <class T>
concept SqlConverted = requires(T const& value) {
    SqlValue<T>::to_sql(value);
};

// The types between which a SqlValue converts: it gives `Stored` and is handed `Read`.
template <SqlConverted T>
struct SqlConversion {
    using Stored = Bare<std::remove_cvref_t<decltype(SqlValue<T>::to_sql(std::declval<T const&>()))>>;
    static_assert(SqlStorable<Stored>,
                  "SqlValue: to_sql returns bool, an integer (not an unsigned 64-bit one), double, "
                  "std::string, std::string_view or std::vector<std::byte>");
    using Read = boost::mp11::mp_cond<std::is_same<Stored, std::string>, std::string_view,
                                      std::is_same<Stored, std::vector<std::byte>>,
                                      std::span<std::byte const>, std::true_type, Stored>;
    static_assert(
        requires(Read read) {
            { SqlValue<T>::from_sql(read) } -> std::same_as<std::optional<T>>;
        },
        "SqlValue: from_sql takes what to_sql returns (std::string_view for text, "
        "std::span<std::byte const> for bytes) and returns a std::optional of the type");
    static_assert(
        requires { std::string_view(SqlValue<T>::wanted); },
        "SqlValue: `wanted` says what the column must hold");
};

template <class T>
consteval bool is_bindable() {
    if constexpr (is_optional<T>) {
        return is_bindable<typename T::value_type>();
    } else if constexpr (SqlConverted<T>) {
        return SqlStorable<typename SqlConversion<T>::Stored>;
    } else {
        return SqlNull<T> || std::same_as<T, bool> || SqlBindableInteger<T> || SqlReal<T> || SqlTextual<T> ||
               SqlBytes<T>;
    }
}

template <class T>
consteval auto stored_type() {
    if constexpr (is_optional<T>) {
        return stored_type<typename T::value_type>();
    } else if constexpr (SqlConverted<T>) {
        return stored_type<typename SqlConversion<T>::Stored>();
    } else if constexpr (std::same_as<T, bool>) {
        return std::type_identity<bool>();
    } else if constexpr (SqlBindableInteger<T>) {
        return std::type_identity<std::int64_t>();
    } else if constexpr (SqlReal<T>) {
        return std::type_identity<double>();
    } else if constexpr (SqlTextual<T>) {
        return std::type_identity<std::string>();
    } else {
        return std::type_identity<std::vector<std::byte>>();
    }
}
// What a column holds that a T is bound to: std::int64_t, double, bool, std::string or
// std::vector<std::byte>.
template <class T>
requires(is_bindable<T>() && !SqlNull<T>) using SqlStored = typename decltype(stored_type<T>())::type;

}  // namespace detail

}  // namespace quern
