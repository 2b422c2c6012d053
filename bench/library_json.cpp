// SPDX-License-Identifier: Apache-2.0
// Reads a body into a struct: quern::read_json beside simdjson On-Demand by hand, with the same checks of the
// same rules. Run on an idle machine: build/release/bench_library_json
#include <benchmark/benchmark.h>
#include <simdjson.h>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quern/json.h>

namespace {

namespace ondemand = simdjson::ondemand;

struct Step {
    std::string_view title;
    std::int64_t minutes = 0;
    bool done = false;
    static constexpr auto rules = quern::rules(quern::on<&Step::title>(quern::length(1, 100)),
                                               quern::on<&Step::minutes>(quern::at_least(0)));
};
QUERN_DESCRIBE(Step, title, minutes, done)

struct Todo {
    std::string_view title;
    std::string_view note;
    std::int64_t priority = 0;
    double share = 0;
    bool done = false;
    std::optional<std::int64_t> parent;
    std::vector<Step> steps;
    static constexpr auto rules = quern::rules(
        quern::on<&Todo::title>(quern::length(1, 200)), quern::on<&Todo::note>(quern::max_length(2000)),
        quern::on<&Todo::priority>(quern::at_least(0), quern::at_most(9)));
};
QUERN_DESCRIBE(Todo, title, note, priority, share, done, parent, steps)

std::string body(std::size_t steps) {
    std::string text = R"({"title":"Write the benchmark","note":"It reads one body into one struct, )"
                       R"(both ways, and must tell the truth","priority":3,"share":0.25,"done":false,)"
                       R"("parent":1234567890123,"steps":[)";
    for (std::size_t step = 0; step < steps; ++step) {
        if (step > 0) text += ',';
        text += R"({"title":"Step number )" + std::to_string(step) + R"(","minutes":)" +
                std::to_string(step * 7) + R"(,"done":true})";
    }
    return text + "]}";
}

bool fits(std::string_view text, std::size_t min, std::size_t max) {
    return text.size() >= min && text.size() <= max;  // ASCII
}

bool read_step(ondemand::object object, Step& step) {
    unsigned seen = 0;
    for (auto field : object) {
        std::string_view key;
        if (field.unescaped_key().get(key)) return false;
        if (key == "title") {
            if (field.value().get_string().get(step.title) || !fits(step.title, 1, 100)) return false;
            seen |= 1U;
        } else if (key == "minutes") {
            if (field.value().get_int64().get(step.minutes) || step.minutes < 0) return false;
            seen |= 2U;
        } else if (key == "done") {
            if (field.value().get_bool().get(step.done)) return false;
            seen |= 4U;
        } else {
            return false;
        }
    }
    return seen == 7;
}

bool read_steps(ondemand::value value, std::vector<Step>& steps) {
    ondemand::array array;
    if (value.get_array().get(array)) return false;
    for (auto element : array) {
        ondemand::object object;
        if (element.get_object().get(object) || !read_step(object, steps.emplace_back())) return false;
    }
    return true;
}

bool read_todo(ondemand::object object, Todo& todo) {
    unsigned seen = 0;
    for (auto field : object) {
        std::string_view key;
        if (field.unescaped_key().get(key)) return false;
        ondemand::value value;
        if (field.value().get(value)) return false;
        if (key == "title") {
            if (value.get_string().get(todo.title) || !fits(todo.title, 1, 200)) return false;
            seen |= 1U;
        } else if (key == "note") {
            if (value.get_string().get(todo.note) || !fits(todo.note, 0, 2000)) return false;
            seen |= 2U;
        } else if (key == "priority") {
            if (value.get_int64().get(todo.priority) || todo.priority < 0 || todo.priority > 9) return false;
            seen |= 4U;
        } else if (key == "share") {
            if (value.get_double().get(todo.share)) return false;
            seen |= 8U;
        } else if (key == "done") {
            if (value.get_bool().get(todo.done)) return false;
            seen |= 16U;
        } else if (key == "parent") {
            if (!value.is_null() && value.get_int64().get(todo.parent.emplace())) return false;
        } else if (key == "steps") {
            if (!read_steps(value, todo.steps)) return false;
            seen |= 32U;
        } else {
            return false;
        }
    }
    return seen == 63;
}

void by_hand(benchmark::State& state) {
    std::string text = body(static_cast<std::size_t>(state.range(0)));
    std::size_t const size = text.size();
    text.resize(size + simdjson::SIMDJSON_PADDING);
    ondemand::parser parser;
    for (auto _ : state) {
        Todo todo;
        ondemand::document document;
        ondemand::object object;
        bool const fine =
            !parser.iterate(simdjson::padded_string_view(text.data(), size, text.size())).get(document) &&
            !document.get_object().get(object) && read_todo(object, todo) &&
            document.current_location().error() == simdjson::OUT_OF_BOUNDS;
        if (!fine) std::abort();
        benchmark::DoNotOptimize(todo);
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(size) * state.iterations());
}

void library(benchmark::State& state) {
    std::string text = body(static_cast<std::size_t>(state.range(0)));
    std::size_t const size = text.size();
    text.resize(size + simdjson::SIMDJSON_PADDING);
    quern::Arena arena;
    for (auto _ : state) {
        Todo todo;
        if (!quern::read_json(std::string_view(text).substr(0, size), arena, todo)) std::abort();
        benchmark::DoNotOptimize(todo);
        arena.reset();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(size) * state.iterations());
}

}  // namespace

BENCHMARK(by_hand)->Arg(0)->Arg(3)->Arg(100)->Arg(2000);
BENCHMARK(library)->Arg(0)->Arg(3)->Arg(100)->Arg(2000);
BENCHMARK_MAIN();
