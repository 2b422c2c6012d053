// SPDX-License-Identifier: Apache-2.0
#pragma once

// The query and the captures of a request, as structs.
//
//     struct Page { std::uint32_t page = 1; std::vector<std::string> tag; ...rules: has_default... };
//     app.get<"/todos">([](quern::Query<Page> query) { return list(query->page, query->tag); });
//
// Query<T> reads "?page=2&tag=a&tag=b" into a described struct (describe.h). Members are what a FromText
// reads, described enumerations by name, std::optional of these, and vectors, which take every occurrence of
// their name and may be missing. The rules are those of Json<T>, the faults are told all at once.
//
// Path<T> takes all captures of the route by name, so a handler with many of them reads well. The pattern's
// names and the members must be the same, or the program does not compile.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quern/capture.h>
#include <quern/describe.h>
#include <quern/extract.h>
#include <quern/faults.h>
#include <quern/http.h>
#include <quern/json.h>
#include <quern/route.h>

namespace quern {

// The query as a T. Lifetime: a std::string_view in it is the request's, or in its arena.
// Example: examples/todo/main.cpp [read]
template <class T>
struct Query {
    T value{};
    [[nodiscard]] T& operator*() { return value; }
    [[nodiscard]] T const& operator*() const { return value; }
    [[nodiscard]] T* operator->() { return &value; }
    [[nodiscard]] T const* operator->() const { return &value; }
};

// The route's captures as a T.
template <class T>
struct Path {
    T value{};
    [[nodiscard]] T& operator*() { return value; }
    [[nodiscard]] T const& operator*() const { return value; }
    [[nodiscard]] T* operator->() { return &value; }
    [[nodiscard]] T const* operator->() const { return &value; }
};

namespace detail {

// One text as a T; a fault is noted.
template <class T>
bool read_text(std::string_view text, T& value, Place const& place, Faults& faults) {
    if constexpr (is_optional<T>) {
        return read_text(text, value.emplace(), place, faults);
    } else if constexpr (is_vector<T>) {
        typename T::value_type element{};
        if (!read_text(text, element, place, faults)) return false;
        value.push_back(std::move(element));
        return true;
    } else if constexpr (DescribedEnum<T>) {
        auto const known = read_enumerator<T>(text);
        if (known) value = *known;
        if (!known) add_not_in_list(faults, place, enumerator_list<T>());
        return known.has_value();
    } else {
        static_assert(Captured<T>,
                      "this type cannot be read from text: specialise quern::FromText for it, or describe "
                      "it with QUERN_DESCRIBE_ENUM");
        auto read = FromText<T>::read(text);
        if (!read) {
            add_invalid(faults, place, FromText<T>::what);
            return false;
        }
        value = *std::move(read);
        return true;
    }
}

// Members that have been given texts by name.
template <class T>
struct NamedTexts {
    T& value;
    Place const& place;
    Faults& faults;
    std::uint64_t seen = 0;
    std::uint64_t bad = 0;  // of these, what the rules say does not matter

    void take(std::string_view name, std::string_view text, std::string_view what) {
        Place const here{&place, name};
        bool const known = any_member<T>([&](auto index) {
            if (name != Member<T, index>::name) return false;
            take_member<index>(text, here, what);
            return true;
        });
        if (!known && !struct_says<T, IgnoreUnknown>) add_unknown(faults, here, what);
    }
    void finish() {
        for_each_member<T>([this](auto index) { finish_member<index>(); });
        check_missing<T>(seen, place, faults);
    }

private:
    template <std::size_t Index>
    void take_member(std::string_view text, Place const& here, std::string_view what) {
        using M = Member<T, Index>;
        constexpr std::uint64_t bit = std::uint64_t{1} << Index;
        auto& member = value.*M::pointer;
        bool const is_again = (seen & bit) != 0;
        if constexpr (is_vector<typename M::Type>) {
            if (!is_again) member.clear();
        } else if (is_again) {
            return add_duplicate(faults, here, what);
        }
        seen |= bit;
        if (!read_text(text, member, here, faults)) bad |= bit;
    }
    template <std::size_t Index>
    void finish_member() {
        using M = Member<T, Index>;
        constexpr std::uint64_t bit = std::uint64_t{1} << Index;
        if constexpr (is_vector<typename M::Type>) seen |= bit;
        if ((seen & ~bad & bit) != 0)
            check_rules(M::rules, value.*M::pointer, Place{&place, M::name}, faults);
    }
};

// Errors: parameter_invalid — a percent escape is malformed, or a text is not UTF-8.
[[nodiscard]] Result<std::span<http::QueryParameter>> query_of(Call& call);

}  // namespace detail

// Errors: parameter_invalid — a malformed escape; unprocessable — all that is wrong, in `fields`, under
// "query.".
template <class T>
struct Extract<Query<T>> {
    static_assert(detail::Described<T>, "Query<T> wants a struct that QUERN_DESCRIBE describes");
    static Result<Query<T>> from(Call& call) {
        static_assert(detail::check_description<T>());
        QUERN_TRY(auto const parameters, detail::query_of(call));
        Result<Query<T>> query;
        Faults faults;
        Place const place{nullptr, "query"};
        detail::NamedTexts<T> texts{query->value, place, faults};
        for (auto const& [name, value] : parameters) texts.take(name, value, "parameter");
        texts.finish();
        if (!faults.empty()) query = std::unexpected(faults.take());
        return query;
    }
    static void describe(openapi::Operation& operation) {
        detail::describe_parameters<T>(operation, "query");
        for (int const status : {400, 422}) operation.problem(status);
    }
};

// Errors: parameter_invalid — captures that are not what their members want, under "path.".
template <class T>
struct Extract<Path<T>> {
    static_assert(detail::Described<T>, "Path<T> wants a struct that QUERN_DESCRIBE describes");

    // Whether the route captures just what the struct has.
    static consteval bool fits(RouteShape const& shape) {
        std::size_t found = 0;
        for (RouteSegment const& segment : shape.parts()) {
            if (segment.kind == RouteSegment::Kind::literal) continue;
            if (!detail::any_member<T>(
                    [&](auto index) { return detail::Member<T, index>::name == segment.text; }))
                return false;
            ++found;
        }
        return found == detail::member_count<T>;
    }
    static Result<Path<T>> from(Call& call, RouteShape const& shape) {
        static_assert(detail::check_description<T>());
        Result<Path<T>> path;
        Faults faults;
        Place const place{nullptr, "path"};
        detail::NamedTexts<T> texts{path->value, place, faults};
        std::size_t index = 0;
        for (RouteSegment const& segment : shape.parts()) {
            if (segment.kind != RouteSegment::Kind::literal)
                texts.take(segment.text, call.captures[index++], "capture");
        }
        texts.finish();
        if (!faults.empty()) path = std::unexpected(faults.take(ErrorCode::parameter_invalid));
        return path;
    }
    static void describe(openapi::Operation& operation) {
        detail::describe_parameters<T>(operation, "path");
        operation.problem(400);
    }
};

}  // namespace quern
