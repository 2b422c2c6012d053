// SPDX-License-Identifier: Apache-2.0
#pragma once

// Bodies in JSON, as structs.
//
//     app.post<"/todos">([](quern::Json<NewTodo> body) { return quern::Created<Todo>{add(body->title)}; });
//
// Json<T> reads the request's body straight into a T, without a tree in between, and checks it against T's
// rules (describe.h). Whatever is wrong is told at once, each with its place, a code and a sentence. A
// described struct that a handler returns is written straight into the answer; see dump.h for leaving parts
// of it out.
//
// How types look in JSON: numbers and booleans as themselves, texts and UUIDs as strings, std::optional as
// its value or null, vectors and arrays as arrays, maps and described structs as objects, described
// enumerations by name. A type of your own with a FromText<T> is read from a string.
//
// Codes of faults: missing, unknown_key, duplicate_key, wrong_type, not_whole, out_of_range, not_in_list,
// invalid_value, forbidden_character, wrong_count, and those of the rules.

#include <array>
#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quern/capture.h>
#include <quern/describe.h>
#include <quern/extract.h>
#include <quern/faults.h>
#include <quern/json_cursor.h>
#include <quern/schema.h>

namespace quern {

// A body as a T: `quern::Json<NewTodo> body`, then `body->title`.
// Lifetime: a std::string_view in it is the request's, or in its arena.
// Example: examples/todo/main.cpp [write]
template <class T>
struct Json {
    T value{};
    [[nodiscard]] T& operator*() { return value; }
    [[nodiscard]] T const& operator*() const { return value; }
    [[nodiscard]] T* operator->() { return &value; }
    [[nodiscard]] T const* operator->() const { return &value; }
};

namespace detail {

template <class T>
concept TextForm = Captured<T> && !std::is_arithmetic_v<T> && !is_text<T>;

// What is being read, and what was found wrong with it.
struct JsonReader {
    json::Cursor& cursor;
    Faults& faults;

    // Passes over the value and says that it is not a `wanted`.
    void wrong_type(Place const& place, std::string_view wanted);
    // The string that comes; false where it is none, or holds U+0000.
    bool text(Place const& place, std::string_view& text);
};

// Checks the content type. Errors: unsupported_media_type.
[[nodiscard]] Result<void> check_json_type(Call& call);
void add_wrong_count(Faults& faults, Place const& place, std::size_t wanted);
void add_invalid(Faults& faults, Place const& place, std::string_view what);
void add_not_in_list(Faults& faults, Place const& place, std::string list);
void add_not_whole(Faults& faults, Place const& place);
void add_out_of_range(Faults& faults, Place const& place, std::string least, std::string most);
void add_not_finite(Faults& faults, Place const& place);

// Reads the value that the cursor stands in front of. False where it is at fault; that has been noted then.
template <class T>
bool read_json(JsonReader& in, T& value, Place const& place);

template <class T>
bool read_json_number(JsonReader& in, T& value, Place const& place) {
    if (in.cursor.next() != json::Cursor::Kind::number) [[unlikely]] {
        in.wrong_type(place, std::integral<T> ? "a whole number" : "a number");
        return false;
    }
    if constexpr (std::integral<T>) {
        std::int64_t small = 0;
        std::optional<T> whole;
        bool is_whole = true;
        if (in.cursor.take_integer(small)) [[likely]] {
            if (std::in_range<T>(small)) [[likely]] {
                value = static_cast<T>(small);
                return true;
            }
        } else {
            json::Number const number = in.cursor.number();
            if (in.cursor.failed()) return false;
            whole = number.integer<T>();
            is_whole = whole || number.is_whole();
        }
        if (whole) {
            value = *whole;
            return true;
        }
        if (!is_whole) {
            add_not_whole(in.faults, place);
        } else {
            add_out_of_range(in.faults, place, bound_text(std::numeric_limits<T>::min()),
                             bound_text(std::numeric_limits<T>::max()));
        }
    } else {
        auto const real = in.cursor.number().real();
        constexpr double most = std::numeric_limits<T>::max() < std::numeric_limits<double>::max()
                                    ? static_cast<double>(std::numeric_limits<T>::max())
                                    : std::numeric_limits<double>::max();
        if (real && *real <= most && *real >= -most) [[likely]] {
            value = static_cast<T>(*real);
            return true;
        }
        if (!in.cursor.failed()) add_not_finite(in.faults, place);
    }
    return false;
}

template <class T>
bool read_json_text(JsonReader& in, T& value, Place const& place) {
    std::string_view text;
    if (!in.text(place, text)) [[unlikely]]
        return false;
    if constexpr (is_text<T>) {
        value = T(text);
        return true;
    } else if constexpr (DescribedEnum<T>) {
        if (auto const known = read_enumerator<T>(text)) {
            value = *known;
            return true;
        }
        add_not_in_list(in.faults, place, enumerator_list<T>());
    } else {
        if (auto read = FromText<T>::read(text)) {
            value = *std::move(read);
            return true;
        }
        add_invalid(in.faults, place, FromText<T>::what);
    }
    return false;
}

template <class T>
bool read_json_vector(JsonReader& in, T& list, Place const& place) {
    if (in.cursor.next() != json::Cursor::Kind::array) [[unlikely]] {
        in.wrong_type(place, "an array");
        return false;
    }
    bool fine = true;
    std::size_t index = 0;
    list.clear();
    for (bool more = in.cursor.enter_array(); more; more = in.cursor.next_element()) {
        Place const element{&place, {}, index++};
        if constexpr (std::same_as<typename T::value_type, bool>) {
            bool value = false;
            fine = read_json(in, value, element) && fine;
            list.push_back(value);
        } else {
            fine = read_json(in, list.emplace_back(), element) && fine;
        }
    }
    return fine;
}

template <class T>
bool read_json_array(JsonReader& in, T& list, Place const& place) {
    if (in.cursor.next() != json::Cursor::Kind::array) [[unlikely]] {
        in.wrong_type(place, "an array");
        return false;
    }
    bool fine = true;
    std::size_t index = 0;
    for (bool more = in.cursor.enter_array(); more; more = in.cursor.next_element()) {
        Place const element{&place, {}, index};
        if (index < list.size()) {
            fine = read_json(in, list[index], element) && fine;
        } else {
            in.cursor.skip();
        }
        ++index;
    }
    if (index == list.size()) return fine;
    if (!in.cursor.failed()) add_wrong_count(in.faults, place, list.size());
    return false;
}

template <class T>
bool read_json_map(JsonReader& in, T& map, Place const& place) {
    if (in.cursor.next() != json::Cursor::Kind::object) [[unlikely]] {
        in.wrong_type(place, "an object");
        return false;
    }
    bool fine = true;
    std::string_view key;
    map.clear();
    for (bool more = in.cursor.enter_object(key); more; more = in.cursor.next_member(key)) {
        Place const entry{&place, key};
        auto const [position, is_new] = map.try_emplace(std::string(key));
        if (is_new) {
            fine = read_json(in, position->second, entry) && fine;
        } else {
            add_duplicate(in.faults, entry, "key");
            in.cursor.skip();
            fine = false;
        }
    }
    return fine;
}

template <class T, std::size_t Index>
inline constexpr auto quoted_name = [] {
    constexpr std::string_view name = Member<T, Index>::name;
    std::array<char, name.size() + 2> quoted{};
    quoted.front() = quoted.back() = '"';
    for (std::size_t at = 0; at < name.size(); ++at) quoted[at + 1] = name[at];
    return quoted;
}();

// The members of an object that have been read so far.
template <class T>
struct JsonMembers {
    JsonReader& in;
    T& value;
    Place const& place;
    std::uint64_t seen = 0;

    // The member's value, behind its key.
    template <std::size_t Index>
    void read() {
        using M = Member<T, Index>;
        constexpr std::uint64_t bit = std::uint64_t{1} << Index;
        Place const here{&place, M::name};
        if ((seen & bit) != 0) [[unlikely]] {
            add_duplicate(in.faults, here, "key");
            return in.cursor.skip();
        }
        seen |= bit;
        auto& member = value.*M::pointer;
        if (read_json(in, member, here)) [[likely]]
            check_rules(M::rules, member, here, in.faults);
    }

    // Most keys are a member's name, without escapes: those need not be looked at twice.
    bool read_known() {
        return any_member<T>([this](auto index) {
            if constexpr (quoted_name<T, index>.size() < json::compared_bytes_max) {
                if (in.cursor.take_key(quoted_name<T, index>)) {
                    read<index>();
                    return true;
                }
            }
            return in.cursor.failed();
        });
    }
    void read_any() {
        std::string_view key;
        if (!in.cursor.take_key(key)) return;
        bool const known = any_member<T>([&](auto index) {
            if (key != Member<T, index>::name) return false;
            read<index>();
            return true;
        });
        if (known) return;
        if (!struct_says<T, IgnoreUnknown>) add_unknown(in.faults, Place{&place, key}, "member");
        in.cursor.skip();
    }
};

template <Described T>
bool read_json_object(JsonReader& in, T& value, Place const& place) {
    static_assert(check_description<T>());
    if (in.cursor.next() != json::Cursor::Kind::object) [[unlikely]] {
        in.wrong_type(place, "an object");
        return false;
    }
    JsonMembers<T> members{in, value, place};
    for (bool more = in.cursor.enter_object(); more; more = in.cursor.next_member()) {
        if (!members.read_known()) [[unlikely]]
            members.read_any();
    }
    if (in.cursor.failed()) [[unlikely]]
        return false;
    check_missing<T>(members.seen, place, in.faults);
    return true;
}

template <class T>
bool read_json(JsonReader& in, T& value, Place const& place) {
    if constexpr (is_optional<T>) {
        if (in.cursor.next() != json::Cursor::Kind::null) return read_json(in, value.emplace(), place);
        in.cursor.null();
        value.reset();
        return true;
    } else if constexpr (std::same_as<T, bool>) {
        if (in.cursor.next() == json::Cursor::Kind::boolean) [[likely]] {
            value = in.cursor.boolean();
            return true;
        }
        in.wrong_type(place, "true or false");
        return false;
    } else if constexpr (is_number<T>) {
        return read_json_number(in, value, place);
    } else if constexpr (is_vector<T>) {
        return read_json_vector(in, value, place);
    } else if constexpr (is_array<T>) {
        return read_json_array(in, value, place);
    } else if constexpr (is_map<T>) {
        return read_json_map(in, value, place);
    } else if constexpr (Described<T>) {
        return read_json_object(in, value, place);
    } else {
        static_assert(is_text<T> || DescribedEnum<T> || TextForm<T>,
                      "this type cannot be read from JSON: describe it with QUERN_DESCRIBE or "
                      "QUERN_DESCRIBE_ENUM, or specialise quern::FromText for it");
        return read_json_text(in, value, place);
    }
}

}  // namespace detail

// Reads a JSON text into `value`, which keeps what is not in the text.
// Precondition: 64 bytes are readable behind `padded_text`, as they are behind a request's body.
// Errors:   body_invalid — no JSON, the message names the byte; nested deeper than json::depth_max;
//           unprocessable — all that is wrong, in `fields`. `value` may have changed.
// Lifetime: a std::string_view in `value` borrows from the text, or from the arena if it was escaped.
// Cost:     one pass. Allocates what the members allocate: nothing for views and numbers.
template <class T>
[[nodiscard]] Result<void> read_json(std::string_view padded_text, Arena& arena, T& value,
                                     std::string_view place = "body") {
    json::Cursor cursor(padded_text, arena);
    Faults faults;
    detail::JsonReader in{cursor, faults};
    (void)detail::read_json(in, value, Place{nullptr, place});
    if (!cursor.finish()) [[unlikely]]
        return std::unexpected(cursor.error());
    if (!faults.empty()) [[unlikely]]
        return std::unexpected(faults.take());
    return {};
}

// Errors: as read_json(); unsupported_media_type — the request does not call its body JSON.
template <class T>
struct Extract<Json<T>> {
    static constexpr bool takes_body_whole = true;
    static Result<Json<T>> from(Call& call) {
        QUERN_CHECK(detail::check_json_type(call));
        Result<Json<T>> json;
        if (auto read = read_json(call.exchange.request.body, call.exchange.arena, json->value); !read)
            [[unlikely]]
            json = std::unexpected(std::move(read).error());
        return json;
    }
    static void describe(openapi::Operation& operation) {
        operation.body("application/json", detail::schema_of<T>(operation.schemas()));
        for (int const status : {400, 415, 422}) operation.problem(status);
    }
};

}  // namespace quern
