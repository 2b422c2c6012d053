// SPDX-License-Identifier: Apache-2.0
#include "schema/id.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <cstdint>

namespace quern {

namespace {

// Hands out even numbers below a bound, drawing bytes in blocks.
class Dice {
public:
    explicit Dice(RandomSource random) : random_(random) {}

    // 0 to bound-1, each equally likely. Limits: bound 1 to 256.
    std::size_t below(std::size_t bound) {
        std::size_t const fair = 256 / bound * bound;  // bytes from here on would favour the small numbers
        while (true) {
            if (used_ == bytes_.size()) {
                random_.fill(bytes_);
                used_ = 0;
            }
            auto const byte = std::to_integer<std::size_t>(bytes_[used_++]);
            if (byte < fair) return byte % bound;
        }
    }

private:
    RandomSource random_;
    std::array<std::byte, 32> bytes_{};
    std::size_t used_ = 32;
};

using CharacterSet = std::bitset<128>;

struct Piece {
    CharacterSet characters;
    std::size_t count_min = 1;
    std::size_t count_max = 1;
};

bool add_range(CharacterSet& set, char first, char last) {
    if (first < ' ' || last > '~' || first > last) return false;
    for (char c = first; c <= last; ++c) set.set(static_cast<std::size_t>(c));
    return true;
}

// Takes a pattern apart, piece by piece. After false, `failed()` tells an error from the end.
class PatternReader {
public:
    explicit PatternReader(std::string_view pattern) : rest_(pattern) {}

    [[nodiscard]] bool failed() const { return failed_; }

    bool next(Piece& piece) {
        if (rest_.empty()) return false;
        piece = {};
        char const c = take();
        bool good = false;
        if (c == '[') {
            good = read_class(piece.characters);
        } else if (c == '\\') {
            good = read_escape(piece.characters);
        } else {
            good = std::string_view("]{}()|*+?.^$").find(c) == std::string_view::npos &&
                   add_range(piece.characters, c, c);
        }
        failed_ = !good || !read_count(piece);
        return !failed_;
    }

private:
    char take() {
        char const c = rest_.front();
        rest_.remove_prefix(1);
        return c;
    }

    bool read_escape(CharacterSet& set) {
        if (rest_.empty()) return false;
        char const c = take();
        if (c == 'd') return add_range(set, '0', '9');
        if (c == 'w') {
            return add_range(set, 'a', 'z') && add_range(set, 'A', 'Z') && add_range(set, '0', '9') &&
                   add_range(set, '_', '_');
        }
        bool const letter_or_digit =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !letter_or_digit && add_range(set, c, c);
    }

    bool read_class(CharacterSet& set) {
        if (rest_.starts_with('^')) return false;
        while (!rest_.empty() && rest_.front() != ']') {
            char const first = take();
            if (first == '\\') {
                if (!read_escape(set)) return false;
            } else if (rest_.size() >= 2 && rest_.front() == '-' && rest_[1] != ']') {
                take();
                if (!add_range(set, first, take())) return false;
            } else if (!add_range(set, first, first)) {
                return false;
            }
        }
        if (rest_.empty() || set.none()) return false;
        take();
        return true;
    }

    bool read_number(std::size_t& number) {
        auto const read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
        if (read.ec != std::errc() || number > generated_chars_max) return false;
        rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
        return true;
    }

    bool read_count(Piece& piece) {
        if (!rest_.starts_with('{')) return true;
        take();
        if (!read_number(piece.count_min)) return false;
        piece.count_max = piece.count_min;
        if (rest_.starts_with(',')) {
            take();
            if (!read_number(piece.count_max)) return false;
        }
        if (!rest_.starts_with('}')) return false;
        take();
        return piece.count_max >= piece.count_min;
    }

    std::string_view rest_;
    bool failed_ = false;
};

// The longest text that the pattern can make; nothing if it is no pattern or asks for too much.
std::optional<std::size_t> longest(std::string_view pattern) {
    PatternReader reader(pattern);
    std::size_t length = 0;
    for (Piece piece; reader.next(piece);) {
        length += piece.count_max;
        if (length > generated_chars_max) return std::nullopt;
    }
    if (reader.failed() || length == 0) return std::nullopt;
    return length;
}

constexpr std::string_view id_alphabet = "abcdefghijklmnopqrstuvwxyz0123456789";

std::uint32_t checksum(std::string_view text) {
    std::uint32_t sum = 0xFFFFFFFF;
    for (char const c : text) {
        sum ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (0xEDB88320U & (0U - (sum & 1)));
    }
    return ~sum;
}

}  // namespace

std::string_view make_record_id(RandomSource random, Arena& arena) {
    std::span<char> const id = arena.array<char>(record_id_length);
    Dice dice(random);
    for (char& c : id) c = id_alphabet[dice.below(id_alphabet.size())];
    return {id.data(), id.size()};
}

std::string make_collection_id(RandomSource random) {
    std::string id = "pbc_";
    Dice dice(random);
    id.push_back(static_cast<char>('1' + dice.below(9)));
    for (int digit = 1; digit < 10; ++digit) id.push_back(static_cast<char>('0' + dice.below(10)));
    return id;
}

std::string make_field_id(std::string_view type_name, std::string_view field_name,
                          std::span<std::string const> taken) {
    for (std::uint32_t number = checksum(field_name);; ++number) {
        std::string id = std::string(type_name) + std::to_string(number);
        if (std::ranges::find(taken, id) == taken.end()) return id;
    }
}

bool is_autogenerate_pattern(std::string_view pattern) { return longest(pattern).has_value(); }

std::optional<std::string_view> autogenerate(std::string_view pattern, RandomSource random, Arena& arena) {
    if (pattern == record_id_autogenerate) return make_record_id(random, arena);
    auto const length_max = longest(pattern);
    if (!length_max) return std::nullopt;
    std::span<char> const text = arena.array<char>(*length_max);
    std::size_t length = 0;
    Dice dice(random);
    PatternReader reader(pattern);
    for (Piece piece; reader.next(piece);) {
        std::array<char, 128> choices{};
        std::size_t choice_count = 0;
        for (std::size_t c = 0; c < piece.characters.size(); ++c) {
            if (piece.characters.test(c)) choices[choice_count++] = static_cast<char>(c);
        }
        std::size_t const spread = std::min<std::size_t>(piece.count_max - piece.count_min, 255);
        std::size_t const count = piece.count_min + (spread == 0 ? 0 : dice.below(spread + 1));
        for (std::size_t made = 0; made < count; ++made) text[length++] = choices[dice.below(choice_count)];
    }
    return std::string_view(text.data(), length);
}

}  // namespace quern
