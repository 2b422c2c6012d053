// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <sstream>

#include "engine/conformance/case.h"
#include "engine/conformance/question_text.h"
#include "engine/conformance/stage.h"

namespace quern::engine::conformance {

namespace {

// A line's first word and the rest.
struct Command {
    std::string verb;
    std::string rest;
};

Command command_of(std::string const& line) {
    auto const blank = line.find(' ');
    if (blank == std::string::npos) return {line, {}};
    return {line.substr(0, blank), line.substr(blank + 1)};
}

std::string joined(Rows const& rows) {
    std::string text;
    for (std::string const& row : rows) text += "  " + row + "\n";
    return text;
}

// What a writing line came to: "ok", "nothing" or an error as print() gives it.
std::string outcome(Result<void> const& result) { return result ? "ok" : print(result.error()); }
std::string outcome(Result<bool> const& result) {
    if (!result) return print(result.error());
    return *result ? "ok" : "nothing";
}

std::string sorted_words(std::string const& text) {
    std::istringstream stream(text);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.size() > 1) std::ranges::sort(words.begin() + 1, words.end());
    std::string result;
    for (std::string const& word : words) result += word + " ";
    return result;
}

// Runs the lines of one case; the first thing that is not as it should be ends it.
class Run {
public:
    Run(Case const& test, std::string_view engine) : test_(test), stage_(engine) {}

    std::string run() {
        std::string problem = run_lines(test_.setup);
        return problem.empty() ? run_lines(test_.lines) : problem;
    }

private:
    using Lines = std::vector<std::string>;

    std::string run_lines(Lines const& lines) {
        for (std::size_t index = 0; index < lines.size();) {
            std::string const& line = lines[index];
            std::string problem = step(lines, index);
            if (!problem.empty()) return "at `" + line + "`: " + problem;
        }
        return {};
    }

    // Runs what begins at `index` and moves behind it.
    std::string step(Lines const& lines, std::size_t& index) {
        Command const command = command_of(lines[index]);
        if (command.verb == "collection") return definitions(lines, index, false);
        if (command.verb == "alter") return definitions(lines, ++index, true);
        if (command.verb == "rows") return rows(lines, index, command.rest);
        if (command.verb == "from" || command.verb == "ask") return request(lines, index);
        ++index;
        return expected(lines, index, write(command));
    }

    // Collections up to the next other line (or, within `alter`, up to `end`), which then are made.
    std::string definitions(Lines const& lines, std::size_t& index, bool altering) {
        std::vector<Collection> collections;
        for (auto const& collection : stage_.schema()->collections()) collections.push_back(*collection);
        for (; index < lines.size(); ++index) {
            Command const command = command_of(lines[index]);
            if (command.verb == "drop") {
                std::erase_if(collections,
                              [&](Collection const& other) { return other.name == command.rest; });
            } else if (command.verb == "collection") {
                Lines definition = {lines[index]};
                while (index + 1 < lines.size() && is_part(lines[index + 1]))
                    definition.push_back(lines[++index]);
                auto collection = read_collection(definition);
                if (!collection) return collection.error().message;
                replace(collections, *collection);
            } else {
                break;
            }
        }
        if (altering) ++index;  // `end`
        return expected(lines, index, outcome(stage_.alter(collections)));
    }

    static bool is_part(std::string const& line) {
        return line.starts_with("field ") || line.starts_with("index ");
    }

    static void replace(std::vector<Collection>& collections, Collection const& collection) {
        auto const old = std::ranges::find(collections, collection.id, &Collection::id);
        if (old != collections.end()) {
            *old = collection;
        } else {
            collections.push_back(collection);
        }
    }

    std::string rows(Lines const& lines, std::size_t& index, std::string const& collection) {
        for (++index; index < lines.size() && lines[index].starts_with('{'); ++index) {
            auto const inserted = stage_.insert(collection, lines[index]);
            if (!inserted)
                return lines[index] + ": " + print(inserted.error()) + " " + inserted.error().message;
        }
        return {};
    }

    std::string write(Command const& command) {
        auto const [first, rest] = command_of(command.rest);
        if (command.verb == "begin") return outcome(stage_.begin());
        if (command.verb == "commit") return outcome(stage_.commit());
        if (command.verb == "savepoint") return outcome(stage_.transaction().savepoint());
        if (command.verb == "release") return outcome(stage_.transaction().release_savepoint());
        if (command.verb == "back") return outcome(stage_.transaction().rollback_to_savepoint());
        if (command.verb == "insert") return outcome(stage_.insert(first, rest));
        if (command.verb == "remove") return outcome(stage_.remove(first, rest));
        if (command.verb == "truncate") return outcome(stage_.truncate(first));
        if (command.verb == "update") {
            auto const [id, json] = command_of(rest);
            return outcome(stage_.update(first, id, json));
        }
        if (command.verb != "rollback") return "no such line";
        stage_.rollback();
        return "ok";
    }

    // Compares an outcome with what the next line says about it, if it does.
    static std::string expected(Lines const& lines, std::size_t& index, std::string const& outcome) {
        std::string expectation = "ok";
        if (index < lines.size()) {
            Command const command = command_of(lines[index]);
            bool const says = command.verb == "fails" || command.verb == "finds";
            if (says) {
                expectation = command.rest;
                ++index;
            }
        }
        if (sorted_words(outcome) == sorted_words(expectation)) return {};
        return "expected " + expectation + ", but it was " + outcome;
    }

    std::string request(Lines const& lines, std::size_t& index) {
        Lines request_lines;
        while (index < lines.size() && !lines[index].starts_with("answer") &&
               !lines[index].starts_with("count")) {
            request_lines.push_back(lines[index++]);
        }
        bool const in_words = request_lines.front().starts_with("ask ");
        auto const request = in_words ? read_question(stage_.schema(), request_lines)
                                      : read_request(stage_.schema(), request_lines);
        if (!request) return request.error().message;
        bool asked = false;
        if (index < lines.size() && lines[index].starts_with("answer")) {
            asked = true;
            std::string problem = answer(lines, index, *request);
            if (!problem.empty()) return problem + "\n" + request->print();
        }
        if (index < lines.size() && lines[index].starts_with("count ")) {
            asked = true;
            std::string const wanted = command_of(lines[index++]).rest;
            auto const count = stage_.count(*request);
            if (!count) return print(count.error());
            if (std::to_string(*count) != wanted) {
                return "expected count " + wanted + ", but it was " + std::to_string(*count) + "\n" +
                       request->print();
            }
        }
        if (!asked) return "a request without answer or count";
        return complement(*request);
    }

    std::string answer(Lines const& lines, std::size_t& index, Request const& request) {
        bool const ordered = command_of(lines[index]).rest != "unordered";
        Rows wanted;
        for (++index; index < lines.size() && lines[index].starts_with('['); ++index) {
            auto row = normalise(lines[index]);
            if (!row) return lines[index] + ": " + row.error().message;
            wanted.push_back(*std::move(row));
        }
        auto found = stage_.select(request);
        if (!found) return print(found.error()) + " " + found.error().message;
        if (!ordered) {
            std::ranges::sort(wanted);
            std::ranges::sort(*found);
        }
        if (wanted == *found) return {};
        return "expected\n" + joined(wanted) + "but it was\n" + joined(*found);
    }

    // The rows of the condition and of its negation are all rows.
    std::string complement(Request const& request) {
        plan::Plan negated = request.plan();
        negated.where = plan::negate(negated.where);
        plan::Plan everything = request.plan();
        everything.where = {};
        auto const with = stage_.count(request);
        auto const without = stage_.count(request.with(std::move(negated)));
        auto const all = stage_.count(request.with(std::move(everything)));
        if (!with || !without || !all) return "counting failed";
        if (*with + *without == *all) return {};
        return "of " + std::to_string(*all) + " rows the condition has " + std::to_string(*with) +
               " and its negation " + std::to_string(*without) + "\n" + request.print();
    }

    Case const& test_;
    Stage stage_;
};

}  // namespace

std::string run_case(Case const& test, std::string_view engine) { return Run(test, engine).run(); }

}  // namespace quern::engine::conformance
