// SPDX-License-Identifier: Apache-2.0
#include "schema/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "schema/collection_json.h"
#include "schema/date.h"

namespace quern {
namespace {

struct TestRandom {
    std::mt19937 engine{1};
    void fill(std::span<std::byte> bytes) {
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine());
    }
};

constexpr std::int64_t now_ms = 1'700'000'000'000;
constexpr std::string_view now_text = "2023-11-14 22:13:20.000Z";

Field field(std::string name, FieldType type) {
    Field result;
    result.name = std::move(name);
    result.type = type;
    return result;
}

std::string show(Value const& value) {
    switch (value.kind) {
    case ValueKind::null: return "null";
    case ValueKind::integer: return "i" + std::to_string(value.integer);
    case ValueKind::real: return "r" + std::to_string(value.real);
    case ValueKind::text: return "t" + std::string(value.text);
    case ValueKind::blob: return "blob";
    }
    return {};
}

// "field: code" of every field at fault.
std::string show(Error const& error) {
    std::string text;
    for (FieldError const& one : error.fields)
        text += (text.empty() ? "" : ", ") + one.field + ": " + one.code;
    return text;
}

// A collection of `id` and the fields of a test, with what reads into it.
class Fixture {
public:
    explicit Fixture(std::vector<Field> fields, CollectionType type = CollectionType::base) {
        collection_.name = "c";
        collection_.type = type;
        collection_.fields.push_back(make_id_field());
        for (Field& one : fields) collection_.fields.push_back(std::move(one));
        input_.emplace(collection_);
    }

    Result<std::span<FieldInput>> read(std::string_view body, InputOptions options = {}) {
        auto root = documents_.emplace_back().parse_copy(body);
        EXPECT_TRUE(root) << body << root.error().message;
        auto inputs = input_->read(*root, options, arena_);
        if (inputs) {
            for (FieldInput& one : *inputs) {
                if (!one.must_hash) continue;
                one.value = Value::of("$hash$");
                one.must_hash = false;
            }
        }
        return inputs;
    }

    Result<std::span<FieldValue>> insert(std::string_view body, InputOptions options = {}) {
        QUERN_TRY(auto inputs, read(body, options));
        return input_->for_insert(inputs, {now_ms, random_}, arena_);
    }

    // What a new row has in a field, or the errors.
    std::string inserted(std::string_view field_name, std::string_view body) {
        auto const row = insert(body);
        if (!row) return show(row.error());
        return show((*row)[*collection_.find(field_name)].value);
    }

    // "name=value" of what an update changes, or the errors.
    std::string updated(std::span<Value const> current, std::string_view body) {
        auto const inputs = read(body);
        if (!inputs) return show(inputs.error());
        auto const changes = input_->for_update(*inputs, current, {now_ms, random_}, arena_);
        if (!changes) return show(changes.error());
        std::string text;
        for (FieldValue const& change : *changes) {
            text +=
                (text.empty() ? "" : ", ") + collection_.fields[change.field].name + "=" + show(change.value);
        }
        return text;
    }

    Collection collection_;
    std::optional<RecordInput> input_;
    Arena arena_;
    TestRandom random_;

private:
    std::vector<json::Document> documents_;
};

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

TEST(Input, Ids) {
    Fixture fixture({});
    std::string const made = fixture.inserted("id", "{}");
    EXPECT_EQ(made.size(), 16U);
    EXPECT_NE(fixture.inserted("id", "{}"), made);
    EXPECT_EQ(fixture.inserted("id", R"({"id":""})").size(), 16U);
    EXPECT_EQ(fixture.inserted("id", R"({"id":null})").size(), 16U);
    EXPECT_EQ(fixture.inserted("id", R"({"id":"abcdefghijklmno"})"), "tabcdefghijklmno");
    EXPECT_EQ(fixture.inserted("id", R"({"id":"x"})"), "id: validation_min_text_constraint");
    EXPECT_EQ(fixture.inserted("id", R"({"id":"ABCDEFGHIJKLMNO"})"), "id: validation_invalid_format");
    EXPECT_EQ(fixture.inserted("id", R"({"id":"abcdefghijklmn\n"})"), "id: validation_invalid_format");
    Value const current[] = {Value::of("abcdefghijklmno")};
    EXPECT_EQ(fixture.updated(current, R"({"id":"abcdefghijklmno"})"), "");
    EXPECT_EQ(fixture.updated(current, R"({"id":"bbbbbbbbbbbbbbb"})"), "id: validation_pk_change");
}

TEST(Input, AutogeneratedText) {
    Field code = field("code", FieldType::text);
    code.autogenerate_pattern = "INV-[0-9]{4}";
    code.required = true;
    Fixture fixture({code});
    EXPECT_EQ(fixture.inserted("code", "{}").substr(0, 5), "tINV-");
    EXPECT_EQ(fixture.inserted("code", R"({"code":"own"})"), "town");
    Value const current[] = {Value::of("x"), Value::of("INV-1")};
    EXPECT_EQ(fixture.updated(current, R"({"code":""})"), "code: validation_required");
}

TEST(Input, AutodatesAreTheServersBusiness) {
    Field created = field("created", FieldType::autodate);
    created.on_create = true;
    Field updated = field("updated", FieldType::autodate);
    updated.on_create = updated.on_update = true;
    Fixture fixture({created, updated, field("t", FieldType::text)});
    std::string const stamp = "t" + std::string(now_text);
    EXPECT_EQ(fixture.inserted("created", R"({"created":"2020-01-01"})"), stamp);
    EXPECT_EQ(fixture.inserted("updated", "{}"), stamp);
    Value const current[] = {Value::of("x"), Value::of("2020-01-01 00:00:00.000Z"),
                             Value::of("2020-01-01 00:00:00.000Z"), Value::of("a")};
    EXPECT_EQ(fixture.updated(current, R"({"created":"2000-01-01","t":"b"})"), "updated=" + stamp + ", t=tb");
    EXPECT_EQ(fixture.updated(current, R"({"t":"a"})"), "updated=" + stamp);
}

TEST(Input, UnknownMembersAreIgnoredAndHiddenOnesTakeASuperuser) {
    Field secret = field("secret", FieldType::text);
    secret.hidden = true;
    Fixture fixture({secret, field("t", FieldType::text)});
    EXPECT_EQ(
        fixture.inserted("t", R"({"collectionId":"x","expand":{},"T":"x","t ":"x","+":1,"":2,"t":"y"})"),
        "ty");
    EXPECT_EQ(fixture.inserted("secret", R"({"secret":"x"})"), "t");
    auto const row = fixture.insert(R"({"secret":"x"})", {.superuser = true});
    ASSERT_TRUE(row);
    EXPECT_EQ(show((*row)[1].value), "tx");
}

TEST(Input, AllErrorsAtOnce) {
    Field t = field("t", FieldType::text);
    t.max = 1;
    Fixture fixture({t, field("n", FieldType::number)});
    EXPECT_EQ(
        fixture.inserted("t", R"({"t":"abc","n":"x","id":"y"})"),
        "t: validation_max_text_constraint, n: validation_not_a_number, id: validation_min_text_constraint");
}

TEST(Input, NumberModifiers) {
    Field i = field("i", FieldType::number);
    i.only_int = true;
    Field r = field("r", FieldType::number);
    r.max = 100;
    Fixture fixture({i, r, field("t", FieldType::text)});
    Value const current[] = {Value::of("x"), Value::of(std::int64_t{5}), Value::of(1.5), Value::of("a")};
    EXPECT_EQ(fixture.updated(current, R"({"i+":3,"r-":0.5})"), "i=i8, r=r1.000000");
    EXPECT_EQ(fixture.updated(current, R"({"i-":"7"})"), "i=i-2");
    EXPECT_EQ(fixture.updated(current, R"({"i":100,"i+":1})"), "i=i101");
    EXPECT_EQ(fixture.updated(current, R"({"i+":0})"), "");
    EXPECT_EQ(fixture.updated(current, R"({"i+":9223372036854775807})"), "i: validation_number_out_of_range");
    EXPECT_EQ(fixture.updated(current, R"({"i-":-9223372036854775808})"),
              "i: validation_number_out_of_range");
    EXPECT_EQ(fixture.updated(current, R"({"i+":1.5})"), "i: validation_only_int_constraint");
    EXPECT_EQ(fixture.updated(current, R"({"i+":"x"})"), "i: validation_not_a_number");
    EXPECT_EQ(fixture.updated(current, R"({"r+":99})"), "r: validation_max_number_constraint");
    EXPECT_EQ(fixture.updated(current, R"({"+i":1})"), "i: validation_invalid_modifier");
    EXPECT_EQ(fixture.updated(current, R"({"t+":"x"})"), "t: validation_invalid_modifier");
    Value const huge[] = {Value::of("x"), Value::of(INT64_MAX), Value::of(1e308), Value::of("a")};
    EXPECT_EQ(fixture.updated(huge, R"({"i+":1})"), "i: validation_number_out_of_range");
    EXPECT_EQ(fixture.updated(huge, R"({"r+":1e308})"), "r: validation_not_finite");
    EXPECT_EQ(fixture.inserted("i", R"({"i+":4})"), "i4");
}

TEST(Input, ListModifiers) {
    Field s = field("s", FieldType::select);
    s.values = {"a", "b", "c", "d"};
    s.max_select = 3;
    Field r = field("r", FieldType::relation);
    r.max_select = 10;
    r.min_select = 2;
    Field one = field("one", FieldType::relation);
    one.max_select = 1;
    Fixture fixture({s, r, one});
    Value const current[] = {Value::of("x"), Value::of(R"(["a","b"])"), Value::of(R"(["p\u0071","q"])"),
                             Value::of("o")};
    EXPECT_EQ(fixture.updated(current, R"({"s+":"c"})"), R"(s=t["a","b","c"])");
    EXPECT_EQ(fixture.updated(current, R"({"+s":["c","a"]})"), R"(s=t["c","a","b"])");
    EXPECT_EQ(fixture.updated(current, R"({"s-":["a","gone"]})"), R"(s=t["b"])");
    EXPECT_EQ(fixture.updated(current, R"({"s-":["a","b"]})"), "s=t[]");
    EXPECT_EQ(fixture.updated(current, R"({"s+":"b"})"), "");
    EXPECT_EQ(fixture.updated(current, R"({"s+":""})"), "");
    EXPECT_EQ(fixture.updated(current, R"({"s+":["c","d"]})"), "s: validation_too_many_values");
    EXPECT_EQ(fixture.updated(current, R"({"s+":"x"})"), "s: validation_invalid_value");
    EXPECT_EQ(fixture.updated(current, R"({"r+":["z"]})"), R"(r=t["pq","q","z"])");
    EXPECT_EQ(fixture.updated(current, R"({"r-":["pq"]})"), "r: validation_not_enough_values");
    EXPECT_EQ(fixture.updated(current, R"({"r-":["pq","q"]})"), "r=t[]");
    EXPECT_EQ(fixture.updated(current, R"({"one+":"n"})"), "one=tn");
    EXPECT_EQ(fixture.updated(current, R"({"one-":"o"})"), "one=null");
    EXPECT_EQ(fixture.updated(current, R"({"one-":"other"})"), "");
    EXPECT_EQ(fixture.inserted("s", R"({"s+":["b","a"]})"), R"(t["b","a"])");
}

TEST(Input, RequiredListMayNotBeEmptied) {
    Field s = field("s", FieldType::select);
    s.values = {"a"};
    s.max_select = 2;
    s.required = true;
    Fixture fixture({s});
    Value const current[] = {Value::of("x"), Value::of(R"(["a"])")};
    EXPECT_EQ(fixture.updated(current, R"({"s-":"a"})"), "s: validation_required");
    EXPECT_EQ(fixture.updated(current, "{}"), "");
}

Fixture users() {
    Field password = field("password", FieldType::password);
    password.hidden = password.required = password.system = true;
    password.min = 8;
    Field token_key = field("tokenKey", FieldType::text);
    token_key.hidden = token_key.required = token_key.system = true;
    token_key.autogenerate_pattern = "[a-zA-Z0-9]{50}";
    Field email = field("email", FieldType::email);
    return Fixture({password, token_key, email}, CollectionType::auth);
}

TEST(Input, PasswordsAreMarkedForHashing) {
    Fixture fixture = users();
    json::Document document;
    auto const body = document.parse_copy(R"({"password":"12345678","passwordConfirm":"12345678"})");
    auto const inputs = fixture.input_->read(*body, {}, fixture.arena_);
    ASSERT_TRUE(inputs);
    ASSERT_EQ(inputs->size(), 1U);
    EXPECT_TRUE((*inputs)[0].must_hash);
    EXPECT_EQ((*inputs)[0].value.text, "12345678");
    EXPECT_DEATH((void)fixture.input_->for_insert(*inputs, {now_ms, fixture.random_}, fixture.arena_),
                 "hashed");
}

TEST(Input, PasswordRules) {
    Fixture fixture = users();
    EXPECT_EQ(fixture.inserted("password", R"({"password":"12345678","passwordConfirm":"12345678"})"),
              "t$hash$");
    EXPECT_EQ(fixture.inserted("password", R"({"password":"12345678"})"),
              "passwordConfirm: validation_required");
    EXPECT_EQ(fixture.inserted("password", R"({"password":"12345678","passwordConfirm":"x"})"),
              "passwordConfirm: validation_values_mismatch");
    EXPECT_EQ(fixture.inserted("password", R"({"password":"1","passwordConfirm":"1"})"),
              "password: validation_min_text_constraint");
    EXPECT_EQ(fixture.inserted("password", "{}"), "password: validation_required");
    EXPECT_EQ(
        fixture.inserted("tokenKey", R"({"password":"12345678","passwordConfirm":"12345678","tokenKey":"x"})")
            .size(),
        51U);
}

TEST(Input, NewPasswordOrEmailEndsTokens) {
    Fixture fixture = users();
    Value const current[] = {Value::of("x"), Value::of("$old$"), Value::of("key"), Value::of("a@x.com")};
    EXPECT_EQ(fixture.updated(current, R"({"email":"a@x.com"})"), "");
    EXPECT_NE(fixture.updated(current, R"({"email":"b@x.com"})").find("tokenKey=t"), std::string::npos);
    std::string const changed =
        fixture.updated(current, R"({"password":"12345678","passwordConfirm":"12345678"})");
    EXPECT_TRUE(changed.starts_with("password=t$hash$, tokenKey=t")) << changed;
}

}  // namespace
}  // namespace quern
