// SPDX-License-Identifier: Apache-2.0
#include "app/bench.h"

#include <fmt/format.h>
#include <spdlog/details/os.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "app/bench_reads.h"
#include "app/bench_report.h"
#include "app/bench_stage.h"
#include "app/bench_straight.h"
#include "app/bench_writes.h"
#include "app/version.h"
#include "library/collection_server.h"
#include "os/file.h"
#include "os/signal.h"
#include "os/thread.h"
#include "schema/date.h"

namespace quern::app {

namespace {

constexpr int exit_probe_failed = 1;
constexpr int exit_not_measured = 2;
constexpr std::string_view directory_prefix = "quern-bench-";
constexpr std::int64_t us_per_ms = 1000;

// Where the directory is made: on the disk that is meant.
std::filesystem::path parent_of(BenchOptions const& options) {
    if (!options.directory.empty()) {
        // "data/" is data itself, and its parent is what is asked for.
        auto const named =
            options.directory.has_filename() ? options.directory : options.directory.parent_path();
        return named.has_parent_path() ? named.parent_path() : ".";
    }
    char const* const temporary = std::getenv("TMPDIR");
    return temporary != nullptr && *temporary != '\0' ? temporary : ".";
}

// A line that is written over on a terminal; a line for each measure where it is asked for.
class BenchProgress {
public:
    explicit BenchProgress(bool always) : always_(always) {}

    void show(std::string_view what, std::size_t done, std::size_t all) const {
        std::string const line = fmt::format("{} of {}: {}", done + 1, all, what);
        if (terminal_) {
            std::fprintf(stderr, "\r\x1b[K%s", line.c_str());
        } else if (always_) {
            std::fprintf(stderr, "%s\n", line.c_str());
        }
    }
    void finish() const {
        if (terminal_) std::fputs("\r\x1b[K", stderr);
    }

private:
    bool terminal_ = spdlog::details::os::in_terminal(stderr);
    bool always_;
};

// All that a run makes, in the order in which it is made.
class Bench {
public:
    Bench(BenchOptions const& options, os::SystemClock const& clock, std::atomic<bool> const& stopped)
        : options_(options), clock_(clock), run_{clock, options.seconds, stopped} {}

    Result<BenchReport> go();

private:
    [[nodiscard]] Result<void> open();
    [[nodiscard]] Result<BenchReport> describe() const;
    [[nodiscard]] Result<BenchLine> measure(BenchMeasure const& measure);
    [[nodiscard]] Result<BenchFigures> measure_store(BenchMeasure const& measure);
    [[nodiscard]] Result<BenchFigures> measure_straight(BenchMeasure const& measure);

    BenchOptions const& options_;
    os::SystemClock const& clock_;
    BenchRun run_;
    std::unique_ptr<os::TemporaryDirectory> directory_;
    std::unique_ptr<BenchStage> stage_;
    std::unique_ptr<BenchStraight> straight_;
};

Result<void> Bench::open() {
    QUERN_TRY(auto made, os::TemporaryDirectory::make(parent_of(options_), directory_prefix));
    directory_ = std::make_unique<os::TemporaryDirectory>(std::move(made));
    StageOptions stage{
        .directory = directory_->path(), .relaxed = options_.relaxed, .rows = options_.rows, .on_fatal = {}};
    stage.on_fatal = [this](Error const& error) {
        std::fprintf(stderr, "quern bench: The disk failed: %s\n", error.message.c_str());
        static_cast<void>(directory_->remove());
        std::_Exit(library::exit_disk_error);
    };
    QUERN_TRY(stage_, BenchStage::open(std::move(stage), clock_));
    return {};
}

Result<BenchReport> Bench::describe() const {
    BenchReport report;
    report.version = version;
    report.date = format_date(clock_.realtime_us() / us_per_ms);
    report.commit = options_.commit;
    report.machine = os::machine();
    report.processors = os::processor_count();
    QUERN_TRY(report.file_system, os::file_system_of(directory_->path()));
    report.relaxed = options_.relaxed;
    report.rows = options_.rows;
    report.seconds = options_.seconds;
    QUERN_TRY(report.reference, BenchReference::parse(built_in_reference()));
    return report;
}

Result<BenchFigures> Bench::measure_store(BenchMeasure const& measure) {
    switch (measure.kind) {
    case BenchKind::read:
    case BenchKind::list:
    case BenchKind::list_rule:
        QUERN_CHECK(fill(*stage_, PostTable::kept, run_));
        return measure_reads(*stage_, measure, run_);
    case BenchKind::update: QUERN_CHECK(fill(*stage_, PostTable::kept, run_)); break;
    case BenchKind::remove: QUERN_CHECK(fill(*stage_, PostTable::removed, run_)); break;
    default: break;
    }
    return measure_writes(*stage_, measure, run_);
}

Result<BenchFigures> Bench::measure_straight(BenchMeasure const& measure) {
    if (!straight_) {
        QUERN_CHECK(fill(*stage_, PostTable::kept, run_));
        QUERN_TRY(straight_, BenchStraight::open(*stage_, directory_->path(), options_.relaxed));
    }
    return straight_->measure(measure, run_);
}

Result<BenchLine> Bench::measure(BenchMeasure const& measure) {
    BenchLine line{.measure = &measure, .figures = {}, .sqlite = {}};
    if (!measure.absent.empty()) return line;
    QUERN_TRY(line.figures, measure_store(measure));
    if (measure.beside_sqlite) {
        QUERN_TRY(line.sqlite, measure_straight(measure));
    }
    return line;
}

Result<BenchReport> Bench::go() {
    QUERN_CHECK(open());
    QUERN_TRY(BenchReport report, describe());
    if (report.file_system.volatile_memory) {
        std::fprintf(stderr,
                     "quern bench: %s is in memory (%s), where waiting for the disk costs nothing: what is "
                     "written seems faster than it is. Name a place on a disk with --dir.\n",
                     parent_of(options_).c_str(), report.file_system.type.c_str());
    }
    std::vector<BenchMeasure const*> wanted;
    for (BenchMeasure const& measure : bench_measures()) {
        bool const named = std::ranges::find(options_.only, measure.name) != options_.only.end();
        if (options_.only.empty() || named) wanted.push_back(&measure);
    }
    BenchProgress const progress(options_.progress);
    for (BenchMeasure const* const measure : wanted) {
        progress.show(measure->title, report.lines.size(), wanted.size());
        auto line = this->measure(*measure);
        if (!line) progress.finish();
        if (!line) return fail(std::move(line).error());
        report.lines.push_back(*std::move(line));
    }
    progress.finish();
    return report;
}

}  // namespace

int run_bench(BenchOptions const& options) {
    std::atomic<bool> stopped = false;
    auto const signals = os::StopSignals::create([&](int) { stopped = true; });
    os::ignore_broken_pipes();
    os::SystemClock const clock;
    auto report = signals ? Bench(options, clock, stopped).go() : Result<BenchReport>(fail(signals.error()));
    if (!report) {
        std::fprintf(stderr, "quern bench: %s\n", report.error().message.c_str());
        return report.error().code == ErrorCode::internal ? exit_probe_failed : exit_not_measured;
    }
    Buffer text;
    options.json ? print_json(*report, text) : text.append(print_text(*report));
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
}

CLI::App* add_bench(CLI::App& app, BenchOptions& options) {
    CLI::App* bench = app.add_subcommand(
        "bench", "Measure how fast this machine reads and writes collections, without HTTP");
    bench->add_option("--dir", options.directory,
                      "Data directory beside which a throw-away one is made (else in TMPDIR, or here)");
    bench->add_option("--seconds", options.seconds, "Seconds that each measure takes")
        ->check(CLI::Range(bench_seconds_min, bench_seconds_max))
        ->capture_default_str();
    bench->add_option("--rows", options.rows, "Records that are read, listed, updated, deleted from")
        ->check(CLI::Range(bench_rows_min, bench_rows_max))
        ->capture_default_str();
    std::vector<std::string> names;
    for (BenchMeasure const& measure : bench_measures()) names.emplace_back(measure.name);
    bench->add_option("--only", options.only, "Name of a measure, several times for several")
        ->check(CLI::IsMember(names));
    bench->add_option("--commit", options.commit, "What the report says of where this program was built");
    bench->add_flag("--relaxed", options.relaxed, "Do not wait for the disk (synchronous=NORMAL)");
    bench->add_flag("--json", options.json, "Print the result as JSON");
    bench->add_flag("--progress", options.progress,
                    "Tell what is measured also where standard error is no terminal");
    return bench;
}

}  // namespace quern::app
