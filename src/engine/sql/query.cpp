// SPDX-License-Identifier: Apache-2.0
#include "engine/sql/query.h"

#include <algorithm>

#include <quern/assert.h>
#include "engine/sql/writer.h"

namespace quern::engine::sql {

Writer::Writer(plan::Plan const& plan, Dialect const& dialect, Comparing comparing)
    : plan_(plan),
      dialect_(dialect),
      comparing_(comparing),
      null_row_(plan.sources.size(), false),
      used_(plan.sources.size(), false) {
    QUERN_ASSERT(!plan.has_seek || plan.seek.values.size() == plan.sort.size(),
                 "a seek has a value for each key");
}

Statement Writer::take() { return {std::move(text_), std::move(bindings_)}; }

void Writer::write_select() {
    find_used(plan_.where);
    for (auto const& output : plan_.output) find_used(output);
    for (auto const& key : plan_.sort) find_used(key.operand);
    for (SourceIndex const source : plan_.joined) null_row_[source] = true;
    text_ = "SELECT ";
    for (std::size_t index = 0; index < plan_.output.size(); ++index) {
        if (index > 0) text_ += ", ";
        operand(plan_.output[index]);
    }
    if (plan_.output.empty()) text_ += '1';
    from();
    where(plan_.has_seek);
    order_by();
    limit();
}

void Writer::write_count() {
    find_used(plan_.where);
    text_ = "SELECT count(*)";
    from();
    where(false);
}

void Writer::where(bool with_seek) {
    bool const all = plan_.where.kind == Condition::Kind::always;
    if (all && !with_seek) return;
    text_ += " WHERE ";
    if (!all) condition(plan_.where);
    if (!all && with_seek) text_ += " AND ";
    if (with_seek) seek();
}

void Writer::order_by() {
    for (std::size_t index = 0; index < plan_.sort.size(); ++index) {
        text_ += index == 0 ? " ORDER BY " : ", ";
        plan::SortKey const& key = plan_.sort[index];
        if (key.kind == plan::SortKey::Kind::random) {
            text_ += dialect_.random;
            continue;
        }
        operand(key.operand);
        if (key.descending) text_ += " DESC";
    }
}

void Writer::limit() {
    bool const limited = plan_.limit != plan::Plan::no_parameter;
    bool const moved = plan_.offset != plan::Plan::no_parameter;
    if (!limited && !moved) return;
    text_ += " LIMIT ";
    if (limited) {
        parameter(plan_.limit);
    } else {
        text_ += dialect_.no_limit;
    }
    if (!moved) return;
    text_ += " OFFSET ";
    parameter(plan_.offset);
}

// Rows behind the given sort values. One comparison of whole rows where the keys run in one direction and are
// never null: SQLite starts in the middle of the index then. Else the alternatives are written out, with the
// range of the first key in front, which an index on it can use.
void Writer::seek() {
    bool const one_direction = std::ranges::all_of(plan_.sort, [&](plan::SortKey const& key) {
        return key.kind == plan::SortKey::Kind::operand && key.descending == plan_.sort.front().descending &&
               never_null(key.operand);
    });
    bool const some_null = std::ranges::find(plan_.seek.null, true) != plan_.seek.null.end();
    bool converting = false;
    for (std::size_t index = 0; index < plan_.sort.size(); ++index) {
        // Within a row comparison a column cannot be kept from converting.
        converting = converting || (comparing_ == Comparing::exactly &&
                                    affinity(plan_.sort[index].operand) != Affinity::none);
    }
    if (one_direction && !some_null && !converting) return seek_row_values();
    seek_alternatives();
}

void Writer::seek_row_values() {
    auto const list = [&](auto const& write) {
        text_ += plan_.sort.size() > 1 ? "(" : "";
        for (std::size_t index = 0; index < plan_.sort.size(); ++index) {
            if (index > 0) text_ += ", ";
            write(index);
        }
        text_ += plan_.sort.size() > 1 ? ")" : "";
    };
    list([&](std::size_t index) { operand(plan_.sort[index].operand); });
    text_ += plan_.sort.front().descending ? " < " : " > ";
    list([&](std::size_t index) { parameter(plan_.seek.values[index]); });
    for (std::size_t index = 0; index < plan_.sort.size(); ++index) {
        (void)converts(plan_.sort[index].operand, plan::parameter(plan_.seek.values[index]));
    }
}

bool Writer::seek_has_range() const {
    plan::SortKey const& first = plan_.sort.front();
    if (first.kind == plan::SortKey::Kind::random || plan_.seek.null.front()) return false;
    return !first.descending || never_null(first.operand);
}

void Writer::seek_alternatives() {
    plan::SortKey const& first = plan_.sort.front();
    if (seek_has_range()) {
        compared(first.operand,
                 first.descending ? " <= " : " >= ", plan::parameter(plan_.seek.values.front()));
        text_ += " AND ";
    }
    text_ += '(';
    for (std::size_t last = 0; last < plan_.sort.size(); ++last) {
        if (last > 0) text_ += " OR ";
        text_ += '(';
        for (std::size_t key = 0; key < last; ++key) {
            seek_equal(key);
            text_ += " AND ";
        }
        seek_after(last);
        text_ += ')';
    }
    text_ += ')';
}

void Writer::seek_equal(std::size_t key) {
    if (plan_.seek.null[key]) {
        operand(plan_.sort[key].operand);
        text_ += " IS NULL";
        return;
    }
    compared(plan_.sort[key].operand, " = ", plan::parameter(plan_.seek.values[key]));
}

// Nulls are smallest: everything comes after them ascending, nothing descending.
void Writer::seek_after(std::size_t key) {
    plan::SortKey const& sort = plan_.sort[key];
    if (plan_.seek.null[key]) {
        if (sort.descending) {
            text_ += "FALSE";
            return;
        }
        operand(sort.operand);
        text_ += " IS NOT NULL";
        return;
    }
    bool const nulls_follow = sort.descending && !never_null(sort.operand);
    if (nulls_follow) text_ += '(';
    compared(sort.operand, sort.descending ? " < " : " > ", plan::parameter(plan_.seek.values[key]));
    if (!nulls_follow) return;
    text_ += " OR ";
    operand(sort.operand);
    text_ += " IS NULL)";
}

Statement select(plan::Plan const& plan, Dialect const& dialect, Comparing comparing) {
    Writer writer(plan, dialect, comparing);
    writer.write_select();
    return writer.take();
}

Statement count(plan::Plan const& plan, Dialect const& dialect, Comparing comparing) {
    Writer writer(plan, dialect, comparing);
    writer.write_count();
    return writer.take();
}

}  // namespace quern::engine::sql
