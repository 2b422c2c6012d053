// SPDX-License-Identifier: Apache-2.0
#pragma once

// Looks into stored JSON text without building anything: the value at a path, the elements of an array, and
// whether a text is JSON at all.
//
// The texts come from tables, need no padding, and were checked when they were written. In a file that
// somebody else has written they may be anything: nothing here reads outside the text, recurses, or fails;
// what cannot be understood is null or an end of the elements.
//
// Threads: any. Cost: one pass up to the value looked for; allocation only where a string with escapes
// outgrows `scratch`.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quern::json {

// A value inside a JSON text: true and false are the integers 1 and 0, an integer of 64 bits is exact, every
// other number a real (null if that is not finite), a string its unescaped text, an array or object its JSON
// text.
struct Scalar {
    enum class Kind : std::uint8_t { null, integer, real, text };
    Kind kind = Kind::null;
    bool is_json = false;  // text: an array or object
    union {
        std::int64_t integer = 0;
        double real;
    };
    std::string_view text;
};

// The value at `path`, each part the name of a member or, in an array, a 0-based index; null if there is
// none. An empty path is the whole text. Lifetime: `text` of the result borrows from `json`, or from
// `scratch` where the string had escapes.
[[nodiscard]] Scalar value_at(std::string_view json, std::span<std::string const> path, std::string& scratch);

// The JSON text of the value at `path`; empty if there is none.
[[nodiscard]] std::string_view raw_at(std::string_view json, std::span<std::string const> path);

// What a JSON text says.
[[nodiscard]] Scalar scalar_of(std::string_view json, std::string& scratch);

// Number of elements of a JSON array; 0 for what is no array.
[[nodiscard]] std::size_t array_length(std::string_view json);

// Walks through the elements of a JSON array; what is no array has none.
//   for (Elements elements(json); elements.next();) use(elements.raw());
class Elements {
public:
    // Lifetime: borrows `json`.
    explicit Elements(std::string_view json);
    // Moves to the next element, first to the first. False at the end, or where the text stops being JSON.
    [[nodiscard]] bool next();
    // The current element's JSON text.
    [[nodiscard]] std::string_view raw() const { return raw_; }
    // The current element. Lifetime: as for value_at().
    [[nodiscard]] Scalar scalar(std::string& scratch) const { return scalar_of(raw_, scratch); }

private:
    std::string_view rest_;
    std::string_view raw_;
    bool first_ = true;
};

// Whether `text` is one JSON value that may be printed as it is: grammar, UTF-8, finite numbers, and at most
// check_depth_max arrays and objects within each other.
inline constexpr std::size_t check_depth_max = 512;
[[nodiscard]] bool is_json(std::string_view text);

}  // namespace quern::json
