// SPDX-License-Identifier: Apache-2.0

// Sources: tables and how they hang together.

#include <quern/assert.h>
#include "engine/sql/writer.h"

namespace quern::engine::sql {

using plan::Hop;
using plan::Source;

// The main row and what is joined to it, of those that are used.
void Writer::from() {
    text_ += " FROM ";
    table_of(0);
    for (SourceIndex const source : plan_.joined) {
        if (!used_[source]) continue;
        null_row_[source] = true;
        outer_hop(source);
    }
}

void Writer::table(std::string_view name) { append_identifier(text_, dialect_, name); }

void Writer::join_table(Source const& source) {
    Collection const& owner =
        source.hop == Hop::back ? *source.collection : *plan_.sources[source.parent].collection;
    table(join_table_name(owner, owner.fields[source.field]));
}

// `"posts" AS s0`
void Writer::table_of(SourceIndex index) {
    Source const& source = plan_.sources[index];
    if (source.hop == Hop::elements) {
        text_ += dialect_.elements_open;
        column({source.parent, source.field});
        text_ += dialect_.elements_close;
    } else if (source.hop == Hop::to_many_ids) {
        join_table(source);
    } else {
        table(source.collection->name);
    }
    text_ += " AS ";
    alias(index);
}

void Writer::parent_id(SourceIndex index) { column({plan_.sources[index].parent, 0}); }

void Writer::link(SourceIndex index) {
    Source const& source = plan_.sources[index];
    switch (source.hop) {
    case Hop::root:
    case Hop::free:
    case Hop::elements: text_ += "TRUE"; return;
    case Hop::to_one:
        column({index, 0});
        text_ += " = ";
        column({source.parent, source.field});
        return;
    case Hop::to_many_ids:
        alias(index);
        text_ += ".\"owner\" = ";
        parent_id(index);
        return;
    case Hop::to_many:
        column({index, 0});
        text_ += " IN (SELECT \"target\" FROM ";
        join_table(source);
        text_ += " WHERE \"owner\" = ";
        parent_id(index);
        text_ += ')';
        return;
    case Hop::back:
        if (source.collection->fields[source.field].is_join()) {
            column({index, 0});
            text_ += " IN (SELECT \"owner\" FROM ";
            join_table(source);
            text_ += " WHERE \"target\" = ";
            parent_id(index);
            text_ += ')';
        } else {
            column({index, source.field});
            text_ += " = ";
            parent_id(index);
        }
        return;
    }
}

void Writer::guard(SourceIndex index) {
    Condition const& guard = plan_.sources[index].guard;
    if (guard.kind == Condition::Kind::always) return;
    bool const outer = null_row_[index];
    null_row_[index] = false;  // the guard is asked about rows that are there
    text_ += " AND ";
    condition(guard);
    null_row_[index] = outer;
}

void Writer::outer_hop(SourceIndex source) {
    text_ += " LEFT JOIN ";
    table_of(source);
    text_ += " ON ";
    bool const outer = null_row_[source];
    null_row_[source] = false;
    link(source);
    null_row_[source] = outer;
    guard(source);
}

// Adds the tables to FROM and leaves what binds them in `conditions`, each with an AND behind it. A join
// table stands in FROM itself, so that the planner may begin at either end.
void Writer::inner_hop(SourceIndex index, bool first, std::string& conditions) {
    Source const& source = plan_.sources[index];
    bool const back = source.hop == Hop::back;
    bool const joins =
        source.hop == Hop::to_many || (back && source.collection->fields[source.field].is_join());
    text_ += first ? "" : " JOIN ";
    if (joins) {
        join_table(source);
        text_ += " AS j" + std::to_string(index) + " JOIN ";
    }
    table_of(index);

    std::string written = std::move(text_);
    text_.clear();
    if (joins) {
        std::string const alias = "j" + std::to_string(index);
        text_ += alias + (back ? ".\"target\" = " : ".\"owner\" = ");
        parent_id(index);
        text_ += " AND ";
        column({index, 0});
        text_ += " = " + alias + (back ? ".\"owner\"" : ".\"target\"");
    } else if (source.hop != Hop::free && source.hop != Hop::elements) {
        link(index);
    } else {
        text_ += "TRUE";
    }
    guard(index);
    text_ += " AND ";
    conditions += text_;
    text_ = std::move(written);
}

void Writer::use(SourceIndex source) {
    while (source != plan::no_source && !used_[source]) {
        used_[source] = true;
        find_used(plan_.sources[source].guard);
        source = plan_.sources[source].parent;
    }
}

void Writer::find_used(Operand const& operand) {
    switch (operand.kind) {
    case Operand::Kind::column:
    case Operand::Kind::json_path: use(operand.column.source); break;
    case Operand::Kind::element: use(operand.index); break;
    case Operand::Kind::null:
    case Operand::Kind::parameter:
    case Operand::Kind::call: break;
    }
    for (Operand const& argument : operand.arguments) find_used(argument);
}

void Writer::find_used(Condition const& condition) {
    if (condition.kind == Condition::Kind::compare) {
        find_used(condition.left);
        find_used(condition.right);
    }
    for (SourceIndex const source : condition.sources) use(source);
    for (Condition const& part : condition.parts) find_used(part);
}

}  // namespace quern::engine::sql
