// SPDX-License-Identifier: Apache-2.0

#include <quern/json_writer.h>

#include <emmintrin.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "json/utf8.h"

namespace quern::json {

namespace {

constexpr std::size_t step_bytes = 16;
constexpr std::size_t escape_bytes_max = 6;  // \u001f
constexpr std::string_view replacement = "\xEF\xBF\xBD";

// What stands behind the backslash for each byte; 0 = the byte is written as it is, 'u' = \u00XX.
constexpr std::array<char, 256> escapes = [] {
    std::array<char, 256> table{};
    for (std::size_t byte = 0; byte < 0x20; ++byte) table[byte] = 'u';
    table['\b'] = 'b';
    table['\f'] = 'f';
    table['\n'] = 'n';
    table['\r'] = 'r';
    table['\t'] = 't';
    table['"'] = '"';
    table['\\'] = '\\';
    return table;
}();

char escape_of(char c) { return escapes[static_cast<unsigned char>(c)]; }

char* write_escape(char* place, char c) {
    char const escape = escape_of(c);
    *place++ = '\\';
    *place++ = escape;
    if (escape != 'u') return place;
    constexpr char digits[] = "0123456789abcdef";
    auto const byte = static_cast<unsigned char>(c);
    *place++ = '0';
    *place++ = '0';
    *place++ = digits[byte >> 4];
    *place++ = digits[byte & 15];
    return place;
}

// Bit i is set where byte i needs an escape.
unsigned special_bytes(__m128i bytes) {
    __m128i const quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i const backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    // Unsigned "at most 0x1F": the minimum with 0x1F is the byte itself.
    __m128i const control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    return static_cast<unsigned>(_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
}

template <class Word>
Word load(char const* place) {
    Word word;
    std::memcpy(&word, place, sizeof word);
    return word;
}

// At most 15 bytes into the low end of a register, never reading outside the text; the rest is spaces.
__m128i load_tail(char const* place, std::size_t count) {
    alignas(16) char bytes[step_bytes];
    _mm_store_si128(reinterpret_cast<__m128i*>(bytes), _mm_set1_epi8(' '));
    if (count >= 8) {
        std::memcpy(bytes, place, 8);
        auto const last = load<std::uint64_t>(place + count - 8);
        std::memcpy(bytes + count - 8, &last, 8);
    } else if (count >= 4) {
        std::memcpy(bytes, place, 4);
        auto const last = load<std::uint32_t>(place + count - 4);
        std::memcpy(bytes + count - 4, &last, 4);
    } else {
        for (std::size_t index = 0; index < count; ++index) bytes[index] = place[index];
    }
    return _mm_load_si128(reinterpret_cast<__m128i const*>(bytes));
}

void store(char* place, __m128i bytes) { _mm_storeu_si128(reinterpret_cast<__m128i*>(place), bytes); }

// The slow road, for texts with ill-formed bytes.
void append_repaired(Buffer& output, std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();) {
        std::size_t const start = offset;
        char32_t const code_point = next_code_point(text, offset);
        char* const place = output.reserve(escape_bytes_max);
        if (code_point == 0xFFFD) {
            output.append(replacement);
        } else if (escape_of(text[start]) != 0) {
            output.advance(static_cast<std::size_t>(write_escape(place, text[start]) - place));
        } else {
            output.append(text.substr(start, offset - start));
        }
    }
}

// Writes the text's 16 bytes at `place` with escapes for the bytes in `special`; room for 96 is there.
char* write_escaped(char* place, char const* text, std::size_t count, unsigned special) {
    std::size_t done = 0;
    while (special != 0) {
        auto const next = static_cast<std::size_t>(std::countr_zero(special));
        std::memcpy(place, text + done, next - done);
        place = write_escape(place + (next - done), text[next]);
        done = next + 1;
        special &= special - 1;
    }
    std::memcpy(place, text + done, count - done);
    return place + (count - done);
}

// Copies text that is ASCII, or known to be well-formed, escaping on the way. Returns where it stopped: at
// the end, or (with `ascii_only`) at the first step that holds a byte beyond ASCII.
std::size_t append_plain(Buffer& output, std::string_view text, bool ascii_only) {
    std::size_t offset = 0;
    while (offset < text.size()) {
        std::size_t const left = text.size() - offset;
        // One reservation is enough for all that follows as long as nothing needs an escape.
        char* const start = output.reserve(left + step_bytes * escape_bytes_max);
        char* place = start;
        bool grew = false;
        while (offset < text.size() && !grew) {
            char const* const from = text.data() + offset;
            std::size_t const count = std::min(text.size() - offset, step_bytes);
            __m128i const bytes = count == step_bytes
                                      ? _mm_loadu_si128(reinterpret_cast<__m128i const*>(from))
                                      : load_tail(from, count);
            if (ascii_only && _mm_movemask_epi8(bytes) != 0) {
                output.advance(static_cast<std::size_t>(place - start));
                return offset;
            }
            unsigned const special = special_bytes(bytes);
            if (special == 0) [[likely]] {
                store(place, bytes);
                place += count;
            } else {
                place = write_escaped(place, from, count, special);
                grew = true;
            }
            offset += count;
        }
        output.advance(static_cast<std::size_t>(place - start));
    }
    return offset;
}

}  // namespace

void append_string(Buffer& output, std::string_view text) {
    output.append('"');
    std::size_t const done = append_plain(output, text, true);
    if (done < text.size()) {
        std::string_view const rest = text.substr(done);
        if (is_well_formed(rest)) {
            append_plain(output, rest, false);
        } else {
            append_repaired(output, rest);
        }
    }
    output.append('"');
}

void append_real(Buffer& output, double number) {
    if (!std::isfinite(number)) {
        output.append("null");
        return;
    }
    double const magnitude = std::abs(number);
    // Below 2^53 every whole double is an integer that prints faster, and the same.
    constexpr double whole_below = 9007199254740992.0;
    if (magnitude < whole_below && number == std::trunc(number)) {
        output.append_integer(static_cast<std::int64_t>(number));
        return;
    }
    constexpr std::size_t real_bytes_max = 40;
    char* const place = output.reserve(real_bytes_max);
    bool const plain = magnitude >= 1e-6 && magnitude < 1e21;
    auto const written = std::to_chars(place, place + real_bytes_max, number,
                                       plain ? std::chars_format::fixed : std::chars_format::scientific);
    output.advance(static_cast<std::size_t>(written.ptr - place));
}

void make_key(Buffer& output, std::string_view name) {
    append_string(output, name);
    output.append(':');
}

}  // namespace quern::json
