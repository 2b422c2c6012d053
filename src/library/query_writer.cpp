// SPDX-License-Identifier: Apache-2.0
#include "library/query_writer.h"

#include <algorithm>

#include <quern/assert.h>

namespace quern::detail {

QueryWriter::QueryWriter(QueryPlan const& plan, Dialect dialect)
    : plan_(plan), dialect_(dialect), table_(dialect_table(dialect)) {
    auto const opens = [](PlanNode const& node) { return node.op == PlanOp::from; };
    auto const leads_away = [](PlanNode const& node) {
        bool const has_path = node.op == PlanOp::column || node.op == PlanOp::row;
        return has_path && !node.path().hops.empty();
    };
    qualified_ =
        std::ranges::count_if(plan.nodes(), opens) > 1 || std::ranges::any_of(plan.nodes(), leads_away);
    constexpr std::size_t text_mostly = 512;  // bytes
    sql_.reserve(text_mostly);
}

Result<ShapeText> QueryWriter::write(PlanUse use) {
    // Few nodes are not deep.
    if (plan_.nodes().size() > plan_depth_max && depth_of(plan_.nodes()) > plan_depth_max) {
        refuse(Ability::depth);
        return fail(*std::move(error_));
    }
    switch (use) {
    case PlanUse::rows:
    case PlanUse::first: write_query(plan_.nodes(), nullptr, use); break;
    case PlanUse::count: write_count(plan_.nodes()); break;
    case PlanUse::exists:
        sql_ += "SELECT EXISTS(";
        write_query(plan_.nodes(), nullptr, PlanUse::exists);
        sql_ += ')';
        break;
    case PlanUse::update:
    case PlanUse::remove: write_change(use); break;
    }
    if (text_.values.size() > table_.parameters_max) refuse(Ability::parameters);
    if (error_) return fail(*std::move(error_));
    text_.sql = sql_.view();
    return std::move(text_);
}

void QueryWriter::refuse(Ability ability) {
    if (error_) return;
    std::string message(table_.name);
    if (ability == Ability::parameters) {
        message += " takes at most " + number_text(std::uint64_t{table_.parameters_max}) +
                   " values in one statement.";
    } else if (ability == Ability::depth) {
        message = "A query is at most " + number_text(std::uint64_t{plan_depth_max}) + " levels deep.";
    } else {
        message += " cannot do this: " + std::string(name(ability)) + '.';
    }
    error_.emplace(ErrorCode::unsupported, message);
    error_->fields.push_back({std::string(name(ability)), "unsupported", std::move(message)});
}

void QueryWriter::refuse(std::string_view why) {
    if (!error_) error_.emplace(ErrorCode::parameter_invalid, std::string(why));
}

// --- tables and joins ---

QueryWriter::Scope QueryWriter::open_scope(PlanNodes nodes, Scope const* around) {
    Scope scope{find_clauses(nodes), around, aliases_++, {}};
    find_joins(nodes, PlanOp::column, scope);
    return scope;
}

// A subquery looks at this query's rows by its outer columns, and at those of its own by the others.
void QueryWriter::find_joins(PlanNodes nodes, PlanOp wanted, Scope& scope) {
    for (std::size_t at = 0; at < nodes.size(); ++at) {
        PlanNode const& node = nodes[at];
        if (node.op == PlanOp::subquery) {
            if (wanted == PlanOp::column)
                find_joins(nodes.subspan(at + 1, node.number), PlanOp::outer_column, scope);
            at += node.number;
        } else if (node.op == wanted || (node.op == PlanOp::row && wanted == PlanOp::column)) {
            add_joins(node.path(), scope);
        }
    }
}

void QueryWriter::add_joins(FieldPath const& path, Scope& scope) {
    std::size_t parent = scope.alias;
    bool outer = false;
    for (std::size_t index = 0; index < path.hops.size(); ++index) {
        PathHop const& hop = path.hops[index];
        auto const known = std::ranges::find_if(scope.joins, [&](Join const& join) {
            return join.parent == parent && join.hop.column == hop.column;
        });
        if (known != scope.joins.end()) {
            parent = known->alias;
            outer = known->outer;
            continue;
        }
        TableInfo const& target = (index + 1 < path.hops.size() ? path.hops[index + 1].table : path.table)();
        outer = outer || hop.table().columns[hop.column].nullable;
        scope.joins.push_back({parent, hop, &target, aliases_++, outer});
        parent = scope.joins.back().alias;
    }
}

std::size_t QueryWriter::alias_of(FieldPath const& path, Scope const& scope) const {
    std::size_t alias = scope.alias;
    for (PathHop const& hop : path.hops) {
        auto const join = std::ranges::find_if(scope.joins, [&](Join const& candidate) {
            return candidate.parent == alias && candidate.hop.column == hop.column;
        });
        QUERN_ASSERT(join != scope.joins.end(), "the joins of a query were found before");
        alias = join->alias;
    }
    return alias;
}

void QueryWriter::table_name(TableInfo const& table, std::size_t alias) {
    quoted(table.name);
    if (!qualified_) return;
    sql_ += " AS t";
    sql_.append_integer(alias);
}

void QueryWriter::write_from(Scope const& scope) {
    sql_ += " FROM ";
    table_name(*scope.clauses.table, scope.alias);
    for (Join const& join : scope.joins) {
        sql_ += join.outer ? " LEFT JOIN " : " JOIN ";
        table_name(*join.target, join.alias);
        sql_ += " ON ";
        column_name(join.alias, join.target->columns[join.target->key[0]].name);
        sql_ += " = ";
        column_name(join.parent, join.hop.table().columns[join.hop.column].name);
    }
}

// --- a query ---

void QueryWriter::write_query(PlanNodes nodes, Scope const* around, PlanUse use) {
    Scope const scope = open_scope(nodes, around);
    if (auto fits = check_clauses(scope.clauses, plan_, text_.is_lasting); !fits && !error_)
        error_ = std::move(fits).error();
    write_rows(scope, use);
}

void QueryWriter::write_rows(Scope const& scope, PlanUse use) {
    PlanClauses const& clauses = scope.clauses;
    bool const shares = !clauses.group.empty() || !clauses.distinct.empty() || !clauses.distinct_on.empty();
    bool const shared_around = std::exchange(sharing_, shares);
    sql_ += "SELECT ";
    // Whole rows hold their key, and are distinct anyway.
    if (!clauses.distinct.empty() && !clauses.output.empty()) sql_ += "DISTINCT ";
    if (!clauses.distinct_on.empty()) {
        if (!table_.can(Ability::distinct_on)) refuse(Ability::distinct_on);
        sql_ += "DISTINCT ON (";
        list(clauses.distinct_on, scope);
        sql_ += ") ";
    }
    write_output(scope);
    write_from(scope);
    sharing_ = false;
    write_conditions(" WHERE ", clauses.where, scope);
    sharing_ = shares;
    if (!clauses.group.empty()) {
        sql_ += " GROUP BY ";
        list(clauses.group, scope);
    }
    write_conditions(" HAVING ", clauses.having, scope);
    write_tail(scope, use);
    sharing_ = shared_around;
}

void QueryWriter::write_output(Scope const& scope) {
    if (!scope.clauses.output.empty()) return list(scope.clauses.output, scope);
    TableInfo const& table = *scope.clauses.table;
    for (std::size_t index = 0; index < table.columns.size(); ++index) {
        if (index > 0) sql_ += ", ";
        column_name(scope.alias, table.columns[index].name);
    }
    for (PlanNodes const related : scope.clauses.related) {
        sql_ += ", ";
        write_row(related[1].path(), scope);
    }
}

void QueryWriter::write_row(FieldPath const& path, Scope const& scope) {
    std::size_t const alias = alias_of(path, scope);
    bool first = true;
    for (ColumnInfo const& column : path.table().columns) {
        if (!std::exchange(first, false)) sql_ += ", ";
        column_name(alias, column.name);
    }
}

void QueryWriter::write_conditions(std::string_view word, std::vector<PlanNodes> const& clauses,
                                   Scope const& scope) {
    if (clauses.empty()) return;
    sql_ += word;
    if (clauses.size() == 1) return expression(clauses.front().subspan(1), scope);
    std::vector<PlanNodes> parts;
    for (PlanNodes const clause : clauses) parts.push_back(clause.subspan(1));
    connected(parts, " AND ", scope);
}

void QueryWriter::write_order(PlanNodes order, Scope const& scope) {
    if (order.empty()) return;
    sql_ += " ORDER BY ";
    list(order, scope);
}

void QueryWriter::write_tail(Scope const& scope, PlanUse use) {
    PlanClauses const& clauses = scope.clauses;
    write_order(clauses.order, scope);
    sharing_ = false;
    write_limit(clauses, use);
    if (!clauses.lock.empty()) {
        if (!table_.can(Ability::row_locks)) refuse(Ability::row_locks);
        sql_ += " FOR UPDATE";
        // Those of the table itself: rows that may not be there cannot be locked.
        if (!scope.joins.empty()) sql_ += " OF t" + number_text(std::uint64_t{scope.alias});
    }
}

void QueryWriter::write_limit(PlanClauses const& clauses, PlanUse use) {
    bool const only_first = use == PlanUse::first;
    if (!clauses.limit.empty()) {
        sql_ += " LIMIT ";
        if (only_first) sql_ += dialect_ == Dialect::sqlite ? "min(" : "least(";
        parameter(clauses.limit.front().number);
        if (only_first) sql_ += ", 1)";
    } else if (only_first) {
        sql_ += " LIMIT 1";
    }
    if (clauses.offset.empty()) return;
    sql_ += ' ';
    if (clauses.limit.empty() && !only_first) sql_ += table_.no_limit;
    sql_ += "OFFSET ";
    parameter(clauses.offset.front().number);
}

void QueryWriter::write_count(PlanNodes nodes) {
    PlanClauses const clauses = find_clauses(nodes);
    bool const plain = clauses.distinct.empty() && clauses.distinct_on.empty() && clauses.group.empty() &&
                       clauses.having.empty() && clauses.limit.empty() && clauses.offset.empty() &&
                       !(!clauses.output.empty() && has_aggregate(clauses.output));
    if (!plain) {
        sql_ += "SELECT count(*) FROM (";
        write_query(nodes, nullptr, PlanUse::count);
        sql_ += ") AS counted";
        return;
    }
    Scope const scope = open_scope(nodes, nullptr);
    sql_ += "SELECT count(*)";
    write_from(scope);
    write_conditions(" WHERE ", scope.clauses.where, scope);
}

// --- changes ---

void QueryWriter::write_change(PlanUse use) {
    Scope const scope = open_scope(plan_.nodes(), nullptr);
    PlanClauses const& clauses = scope.clauses;
    if (!clauses.group.empty() || !clauses.having.empty() || !clauses.distinct.empty() ||
        !clauses.distinct_on.empty())
        refuse("A set of groups, or with distinct(), is neither updated nor removed.");
    if (!clauses.order.empty() && has_aggregate(clauses.order))
        refuse("An aggregate orders groups, not the rows of a table.");
    sql_ += use == PlanUse::update ? "UPDATE " : "DELETE FROM ";
    table_name(*clauses.table, scope.alias);
    bool first = true;
    std::vector<bool> assigned(clauses.table->columns.size());
    for (PlanNodes const assign : clauses.assign) {
        if (assigned[assign.front().number]) return refuse("A column is set twice.");
        assigned[assign.front().number] = true;
        sql_ += std::exchange(first, false) ? " SET " : ", ";
        quoted(clauses.table->columns[assign.front().number].name);
        sql_ += " = ";
        bool const away = std::ranges::any_of(assign, [](PlanNode const& node) {
            return node.op == PlanOp::column && !node.path().hops.empty();
        });
        if (away) return refuse("What a column is set to is of the row itself: no reference is followed.");
        expression(assign.subspan(1), scope);
    }
    write_changed_rows(scope);
}

// Where the rows are found by more than a condition on themselves, they are named by their keys.
void QueryWriter::write_changed_rows(Scope const& scope) {
    PlanClauses const& clauses = scope.clauses;
    bool const plain =
        scope.joins.empty() && clauses.order.empty() && clauses.limit.empty() && clauses.offset.empty();
    if (plain) return write_conditions(" WHERE ", clauses.where, scope);
    qualified_ = true;
    sql_ += " WHERE (";
    bool first = true;
    for (std::uint16_t const column : clauses.table->key) {
        if (!std::exchange(first, false)) sql_ += ", ";
        quoted(clauses.table->columns[column].name);
    }
    sql_ += ") IN (SELECT ";
    Scope const rows = open_scope(plan_.nodes(), nullptr);
    write_keys(rows);
    write_from(rows);
    write_conditions(" WHERE ", rows.clauses.where, rows);
    write_tail(rows, PlanUse::rows);
    sql_ += ')';
}

void QueryWriter::write_keys(Scope const& scope) {
    bool first = true;
    for (std::uint16_t const column : scope.clauses.table->key) {
        if (!std::exchange(first, false)) sql_ += ", ";
        column_name(scope.alias, scope.clauses.table->columns[column].name);
    }
}

// --- entry ---

Result<ShapeText> shape_text(QueryPlan const& plan, PlanUse use, Dialect dialect) {
    return QueryWriter(plan, dialect).write(use);
}

Result<QueryText> query_text(QueryPlan const& plan, PlanUse use, Dialect dialect) {
    auto shape = shape_text(plan, use, dialect);
    if (!shape) return fail(std::move(shape).error());
    QueryText text{std::move(shape->sql), {}};
    for (std::uint32_t const value : shape->values) text.values.push_back(plan.values()[value]);
    return text;
}

}  // namespace quern::detail
