// SPDX-License-Identifier: Apache-2.0
#include "engine/ram/evaluate.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <string>

#include "engine/ram/owned_value.h"

namespace quern::engine::ram {
namespace {

using plan::Comparison;
using plan::Condition;
using plan::Hop;
using plan::Operand;
using plan::Plan;
using plan::Source;
using plan::SourceIndex;

// Rows by hand: an id and the values of the other fields.
struct TestRow {
    std::vector<OwnedValue> values;
};

class TestRows final : public RowAccess {
public:
    void add(Collection const& collection, std::vector<Value> const& values) {
        rows_[collection.name].push_back({{values.begin(), values.end()}});
    }
    RowHandle row(Collection const& collection, std::size_t index) { return &rows_[collection.name][index]; }

    Value value(RowHandle row, Collection const&, std::uint16_t field) override {
        return static_cast<TestRow const*>(row)->values[field].view();
    }
    RowHandle find(Collection const& collection, std::string_view id) override {
        for (TestRow const& row : rows_[collection.name]) {
            if (row.values[0].view().text == id) return &row;
        }
        return nullptr;
    }
    std::vector<RowHandle> all(Collection const& collection) override {
        std::vector<RowHandle> handles;
        for (TestRow const& row : rows_[collection.name]) handles.push_back(&row);
        return handles;
    }
    std::vector<RowHandle> pointing_at(Collection const& collection, std::uint16_t field,
                                       std::string_view id) override {
        std::vector<RowHandle> handles;
        for (TestRow const& row : rows_[collection.name]) {
            if (row.values[field].view() == Value::of(id)) handles.push_back(&row);
        }
        return handles;
    }

private:
    std::map<std::string, std::vector<TestRow>> rows_;
};

Field field(std::string const& name, FieldType type) {
    Field made;
    made.id = made.name = name;
    made.type = type;
    return made;
}

class EvaluateTest : public testing::Test {
protected:
    EvaluateTest() {
        people_.id = people_.name = "people";
        people_.fields = {field("id", FieldType::text), field("x", FieldType::text),
                          field("y", FieldType::text), field("boss", FieldType::relation)};
        people_.fields[3].collection_id = "people";
        schema_ = std::make_shared<Schema const>(std::vector{std::make_shared<Collection const>(people_)}, 1);
        plan_.schema = schema_;
        Source root;
        root.collection = &people_;
        plan_.sources = {root};
    }

    // Whether the condition holds for the main row with these two values.
    bool holds(Condition const& condition, Value const& x, Value const& y,
               std::vector<Value> const& values = {}) {
        TestRows rows;
        rows.add(people_, {Value::of("id"), x, y, Value{}});
        Evaluation evaluation({plan_, values}, rows);
        evaluation.enter(rows.row(people_, 0));
        bool const result = evaluation.holds(condition);
        EXPECT_NE(evaluation.holds(plan::negate(condition)), result) << plan::print(condition);
        return result;
    }

    Value value(Operand const& operand, Value const& x, Value const& y = {}) {
        TestRows rows;
        rows.add(people_, {Value::of("id"), x, y, Value{}});
        Evaluation evaluation({plan_, {}}, rows);
        evaluation.enter(rows.row(people_, 0));
        result_ = evaluation.value(operand);
        return result_.view();
    }

    SourceIndex add_source(Hop hop, SourceIndex parent, std::uint16_t by) {
        Source source;
        source.collection = hop == Hop::elements ? nullptr : &people_;
        source.hop = hop;
        source.parent = parent;
        source.field = by;
        plan_.sources.push_back(source);
        return static_cast<SourceIndex>(plan_.sources.size() - 1);
    }

    static Condition quantified(bool every, std::vector<SourceIndex> sources, Condition predicate) {
        Condition condition;
        condition.kind = Condition::Kind::quantified;
        condition.every = every;
        condition.sources = std::move(sources);
        condition.parts = {std::move(predicate)};
        return condition;
    }

    Collection people_;
    std::shared_ptr<Schema const> schema_;
    Plan plan_;
    Operand const x_ = plan::column(0, 1);
    Operand const y_ = plan::column(0, 2);
    OwnedValue result_;
};

// One line a left value, one column a right value, both in this order.
std::array const values = {Value{},
                           Value::of(std::int64_t{0}),
                           Value::of(std::int64_t{1}),
                           Value::of(1.0),
                           Value::of(2.5),
                           Value::of(""),
                           Value::of("1"),
                           Value::of("a")};
using Table = std::array<std::string_view, values.size()>;

struct Truth {
    Comparison comparison;
    Table table;
};

//                                             null 0 1 1.0 2.5 "" "1" "a"
Truth const truths[] = {
    {Comparison::equal,
     {"00000000",    // null
      "01000000",    // 0
      "00110000",    // 1
      "00110000",    // 1.0
      "00001000",    // 2.5
      "00000100",    // ""
      "00000010",    // "1"
      "00000001"}},  // "a"
    {Comparison::same,
     {"10000000", "01000000", "00110000", "00110000", "00001000", "00000100", "00000010", "00000001"}},
    {Comparison::less,
     {"00000000", "00111111", "00001111", "00001111", "00000111", "00000011", "00000001", "00000000"}},
    {Comparison::less_equal,
     {"00000000", "01111111", "00111111", "00111111", "00001111", "00000111", "00000011", "00000001"}},
    {Comparison::greater,
     {"00000000", "00000000", "01000000", "01000000", "01110000", "01111000", "01111100", "01111110"}},
    {Comparison::greater_equal,
     {"00000000", "01000000", "01110000", "01110000", "01111000", "01111100", "01111110", "01111111"}},
    {Comparison::like,
     {"00000000",  // the right side is the pattern: "" is in every text
      "01000100", "00110110", "00110110", "00001100", "00000100", "00110110", "00000101"}}};

TEST_F(EvaluateTest, ComparisonsByTable) {
    for (Truth const& truth : truths) {
        for (std::size_t left = 0; left < values.size(); ++left) {
            for (std::size_t right = 0; right < values.size(); ++right) {
                bool const expected = truth.table[left][right] == '1';
                EXPECT_EQ(holds(plan::compare(x_, truth.comparison, y_), values[left], values[right]),
                          expected)
                    << plan::print(plan::compare(x_, truth.comparison, y_)) << " " << left << " " << right;
            }
        }
    }
}

TEST_F(EvaluateTest, IsNullLooksAtTheLeftAlone) {
    for (std::size_t index = 0; index < values.size(); ++index) {
        EXPECT_EQ(holds(plan::is_null(x_), values[index], {}), index == 0);
    }
}

TEST_F(EvaluateTest, AndOrByTable) {
    Condition const x = plan::compare(x_, Comparison::equal, y_);
    Condition never;
    never.kind = Condition::Kind::never;
    Value const a = Value::of("a");
    Value const b = Value::of("b");
    EXPECT_TRUE(holds(plan::all_of({x, plan::negate(plan::is_null(x_))}), a, a));
    EXPECT_FALSE(holds(plan::all_of({x, plan::is_null(x_)}), a, a));
    EXPECT_FALSE(holds(plan::all_of({x, plan::negate(plan::is_null(x_))}), a, b));
    EXPECT_TRUE(holds(plan::any_of({x, plan::is_null(x_)}), a, a));
    EXPECT_TRUE(holds(plan::any_of({plan::is_null(x_), x}), a, a));
    EXPECT_FALSE(holds(plan::any_of({x, plan::is_null(x_)}), a, b));
    EXPECT_TRUE(holds(Condition{}, a, b));
    EXPECT_FALSE(holds(never, a, b));
}

TEST_F(EvaluateTest, InListComparesElements) {
    Condition const in = plan::compare(x_, Comparison::in_list, plan::parameter(0));
    plan_.parameter_count = 1;
    std::vector<Value> const list = {Value::of(R"([1, "a,b", null, true, 2.50, "ä"])")};
    EXPECT_TRUE(holds(in, Value::of(1.0), {}, list));
    EXPECT_TRUE(holds(in, Value::of("a,b"), {}, list));
    EXPECT_TRUE(holds(in, Value::of(2.5), {}, list));
    EXPECT_TRUE(holds(in, Value::of("ä"), {}, list));
    EXPECT_FALSE(holds(in, Value::of("1"), {}, list));
    EXPECT_FALSE(holds(in, Value::of("a"), {}, list));
    EXPECT_FALSE(holds(in, Value{}, {}, list));
    EXPECT_FALSE(holds(in, Value::of("a"), {}, {Value{}}));
}

// Some or every row of none, one and two, where none is one row of nulls.
TEST_F(EvaluateTest, QuantifiersByTable) {
    SourceIndex const workers = add_source(Hop::back, 0, 3);
    Operand const x = plan::column(workers, 1);
    Condition const is_a = plan::compare(x, Comparison::equal, plan::parameter(0));
    plan_.parameter_count = 1;
    std::vector<Value> const parameters = {Value::of("a")};
    struct Case {
        std::vector<char const*> workers;  // their x
        bool some;
        bool every;
        bool some_not;
        bool every_not;
    };
    Case const cases[] = {{{}, false, false, true, true},         {{"a"}, true, true, false, false},
                          {{"b"}, false, false, true, true},      {{"a", "a"}, true, true, false, false},
                          {{"a", "b"}, true, false, true, false}, {{"b", "b"}, false, false, true, true}};
    for (Case const& test : cases) {
        TestRows rows;
        rows.add(people_, {Value::of("boss"), {}, {}, {}});
        for (char const* worker : test.workers)
            rows.add(people_, {Value::of("w"), Value::of(worker), {}, Value::of("boss")});
        Evaluation evaluation({plan_, parameters}, rows);
        evaluation.enter(rows.row(people_, 0));
        EXPECT_EQ(evaluation.holds(quantified(false, {workers}, is_a)), test.some);
        EXPECT_EQ(evaluation.holds(quantified(true, {workers}, is_a)), test.every);
        EXPECT_EQ(evaluation.holds(quantified(false, {workers}, plan::negate(is_a))), test.some_not);
        EXPECT_EQ(evaluation.holds(quantified(true, {workers}, plan::negate(is_a))), test.every_not);
        EXPECT_EQ(evaluation.holds(plan::negate(quantified(true, {workers}, is_a))), !test.every);
    }
}

TEST_F(EvaluateTest, AGuardDecidesWhatIsSeen) {
    SourceIndex const workers = add_source(Hop::back, 0, 3);
    plan_.sources[workers].guard =
        plan::compare(plan::column(workers, 2), Comparison::equal, plan::parameter(0));
    plan_.parameter_count = 1;
    std::vector<Value> const parameters = {Value::of("seen")};
    TestRows rows;
    rows.add(people_, {Value::of("boss"), {}, {}, {}});
    rows.add(people_, {Value::of("w1"), Value::of("a"), Value::of("seen"), Value::of("boss")});
    rows.add(people_, {Value::of("w2"), Value::of("b"), Value::of("hidden"), Value::of("boss")});
    Evaluation evaluation({plan_, parameters}, rows);
    evaluation.enter(rows.row(people_, 0));
    Operand const id = plan::column(workers, 0);
    EXPECT_TRUE(evaluation.holds(quantified(true, {workers}, plan::compare(id, Comparison::equal, id))));
    evaluation.enter(rows.row(people_, 1));
    EXPECT_TRUE(evaluation.holds(quantified(true, {workers}, plan::is_null(id))));
}

TEST_F(EvaluateTest, AJoinedRowIsThereOrAllNull) {
    SourceIndex const boss = add_source(Hop::to_one, 0, 3);
    plan_.joined = {boss};
    plan_.sources[boss].guard = plan::is_null(plan::column(boss, 1), true);
    TestRows rows;
    rows.add(people_, {Value::of("b1"), Value::of("x"), {}, {}});
    rows.add(people_, {Value::of("b2"), {}, Value::of("y"), {}});
    rows.add(people_, {Value::of("w1"), {}, {}, Value::of("b1")});
    rows.add(people_, {Value::of("w2"), {}, {}, Value::of("b2")});
    rows.add(people_, {Value::of("w3"), {}, {}, Value::of("gone")});
    Evaluation evaluation({plan_, {}}, rows);
    std::string found;
    for (std::size_t row = 0; row < 5; ++row) {
        evaluation.enter(rows.row(people_, row));
        found += evaluation.value(plan::column(boss, 0)).is_null() ? "-" : "b";
    }
    EXPECT_EQ(found, "--b--");
}

TEST_F(EvaluateTest, ElementsOfAnArray) {
    SourceIndex const elements = add_source(Hop::elements, 0, 1);
    Operand element;
    element.kind = Operand::Kind::element;
    element.index = elements;
    Condition const has_b = quantified(false, {elements}, plan::compare(element, Comparison::equal, y_));
    EXPECT_TRUE(holds(has_b, Value::of(R"(["a", "b"])"), Value::of("b")));
    EXPECT_FALSE(holds(has_b, Value::of(R"(["a", "bc"])"), Value::of("b")));
    EXPECT_FALSE(holds(has_b, Value::of("[]"), Value::of("b")));
    EXPECT_FALSE(holds(has_b, Value::of("b"), Value::of("b")));
    EXPECT_FALSE(holds(has_b, {}, {}));
    EXPECT_TRUE(holds(quantified(true, {elements}, plan::is_null(element)), Value::of("[]"), {}));
    EXPECT_TRUE(holds(quantified(true, {elements}, plan::is_null(element)), Value::of("[1"), {}));
}

TEST_F(EvaluateTest, JsonPaths) {
    Operand path = x_;
    path.kind = Operand::Kind::json_path;
    auto const at = [&](std::vector<std::string> steps, char const* document) {
        path.path = std::move(steps);
        return value(path, Value::of(document));
    };
    EXPECT_EQ(at({"a"}, R"({"a": 5, "a": 6})"), Value::of(std::int64_t{5}));
    EXPECT_EQ(at({"a", "1"}, R"({"a": [1, "x"]})"), Value::of("x"));
    EXPECT_EQ(at({"1"}, R"({"1": true})"), Value::of(true));
    EXPECT_EQ(at({"a"}, R"({"a": 9223372036854775807})"), Value::of(std::int64_t{9223372036854775807}));
    EXPECT_EQ(at({"a"}, R"({"a": 9223372036854775808})"), Value::of(9223372036854775808.0));
    EXPECT_EQ(at({"a"}, R"({"a": "\u00e4\ud83d\ude00\n\/"})"), Value::of("ä😀\n/"));
    EXPECT_EQ(at({"a"}, R"({"a": { "b" : [ 1 , " x " ] } })"), Value::of(R"({"b":[1," x "]})"));
    for (char const* nothing : {R"({"a": null})", R"({"b": 1})", R"([1])", "5", "", "{\"a\": 1",
                                "{\"a\": 1} x", "{'a': 1}", R"({"a": 1e999})", R"({"a": 01})"}) {
        EXPECT_TRUE(at({"a"}, nothing).is_null()) << nothing;
    }
    for (char const* step : {"-1", "01", "2", "", "x"}) EXPECT_TRUE(at({step}, "[1, 2]").is_null()) << step;
}

TEST_F(EvaluateTest, Functions) {
    auto const call = [&](plan::Function function, std::vector<Operand> arguments) {
        Operand operand;
        operand.kind = Operand::Kind::call;
        operand.function = function;
        operand.arguments = std::move(arguments);
        return operand;
    };
    EXPECT_EQ(value(call(plan::Function::fold, {x_}), Value::of("ÄB")), Value::of("äb"));
    EXPECT_EQ(value(call(plan::Function::fold, {x_}), Value::of(2.5)), Value::of(2.5));
    EXPECT_TRUE(value(call(plan::Function::fold, {x_}), {}).is_null());
    EXPECT_EQ(value(call(plan::Function::length, {x_}), Value::of("[1,[2,3],{}]")),
              Value::of(std::int64_t{3}));
    EXPECT_EQ(value(call(plan::Function::length, {x_}), Value::of("{}")), Value::of(std::int64_t{0}));
    EXPECT_EQ(value(call(plan::Function::length, {x_}), {}), Value::of(std::int64_t{0}));
    EXPECT_EQ(value(call(plan::Function::geo_distance, {x_, x_, x_, x_}), Value::of(5.0)), Value::of(0.0));
    EXPECT_TRUE(value(call(plan::Function::geo_distance, {x_, x_, y_, x_}), Value::of(5.0)).is_null());
    EXPECT_EQ(value(call(plan::Function::strftime, {x_, y_}), Value::of("%Y/%m"),
                    Value::of("2026-11-30 01:02:03.000Z")),
              Value::of("2026/11"));
    EXPECT_TRUE(
        value(call(plan::Function::strftime, {x_, y_}), Value::of("%Y"), Value::of("no time")).is_null());
}

TEST_F(EvaluateTest, StopsWhenItIsTold) {
    TestRows rows;
    rows.add(people_, {Value::of("id"), {}, {}, {}});
    int left = 2;
    Evaluation evaluation({plan_, {}}, rows, [&left] { return left-- > 0; });
    evaluation.enter(rows.row(people_, 0));
    EXPECT_TRUE(evaluation.holds(plan::all_of({plan::is_null(x_), plan::is_null(y_)})));
    EXPECT_FALSE(evaluation.was_stopped());
    (void)evaluation.holds(plan::is_null(x_));
    EXPECT_TRUE(evaluation.was_stopped());
}

}  // namespace
}  // namespace quern::engine::ram
