// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes the parts of one statement; inner to this room. Read query.h first.
//
// The text grows at the end only. What the parts need to know of each other is in two places: `bindings_`,
// what the parameters stand for, and `null_row_`, which sources may give the row of nulls where the text now
// stands.

#include <string>
#include <string_view>
#include <vector>

#include "engine/sql/query.h"

namespace quern::engine::sql {

class Writer {
public:
    Writer(plan::Plan const& plan, Dialect const& dialect, Comparing comparing);

    void write_select();
    void write_count();
    [[nodiscard]] Statement take();

private:
    using Operand = plan::Operand;
    using Condition = plan::Condition;
    using SourceIndex = plan::SourceIndex;

    // What a column does to that with which it is compared.
    enum class Affinity : std::uint8_t { none, text, integer, real };

    // operand.cpp
    void operand(Operand const& operand);
    // Both sides of a comparison, with what is needed so that neither converts the other.
    void compared(Operand const& left, std::string_view sign, Operand const& right);
    void column(plan::Column column);
    void gathered(plan::Column column);
    void call(Operand const& operand);
    void parameter(plan::ParameterIndex index);
    void constant(std::string text);
    void alias(SourceIndex source);
    [[nodiscard]] Field const* field_of(plan::Column column) const;
    [[nodiscard]] bool is_ids(SourceIndex source) const;
    [[nodiscard]] std::string_view rowid_name(Collection const& collection) const;
    [[nodiscard]] Affinity affinity(Operand const& operand) const;
    [[nodiscard]] std::uint8_t kinds(Operand const& operand) const;
    [[nodiscard]] bool never_null(Operand const& operand) const;
    [[nodiscard]] bool converts(Operand const& column, Operand const& other);
    void expect(plan::ParameterIndex index, std::uint8_t accepts);

    // condition.cpp
    void condition(Condition const& condition);
    void parts(std::span<Condition const> conditions, std::string_view joiner);
    void leaf(Condition const& leaf);
    void equality(Condition const& leaf);
    void order(Condition const& leaf);
    void in_list(Condition const& leaf);
    void quantified(Condition const& condition);
    [[nodiscard]] bool descends(SourceIndex source, SourceIndex from) const;
    [[nodiscard]] bool is_strict(Operand const& operand, SourceIndex source) const;
    [[nodiscard]] bool leaf_rejects_nulls(Condition const& leaf, SourceIndex source) const;
    [[nodiscard]] bool rejects_nulls(Condition const& condition, SourceIndex source) const;

    // source.cpp
    void from();
    void outer_hop(SourceIndex source);
    void inner_hop(SourceIndex source, bool first, std::string& conditions);
    void table(std::string_view name);
    void table_of(SourceIndex source);
    void join_table(plan::Source const& source);
    void parent_id(SourceIndex source);
    // The hop's condition, as far as it is about the source's own table.
    void link(SourceIndex source);
    void guard(SourceIndex source);
    void find_used(Condition const& condition);
    void find_used(Operand const& operand);
    void use(SourceIndex source);

    // query.cpp
    void where(bool with_seek);
    void seek();
    void seek_row_values();
    void seek_alternatives();
    void seek_after(std::size_t key);
    void seek_equal(std::size_t key);
    [[nodiscard]] bool seek_has_range() const;
    void order_by();
    void limit();

    plan::Plan const& plan_;
    Dialect const& dialect_;
    Comparing comparing_;
    std::string text_;
    std::vector<Binding> bindings_;
    std::vector<bool> null_row_;  // by source
    std::vector<bool> used_;      // by source: named by something that is written
};

}  // namespace quern::engine::sql
