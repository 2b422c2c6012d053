// SPDX-License-Identifier: Apache-2.0

// Reads: exact comparisons, budgets, snapshots, the statement cache, and files that somebody else has
// written.

#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/sqlite/test_database.h"

namespace quern::engine::sqlite {
namespace {

using plan::compare;
using plan::Comparison;
using plan::parameter;
using Rows = std::vector<std::string>;

class ReadTest : public DatabaseTest {
protected:
    ReadTest() {
        options_.on_prepare = [this](std::string_view) { ++prepared; };
    }

    // Ids of the posts that satisfy a condition.
    std::string posts_where(plan::Condition where, std::vector<Value> const& values = {}) {
        auto plan = test::from(schema, "posts");
        plan.where = std::move(where);
        plan.output = {test::column(plan, 0, "id")};
        plan.sort = {{plan::SortKey::Kind::operand, plan.output[0], false}};
        plan.parameter_count = static_cast<std::uint16_t>(values.size());
        auto const sealed = plan::seal(std::move(plan));
        std::string ids;
        for (auto const& row : must(rows_of(*reader, *sealed, values))) ids += row;
        EXPECT_EQ(must(reader->count({*sealed, values})), std::ssize(ids)) << "count agrees";
        return ids;
    }
    plan::Operand post(std::string_view name) { return test::column(test::from(schema, "posts"), 0, name); }
    void add_post(std::string_view id, std::vector<std::pair<std::string, Value>> values) {
        values.emplace_back("id", Value::of(id));
        must(insert("posts", values));
    }

    std::atomic<int> prepared{0};
};

TEST_F(ReadTest, ValuesOfDifferentKindsAreNeverEqual) {
    add_post("a",
             {{"title", Value::of("5")}, {"views", Value::of(std::int64_t{5})}, {"score", Value::of(5.0)}});
    Value const five = Value::of(std::int64_t{5});
    Value const text = Value::of("5");
    EXPECT_EQ(posts_where(compare(post("title"), Comparison::equal, parameter(0)), {five}), "");
    EXPECT_EQ(posts_where(compare(post("title"), Comparison::equal, parameter(0), true), {five}), "a");
    EXPECT_EQ(posts_where(compare(post("title"), Comparison::greater, parameter(0)), {five}), "a");
    EXPECT_EQ(posts_where(compare(post("views"), Comparison::equal, parameter(0)), {text}), "");
    EXPECT_EQ(posts_where(compare(post("views"), Comparison::less, parameter(0)), {text}), "a");
    EXPECT_EQ(posts_where(compare(post("title"), Comparison::equal, post("views"))), "");
    EXPECT_EQ(posts_where(compare(post("score"), Comparison::equal, post("views"))), "a");
    EXPECT_EQ(posts_where(compare(post("title"), Comparison::in_list, parameter(0)), {Value::of("[5]")}), "");
    EXPECT_EQ(posts_where(compare(post("title"), Comparison::in_list, parameter(0)), {Value::of("[\"5\"]")}),
              "a");
    EXPECT_EQ(posts_where(compare(post("views"), Comparison::in_list, parameter(0)), {Value::of("[\"5\"]")}),
              "");
    EXPECT_EQ(posts_where(compare(post("views"), Comparison::in_list, parameter(0)), {Value::of("[1, 5.0]")}),
              "a");
}

TEST_F(ReadTest, ElementsOfAListAreNotConverted) {
    add_post("a",
             {{"title", Value::of("5")}, {"views", Value::of(std::int64_t{5})}, {"data", Value::of("[5]")}});
    add_post(
        "b",
        {{"title", Value::of("5")}, {"views", Value::of(std::int64_t{5})}, {"data", Value::of("[\"5\"]")}});
    auto plan = test::from(schema, "posts");
    plan::Operand value;
    value.kind = plan::Operand::Kind::element;
    value.index = test::hop(plan, plan::Hop::elements, 0, "", "data");
    auto const ids = [&](std::string_view name) {
        auto copy = plan;
        copy.where =
            test::some({value.index}, compare(test::column(copy, 0, name), Comparison::equal, value));
        copy.output = {test::column(copy, 0, "id")};
        return must(rows_of(*reader, *plan::seal(std::move(copy))));
    };
    EXPECT_EQ(ids("views"), Rows{"a"});
    EXPECT_EQ(ids("title"), Rows{"b"});
}

TEST_F(ReadTest, IntegersKeepEveryDigit) {
    constexpr std::int64_t big = 9007199254740993;  // 2^53 + 1: no double
    add_post("a", {{"views", Value::of(big)}, {"score", Value::of(9007199254740992.0)}});
    EXPECT_EQ(posts_where(compare(post("views"), Comparison::equal, parameter(0)), {Value::of(big)}), "a");
    EXPECT_EQ(posts_where(compare(post("views"), Comparison::equal, parameter(0)), {Value::of(big - 1)}), "");
    EXPECT_EQ(posts_where(compare(post("score"), Comparison::equal, parameter(0)), {Value::of(big)}), "");
    EXPECT_EQ(posts_where(compare(post("score"), Comparison::equal, parameter(0)), {Value::of(big - 1)}),
              "a");
    EXPECT_EQ(posts_where(compare(post("score"), Comparison::in_list, parameter(0)),
                          {Value::of("[9007199254740993]")}),
              "");
    EXPECT_EQ(posts_where(compare(post("score"), Comparison::in_list, parameter(0)),
                          {Value::of("[9007199254740992]")}),
              "a");
}

TEST_F(ReadTest, EveryLeafAndItsComplementSplitTheRows) {
    add_post("a", {{"title", Value::of("x")}, {"body", Value::of("x")}});
    add_post("b", {{"title", Value::of("y")}});
    add_post("c", {{"title", Value::of("")}, {"body", Value::of("")}});
    std::vector<std::vector<Value>> const bound = {{Value::of("x")}, {Value{}}, {Value::of(std::int64_t{1})}};
    for (auto const* name : {"title", "body"}) {
        for (auto const comparison :
             {Comparison::equal, Comparison::same, Comparison::less, Comparison::less_equal,
              Comparison::greater, Comparison::greater_equal, Comparison::like}) {
            for (auto const& values : bound) {
                auto const leaf = compare(post(name), comparison, parameter(0));
                std::string both = posts_where(leaf, values) + posts_where(plan::negate(leaf), values);
                std::ranges::sort(both);
                EXPECT_EQ(both, "abc") << name << " " << plan::print(leaf) << " " << show(values[0]);
            }
        }
    }
}

TEST_F(ReadTest, PathsIntoJson) {
    add_post("a", {{"data", Value::of(R"({"a\"b":[10,{"x":true}],"0":"zero"})")}});
    add_post("b", {{"data", Value::of("no json")}});
    add_post("c", {{"data", Value::of(R"([ { "k" : 1.5 } ])")}});
    auto const path = [&](std::vector<std::string> steps) {
        plan::Operand operand = post("data");
        operand.kind = plan::Operand::Kind::json_path;
        operand.path = std::move(steps);
        return operand;
    };
    auto const equal = [&](std::vector<std::string> steps, Value value) {
        return posts_where(compare(path(std::move(steps)), Comparison::equal, parameter(0)), {value});
    };
    EXPECT_EQ(equal({"a\"b", "0"}, Value::of(std::int64_t{10})), "a");
    EXPECT_EQ(equal({"a\"b", "1", "x"}, Value::of(true)), "a");
    EXPECT_EQ(equal({"0"}, Value::of("zero")), "a");
    EXPECT_EQ(equal({"0"}, Value::of(R"({"k":1.5})")), "c");
    EXPECT_EQ(equal({"0", "k"}, Value::of(1.5)), "c");
    EXPECT_EQ(posts_where(plan::is_null(path({"0"}))), "b");
}

TEST_F(ReadTest, QuantifiersOverEmptyRelationsSeeOneRowOfNulls) {
    must(insert("tags", {{"id", Value::of("t")}, {"name", Value::of("red")}}));
    add_post("a", {});
    must(insert("posts", {{"id", Value::of("b")}}, {{"tags", {"t"}}}));
    auto plan = test::from(schema, "posts");
    auto const tag = test::hop(plan, plan::Hop::to_many, 0, "tags", "tags");
    auto const is_red = compare(test::column(plan, tag, "name"), Comparison::equal, parameter(0));
    auto const is_null = plan::is_null(test::column(plan, tag, "name"));
    auto const ids = [&](plan::Condition where) {
        auto copy = plan;
        copy.where = std::move(where);
        copy.output = {test::column(copy, 0, "id")};
        copy.sort = {{plan::SortKey::Kind::operand, copy.output[0], false}};
        copy.parameter_count = 1;
        std::string text;
        for (auto const& row : must(rows_of(*reader, *plan::seal(std::move(copy)), {Value::of("red")})))
            text += row;
        return text;
    };
    using test::some;
    EXPECT_EQ(ids(some({tag}, is_red)), "b");
    EXPECT_EQ(ids(some({tag}, is_red, true)), "b");
    EXPECT_EQ(ids(some({tag}, plan::negate(is_red))), "a");
    EXPECT_EQ(ids(some({tag}, plan::negate(is_red), true)), "a");
    EXPECT_EQ(ids(some({tag}, is_null)), "a");
    EXPECT_EQ(ids(some({tag}, is_red, false, true)), "a");
    EXPECT_EQ(ids(some({tag}, is_red, true, true)), "a");
}

TEST_F(ReadTest, ListsOfAnyLength) {
    add_post("a", {{"title", Value::of("v99999")}});
    std::string list = "[";
    for (int index = 0; index < 100'000; ++index)
        list += (index == 0 ? "\"v" : ",\"v") + std::to_string(index) + "\"";
    list += "]";
    EXPECT_EQ(posts_where(compare(post("title"), Comparison::in_list, parameter(0)),
                          {Value::of(std::string_view(list))}),
              "a");
}

TEST_F(ReadTest, AThousandAlternatives) {
    add_post("a", {{"title", Value::of("t7")}});
    std::vector<plan::Condition> parts;
    std::vector<std::string> texts;
    std::vector<Value> values;
    for (std::size_t index = 0; index < 1000; ++index) texts.push_back("t" + std::to_string(index));
    for (std::size_t index = 0; index < 1000; ++index) {
        parts.push_back(compare(post("title"), Comparison::equal, parameter(index)));
        values.push_back(Value::of(std::string_view(texts[index])));
    }
    EXPECT_EQ(posts_where(plan::any_of(parts), values), "a");
    for (auto& part : parts) part = plan::negate(std::move(part));
    EXPECT_EQ(posts_where(plan::all_of(std::move(parts)), values), "");
}

TEST_F(ReadTest, SeeksVisitEveryRowOnce) {
    for (std::string const id : {"a", "b", "c", "d", "e", "f"}) {
        Value body;
        if (id != "b" && id != "e") body = Value::of(id == "c" ? "null" : "same");
        add_post(id, {{"body", body}});
    }
    for (bool const descending : {false, true}) {
        auto plan = test::from(schema, "posts");
        plan.output = {test::column(plan, 0, "id"), test::column(plan, 0, "body")};
        plan.sort = {{plan::SortKey::Kind::operand, plan.output[1], descending},
                     {plan::SortKey::Kind::operand, plan.output[0], false}};
        auto const all_rows = must(rows_of(*reader, *plan::seal(plan)));
        plan.has_seek = true;
        plan.limit = 2;
        plan.parameter_count = 3;
        Rows walked = {all_rows.front()};
        while (walked.size() < 10) {
            std::string const id = walked.back().substr(0, 1);
            std::string const body = walked.back().substr(2);
            bool const null = id == "b" || id == "e";
            plan.seek = {{0, 1}, {null, false}};
            auto const next = must(rows_of(*reader, *plan::seal(plan),
                                           {null ? Value{} : Value::of(std::string_view(body)),
                                            Value::of(std::string_view(id)), Value::of(std::int64_t{1})}));
            if (next.empty()) break;
            walked.push_back(next.front());
        }
        EXPECT_EQ(walked, all_rows) << descending;
    }
}

TEST_F(ReadTest, EveryReadSeesWhatWasAcknowledged) {
    auto const plan = all_plan("users", {"id"});
    auto const second = must(database->open_reader());
    EXPECT_TRUE(must(rows_of(*second, *plan)).empty());
    must(insert("users", {{"id", Value::of("u1")}}));
    EXPECT_EQ(must(rows_of(*second, *plan)).size(), 1U);
    second->hold_snapshot();
    must(insert("users", {{"id", Value::of("u2")}}));
    EXPECT_EQ(must(rows_of(*second, *plan)).size(), 1U) << "held";
    EXPECT_EQ(must(rows_of(*reader, *plan)).size(), 2U);
    second->end_snapshot();
    EXPECT_EQ(must(rows_of(*second, *plan)).size(), 2U);
}

TEST_F(ReadTest, ASinkMayReadOnTheSameReader) {
    must(insert("users", {{"id", Value::of("u1")}}));
    must(insert("users", {{"id", Value::of("u2")}}));
    auto const plan = all_plan("users", {"id"});
    Rows seen;
    RowFunction outer([&](std::span<Value const> row) {
        std::string const id = show(row[0]);
        for (auto const& inner : must(rows_of(*reader, *plan))) seen.push_back(id + inner);
        EXPECT_EQ(show(row[0]), id) << "the outer row is still there";
        return true;
    });
    must(reader->select({*plan, {}}, outer));
    EXPECT_EQ(seen, (Rows{"u1u1", "u1u2", "u2u1", "u2u2"}));
}

TEST_F(ReadTest, OnePlanAndOneTextForAnyValues) {
    auto const plan = by_id("users", {"name"});
    must(rows_of(*reader, *plan, {Value::of("a")}));
    int const before = prepared;
    for (int index = 0; index < 100; ++index) {
        std::string const id = "'; DROP TABLE users; --" + std::to_string(index);
        must(rows_of(*reader, *plan, {Value::of(std::string_view(id))}));
    }
    EXPECT_EQ(prepared, before);
    auto const twin = by_id("users", {"name"});
    must(rows_of(*reader, *twin, {Value::of("a")}));
    EXPECT_EQ(prepared, before) << "another plan with the same text";
    auto const other = by_id("users", {"id"});
    must(rows_of(*reader, *other, {Value::of("a")}));
    EXPECT_EQ(prepared, before + 1);
}

TEST_F(ReadTest, TheCacheIsBounded) {
    close();
    options_.statements_max = 8;
    open();
    std::vector<std::shared_ptr<plan::Plan const>> plans;
    for (int index = 0; index < 40; ++index) {
        auto plan = test::from(schema, "users");
        for (int column = 0; column <= index; ++column) plan.output.push_back(test::column(plan, 0, "id"));
        plans.push_back(plan::seal(std::move(plan)));
    }
    for (auto const& plan : plans) must(rows_of(*reader, *plan));
    int const before = prepared;
    for (std::size_t index = 32; index < 40; ++index) must(rows_of(*reader, *plans[index]));
    EXPECT_EQ(prepared, before) << "the last eight are kept";
    must(rows_of(*reader, *plans[0]));
    EXPECT_EQ(prepared, before + 1);
    for (int round = 0; round < 3; ++round) {
        for (auto const& plan : plans) EXPECT_TRUE(must(rows_of(*reader, *plan)).empty());
    }
}

TEST_F(ReadTest, LOCK_04_ABudgetEndsItsOwnStatementOnly) {
    Transaction* transaction = must(writer->begin());
    Collection const& users = *schema->find("users");
    for (int index = 0; index < 3000; ++index) {
        std::string const id = std::to_string(index);
        Assignment const row[] = {set(users, "id", Value::of(std::string_view(id)))};
        must(transaction->insert(users, row));
    }
    must(writer->commit());
    auto plan = test::from(schema, "users");
    auto const other = test::hop(plan, plan::Hop::free, plan::no_source, "users", "");
    plan.where = test::some(
        {other}, compare(test::column(plan, other, "name"), Comparison::like, test::column(plan, 0, "id")));
    auto const slow = plan::seal(std::move(plan));
    auto const fast = by_id("users", {"id"});
    for (auto const code : {ErrorCode::interrupted, ErrorCode::timeout}) {
        reader->set_budget({std::chrono::milliseconds(5), code});
        auto const result = reader->count({*slow, {}});
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, code);
        EXPECT_EQ(must(rows_of(*reader, *fast, {Value::of("7")})), Rows{"7"})
            << "the next statement is not hit";
    }
    reader->set_budget({});
    EXPECT_EQ(all("users", {"id"}).size(), 3000U) << "nor is a long one, when there is no budget any more";
}

TEST_F(ReadTest, FILT_15_OddNames) {
    std::vector<Collection> odd;
    std::vector<Field> fields;
    for (std::string const name : {"select", "a-b", "a]b", "", "q\"uote", "rowid", "Ünïcode", "?1", "--"}) {
        fields.push_back(test::field(name, FieldType::text));
    }
    for (std::string const name : {"[foo]/bar", "a\"b", "order", "x y", "%41", "Ünïcode"}) {
        odd.push_back(test::collection(name, fields));
        odd.back().fields.push_back(test::relation("t-o\"", "c_order", 3));
        odd.back().fields.push_back(test::relation("o-n\"", "c_order"));
    }
    auto const next = test::schema(odd, 2);
    change(schema, next);
    must(insert("order", {{"id", Value::of("o")}}));
    for (Collection const& one : odd) {
        must(insert(one.name, {{"id", Value::of("1")}, {"select", Value::of("s")}, {"", Value::of("e")}},
                    {{"t-o\"", {"o"}}}));
        auto plan = test::from(schema, one.name);
        auto const back = test::hop(plan, plan::Hop::to_many, 0, "order", "t-o\"");
        plan.where = plan::all_of(
            {compare(test::column(plan, 0, "select"), Comparison::equal, parameter(0)),
             test::some({back}, compare(test::column(plan, back, "id"), Comparison::equal, parameter(1)))});
        plan.output = {test::column(plan, 0, ""), test::column(plan, 0, "t-o\""),
                       plan::column(0, Collection::rowid_field)};
        plan.sort = {{plan::SortKey::Kind::operand, test::column(plan, 0, "q\"uote"), true}};
        plan.parameter_count = 2;
        auto const rows =
            must(rows_of(*reader, *plan::seal(std::move(plan)), {Value::of("s"), Value::of("o")}));
        ASSERT_EQ(rows.size(), 1U) << one.name;
        EXPECT_TRUE(rows[0].starts_with("e|[\"o\"]|")) << rows[0];
    }
}

// What is in the file is delivered, whatever it is.
TEST_F(ReadTest, TYPE_12_AFileThatSomebodyElseHasWritten) {
    close();
    sqlite3* raw = nullptr;
    ASSERT_EQ(sqlite3_open((directory_.path() / "data.db").c_str(), &raw), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(raw, R"(CREATE TABLE adopted(id, n INTEGER, r REAL, t TEXT, l TEXT, _v INTEGER);
        INSERT INTO adopted VALUES ('1', 'text', 9e999, x'FF00', CAST(x'22FF22' AS TEXT), NULL);
        INSERT INTO adopted VALUES ('2', NULL, -9e999, 5, '{"a":1}', NULL);)",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    sqlite3_close(raw);
    open();
    schema =
        test::schema({test::collection(
                         "adopted", {test::integer("n"), test::field("r", FieldType::number),
                                     test::field("t", FieldType::text), test::many("l", FieldType::select)})},
                     3);
    auto const rows = all("adopted", {"n", "r", "t", "l"});
    EXPECT_EQ(rows, (Rows{"text|inf|x2|\"\xFF\"", "null|-inf|5|{\"a\":1}"}));
    auto plan = test::from(schema, "adopted");
    auto const element = test::hop(plan, plan::Hop::elements, 0, "", "l");
    plan::Operand value;
    value.kind = plan::Operand::Kind::element;
    value.index = element;
    plan.where = test::some({element}, plan::is_null(value));
    EXPECT_EQ(must(reader->count({*plan::seal(std::move(plan)), {}})), 2)
        << "what is no array has no elements";
}

TEST_F(ReadTest, StatementsSurviveAChangeOfTheTables) {
    must(insert("users", {{"id", Value::of("u1")}, {"name", Value::of("Ann")}}));
    auto const names = all_plan("users", {"name"});
    auto const ids = all_plan("users", {"id"});
    EXPECT_EQ(must(rows_of(*reader, *names)), Rows{"Ann"});
    std::vector<Collection> next;
    for (auto const& one : schema->collections()) next.push_back(*one);
    next[0].fields[1].name = "label";
    change(schema, test::schema(next, 2));
    EXPECT_EQ(must(rows_of(*reader, *ids)), Rows{"u1"});
    auto const stale = rows_of(*reader, *names);
    ASSERT_FALSE(stale);
    EXPECT_EQ(stale.error().code, ErrorCode::overloaded) << "worth another try, with the new schema";
    EXPECT_EQ(all("users", {"label"}), Rows{"Ann"});
    must(insert("users", {{"id", Value::of("u2")}, {"label", Value::of("Bob")}}));
    EXPECT_EQ(all("users", {"label"}), (Rows{"Ann", "Bob"}));
}

}  // namespace
}  // namespace quern::engine::sqlite
