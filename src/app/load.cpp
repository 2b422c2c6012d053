// SPDX-License-Identifier: Apache-2.0
#include "app/load.h"

#include <fmt/format.h>
#include <spdlog/details/os.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include <quern/json_writer.h>
#include "app/import_progress.h"
#include "app/load_worker.h"
#include "os/file.h"
#include "os/resource.h"

namespace quern::app {

namespace {

constexpr int exit_some_failed = 1;
constexpr int exit_not_begun = 2;

std::int64_t microseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e6); }

Result<std::string> body_of(LoadOptions const& options) {
    if (!options.body.starts_with('@')) return options.body;
    return os::read_file(options.body.substr(1), load_body_bytes_max);
}

Result<LoadPlan> plan_of(LoadOptions const& options, os::Clock const& clock) {
    LoadPlan plan;
    QUERN_TRY(plan.target, LoadTarget::parse(options.url));
    QUERN_TRY(auto const body, body_of(options));
    QUERN_TRY(plan.request, LoadRequest::make(plan.target, {options.method, options.headers, body}));
    if (options.threads > options.connections)
        return fail(ErrorCode::parameter_invalid, "Each thread needs a connection at least.");
    // The threads connect first, and then begin together.
    constexpr double begin_seconds = 0.1;
    plan.keys = options.keys;
    plan.timeout_us = microseconds(options.timeout_seconds);
    plan.start_us = clock.monotonic_us() + microseconds(begin_seconds);
    plan.measure_us = plan.start_us + microseconds(options.warm_up_seconds);
    plan.end_us = plan.measure_us + microseconds(options.seconds);
    return plan;
}

std::vector<std::unique_ptr<LoadWorker>> make_workers(LoadOptions const& options, LoadPlan const& plan,
                                                      os::Clock const& clock) {
    std::vector<std::unique_ptr<LoadWorker>> workers;
    for (std::size_t index = 0; index < options.threads; ++index) {
        LoadPlan own = plan;
        own.connections =
            options.connections / options.threads + (index < options.connections % options.threads ? 1 : 0);
        own.rate = options.rate / static_cast<double>(options.threads);
        own.seed = options.seed * load_threads_max + index;
        workers.push_back(std::make_unique<LoadWorker>(clock, std::move(own)));
    }
    return workers;
}

// A line that is written over on a terminal; nothing elsewhere.
class LoadProgress {
public:
    explicit LoadProgress(os::Clock const& clock) : clock_(clock) {}

    void show(std::uint64_t answers, LoadPlan const& plan) {
        if (!terminal_) return;
        std::int64_t const now_us = clock_.monotonic_us();
        double const seconds = static_cast<double>(now_us - last_us_) / 1e6;
        double const rate = last_us_ == 0 ? 0 : static_cast<double>(answers - last_) / seconds;
        double const left = static_cast<double>(std::max<std::int64_t>(plan.end_us - now_us, 0)) / 1e6;
        std::fputs(fmt::format("\r\x1b[K{} answers  {}/s  {}{:.0f} s left", with_thousands(answers),
                               with_thousands(static_cast<std::size_t>(rate)),
                               now_us < plan.measure_us ? "warming up, " : "", left)
                       .c_str(),
                   stderr);
        last_us_ = now_us;
        last_ = answers;
    }
    void finish() const {
        if (terminal_) std::fputs("\r\x1b[K", stderr);
    }

private:
    os::Clock const& clock_;
    bool terminal_ = spdlog::details::os::in_terminal(stderr);
    std::int64_t last_us_ = 0;
    std::uint64_t last_ = 0;
};

struct LoadResult {
    LoadOutcome outcome;
    double cpu_us_per_request = 0;  // of this program
};

Result<LoadResult> run_workers(LoadOptions const& options, LoadPlan const& plan, os::Clock const& clock) {
    auto const workers = make_workers(options, plan, clock);
    std::vector<std::optional<Result<LoadOutcome>>> outcomes(workers.size());
    std::atomic<std::size_t> running = workers.size();
    LoadProgress progress(clock);
    os::ResourceUse const before = os::resource_use();
    {
        std::vector<std::jthread> threads;
        for (std::size_t index = 0; index < workers.size(); ++index) {
            threads.emplace_back([&, index] {
                outcomes[index].emplace(workers[index]->run());
                --running;
            });
        }
        constexpr auto look_interval = std::chrono::milliseconds(20);
        constexpr int looks_a_line = 25;
        for (int look = 0; running > 0; ++look) {
            std::this_thread::sleep_for(look_interval);
            if (look % looks_a_line != 0) continue;
            std::uint64_t answers = 0;
            for (auto const& worker : workers) answers += worker->progress();
            progress.show(answers, plan);
        }
        progress.finish();
    }
    os::ResourceUse const after = os::resource_use();
    LoadResult result;
    std::uint64_t all = 0;
    for (std::size_t index = 0; index < workers.size(); ++index) {
        if (!*outcomes[index]) return fail(std::move(*outcomes[index]).error());
        result.outcome.add(**outcomes[index]);
        all += workers[index]->progress();
    }
    auto const spent =
        static_cast<double>(after.user_us + after.system_us - before.user_us - before.system_us);
    if (all > 0) result.cpu_us_per_request = spent / static_cast<double>(all);
    return result;
}

std::uint64_t failures_of(LoadOutcome const& outcome) {
    constexpr std::size_t success = 2;
    return outcome.complete - outcome.statuses[success] + outcome.refused + outcome.broken +
           outcome.timed_out;
}

void print_json(LoadOptions const& options, LoadResult const& result) {
    LoadOutcome const& outcome = result.outcome;
    LoadHistogram const& times = outcome.latencies;
    auto const number = [](auto count) { return static_cast<std::int64_t>(count); };
    Buffer text;
    json::Writer report(text);
    auto const real = [&report](std::string_view name, double value) {
        report.key(name);
        report.real(value);
    };
    report.begin_object();
    report.member("url", options.url);
    report.member("connections", number(options.connections));
    report.member("threads", number(options.threads));
    real("rate", options.rate);
    real("seconds", options.seconds);
    report.member("requests", number(outcome.complete));
    real("requests_per_second", static_cast<double>(outcome.complete) / options.seconds);
    real("bytes_per_second", static_cast<double>(outcome.bytes) / options.seconds);
    report.key("statuses");
    report.begin_object();
    for (std::size_t kind = 1; kind < outcome.statuses.size(); ++kind)
        report.member(fmt::format("{}xx", kind), number(outcome.statuses[kind]));
    report.end_object();
    report.member("refused", number(outcome.refused));
    report.member("broken", number(outcome.broken));
    report.member("timed_out", number(outcome.timed_out));
    report.key("latency_us");
    report.begin_object();
    real("mean", times.mean_us());
    for (auto const& [name, share] :
         {std::pair("p50", 0.5), std::pair("p90", 0.9), std::pair("p99", 0.99), std::pair("p999", 0.999)})
        report.member(name, times.percentile_us(share));
    report.member("max", times.max_us());
    report.end_object();
    real("load_cpu_us_per_request", result.cpu_us_per_request);
    report.end_object();
    text.append('\n');
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_text(LoadOptions const& options, LoadResult const& result) {
    LoadOutcome const& outcome = result.outcome;
    LoadHistogram const& times = outcome.latencies;
    auto const rate = static_cast<std::size_t>(static_cast<double>(outcome.complete) / options.seconds);
    std::string text = fmt::format("{} requests in {} s: {} a second, {:.1f} MB/s\n",
                                   with_thousands(outcome.complete), options.seconds, with_thousands(rate),
                                   static_cast<double>(outcome.bytes) / options.seconds / 1e6);
    text +=
        fmt::format("latency, microseconds: mean {:.0f}, 50 % {}, 90 % {}, 99 % {}, 99.9 % {}, longest {}\n",
                    times.mean_us(), times.percentile_us(0.5), times.percentile_us(0.9),
                    times.percentile_us(0.99), times.percentile_us(0.999), times.max_us());
    text += options.rate > 0 ? "counted from the moment at which each request ought to have begun\n" : "";
    for (std::size_t kind = 1; kind < outcome.statuses.size(); ++kind) {
        if (kind != 2 && outcome.statuses[kind] > 0)
            text += fmt::format("{} answers were {}xx\n", with_thousands(outcome.statuses[kind]), kind);
    }
    if (outcome.refused > 0) text += fmt::format("{} connections were refused\n", outcome.refused);
    if (outcome.broken > 0) text += fmt::format("{} answers broke off\n", outcome.broken);
    if (outcome.timed_out > 0) text += fmt::format("{} answers did not come in time\n", outcome.timed_out);
    std::fputs(text.c_str(), stdout);
}

}  // namespace

int run_load(LoadOptions const& options) {
    os::raise_descriptor_limit();
    os::SystemClock const clock;
    auto const plan = plan_of(options, clock);
    auto const result = plan ? run_workers(options, *plan, clock) : Result<LoadResult>(fail(plan.error()));
    if (!result) {
        std::fprintf(stderr, "quern load: %s\n", result.error().message.c_str());
        return exit_not_begun;
    }
    options.json ? print_json(options, *result) : print_text(options, *result);
    return failures_of(result->outcome) == 0 && result->outcome.complete > 0 ? 0 : exit_some_failed;
}

CLI::App* add_load(CLI::App& app, LoadOptions& options) {
    CLI::App* load = app.add_subcommand("load", "Ask a server again and again, and measure its answers");
    load->add_option("url", options.url,
                     "http://HOST:PORT/PATH; {key} in it is a random number, {key:8} has 8 digits")
        ->required();
    load->add_option("-c,--connections", options.connections, "Connections that stay open")
        ->check(CLI::Range(std::size_t{1}, load_connections_max))
        ->capture_default_str();
    load->add_option("-t,--threads", options.threads, "Threads that share them")
        ->check(CLI::Range(std::size_t{1}, load_threads_max))
        ->capture_default_str();
    load->add_option("-d,--duration", options.seconds, "Seconds that are measured")
        ->check(CLI::Range(0.1, load_seconds_max))
        ->capture_default_str();
    load->add_option("--warm-up", options.warm_up_seconds, "Seconds before that")
        ->check(CLI::Range(0.0, load_seconds_max))
        ->capture_default_str();
    load->add_option("--timeout", options.timeout_seconds, "Seconds to wait for an answer")
        ->check(CLI::Range(0.1, load_seconds_max))
        ->capture_default_str();
    load->add_option("-r,--rate", options.rate,
                     "Requests a second, evenly; latency then counts from the moment at which each ought to "
                     "begin (0: back to back)")
        ->check(CLI::Range(0.0, 1e7))
        ->capture_default_str();
    load->add_option("-m,--method", options.method, "Method of the requests")->capture_default_str();
    load->add_option("-H,--header", options.headers, "'Name: value', several times for several");
    load->add_option("-b,--body", options.body, "Body, or @FILE; {key} as in the URL");
    load->add_option("-k,--keys", options.keys, "Keys are random numbers from 1 to this")
        ->check(CLI::Range(std::uint64_t{1}, UINT64_MAX / 2))
        ->capture_default_str();
    load->add_option("--seed", options.seed, "Of the random numbers")->capture_default_str();
    load->add_flag("--json", options.json, "Print the result as JSON");
    return load;
}

}  // namespace quern::app
