// SPDX-License-Identifier: Apache-2.0
#include "schema/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "schema/input_fixture_test.h"

namespace quern {
namespace {

using namespace input_test;

struct Case {
    std::string_view json;
    std::string_view stored;  // as show() prints it, or the error's code
};

void expect(Field one, std::initializer_list<Case> cases) {
    one.name = "f";
    Fixture fixture({one});
    for (Case const& each : cases) {
        std::string const result = fixture.inserted("f", "{\"f\":" + std::string(each.json) + "}");
        std::string const wanted = each.stored.find("validation_") == 0 ? "f: " + std::string(each.stored)
                                                                        : std::string(each.stored);
        EXPECT_EQ(result, wanted) << name(one.type) << " " << each.json;
    }
}

TEST(Input, Text) {
    Field text = field("f", FieldType::text);
    expect(text, {{R"("abc")", "tabc"},
                  {R"("")", "t"},
                  {"null", "t"},
                  {"12", "t12"},
                  {"1.50", "t1.50"},
                  {"true", "ttrue"},
                  {R"("007")", "t007"},
                  {R"("15E2621")", "t15E2621"},
                  {R"("0x10")", "t0x10"},
                  {R"(" 1")", "t 1"},
                  {R"("a\u0000b")", "validation_invalid_format"},
                  {"[]", "validation_not_a_text"},
                  {R"({"a":1})", "validation_not_a_text"}});
    text.min = 2;
    text.max = 5;
    text.pattern = "[a-zä]+";
    expect(text, {{R"("ab")", "tab"},
                  {R"("ääääää")", "validation_max_text_constraint"},
                  {R"("äääää")", "täääää"},
                  {R"("ä")", "validation_min_text_constraint"},
                  {R"("a")", "validation_min_text_constraint"},
                  {R"("abcdef")", "validation_max_text_constraint"},
                  {R"("ab1")", "validation_invalid_format"},
                  {R"("")", "t"}});
    Field const plain = field("f", FieldType::text);
    std::string const long_text = "\"" + std::string(text_chars_max_default + 1, 'x') + "\"";
    expect(plain, {{long_text, "validation_max_text_constraint"}});
}

TEST(Input, SfortyIntegers) {
    Field number = field("f", FieldType::number);
    number.only_int = true;
    std::string const long_digits(2000, '9');
    expect(number, {{"5", "i5"},
                    {"-0", "i0"},
                    {"9007199254740993", "i9007199254740993"},
                    {"9223372036854775807", "i9223372036854775807"},
                    {"-9223372036854775808", "i-9223372036854775808"},
                    {"5.0", "i5"},
                    {"5e2", "i500"},
                    {R"("12")", "i12"},
                    {R"("")", "i0"},
                    {"null", "i0"},
                    {"9223372036854775808", "validation_number_out_of_range"},
                    {"-9223372036854775809", "validation_number_out_of_range"},
                    {"1e30", "validation_number_out_of_range"},
                    {"1.5", "validation_only_int_constraint"},
                    {R"("1.5")", "validation_only_int_constraint"},
                    {"1e400", "validation_not_finite"},
                    {long_digits, "validation_not_finite"},
                    {"true", "validation_not_a_number"},
                    {R"("x")", "validation_not_a_number"},
                    {R"("NaN")", "validation_not_a_number"},
                    {R"("0x10")", "validation_not_a_number"},
                    {R"(" 5")", "validation_not_a_number"},
                    {R"("1,5")", "validation_not_a_number"},
                    {"[5]", "validation_not_a_number"},
                    {"{}", "validation_not_a_number"}});
}

TEST(Input, SfortyReals) {
    expect(field("f", FieldType::number), {{"1.5", "r1.500000"},
                                           {"-0.0", "r0.000000"},
                                           {"-0", "r0.000000"},
                                           {R"("2.25")", "r2.250000"},
                                           {"9007199254740992", "r9007199254740992.000000"},
                                           {"9007199254740993", "validation_number_precision"},
                                           {"1e400", "validation_not_finite"},
                                           {R"("-1e400")", "validation_not_finite"},
                                           {R"("inf")", "validation_not_a_number"},
                                           {R"("1e3")", "r1000.000000"}});
    auto fixture = Fixture({field("f", FieldType::number)});
    auto const row = fixture.insert(R"({"f":-0.0})");
    ASSERT_TRUE(row);
    EXPECT_FALSE(std::signbit((*row)[1].value.real));
}

TEST(Input, NumberBounds) {
    Field number = field("f", FieldType::number);
    number.only_int = true;
    number.min = 1;
    number.max = 10;
    expect(number, {{"1", "i1"},
                    {"10", "i10"},
                    {"0", "validation_min_number_constraint"},
                    {"11", "validation_max_number_constraint"},
                    {"null", "i0"}});
}

TEST(Input, Bool) {
    expect(field("f", FieldType::boolean), {{"true", "i1"},
                                            {"false", "i0"},
                                            {R"("true")", "i1"},
                                            {R"("false")", "i0"},
                                            {"1", "i1"},
                                            {"0", "i0"},
                                            {R"("1")", "i1"},
                                            {R"("")", "i0"},
                                            {"null", "i0"},
                                            {"2", "validation_not_a_bool"},
                                            {"1.0", "validation_not_a_bool"},
                                            {R"("yes")", "validation_not_a_bool"},
                                            {"[]", "i0"},
                                            {"[true]", "validation_not_a_bool"}});
}

TEST(Input, EmailAndUrl) {
    Field email = field("f", FieldType::email);
    expect(email, {{R"("a@x.com")", "ta@x.com"}, {R"("")", "t"}, {R"("a")", "validation_is_email"}});
    email.only_domains = {"x.com"};
    expect(email, {{R"("a@X.com")", "ta@X.com"}, {R"("a@y.com")", "validation_email_domain_not_allowed"}});
    Field url = field("f", FieldType::url);
    url.except_domains = {"x.com"};
    expect(url, {{R"("http://y.com/a")", "thttp://y.com/a"},
                 {R"("http://x.com/a")", "validation_url_domain_not_allowed"},
                 {R"("a")", "validation_invalid_url"},
                 {R"("")", "t"}});
}

TEST(Input, Date) {
    Field date = field("f", FieldType::date);
    expect(date, {{R"("2021-01-01T10:00:00+02:00")", "t2021-01-01 08:00:00.000Z"},
                  {R"("2021")", "t2021-01-01 00:00:00.000Z"},
                  {R"("")", "t"},
                  {"null", "t"},
                  {R"("2021-02-30")", "validation_invalid_date"},
                  {R"("x")", "validation_invalid_date"},
                  {"2021", "validation_invalid_date"}});
    date.min_date = "2020-01-01 00:00:00.000Z";
    date.max_date = "2021-01-01 00:00:00.000Z";
    expect(date, {{R"("2019-12-31T23:59:59Z")", "validation_min_greater_equal_than_required"},
                  {R"("2021-01-01T00:00:01Z")", "validation_max_less_equal_than_required"},
                  {R"("2020-06-01")", "t2020-06-01 00:00:00.000Z"}});
}

TEST(Input, Select) {
    Field select = field("f", FieldType::select);
    select.values = {"a", "b", "c"};
    expect(select, {{R"("a")", "ta"},
                    {R"(["a"])", "ta"},
                    {R"("")", "t"},
                    {"[]", "t"},
                    {"null", "t"},
                    {R"(["a","b"])", "validation_too_many_values"},
                    {R"("x")", "validation_invalid_value"},
                    {"true", "validation_invalid_value"},
                    {"[null]", "validation_invalid_value"},
                    {R"([["a"]])", "validation_invalid_value"}});
    select.max_select = 2;
    expect(select, {{R"("a")", R"(t["a"])"},
                    {R"(["b","a"])", R"(t["b","a"])"},
                    {R"(["a","a","b","a"])", R"(t["a","b"])"},
                    {R"([""])", "t[]"},
                    {"null", "t[]"},
                    {R"(["a","b","c"])", "validation_too_many_values"}});
    select.min_select = 2;
    expect(select, {{R"(["a"])", "validation_not_enough_values"}, {"[]", "t[]"}});
}

TEST(Input, Relation) {
    Field relation = field("f", FieldType::relation);
    expect(relation, {{R"("abc")", "tabc"},
                      {R"("")", "null"},
                      {"null", "null"},
                      {"5", "t5"},
                      {R"(["a","b"])", "validation_too_many_values"},
                      {R"("a\u0000")", "validation_invalid_value"},
                      {"{}", "validation_invalid_value"}});
    relation.max_select = 100;
    expect(relation, {{R"(["b","a","b"])", R"(t["b","a"])"}, {R"(["q\"\\"])", R"(t["q\"\\"])"}});
    relation.name = "f";
    Fixture fixture({relation});
    auto const row = fixture.insert(R"({"f":["b","a","b"]})");
    ASSERT_TRUE(row);
    EXPECT_EQ(std::vector((*row)[1].items.begin(), (*row)[1].items.end()),
              (std::vector<std::string_view>{"b", "a"}));
    std::string many = "{\"f\":[";
    for (int round = 0; round < 90; ++round) many += "\"x" + std::to_string(round % 45) + "\",";
    EXPECT_EQ((*fixture.insert(many + "\"x0\"]}"))[1].items.size(), 45U);
}

TEST(Input, Json) {
    Field json = field("f", FieldType::json);
    expect(json, {{R"({"a": [1, 2.50]})", R"(t{"a": [1, 2.50]})"},
                  {"123456789012345678901234567890", "t123456789012345678901234567890"},
                  {"9007199254740993", "t9007199254740993"},
                  {R"("123")", R"(t"123")"},
                  {R"("")", R"(t"")"},
                  {"null", "tnull"},
                  {"[1e400]", "validation_invalid_format"},
                  {R"({"a":"\u0000"})", "validation_invalid_format"},
                  {R"({"\u0000":1})", "validation_invalid_format"}});
    json.max_size_bytes = 5;
    expect(json, {{"\"abc\"", "t\"abc\""}, {"\"abcd\"", "validation_json_size_limit"}});
    json.nullable = true;
    expect(json, {{"null", "null"}});
}

TEST(Input, GeoPoint) {
    expect(field("f", FieldType::geo_point), {{R"({"lon":1,"lat":-2.5})", R"(t{"lon":1,"lat":-2.5})"},
                                              {R"({"lat":90,"lon":-180,"z":1})", R"(t{"lon":-180,"lat":90})"},
                                              {"null", R"(t{"lon":0,"lat":0})"},
                                              {R"({"lon":180.1,"lat":0})", "validation_invalid_longitude"},
                                              {R"({"lon":0,"lat":-91})", "validation_invalid_latitude"},
                                              {R"({"lon":"1","lat":0})", "validation_invalid_geo_point"},
                                              {R"({"lon":1})", "validation_invalid_geo_point"},
                                              {R"({"lon":1e400,"lat":0})", "validation_invalid_geo_point"},
                                              {"[1,2]", "validation_invalid_geo_point"},
                                              {R"("x")", "validation_invalid_geo_point"}});
}

TEST(Input, EditorAndFile) {
    Field editor = field("f", FieldType::editor);
    editor.max_size_bytes = 4;
    expect(editor, {{R"("<p>")", "t<p>"}, {R"("ééé")", "validation_content_size_limit"}});
    expect(field("f", FieldType::file),
           {{R"("x.png")", "validation_file_unsupported"}, {R"("")", "t"}, {"[]", "t"}});
}

TEST(Input, NullableKeepsNullApart) {
    for (FieldType const type :
         {FieldType::text, FieldType::number, FieldType::boolean, FieldType::date, FieldType::email,
          FieldType::json, FieldType::geo_point, FieldType::relation}) {
        Field nullable = field("f", type);
        nullable.nullable = true;
        expect(nullable, {{"null", "null"}});
        nullable.name = "f";
        EXPECT_EQ(Fixture({nullable}).inserted("f", "{}"), "null") << name(type);
    }
    Field number = field("f", FieldType::number);
    number.nullable = true;
    expect(number, {{"0", "r0.000000"}, {R"("")", "null"}});
}

TEST(Input, TypeTenRequiredIsPresentAndNotNull) {
    Field n = field("n", FieldType::number);
    n.required = true;
    Field b = field("b", FieldType::boolean);
    b.required = true;
    Field m = field("m", FieldType::number);
    m.nullable = true;
    Field t = field("t", FieldType::text);
    Fixture fixture({n, b, m, t});
    EXPECT_EQ(fixture.inserted("n", R"({"n":0,"b":false})"), "r0.000000");
    EXPECT_EQ(fixture.inserted("n", R"({"b":false})"), "n: validation_required");
    EXPECT_EQ(fixture.inserted("n", R"({"n":null,"b":""})"),
              "n: validation_required, b: validation_required");
    EXPECT_EQ(fixture.inserted("m", R"({"n":1,"b":true})"), "null");
    EXPECT_EQ(fixture.inserted("m", R"({"n":1,"b":true,"m":0})"), "r0.000000");

    for (FieldType const type :
         {FieldType::text, FieldType::email, FieldType::url, FieldType::editor, FieldType::date,
          FieldType::select, FieldType::relation, FieldType::json, FieldType::password}) {
        Field required = field("f", type);
        required.required = true;
        required.values = {"a"};
        Fixture one({required});
        EXPECT_EQ(one.inserted("f", "{}"), "f: validation_required") << name(type);
        EXPECT_EQ(one.inserted("f", R"({"f":null})"), "f: validation_required") << name(type);
        if (type == FieldType::json) continue;  // "" is a value
        EXPECT_EQ(one.inserted("f", R"({"f":""})"), "f: validation_required") << name(type);
    }
    Field list = field("f", FieldType::relation);
    list.required = true;
    list.max_select = 3;
    EXPECT_EQ(Fixture({list}).inserted("f", R"({"f":[]})"), "f: validation_required");
    Field point = field("f", FieldType::geo_point);
    point.required = true;
    EXPECT_EQ(Fixture({point}).inserted("f", R"({"f":{"lon":0,"lat":0}})"), R"(t{"lon":0,"lat":0})");
}

}  // namespace
}  // namespace quern
