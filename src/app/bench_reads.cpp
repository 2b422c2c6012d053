// SPDX-License-Identifier: Apache-2.0
#include "app/bench_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <latch>
#include <optional>
#include <thread>

#include <quern/assert.h>
#include "app/bench_loop.h"
#include "os/thread.h"
#include "rules/decision.h"

namespace quern::app {

namespace {

constexpr std::int64_t us_per_ms = 1000;
// As long as the server lets a statement run on an event loop, and on the slow lane.
constexpr engine::Budget loop_budget{std::chrono::microseconds(2'000), ErrorCode::interrupted};
constexpr engine::Budget slow_budget{std::chrono::microseconds(5'000'000), ErrorCode::timeout};
constexpr std::size_t contents_checked = 100;  // records

Error wrong(std::string_view what) {
    return Error(ErrorCode::internal, fmt::format("The probe failed: {}.", what));
}

}  // namespace

BenchReader::BenchReader(BenchStage& stage, BenchKind kind, std::uint64_t seed)
    : stage_(stage),
      kind_(kind),
      random_(seed),
      schema_(stage.schema()),
      posts_(stage.collection(PostTable::kept)),
      accounts_(*schema_->find(accounts_name)) {
    best_ = best_of_groups(stage.rows(), kind == BenchKind::list_rule ? &owner_of : &category_of);
    for (std::size_t category = 0; category < bench_groups; ++category)
        filters_.push_back(fmt::format("category = \"{}\"", category_name(category)));
}

Result<std::unique_ptr<BenchReader>> BenchReader::open(BenchStage& stage, BenchKind kind,
                                                       std::uint64_t seed) {
    std::unique_ptr<BenchReader> made(new BenchReader(stage, kind, seed));
    QUERN_TRY(made->reader_, stage.store().open_reader());
    made->reader_->set_budget(loop_budget);
    return made;
}

// A statement that is given up, because the thread was pre-empted for instance, is run again as the slow lane
// would; its caller has waited for both.
Result<void> BenchReader::ask() {
    auto asked = ask_once();
    if (asked || asked.error().code != ErrorCode::interrupted) return asked;
    reader_->set_budget(slow_budget);
    asked = ask_once();
    reader_->set_budget(loop_budget);
    return asked;
}

Result<void> BenchReader::ask_once() {
    arena_.reset();
    values_ = {};
    values_.now_ms = stage_.clock().realtime_us() / us_per_ms;
    switch (kind_) {
    case BenchKind::read: return ask_record();
    case BenchKind::list: return ask_list();
    case BenchKind::list_rule: return ask_list_by_rule();
    default: QUERN_ASSERT(false, "a measure that reads"); return {};
    }
}

Result<void> BenchReader::read_record(std::size_t number, RowSink& sink) {
    QUERN_TRY(auto const access, rules::authorise(posts_, query::Action::view, values_.principal));
    query::ViewQuestion const question{.collection = posts_,
                                       .access = access,
                                       .id = stage_.ids(PostTable::kept)[number],
                                       .filter = {},
                                       .fields = {},
                                       .expand = {},
                                       .output = {.columns = {}, .version = true}};
    QUERN_TRY(auto const asked, planner_.view(schema_, question, values_, arena_));
    return reader_->select(asked.bound(), sink);
}

Result<void> BenchReader::ask_record() {
    std::size_t const numbers[] = {random_.below(stage_.rows())};
    ExpectedPosts expected(stage_.ids(PostTable::kept), numbers);
    QUERN_CHECK(read_record(numbers[0], expected));
    if (!expected.came()) return fail(wrong("a read by id gave another record, or none"));
    return {};
}

Result<void> BenchReader::ask_list() {
    std::size_t const category = random_.below(bench_groups);
    values_.principal.superuser = true;  // the collection's rule is another measure's
    return list(filters_[category], best_[category]);
}

Result<void> BenchReader::ask_list_by_rule() {
    std::size_t const owner = random_.below(bench_groups);
    values_.principal.collection = &accounts_;
    values_.principal.id = stage_.account_ids()[owner];
    return list({}, best_[owner]);
}

Result<void> BenchReader::list(std::string_view filter, std::vector<std::size_t> const& expected) {
    QUERN_TRY(auto const access, rules::authorise(posts_, query::Action::list, values_.principal));
    query::ListQuestion const question{.collection = posts_,
                                       .access = access,
                                       .filter = filter,
                                       .sort = "-rank",
                                       .fields = {},
                                       .expand = {},
                                       .limit = static_cast<std::int64_t>(bench_list_rows),
                                       .offset = 0,
                                       .has_seek = false,
                                       .seek = {},
                                       .output = {}};
    QUERN_TRY(auto const asked, planner_.list(schema_, question, values_, arena_));
    reader_->hold_snapshot();
    ExpectedPosts sink(stage_.ids(PostTable::kept), expected);
    QUERN_CHECK(reader_->select(asked.bound(), sink));
    if (!sink.came()) return fail(wrong("a list gave other records than the 20 of highest rank, in order"));
    return {};
}

Result<void> BenchReader::check_contents(std::size_t records) {
    reader_->set_budget(slow_budget);
    std::size_t const step = std::max<std::size_t>(1, stage_.rows() / std::max<std::size_t>(1, records));
    for (std::size_t number = 0; number < stage_.rows(); number += step) {
        arena_.reset();
        bool right = false;
        RowFunction sink([&](std::span<Value const> row) {
            right = is_post(row, number, stage_.account_ids()[owner_of(number)]) &&
                    row[static_cast<std::size_t>(PostField::views)].integer == stage_.views()[number];
            return false;
        });
        QUERN_CHECK(read_record(number, sink));
        if (!right) return fail(wrong(fmt::format("the record of row {} holds other values", number)));
    }
    end_turn();
    reader_->set_budget(loop_budget);
    return {};
}

namespace {

// What the threads of one measure share.
struct Callers {
    BenchStage& stage;
    BenchMeasure const& measure;
    BenchRun const& run;
    std::size_t threads;
    std::latch begin;
};

Result<LoopTimes> run_thread(Callers& callers, std::size_t index) {
    std::size_t const own = callers.measure.callers / callers.threads +
                            (index < callers.measure.callers % callers.threads ? 1 : 0);
    auto const reader = BenchReader::open(callers.stage, callers.measure.kind, index + 1);
    auto const warm_up = [&]() -> Result<void> {
        Result<void> done =
            reader ? (*reader)->check_contents(contents_checked) : Result<void>(fail(reader.error()));
        for (std::size_t count = 0; done && count < bench_warm_up_operations; ++count)
            done = (*reader)->ask();
        if (done) (*reader)->end_turn();
        callers.begin.arrive_and_wait();  // also with an error: the others wait for it
        return done;
    };
    return run_loop(
        callers.run, own, warm_up, [&] { return (*reader)->ask(); }, [&] { (*reader)->end_turn(); });
}

}  // namespace

Result<BenchFigures> measure_reads(BenchStage& stage, BenchMeasure const& measure, BenchRun const& run) {
    std::size_t const threads = std::min(measure.callers, os::processor_count());
    Callers callers{stage, measure, run, threads, std::latch(static_cast<std::ptrdiff_t>(threads))};
    std::vector<std::optional<Result<LoopTimes>>> loops(threads);
    {
        std::vector<std::jthread> running;
        for (std::size_t index = 0; index < threads; ++index)
            running.emplace_back([&, index] { loops[index].emplace(run_thread(callers, index)); });
    }
    BenchTimes times;
    std::int64_t begin_ns = INT64_MAX;
    std::int64_t end_ns = 0;
    for (auto const& loop : loops) {
        if (!*loop) return fail(loop->error());
        times.add((*loop)->times);
        begin_ns = std::min(begin_ns, (*loop)->begin_ns);
        end_ns = std::max(end_ns, (*loop)->end_ns);
    }
    return figures_of(times, static_cast<double>(end_ns - begin_ns) / 1e9);
}

}  // namespace quern::app
