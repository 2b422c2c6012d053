// SPDX-License-Identifier: Apache-2.0
#include "app/bench_write_job.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "rules/decision.h"
#include "store/removal.h"

namespace quern::app {

namespace {

constexpr std::uint16_t at(PostField field) { return static_cast<std::uint16_t>(field); }

FieldInput input_of(PostField field, Value value, std::span<std::string_view const> items = {}) {
    return {.field = at(field), .kind = InputKind::set, .must_hash = false, .value = value, .items = items};
}

std::span<engine::Assignment const> assign(std::span<FieldValue const> values, std::int64_t version,
                                           Arena& arena) {
    auto const row = arena.array<engine::Assignment>(values.size() + 1);
    for (std::size_t index = 0; index < values.size(); ++index)
        row[index] = {values[index].field, values[index].value, values[index].items};
    row[values.size()] = {Collection::version_field, Value::of(version), {}};
    return row;
}

}  // namespace

void FinishedWrites::put(BenchWrite& job) {
    std::lock_guard const lock(mutex_);
    jobs_.push_back(&job);
    if (jobs_.size() == 1) some_.notify_one();
}

void FinishedWrites::take(std::vector<BenchWrite*>& jobs) {
    jobs.clear();
    std::unique_lock lock(mutex_);
    some_.wait(lock, [this] { return !jobs_.empty(); });
    jobs.swap(jobs_);
}

void BenchWrite::prepare(std::size_t number) {
    number_ = number;
    post_ = make_post(number);
}

void BenchWrite::prepare(std::size_t number, std::string_view id) {
    number_ = number;
    id_ = id;
}

void BenchWrite::prepare(std::size_t number, std::string_view id, std::int64_t views) {
    prepare(number, id);
    views_ = views;
}

Result<void> BenchWrite::run(store::WriteContext& context) {
    writer_.arena.reset();
    values_ = {};
    values_.now_ms = context.now_ms;
    switch (kind_) {
    case WriteKind::create: return create(context);
    case WriteKind::update: return update(context);
    case WriteKind::remove: return remove(context);
    }
    return {};
}

void BenchWrite::done(Result<void> result) {
    result_ = std::move(result);
    finished_.put(*this);
}

Result<void> BenchWrite::create(store::WriteContext& context) {
    Arena& arena = writer_.arena;
    QUERN_TRY(auto const access,
              rules::authorise(writer_.collection, query::Action::create, values_.principal));
    std::string_view const owner[] = {writer_.stage.account_ids()[post_.owner]};
    std::array const inputs{input_of(PostField::title, Value::of(post_.title)),
                            input_of(PostField::body, Value::of(post_.body)),
                            input_of(PostField::category, Value::of(post_.category)),
                            input_of(PostField::owner, Value::of(owner[0]), owner),
                            input_of(PostField::rank, Value::of(post_.rank))};
    WriteMoment const moment{context.now_ms, RandomSource(writer_.stage.random())};
    QUERN_TRY(auto const values, writer_.input.for_insert(inputs, moment, arena));
    QUERN_CHECK(
        context.transaction.insert(writer_.collection, assign(values, context.next_version(), arena)));
    id_ = values[at(PostField::id)].value.text;
    QUERN_CHECK(check_rule(context, access));
    return read_back(context);
}

Result<void> BenchWrite::update(store::WriteContext& context) {
    Arena& arena = writer_.arena;
    QUERN_TRY(auto const access,
              rules::authorise(writer_.collection, query::Action::update, values_.principal));
    QUERN_TRY(auto const row, read_row(context, access));
    if (row.empty()) return fail(ErrorCode::not_found);
    std::array const inputs{input_of(PostField::views, Value::of(views_))};
    WriteMoment const moment{context.now_ms, RandomSource(writer_.stage.random())};
    QUERN_TRY(auto const changes, writer_.input.for_update(inputs, row.first(row.size() - 1), moment, arena));
    QUERN_TRY(bool const updated, context.transaction.update(writer_.collection, id_,
                                                             assign(changes, context.next_version(), arena)));
    if (!updated) return fail(ErrorCode::not_found);
    QUERN_CHECK(check_rule(context, access));
    return read_back(context);
}

Result<void> BenchWrite::remove(store::WriteContext& context) {
    QUERN_TRY(auto const access,
              rules::authorise(writer_.collection, query::Action::remove, values_.principal));
    QUERN_TRY(auto const row, read_row(context, access));
    if (row.empty()) return fail(ErrorCode::not_found);
    QUERN_TRY(bool const removed, store::remove_record(context, writer_.collection, id_));
    if (!removed) return fail(ErrorCode::not_found);
    return {};
}

// The whole record and its version; nothing when there is none.
Result<std::span<Value const>> BenchWrite::read_row(store::WriteContext& context, query::Access access) {
    Arena& arena = writer_.arena;
    std::array<std::uint16_t, post_fields> columns{};
    std::iota(columns.begin(), columns.end(), std::uint16_t{0});
    query::ViewQuestion const question{.collection = writer_.collection,
                                       .access = access,
                                       .id = id_,
                                       .filter = {},
                                       .fields = {},
                                       .expand = {},
                                       .output = {.columns = columns, .version = true}};
    QUERN_TRY(auto const asked, writer_.planner.view(context.schema, question, values_, arena));
    std::span<Value> record;
    RowFunction sink([&](std::span<Value const> row) {
        record = arena.array<Value>(row.size());
        std::ranges::copy(row, record.begin());
        for (Value& value : record) {
            if (!value.text.empty()) value.text = arena.copy(value.text);
        }
        return false;
    });
    QUERN_CHECK(context.transaction.select(asked.bound(), sink));
    return std::span<Value const>(record);
}

// With the row in place; an open rule needs no question.
Result<void> BenchWrite::check_rule(store::WriteContext& context, query::Access access) {
    if (access.kind() == query::Access::Kind::all) return {};
    QUERN_TRY(auto const row, read_row(context, access));
    if (row.empty()) return fail(ErrorCode::bad_request);
    return {};
}

// What the answer shows.
Result<void> BenchWrite::read_back(store::WriteContext& context) {
    QUERN_TRY(auto const access,
              rules::authorise(writer_.collection, query::Action::view, values_.principal));
    query::ViewQuestion const question{.collection = writer_.collection,
                                       .access = access,
                                       .id = id_,
                                       .filter = {},
                                       .fields = {},
                                       .expand = {},
                                       .output = {.columns = {}, .version = true}};
    QUERN_TRY(auto const asked, writer_.planner.view(context.schema, question, values_, writer_.arena));
    bool there = false;
    RowFunction sink([&](std::span<Value const> row) {
        there = row[at(PostField::id)].text == id_ && row[at(PostField::rank)].integer == rank_of(number_);
        return false;
    });
    QUERN_CHECK(context.transaction.select(asked.bound(), sink));
    if (!there) return fail(ErrorCode::internal, "The probe failed: a written record was not there.");
    return {};
}

}  // namespace quern::app
