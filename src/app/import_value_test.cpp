// SPDX-License-Identifier: Apache-2.0
#include "app/import_value.h"

#include <gtest/gtest.h>

namespace quern::app {
namespace {

Field field(FieldType type) {
    Field result;
    result.name = "f";
    result.type = type;
    return result;
}

std::string write(Field const& target, SourceValue const& value, Lookup const* lookup = nullptr) {
    Buffer output;
    json::Writer writer(output);
    auto const written = write_member(writer, target, value, lookup);
    return written ? std::string(output.view()) : "! " + written.error();
}
std::string from_json(Field const& target, std::string_view json, Lookup const* lookup = nullptr) {
    auto const tree = json::Tree::parse(json);
    EXPECT_TRUE(tree) << json;
    return write(target, SourceValue(tree->root()), lookup);
}
std::string from_csv(Field const& target, std::string_view text, bool quoted = false) {
    return write(target, SourceValue(CsvCell{.text = text, .quoted = quoted}));
}
bool refused(std::string const& text) { return text.starts_with("! "); }

TEST(ImportValue, NumbersKeepEveryDigit) {
    Field const number = field(FieldType::number);
    for (std::string_view const text :
         {"42", "42.50", "-69.96666666", "0", "-0.5", "1e5", "9007199254740992"}) {
        EXPECT_EQ(from_json(number, text), "\"f\":" + std::string(text));
        EXPECT_EQ(from_json(number, "\"" + std::string(text) + "\""), "\"f\":" + std::string(text));
        EXPECT_EQ(from_csv(number, text), "\"f\":" + std::string(text));
    }
    // Each of these would become another text, another number, or none.
    for (std::string_view const text : {"007", "+5", " 42", "42 ", "1,5", "1.5.2", ".5", "5.", "0x10", "NaN",
                                        "Infinity", "-inf", "1e999", "9007199254740993", "abc", "true"}) {
        EXPECT_TRUE(refused(from_json(number, "\"" + std::string(text) + "\""))) << text;
        EXPECT_TRUE(refused(from_csv(number, text))) << text;
    }
    EXPECT_TRUE(refused(from_json(number, "9007199254740993")));
    EXPECT_TRUE(refused(from_json(number, "true")));
    EXPECT_TRUE(refused(from_json(number, "[1]")));
    EXPECT_TRUE(refused(from_json(number, "{}")));
}

TEST(ImportValue, WholeNumbersOf64Bits) {
    Field number = field(FieldType::number);
    number.only_int = true;
    EXPECT_EQ(from_json(number, "9007199254740993"), "\"f\":9007199254740993");
    EXPECT_EQ(from_csv(number, "9223372036854775807"), "\"f\":9223372036854775807");
    EXPECT_TRUE(refused(from_csv(number, "9223372036854775808")));
    EXPECT_TRUE(refused(from_csv(number, "5.5")));
    EXPECT_EQ(from_csv(number, "5.0"), "\"f\":5.0");
}

TEST(ImportValue, NothingIsLeftOut) {
    for (FieldType const type : {FieldType::text, FieldType::number, FieldType::boolean, FieldType::date,
                                 FieldType::relation, FieldType::select, FieldType::email}) {
        EXPECT_EQ(from_json(field(type), "null"), "");
        EXPECT_EQ(from_csv(field(type), ""), "");
    }
    EXPECT_EQ(from_csv(field(FieldType::json), ""), "");
    EXPECT_EQ(from_json(field(FieldType::json), "null"), "\"f\":null") << "null is a JSON value like others";
    // Quotes tell an empty text from nothing, where a text can be.
    EXPECT_EQ(from_csv(field(FieldType::text), "", true), "\"f\":\"\"");
    EXPECT_EQ(from_csv(field(FieldType::number), "", true), "");
    EXPECT_EQ(from_csv(field(FieldType::date), "", true), "");
    // In JSON an empty text is no number.
    EXPECT_EQ(from_json(field(FieldType::text), "\"\""), "\"f\":\"\"");
    EXPECT_TRUE(refused(from_json(field(FieldType::number), "\"\"")));
    EXPECT_TRUE(refused(from_json(field(FieldType::date), "\"\"")));
    EXPECT_TRUE(refused(from_json(field(FieldType::boolean), "\"\"")));
}

TEST(ImportValue, Texts) {
    Field const text = field(FieldType::text);
    EXPECT_EQ(from_json(text, R"("a\"b\u00e4")"), "\"f\":\"a\\\"bä\"");
    EXPECT_EQ(from_json(text, "7.50"), "\"f\":\"7.50\"") << "a number by its digits";
    EXPECT_EQ(from_csv(text, "007"), "\"f\":\"007\"");
    EXPECT_EQ(from_csv(text, " a "), "\"f\":\" a \"");
    EXPECT_EQ(from_csv(text, "line1\nline2"), "\"f\":\"line1\\nline2\"");
    EXPECT_TRUE(refused(from_json(text, "true")));
    EXPECT_TRUE(refused(from_json(text, "[\"a\"]")));
    EXPECT_TRUE(refused(from_csv(text, "\xff")));
}

TEST(ImportValue, Booleans) {
    Field const flag = field(FieldType::boolean);
    for (char const* text : {"true", "1", "\"true\"", "\"TRUE\"", "\"1\""})
        EXPECT_EQ(from_json(flag, text), "\"f\":true");
    for (char const* text : {"false", "0", "\"False\""}) EXPECT_EQ(from_json(flag, text), "\"f\":false");
    for (char const* text : {"2", "\"yes\"", "\"\"", "[]", "\"t\""})
        EXPECT_TRUE(refused(from_json(flag, text))) << text;
    EXPECT_EQ(from_csv(flag, "FALSE"), "\"f\":false");
    EXPECT_TRUE(refused(from_csv(flag, "no")));
}

TEST(ImportValue, Dates) {
    Field const date = field(FieldType::date);
    EXPECT_EQ(from_csv(date, "2024-02-29 12:00:00.123Z"), "\"f\":\"2024-02-29 12:00:00.123Z\"");
    EXPECT_EQ(from_csv(date, "2024-02-29T12:00:00.123000+02:00"),
              "\"f\":\"2024-02-29T12:00:00.123000+02:00\"");
    EXPECT_TRUE(refused(from_csv(date, "2024-02-29T12:00:00.1234Z"))) << "a digit would be lost";
    EXPECT_TRUE(refused(from_csv(date, "2023-02-29")));
    EXPECT_TRUE(refused(from_csv(date, "29.02.2024")));
    EXPECT_TRUE(refused(from_json(date, "2024")));
}

TEST(ImportValue, ChoicesAndRelations) {
    for (FieldType const type : {FieldType::select, FieldType::relation}) {
        Field one = field(type);
        Field many = field(type);
        many.max_select = 5;
        EXPECT_EQ(from_json(one, "\"a\""), "\"f\":\"a\"");
        EXPECT_TRUE(refused(from_json(one, "[\"a\"]")));
        EXPECT_TRUE(refused(from_json(one, "{}")));
        EXPECT_EQ(from_json(many, R"(["a","b"])"), R"("f":["a","b"])");
        EXPECT_EQ(from_json(many, "[]"), R"("f":[])");
        EXPECT_EQ(from_json(many, "\"a\""), R"("f":["a"])");
        EXPECT_TRUE(refused(from_json(many, "[true]")));
        EXPECT_EQ(from_csv(many, R"(["a","b,c"])"), R"("f":["a","b,c"])");
        EXPECT_EQ(from_csv(many, "a"), R"("f":["a"])");
        EXPECT_TRUE(refused(from_csv(many, "[a")));
    }
}

TEST(ImportValue, LookupsReplaceOrRefuse) {
    Lookup const lookup = [](std::string_view value) -> std::optional<std::string_view> {
        if (value == "NO") return "id_norway";
        if (value == "47") return "id_by_number";
        return std::nullopt;
    };
    Field one = field(FieldType::relation);
    Field many = field(FieldType::relation);
    many.max_select = 5;
    EXPECT_EQ(from_json(one, "\"NO\"", &lookup), R"("f":"id_norway")");
    EXPECT_EQ(from_json(one, "47", &lookup), R"("f":"id_by_number")");
    EXPECT_TRUE(refused(from_json(one, "\"XX\"", &lookup)));
    EXPECT_TRUE(refused(from_json(one, "\"\"", &lookup)));
    EXPECT_EQ(from_json(one, "null", &lookup), "");
    EXPECT_EQ(from_json(many, R"(["NO",47])", &lookup), R"("f":["id_norway","id_by_number"])");
    EXPECT_TRUE(refused(from_json(many, R"(["NO","XX"])", &lookup)));
}

TEST(ImportValue, JsonTakesAnything) {
    Field const json = field(FieldType::json);
    for (char const* text : {"1.50", "\"a\"", "[1, 2]", R"({"a": {"b": []}})", "true"}) {
        EXPECT_EQ(from_json(json, text), "\"f\":" + std::string(text));
        EXPECT_EQ(from_csv(json, text), "\"f\":" + std::string(text));
    }
    EXPECT_EQ(from_csv(json, "plain words"), R"("f":"plain words")");
    EXPECT_EQ(from_csv(json, "007"), R"("f":"007")");
    EXPECT_EQ(from_csv(json, "NaN"), R"("f":"NaN")");
}

TEST(ImportValue, GeoPoints) {
    Field const point = field(FieldType::geo_point);
    EXPECT_EQ(from_json(point, R"({"lon":1,"lat":2})"), R"("f":{"lon":1,"lat":2})");
    EXPECT_EQ(from_csv(point, R"({"lon":1,"lat":2})"), R"("f":{"lon":1,"lat":2})");
    EXPECT_TRUE(refused(from_json(point, "[1,2]")));
    EXPECT_TRUE(refused(from_csv(point, "1,2")));
}

TEST(ImportValue, SomeFieldsCannotBeImported) {
    EXPECT_FALSE(check_importable(field(FieldType::file)));
    EXPECT_FALSE(check_importable(field(FieldType::autodate)));
    EXPECT_TRUE(check_importable(field(FieldType::text)));
}

TEST(ImportValue, IsShownShort) {
    EXPECT_EQ(SourceValue(CsvCell{.text = "abc"}).shown(), "\"abc\"");
    std::string const shown = SourceValue(CsvCell{.text = "äääääääääääääääääääääääääääääää"}).shown();
    EXPECT_EQ(shown, "ääääääääääääääääääää…");
}

}  // namespace
}  // namespace quern::app
