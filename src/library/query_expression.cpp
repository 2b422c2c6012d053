// SPDX-License-Identifier: Apache-2.0

// Expressions of a plan as SQL.

#include <algorithm>
#include <array>

#include <quern/assert.h>
#include "library/query_writer.h"

namespace quern::detail {

namespace {

// Those that stand between their operands: within another they need parentheses.
bool is_infix(PlanOp op) {
    switch (op) {
    case PlanOp::value:
    case PlanOp::null:
    case PlanOp::column:
    case PlanOp::outer_column:
    case PlanOp::exists:
    case PlanOp::function:
    case PlanOp::named_function:
    case PlanOp::subquery:
    case PlanOp::aggregate:
    case PlanOp::over:
    case PlanOp::when:
    case PlanOp::random: return false;
    default: return true;
    }
}

std::string_view sign_of(PlanOp op) {
    switch (op) {
    case PlanOp::equal: return " = ";
    case PlanOp::not_equal: return " <> ";
    case PlanOp::less: return " < ";
    case PlanOp::less_equal: return " <= ";
    case PlanOp::greater: return " > ";
    case PlanOp::greater_equal: return " >= ";
    case PlanOp::add: return " + ";
    case PlanOp::subtract: return " - ";
    case PlanOp::multiply: return " * ";
    case PlanOp::divide: return " / ";
    case PlanOp::modulo: return " % ";
    case PlanOp::concatenate: return " || ";
    case PlanOp::regex: return " ~ ";
    default: return {};
    }
}

// Whether a function's operand is a whole number of 32 bits in PostgreSQL.
bool takes_integer(PlanNode const& node, std::size_t index) {
    if (node.op != PlanOp::function) return false;
    switch (static_cast<PlanFunction>(node.number)) {
    case PlanFunction::substring: return index > 0;
    case PlanFunction::ntile: return true;
    case PlanFunction::lag:
    case PlanFunction::lead: return index == 1;
    default: return false;
    }
}

// False where it is certain. A word about NULLs keeps PostgreSQL from using an index.
bool can_be_null(PlanNode const& node) {
    if (node.op == PlanOp::random) return false;
    if (node.op == PlanOp::aggregate) return static_cast<PlanFunction>(node.number) != PlanFunction::count;
    if (node.op != PlanOp::column) return true;
    FieldPath const& path = node.path();
    return path.table().columns[path.column].nullable ||
           std::ranges::any_of(path.hops,
                               [](PathHop const& hop) { return hop.table().columns[hop.column].nullable; });
}

// The operands of a node; at most three are asked for.
struct Operands {
    explicit Operands(PlanNodes nodes) {
        for_each_operand(nodes, [this](PlanNodes one) {
            if (count < each.size()) each[count++] = one;
        });
    }
    std::array<PlanNodes, 3> each;
    std::size_t count = 0;
};

}  // namespace

void QueryWriter::operand(PlanNodes nodes, Scope const& scope) {
    bool const wrapped = is_infix(nodes.front().op);
    if (wrapped) sql_ += '(';
    expression(nodes, scope);
    if (wrapped) sql_ += ')';
}

void QueryWriter::list(PlanNodes nodes, Scope const& scope) {
    bool first = true;
    for_each_operand(nodes, [&](PlanNodes one) {
        if (!std::exchange(first, false)) sql_ += ", ";
        expression(one, scope);
    });
}

void QueryWriter::expression(PlanNodes nodes, Scope const& scope) {
    PlanNode const& node = nodes.front();
    switch (node.op) {
    case PlanOp::value: return parameter(node.number);
    case PlanOp::null: sql_ += "NULL"; return;
    case PlanOp::column: return column(node.path(), scope);
    case PlanOp::outer_column:
        if (scope.around == nullptr) return refuse("outer<> stands within a subquery only.");
        return column(node.path(), *scope.around);
    case PlanOp::all_of: return connected(connected_parts(nodes), " AND ", scope);
    case PlanOp::any_of: return connected(connected_parts(nodes), " OR ", scope);
    case PlanOp::logical_not: sql_ += "NOT "; return operand(nodes.subspan(1), scope);
    case PlanOp::not_true:
        operand(nodes.subspan(1), scope);
        sql_ += " IS NOT TRUE";
        return;
    case PlanOp::is_true:
        operand(nodes.subspan(1), scope);
        sql_ += " IS TRUE";
        return;
    case PlanOp::is_null:
        operand(nodes.subspan(1), scope);
        sql_ += " IS NULL";
        return;
    case PlanOp::not_null:
        operand(nodes.subspan(1), scope);
        sql_ += " IS NOT NULL";
        return;
    case PlanOp::same: return infix(nodes, table_.same, scope);
    case PlanOp::not_same: return infix(nodes, table_.not_same, scope);
    case PlanOp::regex:
        if (!table_.can(Ability::regex)) refuse(Ability::regex);
        return infix(nodes, sign_of(node.op), scope);
    case PlanOp::between:
    case PlanOp::contains:
    case PlanOp::starts_with:
    case PlanOp::ends_with:
    case PlanOp::like: return text_search(nodes, scope);
    case PlanOp::in_list: return in_list(nodes, scope);
    case PlanOp::in_set: {
        Operands const parts(nodes);
        operand(parts.each[0], scope);
        sql_ += " IN (";
        write_query(parts.each[1].subspan(1), &scope, PlanUse::rows);
        sql_ += ')';
        return;
    }
    case PlanOp::exists:
        sql_ += "EXISTS (";
        write_query(nodes.subspan(2), &scope, PlanUse::exists);
        sql_ += ')';
        return;
    case PlanOp::subquery:
        sql_ += '(';
        write_query(nodes.subspan(1), &scope, PlanUse::first);
        sql_ += ')';
        return;
    case PlanOp::when: return case_when(nodes, scope);
    case PlanOp::function: return function(nodes, table_.functions[node.number], scope);
    case PlanOp::named_function: return function(nodes, node.name(), scope);
    case PlanOp::aggregate: return aggregate(nodes, scope);
    case PlanOp::over: return over(nodes, scope);
    case PlanOp::order_key: return order_key(nodes, scope);
    case PlanOp::random: sql_ += "random()"; return;
    default: return infix(nodes, sign_of(node.op), scope);
    }
}

void QueryWriter::infix(PlanNodes nodes, std::string_view sign, Scope const& scope) {
    QUERN_ASSERT(!sign.empty(), "a clause is no expression");
    Operands const sides(nodes);
    operand(sides.each[0], scope);
    sql_ += sign;
    operand(sides.each[1], scope);
}

// One row of words. A database nests it anew, a level for each word, so that a long one is cut into halves.
void QueryWriter::connected(std::span<PlanNodes const> parts, std::string_view word, Scope const& scope) {
    constexpr std::size_t row_max = 16;
    if (parts.size() > row_max) {
        std::size_t const half = parts.size() / 2;
        sql_ += '(';
        connected(parts.first(half), word, scope);
        sql_ += ')';
        sql_ += word;
        sql_ += '(';
        connected(parts.subspan(half), word, scope);
        sql_ += ')';
        return;
    }
    for (std::size_t index = 0; index < parts.size(); ++index) {
        if (index > 0) sql_ += word;
        operand(parts[index], scope);
    }
}

void QueryWriter::text_search(PlanNodes nodes, Scope const& scope) {
    Operands const parts(nodes);
    PlanNodes const text = parts.each[0];
    PlanNodes const part = parts.each[1];
    bool const sqlite = dialect_ == Dialect::sqlite;
    switch (nodes.front().op) {
    case PlanOp::between:
        operand(text, scope);
        sql_ += " BETWEEN ";
        operand(part, scope);
        sql_ += " AND ";
        return operand(parts.each[2], scope);
    case PlanOp::like:
        operand(text, scope);
        sql_ += " LIKE ";
        operand(part, scope);
        sql_ += " ESCAPE '\\'";
        return;
    case PlanOp::contains:
        sql_ += sqlite ? "instr(" : "strpos(";
        expression(text, scope);
        sql_ += ", ";
        expression(part, scope);
        sql_ += ") > 0";
        return;
    case PlanOp::starts_with: return starts_with(text, part, scope);
    default: break;
    }
    if (sqlite) return ends_with(text, part, scope);
    sql_ += "right(";
    expression(text, scope);
    sql_ += ", length(";
    expression(part, scope);
    sql_ += ")) = ";
    operand(part, scope);
}

// In SQLite, by bytes: its functions of texts end at the first NUL. Counted from the front, because a length
// of zero from the end would be the whole; behind a point, because of an empty BLOB there is no part.
void QueryWriter::ends_with(PlanNodes text, PlanNodes part, Scope const& scope) {
    auto const write = [&](std::string_view before, PlanNodes nodes) {
        sql_ += before;
        operand(nodes, scope);
    };
    write("substr(CAST('.' || ", text);
    write(" AS BLOB), octet_length(", text);
    write(") - octet_length(", part);
    write(") + 2) = CAST(", part);
    write(" AS BLOB) AND octet_length(", part);
    write(") <= octet_length(", text);
    sql_ += ')';
}

void QueryWriter::starts_with(PlanNodes text, PlanNodes part, Scope const& scope) {
    if (dialect_ == Dialect::postgres) {
        sql_ += "starts_with(";
        expression(text, scope);
        sql_ += ", ";
        expression(part, scope);
        sql_ += ')';
        return;
    }
    // A range, which an index can serve: no byte of UTF-8 is as large as FF, so all texts that begin so, and
    // no others, come before the part with that byte behind it.
    operand(text, scope);
    sql_ += " >= ";
    operand(part, scope);
    sql_ += " AND ";
    operand(text, scope);
    sql_ += " < ";
    operand(part, scope);
    sql_ += " || CAST(x'ff' AS TEXT)";
}

void QueryWriter::in_list(PlanNodes nodes, Scope const& scope) {
    if (nodes.front().number == 0) {
        sql_ += table_.none;
        return;
    }
    std::size_t index = 0;
    for_each_operand(nodes, [&](PlanNodes one) {
        if (index == 1) sql_ += " IN (";
        if (index > 1) sql_ += ", ";
        operand(one, scope);
        ++index;
    });
    sql_ += ')';
}

void QueryWriter::case_when(PlanNodes nodes, Scope const& scope) {
    sql_ += "CASE";
    std::size_t index = 0;
    std::size_t const last = nodes.front().count - std::size_t{1};
    for_each_operand(nodes, [&](PlanNodes one) {
        if (index == last) {
            sql_ += " ELSE ";
        } else {
            sql_ += index % 2 == 0 ? " WHEN " : " THEN ";
        }
        operand(one, scope);
        ++index;
    });
    sql_ += " END";
}

void QueryWriter::function(PlanNodes nodes, std::string_view name, Scope const& scope) {
    sql_ += name;
    sql_ += '(';
    std::size_t index = 0;
    for_each_operand(nodes, [&](PlanNodes one) {
        if (index > 0) sql_ += ", ";
        if (takes_integer(nodes.front(), index)) {
            integer(one, scope);
        } else {
            expression(one, scope);
        }
        ++index;
    });
    sql_ += ')';
}

// Where PostgreSQL takes no whole number of 64 bits.
void QueryWriter::integer(PlanNodes nodes, Scope const& scope) {
    if (dialect_ == Dialect::sqlite) return expression(nodes, scope);
    if (nodes.front().op == PlanOp::value) {
        placeholder(nodes.front().number);
        sql_ += "::integer";
        return;
    }
    sql_ += "CAST(";
    expression(nodes, scope);
    sql_ += " AS integer)";
}

void QueryWriter::aggregate(PlanNodes nodes, Scope const& scope) {
    PlanNode const& node = nodes.front();
    auto const which = static_cast<PlanFunction>(node.number);
    bool const distinct = (node.flags & plan_flag::distinct) != 0;
    bool const filtered = (node.flags & plan_flag::filtered) != 0;
    if ((which == PlanFunction::deviation || which == PlanFunction::variance) &&
        !table_.can(Ability::deviation))
        refuse(Ability::deviation);
    std::size_t const arguments = node.count - (filtered ? std::size_t{1} : 0);
    if (which == PlanFunction::join_text && distinct && !table_.can(Ability::distinct_join))
        refuse(Ability::distinct_join);
    sql_ += table_.functions[node.number];
    sql_ += distinct ? "(DISTINCT " : "(";
    if (arguments == 0) sql_ += '*';
    std::size_t index = 0;
    for_each_operand(nodes, [&](PlanNodes one) {
        if (index == arguments) {
            sql_ += ") FILTER (WHERE ";
        } else if (index > 0) {
            sql_ += ", ";
        }
        expression(one, scope);
        ++index;
    });
    sql_ += ')';
}

void QueryWriter::over(PlanNodes nodes, Scope const& scope) {
    PlanNode const& node = nodes.front();
    std::size_t const partition = node.number & 0xFFFFU;
    std::uint32_t const rows = node.number >> 16U;
    if (nodes[1].op == PlanOp::aggregate && (nodes[1].flags & plan_flag::distinct) != 0)
        refuse("No database looks at distinct() values through a window.");
    std::size_t index = 0;
    for_each_operand(nodes, [&](PlanNodes one) {
        if (index == 1) sql_ += partition > 0 ? "PARTITION BY " : "ORDER BY ";
        if (index > 1) sql_ += index == partition + 1 ? std::string_view(" ORDER BY ") : ", ";
        expression(one, scope);
        if (index == 0) sql_ += " OVER (";
        ++index;
    });
    if (node.flags != 0 && index > 1) sql_ += ' ';
    if (node.flags == plan_flag::whole_partition)
        sql_ += "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING";
    if (node.flags == plan_flag::rows_before)
        sql_ += "ROWS BETWEEN " + number_text(std::uint64_t{rows}) + " PRECEDING AND CURRENT ROW";
    sql_ += ')';
}

void QueryWriter::order_key(PlanNodes nodes, Scope const& scope) {
    std::uint8_t const flags = nodes.front().flags;
    bool const descending = (flags & plan_flag::descending) != 0;
    bool first = !descending;  // where nulls go when nobody says
    if ((flags & plan_flag::nulls_first) != 0) first = true;
    if ((flags & plan_flag::nulls_last) != 0) first = false;
    operand(nodes.subspan(1), scope);
    if (descending) sql_ += " DESC";
    bool const is_habit = first == (descending != table_.nulls_are_smallest);
    if (!is_habit && can_be_null(nodes[1])) sql_ += first ? " NULLS FIRST" : " NULLS LAST";
}

void QueryWriter::column(FieldPath const& path, Scope const& scope) {
    column_name(alias_of(path, scope), path.table().columns[path.column].name);
}

void QueryWriter::column_name(std::size_t alias, std::string_view name) {
    if (qualified_) {
        sql_ += 't';
        sql_.append_integer(alias);
        sql_ += '.';
    }
    quoted(name);
}

void QueryWriter::quoted(std::string_view name) {
    sql_ += '"';
    if (name.find('"') == std::string_view::npos) {
        sql_ += name;
    } else {
        for (char const c : name) {
            if (c == '"') sql_ += '"';
            sql_ += c;
        }
    }
    sql_ += '"';
}

// PostgreSQL guesses a parameter's type from what stands around it: an integer beside an integer column, even
// where it is 1.5, and a text where nothing is. Texts are left to it, for columns of other types that are
// given as text.
void QueryWriter::parameter(std::uint32_t value) {
    placeholder(value);
    if (!table_.numbered_parameters) return;
    text_.is_lasting = false;
    struct Cast {
        std::string_view operator()(bool) const { return "::boolean"; }
        std::string_view operator()(std::int64_t) const { return "::bigint"; }
        std::string_view operator()(double) const { return "::double precision"; }
        std::string_view operator()(std::vector<std::byte> const&) const { return "::bytea"; }
        std::string_view operator()(std::string const&) const { return {}; }
        std::string_view operator()(std::monostate) const { return {}; }
        std::string_view operator()(std::nullptr_t) const { return {}; }
    };
    sql_ += std::visit(Cast(), plan_.values()[value]);
}

void QueryWriter::placeholder(std::uint32_t value) {
    if (!table_.numbered_parameters) {
        text_.values.push_back(value);
        sql_ += '?';
        return;
    }
    constexpr std::size_t shared_max = 256;  // more are compared with the few first only
    std::size_t number = sharing_ ? shared_number(value) : 0;
    if (number == 0) {
        text_.values.push_back(value);
        number = text_.values.size();
        if (sharing_ && shared_.size() < shared_max) shared_.push_back(number);
    }
    sql_ += '$' + number_text(std::uint64_t{number});
}

// 0: none.
std::size_t QueryWriter::shared_number(std::uint32_t value) const {
    auto const same = std::ranges::find_if(shared_, [&](std::size_t number) {
        return plan_.values()[text_.values[number - 1]] == plan_.values()[value];
    });
    return same == shared_.end() ? 0 : *same;
}

}  // namespace quern::detail
