// SPDX-License-Identifier: Apache-2.0
#include "app/bench_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include <quern/assert.h>
#include "app/bench_loop.h"
#include "app/bench_reads.h"
#include "app/bench_write_job.h"

namespace quern::app {

namespace {

constexpr std::size_t fill_callers = 256;         // as many as one commit of the store holds
constexpr std::size_t contents_checked = 10'000;  // records, after updates

struct WritePlan {
    WriteKind kind = WriteKind::create;
    PostTable table = PostTable::made;
    std::size_t callers = 1;
    std::size_t writes_max = std::numeric_limits<std::size_t>::max();
    bool timed = true;
};

// Threads: the one that hands in.
class WriteLoop {
public:
    WriteLoop(BenchStage& stage, WritePlan const& plan, BenchRun const& run)
        : stage_(stage), plan_(plan), run_(run), writer_(stage, plan.table), ids_(stage.ids(plan.table)) {
        first_ = plan.kind == WriteKind::create ? ids_.size() : 0;
        if (plan.kind == WriteKind::remove) shuffle();
    }

    // Returns when every job that was handed in has ended.
    Result<LoopTimes> go() {
        std::vector<std::unique_ptr<BenchWrite>> jobs;
        for (std::size_t caller = 0; caller < plan_.callers; ++caller)
            jobs.push_back(std::make_unique<BenchWrite>(writer_, finished_, plan_.kind));
        loop_.begin_ns = run_.clock.monotonic_ns();
        for (auto const& job : jobs) hand_in(*job, run_.clock.monotonic_ns());
        std::vector<BenchWrite*> taken;
        while (outstanding_ > 0) {
            finished_.take(taken);
            std::int64_t const now_ns = run_.clock.monotonic_ns();
            if (auto const going = run_.check_stopped(); !going) note(going);
            for (BenchWrite* const job : taken) {
                --outstanding_;
                job->result() ? acknowledge(*job, now_ns) : note(job->result());
                if (!is_over(now_ns)) hand_in(*job, now_ns);
            }
        }
        if (!ended_) return fail(ended_.error());
        return loop_;
    }
    [[nodiscard]] std::size_t acknowledged() const { return acknowledged_; }

private:
    void note(Result<void> const& result) {
        if (ended_) ended_ = result;
    }
    [[nodiscard]] bool is_over(std::int64_t now_ns) const {
        if (!ended_ || handed_in_ >= plan_.writes_max) return true;
        return plan_.timed && is_warm() && now_ns >= loop_.begin_ns + run_.seconds_ns();
    }
    [[nodiscard]] bool is_warm() const { return acknowledged_ >= bench_warm_up_operations; }

    void hand_in(BenchWrite& job, std::int64_t now_ns) {
        if (!ended_ || handed_in_ >= plan_.writes_max) return;
        std::size_t const next = handed_in_++;
        switch (plan_.kind) {
        case WriteKind::create: job.prepare(first_ + next); break;
        case WriteKind::remove: job.prepare(order_[next], ids_[order_[next]]); break;
        case WriteKind::update:
            std::size_t const number = random_.below(stage_.rows());
            job.prepare(number, ids_[number], stage_.views()[number] + 1);
            break;
        }
        job.begin_ns = now_ns;
        auto const submitted = stage_.store().submit(job);
        submitted ? static_cast<void>(++outstanding_) : note(submitted);
    }

    void acknowledge(BenchWrite& job, std::int64_t now_ns) {
        // What was under way when counting began had a part of its time before.
        if (is_warm() && job.begin_ns >= loop_.begin_ns) loop_.times.add_ns(now_ns - job.begin_ns);
        loop_.end_ns = now_ns;
        ++acknowledged_;
        if (acknowledged_ == bench_warm_up_operations) loop_.begin_ns = now_ns;
        if (plan_.kind == WriteKind::update) stage_.views()[job.number()] = job.views();
        if (plan_.kind != WriteKind::create) return;
        if (ids_.size() <= job.number()) ids_.resize(job.number() + 1);
        ids_[job.number()] = job.id();
    }

    // Rows are deleted in no order.
    void shuffle() {
        order_.resize(ids_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        for (std::size_t left = order_.size(); left > 1; --left)
            std::swap(order_[left - 1], order_[random_.below(left)]);
    }

    BenchStage& stage_;
    WritePlan plan_;
    BenchRun const& run_;
    BenchWriter writer_;
    FinishedWrites finished_;
    BenchRandom random_{1};
    std::vector<std::string>& ids_;
    std::vector<std::size_t> order_;
    std::size_t first_ = 0;
    std::size_t handed_in_ = 0;
    std::size_t outstanding_ = 0;
    std::size_t acknowledged_ = 0;
    LoopTimes loop_;
    Result<void> ended_;  // the first error
};

Result<void> expect_rows(BenchStage& stage, PostTable table, std::size_t expected) {
    QUERN_TRY(std::size_t const count, stage.count(table));
    if (count == expected) return {};
    return fail(ErrorCode::internal,
                fmt::format("The probe failed: {} has {} rows where {} were acknowledged.", name_of(table),
                            count, expected));
}

Result<BenchFigures> run_plan(BenchStage& stage, WritePlan const& plan, BenchRun const& run) {
    WriteLoop loop(stage, plan, run);
    QUERN_TRY(auto const times, loop.go());
    std::size_t const rows = stage.ids(plan.table).size();
    QUERN_CHECK(
        expect_rows(stage, plan.table, plan.kind == WriteKind::remove ? rows - loop.acknowledged() : rows));
    return figures_of(times.times, static_cast<double>(times.end_ns - times.begin_ns) / 1e9);
}

}  // namespace

Result<void> fill(BenchStage& stage, PostTable table, BenchRun const& run) {
    if (!stage.ids(table).empty()) return {};
    QUERN_TRY(auto const filled, run_plan(stage,
                                          {.kind = WriteKind::create,
                                           .table = table,
                                           .callers = fill_callers,
                                           .writes_max = stage.rows(),
                                           .timed = false},
                                          run));
    static_cast<void>(filled);
    if (table == PostTable::kept) stage.views().assign(stage.rows(), 0);
    return {};
}

Result<BenchFigures> measure_writes(BenchStage& stage, BenchMeasure const& measure, BenchRun const& run) {
    WritePlan plan{.callers = measure.callers};
    switch (measure.kind) {
    case BenchKind::create: return run_plan(stage, plan, run);
    case BenchKind::remove:
        plan.kind = WriteKind::remove;
        plan.table = PostTable::removed;
        plan.writes_max = stage.rows();
        return run_plan(stage, plan, run);
    case BenchKind::update: break;
    default: QUERN_ASSERT(false, "a measure that writes");
    }
    // Two callers could change one record at once, and the probe would not know who came last.
    QUERN_ASSERT(measure.callers == 1, "updates have one caller");
    plan.kind = WriteKind::update;
    plan.table = PostTable::kept;
    QUERN_TRY(auto const figures, run_plan(stage, plan, run));
    QUERN_TRY(auto const reader, BenchReader::open(stage, BenchKind::read, 1));
    QUERN_CHECK(reader->check_contents(contents_checked));
    return figures;
}

}  // namespace quern::app
