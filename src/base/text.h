// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text as Unicode: validity, simple case folding, and searching that ignores case.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quern {

// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF).
[[nodiscard]] bool is_utf8(std::string_view text);

// Number of code points; ill-formed bytes count one each.
[[nodiscard]] std::size_t code_point_count(std::string_view text);

// Decodes the code point at `offset` and moves `offset` past it. An ill-formed byte gives U+FFFD and moves by
// one.
[[nodiscard]] char32_t next_code_point(std::string_view text, std::size_t& offset);

void append_utf8(std::string& output, char32_t code_point);

// Unicode simple case folding (CaseFolding.txt, status C and S), the same on every engine and in every
// locale.
[[nodiscard]] char32_t fold_case(char32_t code_point);
[[nodiscard]] std::string fold_case(std::string_view text);

// A pattern of the `~` operator, compared with case folded.
//
// Without an unescaped '%' the pattern is a plain text to be contained. With one, it is anchored at both ends
// and each '%' stands for any text. `\%` is a percent sign, `\\` a backslash; '_' is always itself.
// Cost: linear in the text for each part between two '%'.
class LikePattern {
public:
    explicit LikePattern(std::string_view pattern);
    [[nodiscard]] bool matches(std::string_view text) const;
    bool operator==(LikePattern const&) const = default;

private:
    std::string folded_;      // the parts, folded, one after the other
    std::string parts_;       // lengths of the parts as 32-bit little-endian numbers
    bool open_start_ = true;  // any text may stand before the first part
    bool open_end_ = true;    // any text may stand after the last part
};

}  // namespace quern
