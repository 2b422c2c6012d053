// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lowers parsed filters, rules and sorts into a plan.
//
// One Compiler makes one plan. A text is lowered within a Scope, which says who wrote it (and so what it may
// see), whose row it speaks of, and where its literals' values come from:
//
//   a client's filter: literals are parameters; hidden fields do not exist; a relation shows only the rows
//   that
//                      the target's list rule admits (a guard on the source);
//   a rule:            literals are constants; everything may be seen; `@request` and `@collection` may be
//   used.
//
// Lowering happens a comparison at a time. Each side becomes a Side: an operand, what may be null about it
// and why, and the sources that have to be walked for it. How those are quantified is decided last. Files:
// compiler.cpp (logic, aliases), comparison.cpp (one comparison), path.cpp (paths through the schema),
// request_path.cpp
// (`@request`), value.cpp (literals, macros and other parameters), sort.cpp.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/arena.h>
#include <quern/buffer.h>
#include <quern/error.h>
#include "plan/plan.h"
#include "query/access.h"
#include "query/prepared.h"
#include "query/syntax.h"

namespace quern::query {

enum class Trust : std::uint8_t { client, superuser, rule };

// Row-free comparisons of a rule. They are either gathered, or their outcomes for this request are known
// already and the plan is made for them.
struct Settlement {
    std::vector<Evaluation> gathered;
    std::uint32_t outcomes = 0;  // bit n: outcome of gathered[n]
    bool known = false;
};

struct Scope {
    Trust trust = Trust::client;
    std::string_view text;
    std::string_view label = "filter";
    ErrorCode code = ErrorCode::filter_invalid;
    std::span<Literal const> literals;
    plan::SourceIndex root = 0;
    bool may_join = true;  // to-one hops become sources of the main row
    Settlement* settlement = nullptr;
    // Rows of `@collection` that several conditions with '?' share, by alias.
    std::map<std::string, plan::SourceIndex, std::less<>> aliases;
    bool any = false;  // the comparison being lowered is written with '?'
};

// What kind of values a side has, which decides how the other side is converted.
enum class Domain : std::uint8_t { text, number, boolean, date, any };

// One side of a comparison.
struct Side {
    enum class Kind : std::uint8_t {
        row,      // depends on a row
        request,  // known when the request is: `source`
        literal,  // written in the text: `literal`
        call,     // a function of the others; `operand` is complete
    };
    Kind kind = Kind::row;
    std::size_t offset = 0;
    std::string_view text;   // as written, for messages
    plan::Operand operand;   // row, call
    ParameterSource source;  // request
    Literal const* literal = nullptr;
    Domain domain = Domain::any;
    bool nullable = false;        // null is a value of its own
    bool absent = false;          // may be null because there is no row: the same as zero
    bool stored_null = false;     // an empty value is stored as null (single relations)
    bool never_zero = false;      // no row stores the zero value (ids, relations)
    bool is_element = false;      // of a select, file or json field with several values
    bool unrelated = false;       // of a row that the request or `@collection` names: if it is missing, its
                                  // null never equals what another row has
    bool many = false;            // several rows: a plain operator asks for every one
    bool contains_habit = false;  // … but plain `~` asks for some
    bool is_array = false;        // request: JSON array text, compared element by element
    std::vector<plan::SourceIndex> nested;  // sources to be quantified over, parents first
    std::vector<plan::Condition> masks;     // must hold for the value to be seen
};

class Compiler {
public:
    // Lifetime: borrows the schema and the arena while compiling.
    Compiler(std::shared_ptr<Schema const> schema, Collection const& root, Collection const* caller,
             Arena& arena);

    // --- used by planner.cpp ---
    [[nodiscard]] Result<plan::Condition> lower_text(std::string_view text, Scope scope);
    // `root` is the source whose rows the rule admits; `label` names the rule in messages ("listRule").
    [[nodiscard]] Result<plan::Condition> lower_rule(std::string_view text, std::string_view label,
                                                     plan::SourceIndex root, bool may_join,
                                                     Settlement* settlement);
    [[nodiscard]] Result<void> lower_sort(std::string_view text, bool superuser);
    // A parameter for that source; the same one for the same source.
    [[nodiscard]] plan::Operand parameter(ParameterSource const& source);
    [[nodiscard]] plan::ParameterIndex parameter_index(ParameterSource const& source);
    [[nodiscard]] plan::Plan& plan() { return plan_; }
    [[nodiscard]] plan::SourceIndex add_source(Collection const* collection, plan::SourceIndex parent,
                                               plan::Hop hop, std::size_t field);
    [[nodiscard]] std::vector<ParameterSource>& parameters() { return parameters_; }
    [[nodiscard]] std::vector<Evaluation>& evaluations() { return evaluations_; }

private:
    using Condition = plan::Condition;
    using Aliases = std::set<std::string, std::less<>>;

    struct SourceKey {
        plan::SourceIndex parent;
        plan::Hop hop;
        Collection const* collection;
        std::size_t field;
        bool guarded;
        auto operator<=>(SourceKey const&) const = default;
    };
    // Where a path has arrived.
    struct Place {
        plan::SourceIndex source = 0;
        Collection const* collection = nullptr;
        std::vector<plan::SourceIndex> nested;
        bool hopped = false;  // the row may be missing
        bool many = false;
        bool unrelated = false;
        bool joinable = true;  // reached from the main row by joined sources alone
        std::size_t hops = 0;
    };
    struct Path {
        std::vector<std::string_view> steps;
        std::string_view modifier;
        bool has_modifier = false;
        std::size_t offset = 0;
        std::string_view text;
    };

    // compiler.cpp
    Result<Condition> lower(Expression const& expression, Scope& scope);
    Result<Condition> lower_both(std::vector<Expression const*> const& parts, Scope& scope);
    static std::vector<Condition> close_aliases(std::vector<Condition> lowered,
                                                std::vector<Aliases> const& used, Scope const& scope);
    static std::vector<Expression const*> distinct(Expression const& expression, Scope const& scope);
    static void collect_aliases(Expression const& expression, Aliases& found);

    // comparison.cpp
    Result<Condition> lower_comparison(Expression const& expression, Scope& scope);
    Result<Condition> lower_bare(Expression const& expression, Scope& scope);
    Result<Condition> compare_sides(Side left, Side right, Expression const& expression, Scope& scope);
    Result<Condition> positive(Side const& left, Side const& right, plan::Comparison sign, Scope& scope);
    Result<Condition> equal_to_literal(Side const& row, Side const& literal, Scope& scope);
    Result<Condition> equal_rows(Side const& left, Side const& right);
    Result<Condition> in_list(Side const& row, Side const& list, Scope& scope);
    Result<Condition> compare_with_array(Side const& left, Side const& right, Expression const& expression,
                                         Scope& scope);
    Result<plan::Operand> pattern_operand(Side const& side, Scope const& scope);
    Result<Condition> row_free(Side const& left, Side const& right, Expression const& expression,
                               Scope& scope);
    static Condition quantify(Condition inner, Side const& left, Side const& right,
                              Expression const& expression);
    Result<void> check_domains(Side const& left, Side const& right, plan::Comparison comparison,
                               Scope const& scope) const;

    // sort.cpp
    Result<void> lower_sort_key(std::size_t offset, std::string_view key, Scope& scope);
    void finish_sort();

    // path.cpp
    Result<Side> lower_side(Operand const& operand, Scope& scope);
    Result<Side> lower_path(Operand const& operand, Scope& scope);
    Result<Side> lower_call(Operand const& operand, Scope& scope);
    Result<Side> follow(Place place, Path const& path, std::size_t first_step, Scope& scope);
    Result<Side> field_side(Place const& place, std::size_t field, Path const& path, std::size_t next_step,
                            Scope& scope);
    Result<Side> many_side(Place const& place, std::size_t field, Path const& path, Scope& scope);
    Result<Place> hop(Place place, plan::Hop kind, Collection const& target, std::size_t field,
                      Path const& path, Scope& scope);
    Result<std::optional<Place>> hop_back(Place const& place, std::string_view step, Path const& path,
                                          Scope& scope);
    static Result<void> modify(Side& side, Field const& field, Path const& path, Scope const& scope);
    void mask_email(Side& side, Place const& place, Field const& field, Scope const& scope);
    Result<Side> collection_path(Path const& path, Scope& scope);
    [[nodiscard]] std::optional<std::size_t> find_field(Collection const& collection, std::string_view name,
                                                        Scope const& scope) const;
    Result<void> add_guard(plan::SourceIndex source, Collection const& target);
    Result<plan::SourceIndex> source_for(SourceKey const& key, bool joined);
    Result<plan::SourceIndex> alias_source(Collection const& collection, std::string_view alias);
    static Error unknown_field(Path const& path, Scope const& scope);
    static Error error_at(Scope const& scope, std::size_t offset, std::string_view why);
    static Path split(std::string_view text, std::size_t offset);

    // request_path.cpp
    Result<Side> request_path(Path const& path, Scope& scope);
    Result<Side> auth_path(Path const& path, Scope& scope);
    Result<Side> body_path(Path const& path, Scope& scope);
    Result<Place> free_row(Collection const& target, ParameterSource const& ids, bool several);
    static Result<Side> request_side(ParameterSource source, Path const& path, Domain domain,
                                     Scope const& scope);
    static Result<Side> array_or_value(ParameterSource source, Field const& field, Path const& path,
                                       Scope const& scope);
    static Result<void> modify_request(Side& side, Path const& path, Scope const& scope);
    Result<std::optional<Condition>> lower_changed(Expression const& expression, Scope& scope);

    // value.cpp
    Result<plan::Operand> literal_parameter(Side const& literal, Conversion conversion, Scope const& scope);
    Result<plan::Operand> list_parameter(Side const& list, Conversion conversion, bool null_as_zero,
                                         Scope const& scope);
    Result<ParameterSource> list_source(Side const& list, Conversion conversion, bool null_as_zero,
                                        Scope const& scope);
    plan::Operand request_parameter(Side const& side, Conversion conversion);
    plan::Operand constant(Value value);
    Result<ParameterSource> literal_source(Side const& literal, Conversion conversion, Scope const& scope);
    Result<plan::Operand> value_operand(Side const& side, Conversion conversion, Scope const& scope);

    std::shared_ptr<Schema const> schema_;
    Collection const* caller_;  // the auth collection of the caller's record; null = anonymous
    Arena& arena_;
    Buffer scratch_;
    plan::Plan plan_;
    std::vector<ParameterSource> parameters_;
    std::vector<Evaluation> evaluations_;
    std::map<SourceKey, plan::SourceIndex> joined_;      // of the main row
    std::map<SourceKey, plan::SourceIndex> comparison_;  // of the comparison being lowered
    std::map<std::string, plan::SourceIndex, std::less<>> comparison_aliases_;
};

// How a value is fitted to a side of that domain.
[[nodiscard]] Conversion conversion_to(Domain domain);
[[nodiscard]] Domain domain_of(Field const& field);

}  // namespace quern::query
