// SPDX-License-Identifier: Apache-2.0
// Writes structs as JSON: quern::write_json, or a writer by hand into the same Buffer and with the same text
// and number routines. usage: bench_library_dump SECONDS hand|library [STRUCTS]
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quern/dump.h>

#include "program.h"

namespace {

constexpr std::size_t structs_usual = 20;

struct Step {
    std::string title;
    std::int64_t minutes = 0;
    bool done = false;
};
QUERN_DESCRIBE(Step, title, minutes, done)

struct Todo {
    std::int64_t id = 0;
    std::string title;
    std::string note;
    double share = 0;
    bool done = false;
    std::optional<std::int64_t> parent;
    std::vector<Step> steps;
};
QUERN_DESCRIBE(Todo, id, title, note, share, done, parent, steps)

std::vector<Todo> todos(std::size_t count) {
    std::vector<Todo> list;
    for (std::size_t index = 0; index < count; ++index) {
        auto const number = static_cast<std::int64_t>(index);
        Todo todo{.id = 1'000'000 + number,
                  .title = "Write the benchmark " + std::to_string(index),
                  .note = "It writes one struct into one buffer, both ways, and must tell the truth",
                  .share = 0.25,
                  .done = index % 2 == 0,
                  .parent = {},
                  .steps = {{"First", 5, true}, {"Second", 10, false}}};
        if (index % 3 == 0) todo.parent = number;
        list.push_back(std::move(todo));
    }
    return list;
}

using std::string_view_literals::operator""sv;

void write_step(quern::Buffer& output, Step const& step) {
    output.append(R"({"title":)"sv);
    quern::json::append_string(output, step.title);
    output.append(R"(,"minutes":)"sv);
    output.append_integer(step.minutes);
    output.append(R"(,"done":)"sv);
    output.append(step.done ? "true"sv : "false"sv);
    output.append('}');
}

void write_todo(quern::Buffer& output, Todo const& todo) {
    output.append(R"({"id":)"sv);
    output.append_integer(todo.id);
    output.append(R"(,"title":)"sv);
    quern::json::append_string(output, todo.title);
    output.append(R"(,"note":)"sv);
    quern::json::append_string(output, todo.note);
    output.append(R"(,"share":)"sv);
    quern::json::append_real(output, todo.share);
    output.append(R"(,"done":)"sv);
    output.append(todo.done ? "true"sv : "false"sv);
    output.append(R"(,"parent":)"sv);
    if (todo.parent) {
        output.append_integer(*todo.parent);
    } else {
        output.append("null"sv);
    }
    output.append(R"(,"steps":[)"sv);
    bool is_first = true;
    for (Step const& step : todo.steps) {
        if (!is_first) output.append(',');
        is_first = false;
        write_step(output, step);
    }
    output.append("]}"sv);
}

void by_hand(quern::Buffer& output, std::vector<Todo> const& list) {
    output.clear();
    output.append('[');
    bool is_first = true;
    for (Todo const& todo : list) {
        if (!is_first) output.append(',');
        is_first = false;
        write_todo(output, todo);
    }
    output.append(']');
}

void by_library(quern::Buffer& output, std::vector<Todo> const& list) {
    output.clear();
    quern::write_json(output, list);
}

}  // namespace

int main(int argc, char** argv) {
    auto const arguments = bench::read_arguments(argc, argv);
    auto const list = todos(argc > 3 ? std::strtoul(argv[3], nullptr, 10) : structs_usual);
    quern::Buffer output, other;
    by_hand(output, list);
    by_library(other, list);
    bench::require(output.view() == other.view(), "the two sides write different bytes");

    auto const run = [&](auto write) {
        bench::run_for(arguments.seconds, [&] {
            write(output, list);
            bench::keep(*output.data());
        });
    };
    arguments.by_hand ? run(by_hand) : run(by_library);
}
