// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text of a request as typed values: what a route captured, a query parameter, a header.

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace quern {

// A UUID of any version, by its 16 bytes.
// Threads: frozen.
struct Uuid {
    std::array<std::uint8_t, 16> bytes{};

    // The usual form: 32 hexadecimal digits in lower case, grouped 8-4-4-4-12.
    [[nodiscard]] std::string text() const;
    // Reads the usual form, in either case; nothing when it is not one.
    [[nodiscard]] static std::optional<Uuid> parse(std::string_view text);
    auto operator<=>(Uuid const&) const = default;
};

// How a type is read from text. Specialise it for types of your own:
//   static std::optional<T> read(std::string_view text);     nothing: it is not one, the request gets 400
//   static constexpr std::string_view what = "a colour";     for the message
//   static constexpr std::string_view schema = R"({"type":"string"})";   for OpenAPI
// Lifetime: a std::string_view that is read is a view into the request.
template <class T>
struct FromText;

// Types that a route can capture.
template <class T>
concept Captured = requires(std::string_view text) {
    { FromText<T>::read(text) } -> std::same_as<std::optional<T>>;
};

template <>
struct FromText<std::string_view> {
    static constexpr std::string_view what = "a text";
    static constexpr std::string_view schema = R"({"type":"string"})";
    static std::optional<std::string_view> read(std::string_view text) { return text; }
};

template <>
struct FromText<std::string> {
    static constexpr std::string_view what = "a text";
    static constexpr std::string_view schema = R"({"type":"string"})";
    static std::optional<std::string> read(std::string_view text) { return std::string(text); }
};

template <>
struct FromText<bool> {
    static constexpr std::string_view what = "true or false";
    static constexpr std::string_view schema = R"({"type":"boolean"})";
    static std::optional<bool> read(std::string_view text) {
        if (text == "true" || text == "1") return true;
        if (text == "false" || text == "0") return false;
        return std::nullopt;
    }
};

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

// "a whole number from -128 to 127"
template <std::integral T>
class WholeNumberText {
public:
    constexpr WholeNumberText() {
        append("a whole number from ");
        append(std::numeric_limits<T>::min());
        append(" to ");
        append(std::numeric_limits<T>::max());
    }
    [[nodiscard]] constexpr std::string_view view() const { return {text_.data(), size_}; }

private:
    constexpr void append(std::string_view text) {
        for (char const c : text) text_[size_++] = c;
    }
    constexpr void append(T number) {
        if (number < 0) text_[size_++] = '-';
        std::array<char, 20> digits{};
        std::size_t count = 0;
        do {
            auto const digit = static_cast<int>(number % 10);  // of the number's sign
            digits[count++] = static_cast<char>('0' + (digit < 0 ? -digit : digit));
            number = static_cast<T>(number / 10);
        } while (number != 0);
        while (count > 0) text_[size_++] = digits[--count];
    }
    std::array<char, 72> text_{};
    std::size_t size_ = 0;
};
template <std::integral T>
inline constexpr WholeNumberText<T> whole_number_text{};

template <class T>
std::optional<T> read_number(std::string_view text) {
    T value{};
    auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace detail

// Decimal digits, with a minus sign where the type has one; nothing outside the type's range.
template <std::integral T>
requires(!std::same_as<T, bool> && !std::same_as<T, char>) struct FromText<T> {
    static constexpr std::string_view what = detail::whole_number_text<T>.view();
    static constexpr std::string_view schema = sizeof(T) > sizeof(std::int32_t)
                                                   ? R"({"type":"integer","format":"int64"})"
                                                   : R"({"type":"integer"})";
    static std::optional<T> read(std::string_view text) { return detail::read_number<T>(text); }
};

// Not infinite, not NaN.
template <std::floating_point T>
struct FromText<T> {
    static constexpr std::string_view what = "a number";
    static constexpr std::string_view schema = R"({"type":"number"})";
    static std::optional<T> read(std::string_view text) {
        auto const number = detail::read_number<T>(text);
        return number && *number - *number == 0 ? number : std::nullopt;
    }
};

template <>
struct FromText<Uuid> {
    static constexpr std::string_view what = "a UUID";
    static constexpr std::string_view schema = R"({"type":"string","format":"uuid"})";
    static std::optional<Uuid> read(std::string_view text) { return Uuid::parse(text); }
};

}  // namespace quern
