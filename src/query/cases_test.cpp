// SPDX-License-Identifier: Apache-2.0

// Runs the files in cases/: a question as text, and the plan or the error it must become.
//
//   == title                 starts a case
//   on: posts                the collection (stays until changed)
//   as: client               client | superuser | anonymous; with `rule:` the caller (stays until changed)
//   filter: … / rule: … / sort: … / expand: … / fields: …
//   --                       what follows is the answer, up to an empty line
//
// In answers, sources are printed only when there is more than the root, columns by name. To write the
// answers anew after a change that was meant, run with QUERN_REWRITE_CASES=1 and read the difference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "query/fixture_test.h"
#include "query/planner.h"

namespace quern::query {
namespace {

constexpr std::int64_t noon_ms = 1'782'907'200'000;  // 2026-07-01 12:00:00Z

class CaseLookup final : public RequestLookup {
public:
    std::optional<std::string_view> header(std::string_view name) const override {
        return name == "x_token" ? std::optional<std::string_view>("secret") : std::nullopt;
    }
    std::optional<std::string_view> query(std::string_view name) const override {
        return name == "n" ? std::optional<std::string_view>("5") : std::nullopt;
    }
    std::optional<Value> body(std::string_view path) const override {
        if (path == "title") return Value::of("hello");
        if (path == "score") return Value::of(std::int64_t{7});
        if (path == "labels") return Value::of(R"(["a","b"])");
        if (path == "author") return Value::of("");
        return std::nullopt;
    }
    std::optional<bool> body_changed(std::string_view field) const override {
        return field == "score" ? std::optional<bool>(true) : std::nullopt;
    }
};

std::string show(Value const& value) {
    switch (value.kind) {
    case ValueKind::null: return "null";
    case ValueKind::integer: return std::to_string(value.integer);
    case ValueKind::real: {
        std::ostringstream stream;
        stream << value.real;
        return stream.str();
    }
    case ValueKind::text: return "'" + std::string(value.text) + "'";
    case ValueKind::blob: return "blob";
    }
    return {};
}

// Puts names where the plan's text has numbers: `s1.f2` becomes `s1.name`, `?3` the parameter's value.
std::string with_names(std::string text, plan::Plan const& plan, std::span<Value const> values) {
    std::string output;
    static std::regex const mark(
        R"(s(\d+)\.f(\d+)|\?(\d+)|s(\d+) = back \w+ from s(\d+) by f(\d+)|from s(\d+) by f(\d+))");
    auto const name_of = [&](plan::SourceIndex source, std::size_t field) {
        Collection const* const collection = plan.sources[source].collection;
        return collection == nullptr ? "f" + std::to_string(field) : collection->fields[field].name;
    };
    std::smatch match;
    while (std::regex_search(text, match, mark)) {
        output += match.prefix();
        auto const number = [&match](std::size_t group) {
            return static_cast<plan::SourceIndex>(std::stoul(match[static_cast<int>(group)]));
        };
        if (match[1].matched) {
            output += number(1) == 0 ? name_of(0, number(2))
                                     : "s" + match[1].str() + "." + name_of(number(1), number(2));
        } else if (match[3].matched) {
            output += show(values[number(3)]);
        } else if (match[4].matched) {
            output += "s" + match[4].str() + " = back " + plan.sources[number(4)].collection->name + " to s" +
                      match[5].str() + " by " + name_of(number(4), number(6));
        } else {
            output += "from s" + match[7].str() + " by " + name_of(number(7), number(8));
        }
        text = match.suffix();
    }
    return output + text;
}

std::string describe(Query const& query) {
    plan::Plan const& plan = *query.prepared->plan;
    std::string const full = with_names(plan::print(plan), plan, query.values);
    std::istringstream lines(full);
    std::string output;
    for (std::string line; std::getline(lines, line);) {
        bool const boring = line.starts_with("s0 =") || line == "joined" || line == "sort +s0.rowid" ||
                            line.starts_with("output") || line == "where always" || line == "sort";
        if (!boring) output += line + "\n";
    }
    return output.empty() ? "everything\n" : output;
}

struct Case {
    std::string title;
    std::string on;
    std::string as;
    std::map<std::string, std::string> texts;
    std::string answer;
};

std::string show(std::vector<ExpandNode> const& nodes, int depth) {
    std::string text;
    for (auto const& node : nodes) {
        text += std::string(static_cast<std::size_t>(depth) * 2, ' ') + node.name +
                (node.back ? " back" : "") + (node.multiple ? " many " : " one ") + node.target->name + "\n" +
                show(node.below, depth + 1);
    }
    return text;
}

class Runner {
public:
    std::string run(Case const& one) {
        Collection const& collection = *schema_->find(one.on);
        Value record[12] = {
            Value::of("u1"),       Value::of("a@b.c"), Value::of(false), Value::of("Ann"),
            Value::of("admin"),    Value::of(true),    Value::of("o1"),  Value::of(R"(["o1","o2"])"),
            Value::of(R"(["x"])"), Value::of("{}"),    Value{},          Value{}};
        RequestValues request;
        request.now_ms = noon_ms;
        request.lookup = &lookup_;
        if (one.as != "anonymous")
            request.principal = {schema_->find("users"), "u1", one.as == "superuser", record};
        auto const text = [&one](char const* name) -> std::string_view {
            auto const found = one.texts.find(name);
            return found == one.texts.end() ? std::string_view() : std::string_view(found->second);
        };
        bool const has_rule = one.texts.contains("rule");
        ListQuestion question{.collection = collection,
                              .access = has_rule ? Access::by_text(text("rule")) : Access::all(),
                              .filter = text("filter"),
                              .sort = text("sort"),
                              .fields = text("fields"),
                              .expand = text("expand")};
        if (has_rule) {
            auto const checked = check_rule(schema_, collection, "viewRule", text("rule"));
            if (!checked)
                return std::string(name(checked.error().code)) + ": " + checked.error().message + "\n";
        }
        auto const query = planner_.list(schema_, question, request, arena_);
        if (!query) return std::string(name(query.error().code)) + ": " + query.error().message + "\n";
        if (one.texts.contains("expand")) {
            std::string const tree = show(query->prepared->expand, 0);
            return tree.empty() ? "nothing\n" : tree;
        }
        if (one.texts.contains("fields")) {
            std::string names;
            for (auto const field : query->prepared->fields) names += collection.fields[field].name + " ";
            return names + "\n";
        }
        return describe(*query);
    }

private:
    std::shared_ptr<Schema const> schema_ = fixture_schema();
    Planner planner_;
    CaseLookup lookup_;
    Arena arena_;
};

bool rewrites() {
    char const* const set = std::getenv("QUERN_REWRITE_CASES");
    return set != nullptr && *set == '1';
}

void run_file(std::filesystem::path const& path) {
    std::ifstream file(path);
    ASSERT_TRUE(file) << path;
    Runner runner;
    Case current;
    std::string rewritten;
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) {
        rewritten += line + "\n";
        if (line.starts_with("== ")) {
            current.title = line.substr(3);
            current.texts.clear();
        } else if (line.starts_with("on: ")) {
            current.on = line.substr(4);
        } else if (line.starts_with("as: ")) {
            current.as = line.substr(4);
        } else if (line == "--") {
            current.answer.clear();
            while (std::getline(file, line) && !line.empty()) current.answer += line + "\n";
            std::string const actual = runner.run(current);
            if (!rewrites()) {
                EXPECT_EQ(actual, current.answer) << path.filename() << ": " << current.title;
            }
            rewritten += actual + "\n";
            ++count;
        } else if (auto const colon = line.find(": "); colon != std::string::npos && !line.starts_with('#')) {
            current.texts[line.substr(0, colon)] = line.substr(colon + 2);
        }
    }
    EXPECT_GT(count, 0U) << path;
    if (rewrites()) std::ofstream(path) << rewritten.substr(0, rewritten.size() - 1);
}

TEST(Cases, AnswersAreAsWritten) {
    std::vector<std::filesystem::path> paths;
    for (auto const& entry : std::filesystem::directory_iterator(QUERN_SOURCE_DIR "/src/query/cases")) {
        paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    ASSERT_FALSE(paths.empty());
    for (auto const& path : paths) run_file(path);
}

}  // namespace
}  // namespace quern::query
