// SPDX-License-Identifier: Apache-2.0
#include "query/planner.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <tuple>
#include <type_traits>

#include <quern/assert.h>
#include <quern/buffer.h>
#include <quern/json_writer.h>
#include "query/evaluate.h"
#include "query/limits.h"
#include "query/plan_cache.h"
#include "query/plan_maker.h"
#include "query/shape.h"

namespace quern::query {

namespace {

// A rule, read once for each kind of caller: what it compares without any row.
struct RuleProgram {
    std::shared_ptr<Schema const> schema;  // keeps the key's pointers alive
    std::vector<Evaluation> comparisons;
    std::optional<Error> error;
};

using RuleKey = std::tuple<Collection const*, Collection const*, Action>;

// What a plan depends on beside its texts, as bytes.
struct KeyHead {
    Collection const* collection = nullptr;
    Collection const* caller = nullptr;
    std::uint32_t outcomes = 0;
    std::uint32_t sort_bytes = 0;
    std::uint32_t fields_bytes = 0;
    std::uint32_t expand_bytes = 0;
    std::uint32_t columns_bytes = 0;
    std::uint32_t access_bytes = 0;
    std::uint32_t seek_nulls = 0;
    std::uint32_t field = 0;
    std::uint8_t kind = 0;
    std::uint8_t access = 0;
    std::uint8_t action = 0;
    std::uint8_t flags = 0;
    std::uint32_t unused = 0;  // no padding: every byte counts
};
static_assert(std::has_unique_object_representations_v<KeyHead>);

std::string_view bytes_of(std::span<std::uint16_t const> numbers) {
    void const* const start = numbers.data();
    return {static_cast<char const*>(start), numbers.size_bytes()};
}

}  // namespace

struct Planner::State {
    Result<Query> answer(SchemaPointer const& schema, QuestionData const& question,
                         RequestValues const& request, Arena& arena);
    Result<std::uint32_t> outcomes_of(SchemaPointer const& schema, QuestionData const& question,
                                      RequestValues const& request, Arena& arena);
    RuleProgram const& program_of(SchemaPointer const& schema, Collection const& collection, Action action,
                                  Collection const* caller, Arena& arena);
    void write_key(QuestionData const& question, RequestValues const& request, std::uint32_t outcomes);
    static Result<void> check_numbers(QuestionData const& question);

    SchemaPointer schema;  // the one that everything kept here was made for
    PlanCache plans{plans_kept_max};
    std::map<RuleKey, RuleProgram> rules;
    Buffer key;
    Buffer scratch;
    std::uint64_t plans_made = 0;
};

Planner::Planner() : state_(std::make_unique<State>()) {}
Planner::~Planner() = default;

std::uint64_t Planner::plans_made() const { return state_->plans_made; }

Result<Query> Planner::list(SchemaPointer const& schema, ListQuestion const& question,
                            RequestValues const& request, Arena& arena) {
    QuestionData data{
        .kind = QuestionKind::list, .collection = question.collection, .access = question.access};
    data.filter = question.filter;
    data.sort = question.sort;
    data.fields = question.fields;
    data.expand = question.expand;
    data.limit = question.limit;
    data.offset = question.offset;
    data.has_seek = question.has_seek;
    data.seek = question.seek;
    data.output = question.output;
    return state_->answer(schema, data, request, arena);
}

Result<Query> Planner::count(SchemaPointer const& schema, CountQuestion const& question,
                             RequestValues const& request, Arena& arena) {
    QuestionData data{
        .kind = QuestionKind::count, .collection = question.collection, .access = question.access};
    data.filter = question.filter;
    return state_->answer(schema, data, request, arena);
}

Result<Query> Planner::view(SchemaPointer const& schema, ViewQuestion const& question,
                            RequestValues const& request, Arena& arena) {
    QuestionData data{
        .kind = QuestionKind::view, .collection = question.collection, .access = question.access};
    data.record_id = question.id;
    data.filter = question.filter;
    data.fields = question.fields;
    data.expand = question.expand;
    data.output = question.output;
    return state_->answer(schema, data, request, arena);
}

Result<Query> Planner::check(SchemaPointer const& schema, CheckQuestion const& question,
                             RequestValues const& request, Arena& arena) {
    QuestionData data{
        .kind = QuestionKind::check, .collection = question.collection, .access = question.access};
    data.record_id = question.id;
    data.filter = question.filter;
    return state_->answer(schema, data, request, arena);
}

Result<Query> Planner::related(SchemaPointer const& schema, RelatedQuestion const& question,
                               RequestValues const& request, Arena& arena) {
    QuestionData data{
        .kind = QuestionKind::related, .collection = question.collection, .access = question.access};
    data.ids_json = question.ids_json;
    data.back = question.back;
    data.field = question.field;
    data.sort = question.sort;
    data.limit = question.limit;
    data.output = question.output;
    return state_->answer(schema, data, request, arena);
}

Result<Query> Planner::State::answer(SchemaPointer const& current, QuestionData const& question,
                                     RequestValues const& request, Arena& arena) {
    if (current != schema) {
        plans.clear();
        rules.clear();
        schema = current;
    }
    QUERN_CHECK(check_numbers(question));
    QUERN_TRY(std::uint32_t const outcomes, outcomes_of(current, question, request, arena));

    write_key(question, request, outcomes);
    std::size_t const shape_start = key.size();
    QUERN_TRY(auto const literals,
              append_shape(question.filter, "filter", filter_characters_max, arena, key));

    std::shared_ptr<Prepared const> prepared = plans.find(key.view());
    if (prepared == nullptr) {
        PlanContext const context{.schema = current,
                                  .caller = request.principal.collection,
                                  .superuser = request.principal.superuser,
                                  .outcomes = outcomes,
                                  .literals = literals,
                                  .has_filter = key.size() > shape_start};
        QUERN_TRY(prepared, make_plan(question, context, arena));
        plans.insert(key.view(), prepared);
        ++plans_made;
    }
    if (question.has_seek && question.seek.size() != prepared->plan->sort.size()) {
        return fail(ErrorCode::parameter_invalid, "The cursor does not belong to this list.");
    }
    Supplies const supplies{.request = request,
                            .arena = arena,
                            .scratch = scratch,
                            .filter = question.filter,
                            .literals = literals,
                            .record_id = question.record_id,
                            .ids_json = question.ids_json,
                            .limit = question.limit,
                            .offset = question.offset,
                            .seek = question.seek};
    QUERN_TRY(auto const values, bind(*prepared, supplies));
    scratch.shrink(scratch_kept_bytes_max);
    key.shrink(scratch_kept_bytes_max);
    return Query{std::move(prepared), values};
}

Result<void> Planner::State::check_numbers(QuestionData const& question) {
    QUERN_ASSERT(question.limit >= 0 && question.offset >= 0, "row bounds are checked by who reads them");
    if (question.has_seek && question.seek.size() > sort_keys_max + 1) {
        return fail(ErrorCode::parameter_invalid, "The cursor does not belong to this list.");
    }
    return {};
}

// What the rule's row-free comparisons come to for this request: they choose the plan.
Result<std::uint32_t> Planner::State::outcomes_of(SchemaPointer const& current, QuestionData const& question,
                                                  RequestValues const& request, Arena& arena) {
    if (question.access.kind() != Access::Kind::by_rule) return 0U;
    Rule const& rule = rule_of(question.collection, question.access.action());
    if (!rule || rule->empty()) return 0U;
    RuleProgram const& program = program_of(current, question.collection, question.access.action(),
                                            request.principal.collection, arena);
    if (program.error) return fail(*program.error);
    std::uint32_t outcomes = 0;
    Supplies const supplies{.request = request, .arena = arena, .scratch = scratch};
    for (std::size_t index = 0; index < program.comparisons.size(); ++index) {
        QUERN_TRY(bool const holds, evaluate(program.comparisons[index], supplies));
        if (holds) outcomes |= 1U << index;
    }
    return outcomes;
}

RuleProgram const& Planner::State::program_of(SchemaPointer const& current, Collection const& collection,
                                              Action action, Collection const* caller, Arena& arena) {
    RuleKey const rule_key{&collection, caller, action};
    if (auto const found = rules.find(rule_key); found != rules.end()) return found->second;
    RuleProgram program;
    program.schema = current;
    auto comparisons = row_free_comparisons(current, collection, action, caller, arena);
    if (comparisons) {
        program.comparisons = *std::move(comparisons);
    } else {
        program.error = Error(ErrorCode::internal, "The " + std::string(rule_name(action)) + " of \"" +
                                                       collection.name + "\" is broken.");
    }
    return rules.emplace(rule_key, std::move(program)).first->second;
}

void Planner::State::write_key(QuestionData const& question, RequestValues const& request,
                               std::uint32_t outcomes) {
    Output const& output = question.output;
    KeyHead head;
    head.collection = &question.collection;
    head.caller = request.principal.collection;
    head.outcomes = outcomes;
    head.sort_bytes = static_cast<std::uint32_t>(question.sort.size());
    head.fields_bytes = static_cast<std::uint32_t>(question.fields.size());
    head.expand_bytes = static_cast<std::uint32_t>(question.expand.size());
    head.columns_bytes = static_cast<std::uint32_t>(output.columns.size_bytes());
    head.access_bytes = static_cast<std::uint32_t>(question.access.text().size());
    for (std::size_t index = 0; index < question.seek.size(); ++index) {
        if (question.seek[index].is_null()) head.seek_nulls |= 1U << index;
    }
    head.field = question.field;
    head.kind = static_cast<std::uint8_t>(question.kind);
    head.access = static_cast<std::uint8_t>(question.access.kind());
    head.action = static_cast<std::uint8_t>(question.access.action());
    auto const flag = [&head](bool set, unsigned bit) {
        head.flags |= static_cast<std::uint8_t>(set ? 1U << bit : 0U);
    };
    flag(request.principal.superuser, 0);
    flag(question.limit > 0, 1);
    flag(question.offset > 0, 2);
    flag(question.has_seek, 3);
    flag(output.version, 4);
    flag(output.sort_values, 5);
    flag(question.back, 6);
    key.clear();
    char* const place = key.reserve(sizeof head);
    std::memcpy(place, &head, sizeof head);
    key.advance(sizeof head);
    key.append(question.sort);
    key.append(question.fields);
    key.append(question.expand);
    key.append(bytes_of(output.columns));
    key.append(question.access.text());
}

std::string_view json_array(std::span<std::string_view const> ids, Arena& arena) {
    Buffer text;
    json::Writer writer(text);
    writer.begin_array();
    for (std::string_view const id : ids) writer.string(id);
    writer.end_array();
    return arena.copy(text.view());
}

}  // namespace quern::query
