// SPDX-License-Identifier: Apache-2.0
#include "app/bench_report.h"

#include <fmt/format.h>

#include <cmath>

#include <quern/json_writer.h>
#include "app/import_progress.h"

namespace quern::app {

namespace {

std::string with_thousands_of(double number) {
    return with_thousands(static_cast<std::size_t>(std::llround(number)));
}

std::optional<BenchScore> score_of(BenchReport const& report) {
    return why_no_score(report).empty() ? score_of(report.lines, report.reference) : std::nullopt;
}

std::string line_of(BenchLine const& line) {
    if (!line.figures) return fmt::format("{:<26}absent: {}\n", line.measure->title, line.measure->absent);
    BenchFigures const& figures = *line.figures;
    std::string text = fmt::format("{:<26}{:>11}{:>12.1f}{:>12.1f}{:>12}", line.measure->title,
                                   with_thousands_of(figures.per_second()), figures.median_us, figures.p99_us,
                                   with_thousands(static_cast<std::size_t>(figures.count)));
    if (line.sqlite) {
        text += fmt::format("{:>11}{:>12.1f}{:>12.1f}", with_thousands_of(line.sqlite->per_second()),
                            line.sqlite->median_us, line.sqlite->p99_us);
    }
    return text + "\n";
}

std::string reference_of(BenchReport const& report) {
    BenchReference const& reference = report.reference;
    std::string text = "the run of " + reference.date.substr(0, reference.date.find(' '));
    if (!reference.commit.empty()) text += " at " + reference.commit;
    return text + " on " + reference.processor;
}

std::string score_line(BenchReport const& report) {
    auto const score = score_of(report);
    if (!score) return "no score: " + why_no_score(report) + "\n";
    return fmt::format("score {:.0f}: this machine now, where {} is {:.0f}; over {} measures\n", score->value,
                       reference_of(report), bench_score_of_reference, score->measures);
}

void write_figures(json::Writer& json, BenchMeasure const& measure,
                   std::optional<BenchFigures> const& figures) {
    json.begin_object();
    json.member("name", measure.name);
    json.member("title", measure.title);
    if (figures) {
        auto const real = [&json](std::string_view name, double value) {
            json.key(name);
            json.real(value);
        };
        real("operations_per_second", figures->per_second());
        real("median_us", figures->median_us);
        real("p99_us", figures->p99_us);
        json.member("count", static_cast<std::int64_t>(figures->count));
        real("seconds", figures->seconds);
    } else {
        json.member("absent", measure.absent);
    }
    json.end_object();
}

void write_machine(json::Writer& json, BenchReport const& report) {
    json.key("machine");
    json.begin_object();
    json.member("processor", report.machine.processor);
    json.member("processors", static_cast<std::int64_t>(report.processors));
    json.member("kernel", report.machine.kernel);
    json.end_object();
    json.key("file_system");
    json.begin_object();
    json.member("type", report.file_system.type);
    json.member("in_memory", report.file_system.volatile_memory);
    json.end_object();
}

void write_score(json::Writer& json, BenchReport const& report) {
    auto const score = score_of(report);
    json.key("score");
    if (!score) {
        json.null();
        json.member("score_absent", why_no_score(report));
        return;
    }
    json.begin_object();
    json.key("value");
    json.real(score->value);
    json.member("measures", static_cast<std::int64_t>(score->measures));
    json.member("relative_to", reference_of(report));
    json.end_object();
}

}  // namespace

std::string why_no_score(BenchReport const& report) {
    BenchReference const& reference = report.reference;
    if (report.file_system.volatile_memory)
        return "in a file system in memory, waiting for the disk costs nothing";
    if (report.durability() != reference.durability)
        return fmt::format("the reference run was made with synchronous={}", reference.durability);
    if (report.rows != reference.rows) return fmt::format("the reference run had {} rows", reference.rows);
    if (!score_of(report.lines, reference)) return "the reference run has none of these measures";
    return {};
}

std::string print_text(BenchReport const& report) {
    std::string text = fmt::format(
        "quern {}, {}, {} processors, {}\n{}, synchronous={}, {} rows, {} s a measure\n\n", report.version,
        report.machine.processor, report.processors, report.machine.kernel, report.file_system.type,
        report.durability(), with_thousands(report.rows), report.seconds);
    text += fmt::format("{:<26}{:>11}{:>12}{:>12}{:>12}{:>11}{:>12}{:>12}\n", "", "a second", "median us",
                        "99 % us", "count", "SQLite", "median us", "99 % us");
    for (BenchLine const& line : report.lines) text += line_of(line);
    return text + "\n" + score_line(report);
}

void print_json(BenchReport const& report, Buffer& output) {
    json::Writer json(output);
    json.begin_object();
    json.member("version", report.version);
    json.member("date", report.date);
    json.member("commit", report.commit);
    write_machine(json, report);
    json.member("durability", report.durability());
    json.member("rows", static_cast<std::int64_t>(report.rows));
    json.key("seconds");
    json.real(report.seconds);
    json.key("measures");
    json.begin_array();
    for (BenchLine const& line : report.lines) write_figures(json, *line.measure, line.figures);
    json.end_array();
    json.key("sqlite");
    json.begin_array();
    for (BenchLine const& line : report.lines)
        if (line.sqlite) write_figures(json, *line.measure, line.sqlite);
    json.end_array();
    write_score(json, report);
    json.end_object();
    output.append('\n');
}

}  // namespace quern::app
