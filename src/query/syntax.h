// SPDX-License-Identifier: Apache-2.0
#pragma once

// The grammar of filters and rules, as a tree.
//
//   expression = term { "||" term }            a nested list is flattened
//   term       = factor { "&&" factor }
//   factor     = "!" factor | "(" expression ")" | comparison
//   comparison = operand [ operator operand | ["not"] "in" "(" literal, … ")" ]
//   operand    = path | literal | name "(" operand, … ")"
//
// A path alone stands for `path = true`.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <quern/arena.h>
#include <quern/error.h>
#include "query/lexer.h"

namespace quern::query {

enum class Operator : std::uint8_t {
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    like,
    not_like,
    in,
    not_in
};

// Views borrow from the text.
struct Operand {
    enum class Kind : std::uint8_t { path, literal, call };
    Kind kind = Kind::path;
    std::size_t offset = 0;     // byte offset in the text
    std::string_view text;      // as written; of a call: the function's name
    std::uint16_t literal = 0;  // index
    std::vector<Operand> arguments;
};

struct Expression {
    enum class Kind : std::uint8_t { both, either, negation, compare };
    Kind kind = Kind::compare;
    std::vector<Expression> parts;  // both, either: two or more; negation: one
    // compare
    Operator sign = Operator::equal;
    bool any = false;   // written with '?'
    bool bare = false;  // a path alone; there is no right side
    Operand left;
    Operand right;
};

// Parses `text`, whose literals append_shape() has counted.
// Errors: filter_invalid, filter_too_large — with position.
[[nodiscard]] Result<Expression> parse(std::string_view text, std::string_view label, Arena& arena);

// Whether two trees mean the same for sure: same paths, signs and equal literals.
[[nodiscard]] bool is_same(Expression const& left, Expression const& right,
                           std::span<Literal const> literals);

}  // namespace quern::query
