// SPDX-License-Identifier: Apache-2.0
#include "query/shape.h"

#include <algorithm>

#include "query/limits.h"

namespace quern::query {

namespace {

// Literals in the arena, grown by doubling: most filters have two, a few have hundreds.
class Literals {
public:
    explicit Literals(Arena& arena) : arena_(arena), room_(arena.array<Literal>(4)) {}

    Literal& add(Literal const& literal) {
        if (count_ == room_.size()) {
            auto const grown = arena_.array<Literal>(room_.size() * 2);
            std::ranges::copy(room_, grown.begin());
            room_ = grown;
        }
        room_[count_] = literal;
        return room_[count_++];
    }
    [[nodiscard]] std::span<Literal> view() const { return room_.first(count_); }
    [[nodiscard]] std::size_t count() const { return count_; }

private:
    Arena& arena_;
    std::span<Literal> room_;
    std::size_t count_ = 0;
};

bool is_equal(Literal const& left, Literal const& right) {
    if (left.kind != right.kind) return false;
    // Sources are compared, not values: "1" and "1.0" are one number but two texts.
    if (left.kind != LiteralClass::text) return left.source == right.source;
    return left.value.text == right.value.text;
}

// Marks in the key; all below the first character of a path.
constexpr char literal_mark = 1;
constexpr char operator_mark_start = 2;
static_assert(operator_mark_start + 2 * (static_cast<int>(TokenKind::not_like) + 1) < '.',
              "marks stay below paths");

void append_literal(Buffer& key, Literal const& literal) {
    key.append(literal_mark);
    auto const kind = static_cast<unsigned>(literal.kind);
    unsigned const content =
        (literal.has_null ? 1U : 0U) | (literal.has_zero ? 2U : 0U) | (literal.count == 0 ? 4U : 0U);
    key.append(static_cast<char>(kind << 3 | content));
    key.append(static_cast<char>(literal.same_as < identified_literals_max ? literal.same_as
                                                                           : identified_literals_max));
}

}  // namespace

Result<std::span<Literal const>> append_shape(std::string_view text, std::string_view label,
                                              std::size_t characters_max, Arena& arena, Buffer& key) {
    Lexer lexer(text, label, arena);
    QUERN_CHECK(lexer.check(characters_max));
    Literals literals(arena);
    Token token;
    while (true) {
        if (!lexer.next(token)) return fail(lexer.error());
        if (token.kind == TokenKind::end) break;
        if (token.kind == TokenKind::path) {
            key.append(token.text);
            key.append(' ');
            continue;
        }
        if (token.kind != TokenKind::literal && token.kind != TokenKind::list) {
            key.append(static_cast<char>(operator_mark_start + 2 * static_cast<int>(token.kind) +
                                         (token.any ? 1 : 0)));
            continue;
        }
        if (literals.count() == literals_max) {
            return fail(lexer.error_at(token.offset,
                                       "more than " + std::to_string(literals_max) + " literals",
                                       ErrorCode::filter_too_large));
        }
        auto const seen = literals.view().first(std::min(literals.count(), identified_literals_max));
        Literal& literal = literals.add(token.literal);
        literal.same_as = static_cast<std::uint16_t>(literals.count() - 1);
        for (std::size_t index = 0; index < seen.size() && literals.count() <= identified_literals_max;
             ++index) {
            if (!is_equal(literals.view()[index], literal)) continue;
            literal.same_as = static_cast<std::uint16_t>(index);
            break;
        }
        append_literal(key, literal);
    }
    return std::span<Literal const>(literals.view());
}

}  // namespace quern::query
