// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace quern {

namespace {

struct FoldPair {
    char32_t from;
    char32_t to;
};

constexpr FoldPair fold_pairs[] = {
#include "casefold_table.inc"
};

// Length of the well-formed sequence at `offset`, 0 if there is none. `code_point` receives its value.
std::size_t decode(std::string_view text, std::size_t offset, char32_t& code_point) {
    auto const byte = [&](std::size_t index) { return static_cast<unsigned char>(text[offset + index]); };
    auto const continues = [&](std::size_t index) {
        return offset + index < text.size() && (byte(index) & 0xC0) == 0x80;
    };
    unsigned char const lead = byte(0);
    if (lead < 0x80) {
        code_point = lead;
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF && continues(1)) {
        code_point = static_cast<char32_t>((lead & 0x1F) << 6 | (byte(1) & 0x3F));
        return 2;
    }
    if ((lead & 0xF0) == 0xE0 && continues(1) && continues(2)) {
        code_point = static_cast<char32_t>((lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F));
        bool const surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
        return code_point >= 0x800 && !surrogate ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4 && continues(1) && continues(2) && continues(3)) {
        code_point = static_cast<char32_t>((lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 |
                                           (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F));
        return code_point >= 0x10000 && code_point <= 0x10FFFF ? 4 : 0;
    }
    return 0;
}

bool all_ascii(std::string_view text) {
    std::uint64_t seen = 0;
    std::size_t offset = 0;
    for (; offset + 8 <= text.size(); offset += 8) {
        std::uint64_t word;
        std::memcpy(&word, text.data() + offset, 8);
        seen |= word;
    }
    for (; offset < text.size(); ++offset) seen |= static_cast<unsigned char>(text[offset]);
    return (seen & 0x8080808080808080U) == 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
    if (all_ascii(text)) return true;
    char32_t code_point = 0;
    for (std::size_t offset = 0; offset < text.size();) {
        std::size_t const length = decode(text, offset, code_point);
        if (length == 0) return false;
        offset += length;
    }
    return true;
}

std::size_t code_point_count(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t offset = 0; offset < text.size(); ++count) (void)next_code_point(text, offset);
    return count;
}

char32_t next_code_point(std::string_view text, std::size_t& offset) {
    char32_t code_point = 0xFFFD;
    std::size_t const length = decode(text, offset, code_point);
    offset += length == 0 ? 1 : length;
    return length == 0 ? 0xFFFD : code_point;
}

void append_utf8(std::string& output, char32_t code_point) {
    auto const put = [&](char32_t value) { output.push_back(static_cast<char>(value)); };
    if (code_point < 0x80) {
        put(code_point);
    } else if (code_point < 0x800) {
        put(0xC0 | code_point >> 6);
        put(0x80 | (code_point & 0x3F));
    } else if (code_point < 0x10000) {
        put(0xE0 | code_point >> 12);
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    } else {
        put(0xF0 | code_point >> 18);
        put(0x80 | (code_point >> 12 & 0x3F));
        put(0x80 | (code_point >> 6 & 0x3F));
        put(0x80 | (code_point & 0x3F));
    }
}

char32_t fold_case(char32_t code_point) {
    if (code_point < 0x80) return code_point >= 'A' && code_point <= 'Z' ? code_point + 32 : code_point;
    auto const* found = std::ranges::lower_bound(fold_pairs, code_point, {}, &FoldPair::from);
    return found != std::end(fold_pairs) && found->from == code_point ? found->to : code_point;
}

std::string fold_case(std::string_view text) {
    std::string folded;
    folded.reserve(text.size());
    for (std::size_t offset = 0; offset < text.size();) {
        auto const lead = static_cast<unsigned char>(text[offset]);
        if (lead < 0x80) {
            folded.push_back(static_cast<char>(lead >= 'A' && lead <= 'Z' ? lead + 32 : lead));
            ++offset;
        } else {
            append_utf8(folded, fold_case(next_code_point(text, offset)));
        }
    }
    return folded;
}

LikePattern::LikePattern(std::string_view pattern) {
    std::vector<std::string> parts(1);
    bool wild = false;
    bool starts_wild = false;
    bool ends_wild = false;
    for (std::size_t offset = 0; offset < pattern.size(); ++offset) {
        char const c = pattern[offset];
        bool const escapes = c == '\\' && offset + 1 < pattern.size() &&
                             (pattern[offset + 1] == '%' || pattern[offset + 1] == '\\');
        if (escapes) {
            parts.back().push_back(pattern[++offset]);
            ends_wild = false;
        } else if (c == '%') {
            if (!wild && parts.back().empty()) starts_wild = true;
            wild = true;
            ends_wild = true;
            if (!parts.back().empty()) parts.emplace_back();
        } else {
            parts.back().push_back(c);
            ends_wild = false;
        }
    }
    if (parts.size() > 1 && parts.back().empty()) parts.pop_back();
    open_start_ = !wild || starts_wild;
    open_end_ = !wild || ends_wild;
    for (auto const& part : parts) {
        std::string const folded = fold_case(part);
        auto const length = static_cast<std::uint32_t>(folded.size());
        char bytes[sizeof length];
        std::memcpy(bytes, &length, sizeof length);
        parts_.append(bytes, sizeof length);
        folded_ += folded;
    }
}

bool LikePattern::matches(std::string_view text) const {
    std::string const haystack_text = fold_case(text);
    std::string_view haystack = haystack_text;
    std::string_view rest = folded_;
    std::size_t const count = parts_.size() / sizeof(std::uint32_t);
    for (std::size_t index = 0; index < count; ++index) {
        std::uint32_t length = 0;
        std::memcpy(&length, parts_.data() + index * sizeof length, sizeof length);
        std::string_view const part = rest.substr(0, length);
        rest.remove_prefix(length);
        bool const first = index == 0;
        bool const last = index + 1 == count;
        if (last && !open_end_) {
            if (first && !open_start_) return haystack == part;
            return haystack.ends_with(part);
        }
        if (first && !open_start_) {
            if (!haystack.starts_with(part)) return false;
            haystack.remove_prefix(part.size());
            continue;
        }
        std::size_t const found = haystack.find(part);
        if (found == std::string_view::npos) return false;
        haystack.remove_prefix(found + part.size());
    }
    return true;
}

}  // namespace quern
