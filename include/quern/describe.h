// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structs that the library can read and write, and the rules for what they hold.
//
//     struct NewTodo {
//         std::string title;
//         std::optional<int> priority;
//         std::vector<std::string> tags;
//
//         static constexpr auto rules = quern::rules(
//             quern::on<&NewTodo::title>(quern::length(1, 200)),
//             quern::on<&NewTodo::priority>(quern::at_least(0), quern::at_most(9)),
//             quern::on<&NewTodo::tags>(quern::has_default, quern::each(quern::pattern<"[a-z]+">)));
//     };
//     QUERN_DESCRIBE(NewTodo, title, priority, tags)
//
// QUERN_DESCRIBE stands behind the struct, in its namespace; it names the members that count. A member that
// is no std::optional must be there: the compiler cannot see whether it has an initialiser, so those that may
// be missing and then keep what the struct gives them are marked with `has_default`, or all of them with
// `all_have_defaults`. A name that is not a member is refused, unless the rules say `ignore_unknown`.
//
// A rule for a std::optional holds for what is in it. A rule that does not fit its member does not compile.

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/describe.hpp>
#include <boost/mp11.hpp>

#include <quern/capture.h>
#include <quern/error.h>
#include <quern/fixed_string.h>

// Describes a struct: its name, then the members in the order in which they are written.
#define QUERN_DESCRIBE(Type, ...) BOOST_DESCRIBE_STRUCT(Type, (), (__VA_ARGS__))
// Describes an enumeration, whose values are then read and written by name.
#define QUERN_DESCRIBE_ENUM(Type, ...) BOOST_DESCRIBE_ENUM(Type, __VA_ARGS__)

namespace quern {

// Members of one struct, and rules for one member, are kept in machine words and tuples.
inline constexpr std::size_t members_max = 64;

namespace detail {

template <class T>
inline constexpr bool is_vector = false;
template <class T, class A>
inline constexpr bool is_vector<std::vector<T, A>> = true;
template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t N>
inline constexpr bool is_array<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T, class C, class A>
inline constexpr bool is_map<std::map<std::string, T, C, A>> = true;
template <class T>
inline constexpr bool is_text = std::same_as<T, std::string> || std::same_as<T, std::string_view>;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T> && !std::same_as<T, bool> && !std::same_as<T, char>;
template <class T>
inline constexpr bool is_list = is_vector<T> || is_array<T>;

template <class T>
struct BareOf {
    using Type = T;
};
template <class T>
struct BareOf<std::optional<T>> {
    using Type = T;
};
// The type that rules see: what a std::optional holds.
template <class T>
using Bare = typename BareOf<T>::Type;

// Number of code points of well-formed UTF-8.
[[nodiscard]] std::size_t code_points(std::string_view text);
[[nodiscard]] bool is_email(std::string_view text);
[[nodiscard]] std::string number_text(std::int64_t number);
[[nodiscard]] std::string number_text(std::uint64_t number);
[[nodiscard]] std::string number_text(double number);

template <class N>
std::string bound_text(N bound) {
    if constexpr (std::is_floating_point_v<N>) {
        return number_text(static_cast<double>(bound));
    } else if constexpr (std::unsigned_integral<N>) {
        return number_text(static_cast<std::uint64_t>(bound));
    } else {
        return number_text(static_cast<std::int64_t>(bound));
    }
}

// Whether a < b, also where the types differ in sign.
template <class A, class B>
constexpr bool is_less(A a, B b) {
    if constexpr (std::integral<A> && std::integral<B>) {
        return std::cmp_less(a, b);
    } else {
        return static_cast<double>(a) < static_cast<double>(b);
    }
}

// A regular expression (RE2) that is compiled when it is first used, and matches whole texts.
// Threads: any. Precondition: the text is a regular expression.
class TextPattern {
public:
    explicit constexpr TextPattern(std::string_view text) : text_(text) {}
    [[nodiscard]] bool matches(std::string_view text);

private:
    std::string_view text_;
    std::atomic<void*> compiled_ = nullptr;  // never freed
};

// What a rule says of a value that breaks it.
struct Broken {
    std::string_view code;
    std::string message;
};

}  // namespace detail

// --- the rules ---

// Code points of a text, elements of a list, entries of a map. Codes: too_short, too_long.
struct Length {
    std::size_t min = 0;
    std::size_t max = SIZE_MAX;

    template <class T>
    static consteval void check_fit() {
        static_assert(detail::is_text<T> || detail::is_vector<T> || detail::is_map<T>,
                      "length is a rule for texts, vectors and maps");
    }
    template <class T>
    [[nodiscard]] bool holds(T const& value) const {
        if constexpr (detail::is_text<T>) {
            // A text of n bytes has n/4 to n code points: most need no counting.
            if (value.size() <= max && value.size() / 4 >= min) return true;
            std::size_t const count = detail::code_points(value);
            return count >= min && count <= max;
        } else {
            return value.size() >= min && value.size() <= max;
        }
    }
    template <class T>
    [[nodiscard]] detail::Broken broken(T const& value) const {
        std::string_view const unit = detail::is_text<T> ? " character(s)." : " element(s).";
        std::size_t count = value.size();
        if constexpr (detail::is_text<T>) count = detail::code_points(value);
        if (count < min)
            return {"too_short", "Must have at least " + detail::bound_text(min) + std::string(unit)};
        return {"too_long", "Must have at most " + detail::bound_text(max) + std::string(unit)};
    }
};
[[nodiscard]] consteval Length length(std::size_t min, std::size_t max) {
    if (min > max) throw "length: the least is more than the most";
    return {min, max};
}
[[nodiscard]] consteval Length min_length(std::size_t min) { return {min, SIZE_MAX}; }
[[nodiscard]] consteval Length max_length(std::size_t max) { return {0, max}; }

// Codes: too_small.
template <class N>
struct AtLeast {
    N bound;

    template <class T>
    static consteval void check_fit() {
        static_assert(detail::is_number<T>, "at_least is a rule for numbers");
    }
    template <class T>
    [[nodiscard]] bool holds(T value) const {
        return !detail::is_less(value, bound);
    }
    template <class T>
    [[nodiscard]] detail::Broken broken(T) const {
        return {"too_small", "Must be at least " + detail::bound_text(bound) + "."};
    }
};
template <class N>
requires detail::is_number<N>
[[nodiscard]] consteval AtLeast<N> at_least(N bound) { return {bound}; }

// Codes: too_large.
template <class N>
struct AtMost {
    N bound;

    template <class T>
    static consteval void check_fit() {
        static_assert(detail::is_number<T>, "at_most is a rule for numbers");
    }
    template <class T>
    [[nodiscard]] bool holds(T value) const {
        return !detail::is_less(bound, value);
    }
    template <class T>
    [[nodiscard]] detail::Broken broken(T) const {
        return {"too_large", "Must be at most " + detail::bound_text(bound) + "."};
    }
};
template <class N>
requires detail::is_number<N>
[[nodiscard]] consteval AtMost<N> at_most(N bound) { return {bound}; }

// For whole numbers. Codes: not_multiple.
struct MultipleOf {
    std::int64_t factor;

    template <class T>
    static consteval void check_fit() {
        static_assert(detail::is_number<T> && std::integral<T>, "multiple_of is a rule for whole numbers");
    }
    template <class T>
    [[nodiscard]] bool holds(T value) const {
        if constexpr (std::unsigned_integral<T>) {
            return static_cast<std::uint64_t>(value) % static_cast<std::uint64_t>(factor) == 0;
        } else {
            return static_cast<std::int64_t>(value) % factor == 0;
        }
    }
    template <class T>
    [[nodiscard]] detail::Broken broken(T) const {
        return {"not_multiple", "Must be a multiple of " + detail::number_text(factor) + "."};
    }
};
[[nodiscard]] consteval MultipleOf multiple_of(std::int64_t factor) {
    if (factor < 1) throw "multiple_of: the factor is positive";
    return {factor};
}

// An address like "name@example.com". Codes: email.
struct Email {
    template <class T>
    static consteval void check_fit() {
        static_assert(detail::is_text<T>, "email is a rule for texts");
    }
    [[nodiscard]] bool holds(std::string_view value) const { return detail::is_email(value); }
    [[nodiscard]] detail::Broken broken(std::string_view) const {
        return {"email", "Must be an email address."};
    }
};
[[nodiscard]] consteval Email email() { return {}; }

// A regular expression (RE2's syntax) for the whole text. Codes: pattern.
// Cost: compiled at the first use; then linear in the text, without backtracking.
template <FixedString Text>
struct Pattern {
    template <class T>
    static consteval void check_fit() {
        static_assert(detail::is_text<T>, "pattern is a rule for texts");
    }
    [[nodiscard]] bool holds(std::string_view value) const { return compiled_.matches(value); }
    [[nodiscard]] detail::Broken broken(std::string_view) const {
        return {"pattern", "Must match " + std::string(Text.view()) + "."};
    }

private:
    static inline constinit detail::TextPattern compiled_{Text.view()};
};
template <FixedString Text>
inline constexpr Pattern<Text> pattern{};

// Rules for each element of a list.
template <class... R>
struct Each {
    std::tuple<R...> rules;

    template <class T>
    static consteval void check_fit() {
        static_assert(detail::is_list<T>, "each is a rule for vectors and arrays");
        if constexpr (detail::is_list<T>)
            (R::template check_fit<detail::Bare<typename T::value_type>>(), ...);
    }
};
template <class... R>
[[nodiscard]] consteval Each<R...> each(R... rule) {
    return {{rule...}};
}

// The member may be missing; it then keeps what the struct gives it.
struct HasDefault {
    template <class T>
    static consteval void check_fit() {
        static_assert(!detail::is_optional<T>);
    }
};
inline constexpr HasDefault has_default{};

// The member's name in JSON, in queries and in documents, where it is no C++ name.
template <FixedString Name>
struct Named {
    static_assert(!detail::holds_any(Name.view(), "\"\\."), "a name holds no quote, backslash or dot");
    template <class T>
    static consteval void check_fit() {}
};
template <FixedString Name>
inline constexpr Named<Name> named{};

// --- a struct's rules ---

namespace detail {

template <auto Pointer>
struct MemberTag {};

template <class T>
struct MemberPointer;
template <class C, class T>
struct MemberPointer<T C::*> {
    using Type = T;
};

template <class Tag_, class... R>
struct On {
    using Tag = Tag_;
    std::tuple<R...> rules;
};
template <class... P>
struct RuleList {
    std::tuple<P...> parts;
};

}  // namespace detail

// Names that are not members are passed over. What they hold must be JSON all the same.
struct IgnoreUnknown {
    using Tag = void;
};
inline constexpr IgnoreUnknown ignore_unknown{};
// Every member may be missing.
struct AllHaveDefaults {
    using Tag = void;
};
inline constexpr AllHaveDefaults all_have_defaults{};

// The rules of one member: `on<&NewTodo::title>(length(1, 200))`.
template <auto Pointer, class... R>
[[nodiscard]] consteval auto on(R... rule) {
    using Type = typename detail::MemberPointer<std::remove_const_t<decltype(Pointer)>>::Type;
    (R::template check_fit<detail::Bare<Type>>(), ...);
    return detail::On<detail::MemberTag<Pointer>, R...>{{rule...}};
}

// All rules of a struct, as its static member `rules`.
// Example: examples/todo/main.cpp [model]
template <class... P>
[[nodiscard]] consteval auto rules(P... part) {
    return detail::RuleList<P...>{{part...}};
}

// --- what the library sees of a struct ---

namespace detail {

template <class T>
concept Described = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <class T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;

template <class T>
using MembersOf =
    boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;
template <class T>
inline constexpr std::size_t member_count = boost::mp11::mp_size<MembersOf<T>>::value;

template <class T>
constexpr auto rules_of() {
    if constexpr (requires { T::rules; }) {
        return T::rules;
    } else {
        return RuleList<>{};
    }
}

template <class Tag, class Part>
constexpr auto rules_for(Part const& part) {
    if constexpr (std::is_same_v<typename Part::Tag, Tag>) {
        return part.rules;
    } else {
        return std::tuple<>{};
    }
}
template <class T, class Tag>
constexpr auto rules_of_member() {
    return std::apply([](auto const&... part) { return std::tuple_cat(rules_for<Tag>(part)...); },
                      rules_of<T>().parts);
}

template <class Rules, class Wanted>
inline constexpr bool has_rule = false;
template <class Wanted, class... R>
inline constexpr bool has_rule<std::tuple<R...>, Wanted> = (std::is_same_v<R, Wanted> || ...);

template <class T, class Wanted>
inline constexpr bool struct_says = has_rule<std::remove_cvref_t<decltype(rules_of<T>().parts)>, Wanted>;

template <FixedString Name>
constexpr std::string_view given_name(Named<Name>) {
    return FixedString(Name).view();
}
template <class R>
inline constexpr std::string_view name_of_rule = {};
template <FixedString Name>
inline constexpr auto kept_name = Name;
template <FixedString Name>
inline constexpr std::string_view name_of_rule<Named<Name>> = kept_name<Name>.view();
template <class Rules>
inline constexpr std::string_view name_of_rules = {};
template <class... R>
inline constexpr std::string_view name_of_rules<std::tuple<R...>> = [] {
    std::string_view name;
    ((name = name_of_rule<R>.empty() ? name : name_of_rule<R>), ...);
    return name;
}();

// One member of a described struct, by its index.
template <class T, std::size_t Index>
struct Member {
    using Descriptor = boost::mp11::mp_at_c<MembersOf<T>, Index>;
    static constexpr auto pointer = Descriptor::pointer;
    using Tag = MemberTag<Descriptor::pointer>;
    using Type = std::remove_cvref_t<decltype(std::declval<T&>().*Descriptor::pointer)>;
    static constexpr auto rules = rules_of_member<T, Tag>();
    using Rules = std::remove_cvref_t<decltype(rules)>;
    static constexpr std::string_view name =
        name_of_rules<Rules>.empty() ? std::string_view(Descriptor::name) : name_of_rules<Rules>;
    static constexpr bool is_required =
        !is_optional<Type> && !has_rule<Rules, HasDefault> && !struct_says<T, AllHaveDefaults>;
};

// Calls `use` with an integral_constant for every member's index, in order.
template <class T, class Use>
constexpr void for_each_member(Use&& use) {
    [&use]<std::size_t... Index>(std::index_sequence<Index...>) {
        (use(std::integral_constant<std::size_t, Index>{}), ...);
    }
    (std::make_index_sequence<member_count<T>>{});
}
// The same until `use` says true; whether it did.
template <class T, class Use>
constexpr bool any_member(Use&& use) {
    return [&use]<std::size_t... Index>(std::index_sequence<Index...>) {
        return (use(std::integral_constant<std::size_t, Index>{}) || ...);
    }
    (std::make_index_sequence<member_count<T>>{});
}

template <class T, class Tag>
consteval bool names_member() {
    if constexpr (std::is_void_v<Tag>) {
        return true;
    } else {
        return any_member<T>([](auto index) { return std::is_same_v<typename Member<T, index>::Tag, Tag>; });
    }
}

template <class T>
consteval bool rules_name_members() {
    return std::apply(
        [](auto const&... part) {
            return (names_member<T, typename std::remove_cvref_t<decltype(part)>::Tag>() && ...);
        },
        rules_of<T>().parts);
}

// What a description must keep to; once for every struct that is read or written.
template <Described T>
consteval bool check_description() {
    static_assert(member_count<T> <= members_max, "a described struct has at most 64 members");
    static_assert(rules_name_members<T>(), "a rule is for a member that QUERN_DESCRIBE does not name");
    return true;
}

// The bits of the members that must be there.
template <class T>
inline constexpr std::uint64_t required_members = [] {
    std::uint64_t bits = 0;
    for_each_member<T>([&bits](auto index) {
        if (Member<T, index>::is_required) bits |= std::uint64_t{1} << index();
    });
    return bits;
}();

template <class T>
inline constexpr auto member_names = []<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::array<std::string_view, sizeof...(Index)>{Member<T, Index>::name...};
}
(std::make_index_sequence<member_count<T>>{});

template <class E>
using EnumeratorsOf = boost::describe::describe_enumerators<E>;
template <class E>
inline constexpr auto enumerators = []<class... D>(boost::mp11::mp_list<D...>) {
    return std::array<std::pair<std::string_view, E>, sizeof...(D)>{
        std::pair{std::string_view(D::name), D::value}...};
}(boost::mp11::mp_rename<EnumeratorsOf<E>, boost::mp11::mp_list>{});

template <DescribedEnum E>
std::optional<E> read_enumerator(std::string_view text) {
    for (auto const& [name, value] : enumerators<E>) {
        if (name == text) return value;
    }
    return std::nullopt;
}
// Empty for a value without a name.
template <DescribedEnum E>
std::string_view enumerator_name(E wanted) {
    for (auto const& [name, value] : enumerators<E>) {
        if (value == wanted) return name;
    }
    return {};
}
template <DescribedEnum E>
std::string enumerator_list() {
    std::string list;
    for (auto const& [name, value] : enumerators<E>) {
        if (!list.empty()) list += ", ";
        list += name;
    }
    return list;
}

}  // namespace detail

}  // namespace quern
