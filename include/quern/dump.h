// SPDX-License-Identifier: Apache-2.0
#pragma once

// Structs as JSON, written straight into the answer.
//
//     app.get<"/todos/{id}">([](std::int64_t id) -> quern::Result<Todo> { return find(id); });
//     app.get<"/users">([] { return quern::dump(users(), quern::exclude<"password">); });
//
// A handler may return a described struct (describe.h), or a vector, array or map of what can be written; the
// answer is application/json. dump() says what is to be left out. The names that it is given are checked by
// the compiler, also nested ones: "tags.name" reaches into the elements of `tags`.
//
// Every digit of an integer is kept; a number that is not finite is null, as is a std::optional without
// value; ill-formed bytes of a text become U+FFFD.

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <quern/buffer.h>
#include <quern/capture.h>
#include <quern/describe.h>
#include <quern/extract.h>
#include <quern/json_writer.h>
#include <quern/schema.h>

namespace quern {

// Members that are a std::optional without value are left out.
struct ExcludeNull {};
inline constexpr ExcludeNull exclude_null{};
// Members that equal what the struct gives them are left out.
struct ExcludeDefaults {};
inline constexpr ExcludeDefaults exclude_defaults{};
// Only these members, and what is in them.
template <FixedString... Names>
struct Include {};
template <FixedString... Names>
inline constexpr Include<Names...> include{};
// All but these members.
template <FixedString... Names>
struct Exclude {};
template <FixedString... Names>
inline constexpr Exclude<Names...> exclude{};

// A value, and what of it is written. Made by dump().
template <class T, class... Options>
struct Dumped {
    T value;
};

namespace detail {

// What holds the members that a dotted name reaches into.
template <class T>
struct ElementOf {
    using Type = T;
};
template <class T>
requires(is_optional<T> || is_list<T>) struct ElementOf<T> : ElementOf<typename T::value_type> {
};
template <class T>
requires is_map<T>
struct ElementOf<T> : ElementOf<typename T::mapped_type> {
};

template <class T>
constexpr bool has_member(std::string_view path) {
    using Element = typename ElementOf<T>::Type;
    if constexpr (Described<Element>) {
        std::size_t const dot = find_char(path, '.');
        std::string_view const rest = path.substr(std::min(dot + 1, path.size()));
        return any_member<Element>([&](auto index) {
            using M = Member<Element, index>;
            if (M::name != path.substr(0, dot)) return false;
            if (dot == path.size()) return true;
            // A struct that holds itself has no end: its names are not followed into it.
            if constexpr (std::same_as<typename ElementOf<typename M::Type>::Type, Element>) {
                return false;
            } else {
                return has_member<typename M::Type>(rest);
            }
        });
    } else {
        return false;
    }
}

constexpr bool is_below(std::string_view path, std::string_view above) {
    return path.size() > above.size() && path.starts_with(above) && path[above.size()] == '.';
}

template <class Option>
struct Picks {
    static constexpr bool is_include = false;
    static constexpr bool is_exclude = false;
    template <class T>
    static consteval bool names_members() {
        return true;
    }
    static constexpr bool keeps(std::string_view) { return true; }
    // Whether some of what is below a place that is kept is left out.
    static constexpr bool leaves_out_below(std::string_view) { return false; }
};
template <FixedString... Names>
struct Picks<Include<Names...>> {
    template <class T>
    static consteval bool names_members() {
        return (has_member<T>(Names.view()) && ...);
    }
    static constexpr bool keeps(std::string_view path) {
        return ((path == Names.view() || is_below(path, Names.view()) || is_below(Names.view(), path)) ||
                ...);
    }
    static constexpr bool leaves_out_below(std::string_view path) {
        return !((path == Names.view() || is_below(path, Names.view())) || ...);
    }
};
template <FixedString... Names>
struct Picks<Exclude<Names...>> {
    template <class T>
    static consteval bool names_members() {
        return (has_member<T>(Names.view()) && ...);
    }
    static constexpr bool keeps(std::string_view path) { return ((path != Names.view()) && ...); }
    static constexpr bool leaves_out_below(std::string_view path) {
        return (is_below(Names.view(), path) || ...);
    }
};

// What is left out below one place of the value. Path is that place, and empty when nothing goes by names.
template <FixedString Path, class... Options>
struct DumpPlan {
    static constexpr bool without_null = (std::same_as<Options, ExcludeNull> || ...);
    static constexpr bool without_defaults = (std::same_as<Options, ExcludeDefaults> || ...);
    static constexpr bool by_name =
        ((!std::same_as<Options, ExcludeNull> && !std::same_as<Options, ExcludeDefaults>) || ...);
    static constexpr bool leaves_out = without_null || without_defaults;

    template <std::size_t Bytes>
    static consteval auto below(std::array<char, Bytes>, std::string_view name) {
        FixedString<Bytes> path;
        std::size_t at = 0;
        for (char const c : Path.view()) path.bytes[at++] = c;
        if (at > 0) path.bytes[at++] = '.';
        for (char const c : name) path.bytes[at++] = c;
        return path;
    }
    template <class M>
    static consteval auto path_of() {
        constexpr std::size_t own = Path.view().size();
        return below(std::array<char, own + (own > 0 ? 1 : 0) + M::name.size() + 1>{}, M::name);
    }
    template <class M>
    static constexpr bool keeps() {
        return (Picks<Options>::keeps(path_of<M>().view()) && ...);
    }
    // Where nothing goes by names any more, the plan is the same all the way down: structs that hold
    // themselves have an end then.
    template <class M>
    static consteval auto inside() {
        if constexpr ((Picks<Options>::leaves_out_below(path_of<M>().view()) || ...)) {
            return DumpPlan<path_of<M>(), Options...>{};
        } else if constexpr (without_null && without_defaults) {
            return DumpPlan<"", ExcludeNull, ExcludeDefaults>{};
        } else if constexpr (without_null) {
            return DumpPlan<"", ExcludeNull>{};
        } else if constexpr (without_defaults) {
            return DumpPlan<"", ExcludeDefaults>{};
        } else {
            return DumpPlan<"">{};
        }
    }
};
using WholeDump = DumpPlan<"">;

// The schema of what a plan writes: a member that may be left out is not required, one that always is does
// not stand there.
template <class Plan>
struct DumpSchema;
template <class Plan>
using SchemaOfDump = std::conditional_t<Plan::by_name || Plan::leaves_out, DumpSchema<Plan>, WholeSchema>;
template <class Plan>
struct DumpSchema {
    static constexpr bool is_component = !Plan::by_name;
    static constexpr std::string_view variant = !Plan::without_null       ? "WithoutDefaults"
                                                : !Plan::without_defaults ? "WithoutNull"
                                                                          : "WithoutNullAndDefaults";
    template <class M>
    static constexpr bool keeps = Plan::template keeps<M>();
    template <class M>
    static constexpr bool is_required =
        !Plan::without_defaults && !(Plan::without_null && is_optional<typename M::Type>);
    template <class M>
    using Type = std::conditional_t<Plan::without_null, Bare<typename M::Type>, typename M::Type>;
    template <class M>
    using Inside = SchemaOfDump<decltype(Plan::template inside<M>())>;
};

// The bytes before a member's value: `{"title":` or `,"title":`.
template <class T, std::size_t Index, char Before>
inline constexpr auto key_bytes = [] {
    constexpr std::string_view name = Member<T, Index>::name;
    std::array<char, name.size() + 4> bytes{};
    bytes[0] = Before;
    bytes[1] = '"';
    for (std::size_t at = 0; at < name.size(); ++at) bytes[at + 2] = name[at];
    bytes[name.size() + 2] = '"';
    bytes[name.size() + 3] = ':';
    return bytes;
}();
// With a word behind, padded to one length.
template <std::size_t Bytes>
consteval auto joined(std::array<char, Bytes> const& key, std::string_view word) {
    std::array<char, Bytes + 5> bytes{};
    std::ranges::copy(word, std::ranges::copy(key, bytes.begin()).out);
    return bytes;
}
// All of `bytes` are copied, of which `count` are meant: copying a fixed number is quicker.
template <std::size_t Bytes>
void append_bytes(Buffer& output, std::array<char, Bytes> const& bytes, std::size_t count) {
    std::memcpy(output.reserve(Bytes), bytes.data(), Bytes);
    output.advance(count);
}

void append_uuid(Buffer& output, Uuid const& uuid);

template <std::integral T>
void append_whole(Buffer& output, T value) {
    constexpr std::size_t bytes_max = 24;
    char* const place = output.reserve(bytes_max);
    output.advance(static_cast<std::size_t>(std::to_chars(place, place + bytes_max, value).ptr - place));
}

// Whether both hold the same: by == where there is one, else member by member.
template <class T>
bool is_equal(T const& a, T const& b) {
    if constexpr (is_optional<T>) {
        return a.has_value() == b.has_value() && (!a || is_equal(*a, *b));
    } else if constexpr (is_list<T>) {
        if (a.size() != b.size()) return false;
        for (std::size_t index = 0; index < a.size(); ++index) {
            if (!is_equal<typename T::value_type>(a[index], b[index])) return false;
        }
        return true;
    } else if constexpr (is_map<T>) {
        return std::ranges::equal(a, b, [](auto const& left, auto const& right) {
            return left.first == right.first && is_equal(left.second, right.second);
        });
    } else if constexpr (std::equality_comparable<T>) {
        return a == b;
    } else {
        static_assert(Described<T>, "exclude_defaults: the members of this type cannot be compared");
        return !any_member<T>([&](auto index) {
            return !is_equal(a.*Member<T, index>::pointer, b.*Member<T, index>::pointer);
        });
    }
}

template <class Plan, class T>
void write_json(Buffer& output, T const& value);

template <class Plan, class T>
consteval std::size_t first_kept() {
    std::size_t first = member_count<T>;
    for_each_member<T>([&first](auto index) {
        if (first == member_count<T> && Plan::template keeps<Member<T, index>>()) first = index;
    });
    return first;
}

template <class Plan, class T, std::size_t Index>
bool is_left_out([[maybe_unused]] T const& value) {
    using M = Member<T, Index>;
    if constexpr (Plan::without_null && is_optional<typename M::Type>) {
        if (!(value.*M::pointer)) return true;
    }
    if constexpr (Plan::without_defaults) {
        static T const defaults{};
        return is_equal(value.*M::pointer, defaults.*M::pointer);
    }
    return false;
}

// A member's key and value. A number or truth value goes out with its key in one piece.
template <class Plan, class T, std::size_t Index, char Before>
void write_pair(Buffer& output, T const& value) {
    using M = Member<T, Index>;
    using Type = typename M::Type;
    constexpr auto& key = key_bytes<T, Index, Before>;
    auto const& member = value.*M::pointer;
    if constexpr (std::same_as<Type, bool>) {
        static constexpr auto words = std::array{joined(key, "true"), joined(key, "false")};
        append_bytes(output, words[member ? 0 : 1], key.size() + (member ? 4 : 5));
    } else if constexpr (is_number<Type> && std::integral<Type>) {
        constexpr std::size_t digits_max = 24;
        char* const place = output.reserve(key.size() + digits_max);
        std::memcpy(place, key.data(), key.size());
        auto const end = std::to_chars(place + key.size(), place + key.size() + digits_max, member).ptr;
        output.advance(static_cast<std::size_t>(end - place));
    } else {
        append_bytes(output, key, key.size());
        write_json<decltype(Plan::template inside<M>())>(output, member);
    }
}

template <class Plan, Described T>
void write_object(Buffer& output, T const& value) {
    static_assert(check_description<T>());
    // Where nothing is left out at run time, the compiler knows which member is the first.
    constexpr std::size_t first = first_kept<Plan, T>();
    [[maybe_unused]] bool is_first = true;
    for_each_member<T>([&](auto index) {
        if constexpr (!Plan::template keeps<Member<T, index>>()) {
            return;
        } else if constexpr (Plan::leaves_out) {
            if (is_left_out<Plan, T, index>(value)) return;
            if (is_first) {
                write_pair<Plan, T, index, '{'>(output, value);
            } else {
                write_pair<Plan, T, index, ','>(output, value);
            }
            is_first = false;
        } else {
            write_pair<Plan, T, index, (index == first ? '{' : ',')>(output, value);
        }
    });
    bool const is_empty = Plan::leaves_out ? is_first : first == member_count<T>;
    output.append(is_empty ? std::string_view("{}") : std::string_view("}"));
}

template <class Plan, class T>
void write_list(Buffer& output, T const& list) {
    char before = '[';
    for (auto const& element : list) {
        output.append(before);
        write_json<Plan, typename T::value_type>(output, element);
        before = ',';
    }
    if (before == '[') output.append('[');
    output.append(']');
}

template <class Plan, class T>
void write_map(Buffer& output, T const& map) {
    char before = '{';
    for (auto const& [key, value] : map) {
        output.append(before);
        json::append_string(output, key);
        output.append(':');
        write_json<Plan>(output, value);
        before = ',';
    }
    if (before == '{') output.append('{');
    output.append('}');
}

template <class Plan, class T>
void write_json(Buffer& output, T const& value) {
    if constexpr (is_optional<T>) {
        if (value) return write_json<Plan>(output, *value);
        output.append(std::string_view("null"));
    } else if constexpr (std::same_as<T, bool>) {
        output.append(value ? std::string_view("true") : std::string_view("false"));
    } else if constexpr (std::floating_point<T>) {
        json::append_real(output, static_cast<double>(value));
    } else if constexpr (is_number<T>) {
        append_whole(output, value);
    } else if constexpr (std::convertible_to<T const&, std::string_view>) {
        json::append_string(output, value);
    } else if constexpr (is_list<T>) {
        write_list<Plan>(output, value);
    } else if constexpr (is_map<T>) {
        write_map<Plan>(output, value);
    } else if constexpr (std::same_as<T, Uuid>) {
        append_uuid(output, value);
    } else if constexpr (DescribedEnum<T>) {
        json::append_string(output, enumerator_name(value));
    } else if constexpr (requires { FromText<T>::text(value); }) {
        json::append_string(output, FromText<T>::text(value));
    } else {
        static_assert(Described<T>,
                      "this type cannot be written as JSON: describe it with QUERN_DESCRIBE or "
                      "QUERN_DESCRIBE_ENUM, or give its quern::FromText a static text(value)");
        write_object<Plan>(output, value);
    }
}

// What a handler may return as JSON without further words.
template <class T>
concept JsonAnswer = Described<T> || is_list<T> || is_map<T>;

}  // namespace detail

// Appends `value` as JSON. Cost: one pass; the buffer grows when it must, nothing else allocates.
template <class T>
void write_json(Buffer& output, T const& value) {
    detail::write_json<detail::WholeDump>(output, value);
}
template <class T, class... Options>
void write_json(Buffer& output, Dumped<T, Options...> const& dumped) {
    detail::write_json<detail::DumpPlan<"", Options...>>(output, dumped.value);
}

// A value of which parts are left out: exclude_null, exclude_defaults, include<"title", "tags.name">,
// exclude<"password">, any of them together. An excluded member wins over an included one.
// Example: examples/upload/main.cpp [size]
template <class T, class... Options>
[[nodiscard]] Dumped<std::remove_cvref_t<T>, Options...> dump(T&& value, Options...) {
    static_assert((detail::Picks<Options>::template names_members<std::remove_cvref_t<T>>() && ...),
                  "dump: include<...> or exclude<...> names something that is not a member");
    return {std::forward<T>(value)};
}

template <detail::JsonAnswer T>
struct Answer<T> {
    static void write(T const& value, Call& call) {
        call.exchange.response.content_type = http::content_type_json;
        write_json(call.exchange.response.body, value);
    }
    static void describe(openapi::Operation& operation) {
        operation.response(200, "application/json", detail::schema_of<T>(operation.schemas()));
    }
};
template <class T, class... Options>
struct Answer<Dumped<T, Options...>> {
    static void write(Dumped<T, Options...> const& dumped, Call& call) {
        call.exchange.response.content_type = http::content_type_json;
        write_json(call.exchange.response.body, dumped);
    }
    static void describe(openapi::Operation& operation) {
        using Plan = detail::SchemaOfDump<detail::DumpPlan<"", Options...>>;
        operation.response(200, "application/json",
                           detail::planned_schema<Plan, T>(operation.schemas(), std::tuple<>{}));
    }
};

}  // namespace quern
