// SPDX-License-Identifier: Apache-2.0
// Reads a body into a struct: quern::read_json, or simdjson On-Demand by hand with the same checks of the
// same rules. usage: bench_library_json SECONDS hand|library [NESTED]
#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quern/json.h>

#include "program.h"

namespace {

constexpr std::size_t nested_usual = 3;

namespace ondemand = simdjson::ondemand;

struct Step {
    std::string_view title;
    std::int64_t minutes = 0;
    bool done = false;
    static constexpr auto rules = quern::rules(quern::on<&Step::title>(quern::length(1, 100)),
                                               quern::on<&Step::minutes>(quern::at_least(0)));
    bool operator==(Step const&) const = default;
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
    bool operator==(Todo const&) const = default;
};
QUERN_DESCRIBE(Todo, title, note, priority, share, done, parent, steps)

// A body, and behind it the bytes that simdjson wants to be readable.
class Body {
public:
    explicit Body(std::string text) : text_(std::move(text)), size_(text_.size()) {
        text_.resize(size_ + simdjson::SIMDJSON_PADDING);
    }
    [[nodiscard]] std::string_view view() const { return std::string_view(text_).substr(0, size_); }
    [[nodiscard]] simdjson::padded_string_view padded() const {
        return simdjson::padded_string_view(text_.data(), size_, text_.size());
    }

private:
    std::string text_;
    std::size_t size_;
};

Body body(std::size_t steps, int priority) {
    std::string text = R"({"title":"Write the benchmark","note":"It reads one body into one struct, )"
                       R"(both ways, and must tell the truth","priority":)" +
                       std::to_string(priority) +
                       R"(,"share":0.25,"done":false,"parent":1234567890123,"steps":[)";
    for (std::size_t step = 0; step < steps; ++step) {
        if (step > 0) text += ',';
        text += R"({"title":"Step number )" + std::to_string(step) + R"(","minutes":)" +
                std::to_string(step * 7) + R"(,"done":true})";
    }
    return Body(text + "]}");
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

class ByHand {
public:
    bool read(Body const& body, Todo& todo) {
        ondemand::document document;
        ondemand::object object;
        return !parser_.iterate(body.padded()).get(document) && !document.get_object().get(object) &&
               read_todo(object, todo) && document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    }

private:
    ondemand::parser parser_;
};

class ByLibrary {
public:
    bool read(Body const& body, Todo& todo) {
        arena_.reset();
        return quern::read_json(body.view(), arena_, todo).has_value();
    }

private:
    quern::Arena arena_;
};

void probe(ByHand& hand, ByLibrary& library, std::size_t nested) {
    Body const good = body(nested, 3);
    Body const bad = body(nested, 10);
    Todo one, other;
    bench::require(hand.read(good, one) && library.read(good, other), "a side refuses the body");
    bench::require(one == other && one.steps.size() == nested, "the two sides read different values");
    Todo ignored;
    bench::require(!hand.read(bad, ignored) && !library.read(bad, ignored), "a side takes a wrong body");
}

}  // namespace

int main(int argc, char** argv) {
    auto const arguments = bench::read_arguments(argc, argv);
    std::size_t const nested = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : nested_usual;
    ByHand hand;
    ByLibrary library;
    probe(hand, library, nested);

    Body const text = body(nested, 3);
    auto const run = [&](auto& side) {
        bench::run_for(arguments.seconds, [&] {
            Todo todo;
            bench::require(side.read(text, todo), "the body is refused");
            bench::keep(todo);
        });
    };
    arguments.by_hand ? run(hand) : run(library);
}
