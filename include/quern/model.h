// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structs that are tables.
//
//     struct Author {
//         std::int64_t id = 0;
//         std::string name;
//         std::optional<std::string> email;
//
//         static constexpr auto model = quern::model<"authors">(
//             quern::key<&Author::id>, quern::unique<&Author::email>);
//     };
//     QUERN_DESCRIBE(Author, id, name, email)
//
//     struct Book {
//         std::int64_t id = 0;
//         std::int64_t author = 0;
//         std::string title;
//         int year = 0;
//         bool available = true;
//
//         static constexpr auto model = quern::model<"books">(
//             quern::key<&Book::id>, quern::references<&Book::author, Author>(quern::OnDelete::cascade),
//             quern::indexed<&Book::author, &Book::year>, quern::default_to<&Book::available>(true),
//             quern::check<"year > 0">);
//     };
//     QUERN_DESCRIBE(Book, id, author, title, year, available)
//
// Each described member is a column of its name, in that order; its type is what sqlite_row.h can store. A
// std::optional is a column that may be NULL, and only that is. A key of one whole number is given by the
// database: a row that is inserted with 0 there gets the next one.
//
// A fault in a model does not compile: a part that names no member of the struct, a model without a key, a
// default of another type, `set_null` on a member that cannot be null, a reference that is of another type
// than the key it refers to.
//
// table.h reads and writes the rows, migration.h makes the tables.

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <quern/describe.h>
#include <quern/fixed_string.h>
#include <quern/sqlite_row.h>

namespace quern {

// --- a table as data: what the model of a struct says, without its types ---

enum class ColumnType : std::uint8_t { integer, boolean, real, text, blob };

// What happens to the rows that refer to a row which is deleted.
enum class OnDelete : std::uint8_t {
    no_action,    // the delete fails, unless they are gone by the end of the transaction
    restrict,     // the delete fails at once
    cascade,      // they are deleted too
    set_null,     // their reference becomes NULL
    set_default,  // their reference becomes the column's default
};

// The value of a column where an INSERT names none: nothing, NULL, or a value.
using ColumnDefault =
    std::variant<std::monostate, std::nullptr_t, bool, std::int64_t, double, std::string_view>;

// Threads: frozen.
struct ColumnInfo {
    std::string_view name;
    ColumnType type = ColumnType::text;
    bool nullable = false;
    ColumnDefault default_value;
    std::span<std::string_view const> choices;  // of an enumeration: the texts that it can be; else empty
    std::string_view renamed_from;              // empty: nothing
};

struct TableInfo;

// Threads: frozen.
struct ReferenceInfo {
    std::uint16_t column = 0;
    TableInfo const& (*target)() = nullptr;  // it refers to the key there, which is one column
    OnDelete on_delete = OnDelete::no_action;
};

// Threads: frozen.
struct IndexInfo {
    std::span<std::uint16_t const> columns;
    bool unique = false;
};

// Lifetime: as long as the program.
// Threads: frozen.
struct TableInfo {
    std::string_view name;
    std::string_view renamed_from;  // empty: nothing
    std::span<ColumnInfo const> columns;
    std::span<std::uint16_t const> key;  // indexes of columns, at least one
    bool key_is_given = false;           // one whole number, which the database gives
    std::span<IndexInfo const> indexes;
    std::span<ReferenceInfo const> references;
    std::span<std::string_view const> checks;  // conditions in SQL
};

// --- the parts of a model ---

namespace detail {

template <auto... Pointer>
struct KeyPart {
    static_assert(sizeof...(Pointer) > 0, "key: name at least one member");
};
template <bool Unique, auto... Pointer>
struct IndexPart {
    static_assert(sizeof...(Pointer) > 0, "unique, indexed: name at least one member");
};
template <auto Pointer, class Target>
struct ReferencePart {
    OnDelete on_delete = OnDelete::no_action;
};
template <auto Pointer, class V>
struct DefaultPart {
    V value;
};
template <auto Pointer, FixedString Name>
struct ColumnNamePart {};
template <auto Pointer, FixedString Name>
struct ColumnRenamePart {};
template <FixedString Name>
struct TableRenamePart {};
template <FixedString Condition>
struct CheckPart {};

template <FixedString Name, class... P>
struct ModelParts {
    std::tuple<P...> parts;
};

}  // namespace detail

// The primary key.
template <auto... Pointer>
inline constexpr detail::KeyPart<Pointer...> key{};
// No two rows have the same values in these columns together; NULL is never the same as NULL.
template <auto... Pointer>
inline constexpr detail::IndexPart<true, Pointer...> unique{};
// An index over these columns, for queries that ask for the first of them, the first two, and so on.
template <auto... Pointer>
inline constexpr detail::IndexPart<false, Pointer...> indexed{};
// A foreign key: the column holds the key of a row of `Target`. field<&Book::author, &Author::name> follows
// it.
template <auto Pointer, class Target>
[[nodiscard]] consteval detail::ReferencePart<Pointer, Target> references(
    OnDelete on_delete = OnDelete::no_action) {
    return {on_delete};
}
// What the column holds in rows that name no value for it: those that were there before the column, and
// those that other programs insert. Rows inserted through table.h hold what the struct holds.
template <auto Pointer, class V>
[[nodiscard]] consteval auto default_to(V value) {
    if constexpr (std::convertible_to<V, std::string_view>) {
        return detail::DefaultPart<Pointer, std::string_view>{value};
    } else {
        return detail::DefaultPart<Pointer, V>{value};
    }
}
// A condition in SQL that every row keeps to.
template <FixedString Condition>
inline constexpr detail::CheckPart<Condition> check{};
// The column's name where it is not the member's.
template <auto Pointer, FixedString Name>
inline constexpr detail::ColumnNamePart<Pointer, Name> column_name{};
// For migrations: the column, and the table, is the one of that name, which gets the new one.
template <auto Pointer, FixedString Name>
inline constexpr detail::ColumnRenamePart<Pointer, Name> column_renamed_from{};
template <FixedString Name>
inline constexpr detail::TableRenamePart<Name> table_renamed_from{};

// The model of a struct, as its static member `model`: the table's name, then its parts in any order.
template <FixedString Name, class... P>
[[nodiscard]] consteval auto model(P... part) {
    static_assert(!Name.view().empty(), "model: the table's name is empty");
    static_assert(!detail::holds_any(Name.view(), std::string_view("\"\0", 2)),
                  "model: a table's name holds no quote");
    return detail::ModelParts<Name, P...>{{part...}};
}

namespace detail {

template <class T>
inline constexpr bool is_model_parts = false;
template <FixedString Name, class... P>
inline constexpr bool is_model_parts<ModelParts<Name, P...>> = true;

template <class T>
concept Model = Described<T> && requires {
    T::model;
    requires is_model_parts<std::remove_cvref_t<decltype(T::model)>>;
};

template <auto Pointer>
using MemberTypeOf = typename MemberPointer<std::remove_cvref_t<decltype(Pointer)>>::Type;
template <class P>
struct ClassOfPointer;
template <class C, class T>
struct ClassOfPointer<T C::*> {
    using Type = C;
};
template <auto Pointer>
using ClassOf = typename ClassOfPointer<std::remove_cvref_t<decltype(Pointer)>>::Type;

// The index of a member among those that are described; their number when it is none of them.
template <class T, auto Pointer>
inline constexpr std::size_t member_index = [] {
    std::size_t found = member_count<T>;
    for_each_member<T>([&found](auto index) {
        if (std::is_same_v<typename Member<T, index>::Tag, MemberTag<Pointer>>) found = index();
    });
    return found;
}();
template <class T, auto... Pointer>
inline constexpr bool are_members = ((member_index<T, Pointer> < member_count<T>)&&...);

template <class T>
consteval ColumnType column_type() {
    if constexpr (!is_bindable<T>()) {
        return ColumnType::blob;  // refused elsewhere
    } else if constexpr (std::same_as<SqlStored<T>, bool>) {
        return ColumnType::boolean;
    } else if constexpr (std::same_as<SqlStored<T>, std::int64_t>) {
        return ColumnType::integer;
    } else if constexpr (std::same_as<SqlStored<T>, double>) {
        return ColumnType::real;
    } else if constexpr (std::same_as<SqlStored<T>, std::string>) {
        return ColumnType::text;
    } else {
        return ColumnType::blob;
    }
}

template <class E>
inline constexpr auto enumerator_names = [] {
    std::array<std::string_view, enumerators<E>.size()> names{};
    for (std::size_t index = 0; index < names.size(); ++index) names[index] = enumerators<E>[index].first;
    return names;
}();
template <class T>
constexpr std::span<std::string_view const> choices_of() {
    if constexpr (DescribedEnum<T>) {
        return enumerator_names<T>;
    } else {
        return {};
    }
}

template <class T, class V>
consteval bool is_default_for() {
    if constexpr (std::same_as<V, std::nullptr_t>) {
        return is_optional<T>;
    } else if constexpr (DescribedEnum<Bare<T>>) {
        return std::same_as<V, Bare<T>>;
    } else if constexpr (!is_bindable<T>()) {
        return false;
    } else {
        using Stored = SqlStored<Bare<T>>;
        if constexpr (std::same_as<Stored, bool>) return std::same_as<V, bool>;
        if constexpr (std::same_as<Stored, std::int64_t>) return SqlBindableInteger<V>;
        if constexpr (std::same_as<Stored, double>) return SqlBindableInteger<V> || SqlReal<V>;
        if constexpr (std::same_as<Stored, std::string>) return std::same_as<V, std::string_view>;
        return false;
    }
}

template <class T, class V>
constexpr ColumnDefault default_value_for(V value) {
    if constexpr (DescribedEnum<V>) {
        for (auto const& [name, enumerator] : enumerators<V>) {
            if (enumerator == value) return name;
        }
        return {};
    } else if constexpr (std::same_as<V, std::nullptr_t> || std::same_as<V, bool> ||
                         std::same_as<V, std::string_view>) {
        return value;
    } else if constexpr (std::same_as<SqlStored<Bare<T>>, double>) {
        return static_cast<double>(value);
    } else {
        return static_cast<std::int64_t>(value);
    }
}

template <class M>
TableInfo const& table_info();

template <class M, auto... Pointer>
inline constexpr std::array<std::uint16_t, sizeof...(Pointer)> column_numbers{
    static_cast<std::uint16_t>(member_index<M, Pointer>)...};

template <class T>
inline constexpr bool is_key_part = false;
template <auto... Pointer>
inline constexpr bool is_key_part<KeyPart<Pointer...>> = true;
template <class T>
struct IsKeyPart : std::bool_constant<is_key_part<T>> {};
template <class T>
struct PartsOfModel;
template <FixedString Name, class... P>
struct PartsOfModel<ModelParts<Name, P...>> {
    static constexpr std::string_view name = kept_name<Name>.view();
    static constexpr std::size_t count = sizeof...(P);
    using Keys = boost::mp11::mp_copy_if<boost::mp11::mp_list<P...>, IsKeyPart>;
};
template <class M>
using PartsOf = PartsOfModel<std::remove_cvref_t<decltype(M::model)>>;
template <class M>
using KeyPartOf = boost::mp11::mp_first<typename PartsOf<M>::Keys>;

template <class T>
struct KeyPointers;
template <auto... Pointer>
struct KeyPointers<KeyPart<Pointer...>> {
    static constexpr std::tuple pointers{Pointer...};
    static constexpr std::size_t count = sizeof...(Pointer);
    using First = std::tuple_element_t<0, std::tuple<MemberTypeOf<Pointer>...>>;
    using Type = std::conditional_t<count == 1, First, std::tuple<MemberTypeOf<Pointer>...>>;
    static constexpr bool is_given = count == 1 && SqlInteger<First> && sizeof(First) == sizeof(std::int64_t);
};
// The type of a model's key: that of the member, or a std::tuple of them.
template <class M>
using KeyOf = typename KeyPointers<KeyPartOf<M>>::Type;

template <class M, auto... Pointer>
consteval void check_part() {
    static_assert((std::same_as<ClassOf<Pointer>, M> && ...), "a part of a model names another struct");
    static_assert(are_members<M, Pointer...>, "a part of a model names a member that is not described");
}

// A model's parts, sorted by kind.
template <class M>
struct ModelReader {
    static constexpr std::size_t parts_max = PartsOf<M>::count;

    std::array<ColumnInfo, member_count<M>> columns{};
    std::string_view renamed_from;
    std::span<std::uint16_t const> key;
    std::array<IndexInfo, parts_max> indexes{};
    std::array<ReferenceInfo, parts_max> references{};
    std::array<std::string_view, parts_max> checks{};
    std::size_t index_count = 0;
    std::size_t reference_count = 0;
    std::size_t check_count = 0;

    constexpr ModelReader() {
        for_each_member<M>([this](auto index) {
            using Type = typename Member<M, index>::Type;
            static_assert(SqlCell<Type>::is_known && !SqlCell<Type>::is_view,
                          "a member of a model cannot be stored: sql_value.h tells the types that can");
            columns[index] = {.name = Member<M, index>::Descriptor::name,
                              .type = column_type<Bare<Type>>(),
                              .nullable = is_optional<Type>,
                              .default_value = {},
                              .choices = choices_of<Bare<Type>>(),
                              .renamed_from = {}};
        });
        std::apply([this](auto const&... part) { (add(part), ...); }, M::model.parts);
    }

    template <auto... Pointer>
    constexpr void add(KeyPart<Pointer...> const&) {
        check_part<M, Pointer...>();
        static_assert((!is_optional<MemberTypeOf<Pointer>> && ...), "key: a key is never null");
        key = column_numbers<M, Pointer...>;
    }
    template <bool Unique, auto... Pointer>
    constexpr void add(IndexPart<Unique, Pointer...> const&) {
        check_part<M, Pointer...>();
        indexes[index_count++] = {column_numbers<M, Pointer...>, Unique};
    }
    template <auto Pointer, class Target>
    constexpr void add(ReferencePart<Pointer, Target> const& part) {
        check_part<M, Pointer>();
        static_assert(Model<Target>, "references: the other struct is no model");
        static_assert(std::same_as<Bare<MemberTypeOf<Pointer>>, KeyOf<Target>>,
                      "references: the member is not of the type of the key that it refers to");
        if (part.on_delete == OnDelete::set_null && !is_optional<MemberTypeOf<Pointer>>)
            throw "references: set_null needs a std::optional member";
        references[reference_count++] = {static_cast<std::uint16_t>(member_index<M, Pointer>),
                                         &table_info<Target>, part.on_delete};
    }
    template <auto Pointer, class V>
    constexpr void add(DefaultPart<Pointer, V> const& part) {
        check_part<M, Pointer>();
        static_assert(is_default_for<MemberTypeOf<Pointer>, V>(),
                      "default_to: the value is not of the member's type");
        columns[member_index<M, Pointer>].default_value =
            default_value_for<MemberTypeOf<Pointer>>(part.value);
    }
    template <auto Pointer, FixedString Name>
    constexpr void add(ColumnNamePart<Pointer, Name> const&) {
        check_part<M, Pointer>();
        columns[member_index<M, Pointer>].name = kept_name<Name>.view();
    }
    template <auto Pointer, FixedString Name>
    constexpr void add(ColumnRenamePart<Pointer, Name> const&) {
        check_part<M, Pointer>();
        columns[member_index<M, Pointer>].renamed_from = kept_name<Name>.view();
    }
    template <FixedString Name>
    constexpr void add(TableRenamePart<Name> const&) {
        renamed_from = kept_name<Name>.view();
    }
    template <FixedString Condition>
    constexpr void add(CheckPart<Condition> const&) {
        checks[check_count++] = kept_name<Condition>.view();
    }
};

template <class M>
consteval void check_model() {
    static_assert(Model<M>, "a model is a described struct with a static member `model`");
    static_assert(boost::mp11::mp_size<typename PartsOf<M>::Keys>::value == 1,
                  "a model has one key: quern::key<&Struct::member>");
}

template <class M>
inline constexpr ModelReader<M> read_model{};

template <class M>
inline constexpr TableInfo kept_table{
    .name = PartsOf<M>::name,
    .renamed_from = read_model<M>.renamed_from,
    .columns = read_model<M>.columns,
    .key = read_model<M>.key,
    .key_is_given = KeyPointers<KeyPartOf<M>>::is_given,
    .indexes = std::span(read_model<M>.indexes).first(read_model<M>.index_count),
    .references = std::span(read_model<M>.references).first(read_model<M>.reference_count),
    .checks = std::span(read_model<M>.checks).first(read_model<M>.check_count),
};

template <class M>
TableInfo const& table_info() {
    check_model<M>();
    return kept_table<M>;
}

}  // namespace detail

// What a model says, as data. Cost: none, the compiler has made it.
template <class M>
[[nodiscard]] TableInfo const& table_info() {
    return detail::table_info<M>();
}

}  // namespace quern
