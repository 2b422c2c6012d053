// SPDX-License-Identifier: Apache-2.0
#include "query/syntax.h"

#include <optional>
#include <string>

#include "query/limits.h"

namespace quern::query {

namespace {

std::optional<Operator> operator_of(TokenKind kind) {
    switch (kind) {
    case TokenKind::equal: return Operator::equal;
    case TokenKind::not_equal: return Operator::not_equal;
    case TokenKind::less: return Operator::less;
    case TokenKind::less_equal: return Operator::less_equal;
    case TokenKind::greater: return Operator::greater;
    case TokenKind::greater_equal: return Operator::greater_equal;
    case TokenKind::like: return Operator::like;
    case TokenKind::not_like: return Operator::not_like;
    default: return std::nullopt;
    }
}

bool is_not(Token const& token) {
    return token.kind == TokenKind::path && token.text.size() == 3 && (token.text[0] | 0x20) == 'n' &&
           (token.text[1] | 0x20) == 'o' && (token.text[2] | 0x20) == 't';
}

class Parser {
public:
    Parser(std::string_view text, std::string_view label, Arena& arena) : lexer_(text, label, arena) {}

    Result<Expression> parse_all() {
        QUERN_CHECK(lexer_.check(filter_bytes_max));  // the number of characters was checked with the shape
        QUERN_CHECK(advance());
        QUERN_TRY(Expression expression, parse_either());
        if (token_.kind != TokenKind::end) return fail(unexpected("expected && or ||"));
        return expression;
    }

private:
    Result<void> advance() {
        if (!lexer_.next(token_)) return fail(lexer_.error());
        return {};
    }

    Error unexpected(std::string const& expectation) const {
        if (token_.kind == TokenKind::end)
            return lexer_.error_at(token_.offset, "the text ends here, " + expectation);
        std::string const shown(token_.text.substr(0, 64));
        return lexer_.error_at(token_.offset, "unexpected \"" + shown + "\", " + expectation);
    }

    Result<void> enter() {
        if (++depth_ <= nesting_max) return {};
        return fail(lexer_.error_at(token_.offset,
                                    "more than " + std::to_string(nesting_max) + " nested brackets",
                                    ErrorCode::filter_too_large));
    }

    Result<Expression> parse_either() { return parse_chain(Expression::Kind::either); }

    Result<Expression> parse_chain(Expression::Kind kind) {
        bool const is_either = kind == Expression::Kind::either;
        TokenKind const joiner = is_either ? TokenKind::either : TokenKind::both;
        Expression chain;
        chain.kind = kind;
        while (true) {
            QUERN_TRY(Expression part, is_either ? parse_chain(Expression::Kind::both) : parse_factor());
            if (part.kind == kind) {
                for (Expression& inner : part.parts) chain.parts.push_back(std::move(inner));
            } else {
                chain.parts.push_back(std::move(part));
            }
            if (token_.kind != joiner) break;
            QUERN_CHECK(advance());
        }
        if (chain.parts.size() > 1) return chain;
        Expression only = std::move(chain.parts.front());
        return only;
    }

    Result<Expression> parse_factor() {
        if (token_.kind == TokenKind::negation) {
            QUERN_CHECK(enter());
            QUERN_CHECK(advance());
            QUERN_TRY(Expression inner, parse_negated());
            --depth_;
            Expression negation;
            negation.kind = Expression::Kind::negation;
            negation.parts.push_back(std::move(inner));
            return negation;
        }
        if (token_.kind == TokenKind::open) {
            QUERN_CHECK(enter());
            QUERN_CHECK(advance());
            QUERN_TRY(Expression inner, parse_either());
            if (token_.kind != TokenKind::close) return fail(unexpected("expected )"));
            --depth_;
            QUERN_CHECK(advance());
            return inner;
        }
        return parse_comparison(false);
    }

    // What may stand behind '!': brackets, another '!', or a path alone.
    Result<Expression> parse_negated() {
        bool const group = token_.kind == TokenKind::negation || token_.kind == TokenKind::open;
        return group ? parse_factor() : parse_comparison(true);
    }

    Result<Expression> parse_comparison(bool bare_only) {
        if (++comparisons_ > expressions_max) {
            return fail(lexer_.error_at(token_.offset,
                                        "more than " + std::to_string(expressions_max) + " comparisons",
                                        ErrorCode::filter_too_large));
        }
        Expression comparison;
        QUERN_TRY(comparison.left, parse_operand(0));
        bool const is_path = comparison.left.kind == Operand::Kind::path;
        if (bare_only && !is_path)
            return fail(lexer_.error_at(comparison.left.offset, "! stands before a bool field or brackets"));
        if (!bare_only && is_not(token_)) {
            QUERN_CHECK(advance());
            if (token_.kind != TokenKind::list) return fail(unexpected("expected in ( … )"));
            comparison.sign = Operator::not_in;
        }
        if (!bare_only && token_.kind == TokenKind::list) {
            if (comparison.sign != Operator::not_in) comparison.sign = Operator::in;
            comparison.right = take_literal();
            QUERN_CHECK(advance());
            return comparison;
        }
        auto const sign = operator_of(token_.kind);
        if (sign && bare_only) return fail(unexpected("a negated comparison needs brackets"));
        if (!sign) {
            bool const ends = token_.kind == TokenKind::end || token_.kind == TokenKind::close ||
                              token_.kind == TokenKind::both || token_.kind == TokenKind::either;
            if (!is_path || !ends) return fail(unexpected("expected an operator"));
            comparison.bare = true;
            return comparison;
        }
        comparison.sign = *sign;
        comparison.any = token_.any;
        QUERN_CHECK(advance());
        QUERN_TRY(comparison.right, parse_operand(0));
        return comparison;
    }

    Operand take_literal() {
        Operand operand;
        operand.kind = Operand::Kind::literal;
        operand.offset = token_.offset;
        operand.text = token_.text;
        operand.literal = literals_++;
        return operand;
    }

    Result<Operand> parse_operand(std::size_t call_depth) {
        if (token_.kind == TokenKind::literal) {
            Operand operand = take_literal();
            QUERN_CHECK(advance());
            return operand;
        }
        if (token_.kind != TokenKind::path) return fail(unexpected("expected a field or a value"));
        Operand operand;
        operand.offset = token_.offset;
        operand.text = token_.text;
        QUERN_CHECK(advance());
        if (token_.kind != TokenKind::open) return operand;
        if (call_depth > 0) return fail(unexpected("calls do not nest"));
        operand.kind = Operand::Kind::call;
        do {
            QUERN_CHECK(advance());
            QUERN_TRY(Operand argument, parse_operand(call_depth + 1));
            operand.arguments.push_back(std::move(argument));
            if (operand.arguments.size() > call_arguments_max) return fail(unexpected("too many arguments"));
        } while (token_.kind == TokenKind::comma);
        if (token_.kind != TokenKind::close) return fail(unexpected("expected , or )"));
        QUERN_CHECK(advance());
        return operand;
    }

    Lexer lexer_;
    Token token_;
    std::size_t depth_ = 0;
    std::size_t comparisons_ = 0;
    std::uint16_t literals_ = 0;
};

bool is_same(Operand const& left, Operand const& right, std::span<Literal const> literals) {
    if (left.kind != right.kind) return false;
    if (left.kind == Operand::Kind::literal) {
        return literals[left.literal].same_as == literals[right.literal].same_as;
    }
    if (left.text != right.text || left.arguments.size() != right.arguments.size()) return false;
    for (std::size_t index = 0; index < left.arguments.size(); ++index) {
        if (!is_same(left.arguments[index], right.arguments[index], literals)) return false;
    }
    return true;
}

}  // namespace

Result<Expression> parse(std::string_view text, std::string_view label, Arena& arena) {
    return Parser(text, label, arena).parse_all();
}

bool is_same(Expression const& left, Expression const& right, std::span<Literal const> literals) {
    if (left.kind != right.kind || left.parts.size() != right.parts.size()) return false;
    if (left.kind != Expression::Kind::compare) {
        for (std::size_t index = 0; index < left.parts.size(); ++index) {
            if (!is_same(left.parts[index], right.parts[index], literals)) return false;
        }
        return true;
    }
    if (left.sign != right.sign || left.any != right.any || left.bare != right.bare) return false;
    return is_same(left.left, right.left, literals) &&
           (left.bare || is_same(left.right, right.right, literals));
}

}  // namespace quern::query
