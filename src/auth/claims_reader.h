// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads the one kind of JSON a token holds: a flat object of strings, whole numbers and booleans.
//
// A full JSON parser would need memory and would accept far more than any token of ours contains; what is not
// accepted here need not be thought about. Strings are unescaped in place, so views stay inside the text.

#include <cstdint>
#include <span>
#include <string_view>

namespace quern::auth {

struct ClaimValue {
    enum class Kind : std::uint8_t { text, whole_number, boolean, other };
    Kind kind = Kind::other;
    std::string_view text;
    std::int64_t number = 0;
    bool flag = false;
};

// Threads: one at a time. Lifetime: names and texts borrow from `json`, which is written to.
class ClaimsReader {
public:
    explicit ClaimsReader(std::span<char> json) : json_(json) {}

    // Moves to the next claim; false at the end of the object and at the first error.
    [[nodiscard]] bool next(std::string_view& name, ClaimValue& value);
    // After next() said false: whether the whole text was one well-formed flat object.
    [[nodiscard]] bool is_complete() const { return complete_; }

private:
    [[nodiscard]] bool read_string(std::string_view& text);
    [[nodiscard]] bool read_escape(char& character);
    [[nodiscard]] bool read_value(ClaimValue& value);
    [[nodiscard]] bool read_number(ClaimValue& value);
    [[nodiscard]] bool read_word(std::string_view word);
    void skip_space();
    // The character here, or NUL at the end.
    [[nodiscard]] char peek() const { return at_ < json_.size() ? json_[at_] : '\0'; }

    std::span<char> json_;
    std::size_t at_ = 0;
    bool started_ = false;
    bool complete_ = false;
};

}  // namespace quern::auth
