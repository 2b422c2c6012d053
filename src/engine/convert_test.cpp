// SPDX-License-Identifier: Apache-2.0

#include "engine/convert.h"

#include <gtest/gtest.h>

namespace quern::engine {
namespace {

Field of(FieldType type, bool nullable = false) {
    Field field;
    field.type = type;
    field.nullable = nullable;
    return field;
}

Field integer() {
    Field field = of(FieldType::number);
    field.only_int = true;
    return field;
}

Field many(FieldType type) {
    Field field = of(type);
    field.max_select = 5;
    return field;
}

Field const text = of(FieldType::text);
Field const real = of(FieldType::number);
Field const boolean = of(FieldType::boolean);
Field const json = of(FieldType::json);
Field const date = of(FieldType::date);
Field const select = of(FieldType::select);
Field const relation = of(FieldType::relation);

std::string shown(std::optional<Value> const& value) {
    if (!value) return "(misfit)";
    switch (value->kind) {
    case ValueKind::null: return "(null)";
    case ValueKind::integer: return "i" + std::to_string(value->integer);
    case ValueKind::real: return "r" + std::to_string(value->real);
    case ValueKind::text:
    case ValueKind::blob: break;
    }
    return std::string(value->text);
}

std::string converted(Field const& from, Field const& to, Value value) {
    std::string storage;
    return shown(convert(from, to, value, storage));
}

TEST(Convert, NumbersAndTexts) {
    EXPECT_EQ(converted(text, integer(), Value::of("12")), "i12");
    EXPECT_EQ(converted(text, integer(), Value::of("012")), "(misfit)");
    EXPECT_EQ(converted(text, integer(), Value::of("12x")), "(misfit)");
    EXPECT_EQ(converted(text, real, Value::of("1.5")), "r1.500000");
    EXPECT_EQ(converted(text, real, Value::of("1.50")), "(misfit)");
    EXPECT_EQ(converted(integer(), text, Value::of(std::int64_t{12})), "12");
    EXPECT_EQ(converted(real, text, Value::of(0.1)), "0.1");
    EXPECT_EQ(converted(real, integer(), Value::of(2.0)), "i2");
    EXPECT_EQ(converted(real, integer(), Value::of(2.5)), "(misfit)");
    EXPECT_EQ(converted(real, integer(), Value::of(1e300)), "(misfit)");
    EXPECT_EQ(converted(integer(), real, Value::of(std::int64_t{9007199254740993})), "(misfit)");
    EXPECT_EQ(converted(integer(), boolean, Value::of(std::int64_t{1})), "i1");
    EXPECT_EQ(converted(integer(), boolean, Value::of(std::int64_t{2})), "(misfit)");
    EXPECT_EQ(converted(boolean, text, Value::of(true)), "true");
    EXPECT_EQ(converted(text, boolean, Value::of("yes")), "(misfit)");
}

TEST(Convert, ZeroBecomesZero) {
    EXPECT_EQ(converted(text, integer(), Value::of("")), "i0");
    EXPECT_EQ(converted(integer(), text, Value::of(std::int64_t{0})), "");
    EXPECT_EQ(converted(text, json, Value::of("")), "null");
    EXPECT_EQ(converted(many(FieldType::select), select, Value::of("[]")), "");
    EXPECT_EQ(converted(relation, text, {}), "");
    EXPECT_EQ(converted(text, relation, Value::of("")), "(null)");
}

TEST(Convert, NullNeedsAPlace) {
    EXPECT_EQ(converted(of(FieldType::text, true), text, {}), "(misfit)");
    EXPECT_EQ(converted(of(FieldType::text, true), of(FieldType::number, true), {}), "(null)");
    EXPECT_EQ(converted(text, of(FieldType::text, true), Value::of("x")), "x");
}

TEST(Convert, JsonListsAndDates) {
    EXPECT_EQ(converted(text, json, Value::of("a\"b")), R"("a\"b")");
    EXPECT_EQ(converted(json, text, Value::of(R"("a\"b")")), "a\"b");
    EXPECT_EQ(converted(text, json, Value::of(R"({"a":1})")), R"({"a":1})");
    EXPECT_EQ(converted(json, text, Value::of("5")), "(misfit)");
    EXPECT_EQ(converted(json, integer(), Value::of("5")), "i5");
    EXPECT_EQ(converted(json, integer(), Value::of("true")), "(misfit)");
    EXPECT_EQ(converted(select, many(FieldType::select), Value::of("a")), R"(["a"])");
    EXPECT_EQ(converted(many(FieldType::select), select, Value::of(R"(["a"])")), "a");
    EXPECT_EQ(converted(many(FieldType::select), select, Value::of(R"(["a","b"])")), "(misfit)");
    EXPECT_EQ(converted(json, many(FieldType::select), Value::of("[1]")), "(misfit)");
    EXPECT_EQ(converted(text, date, Value::of("2024-01-02")), "2024-01-02 00:00:00.000Z");
    EXPECT_EQ(converted(text, date, Value::of("soon")), "(misfit)");
    EXPECT_EQ(converted(json, of(FieldType::geo_point), Value::of(R"({"lon":1,"lat":2.5})")),
              R"({"lon":1,"lat":2.5})");
    EXPECT_EQ(converted(json, of(FieldType::geo_point), Value::of(R"({"lon":"1","lat":2})")), "(misfit)");
}

TEST(KeepsValues, OnlyWhereNothingCanChange) {
    EXPECT_TRUE(keeps_values(text, of(FieldType::editor)));
    EXPECT_TRUE(keeps_values(date, text));
    EXPECT_FALSE(keeps_values(text, date));
    EXPECT_FALSE(keeps_values(of(FieldType::text, true), text));
    EXPECT_TRUE(keeps_values(text, of(FieldType::text, true)));
    EXPECT_FALSE(keeps_values(relation, text));
    EXPECT_FALSE(keeps_values(relation, many(FieldType::relation)));
}

}  // namespace
}  // namespace quern::engine
