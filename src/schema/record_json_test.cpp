// SPDX-License-Identifier: Apache-2.0
#include "schema/record_json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>

#include "json/path.h"
#include "json/reader.h"
#include "schema/collection_json.h"

namespace quern {
namespace {

Field field(std::string name, FieldType type) {
    Field result;
    result.name = std::move(name);
    result.type = type;
    return result;
}

Collection sample() {
    Collection collection;
    collection.id = "pbc_1";
    collection.name = "posts";
    collection.fields = {make_id_field(),
                         field("title", FieldType::text),
                         field("views", FieldType::number),
                         field("ok", FieldType::boolean),
                         field("meta", FieldType::json),
                         field("tags", FieldType::select),
                         field("author", FieldType::relation),
                         field("place", FieldType::geo_point)};
    collection.fields[5].max_select = 3;
    return collection;
}

std::vector<RecordColumn> all_columns(Collection const& collection) {
    std::vector<RecordColumn> columns;
    for (std::size_t index = 0; index < collection.fields.size(); ++index) {
        columns.push_back({.field = static_cast<std::uint16_t>(index)});
    }
    return columns;
}

std::string written(RecordWriter const& writer, std::span<Value const> row, bool show_email = true) {
    Buffer buffer;
    writer.write(row, show_email, buffer);
    EXPECT_TRUE(json::is_json(buffer.view())) << buffer.view();
    return std::string(buffer.view());
}

std::string one(Field const& field_shown, Value const& value) {
    Buffer buffer;
    json::Writer writer(buffer);
    writer.begin_array();
    writer.integer(0);
    write_value(field_shown, value, writer);
    writer.integer(1);
    writer.end_array();
    EXPECT_TRUE(json::is_json(buffer.view())) << buffer.view();
    EXPECT_TRUE(buffer.view().starts_with("[0,") && buffer.view().ends_with(",1]")) << buffer.view();
    return std::string(buffer.view().substr(3, buffer.size() - 6));
}

TEST(RecordJson, WritesEveryFieldByItsType) {
    Collection const collection = sample();
    RecordWriter const writer(collection, all_columns(collection), {});
    Value const row[] = {Value::of("abcdefghijklmno"),
                         Value::of("A \"b\""),
                         Value::of(2.5),
                         Value::of(true),
                         Value::of(R"({"n":9007199254740993})"),
                         Value::of(R"(["a","b"])"),
                         Value{},
                         Value::of(R"({"lon":1,"lat":2})")};
    EXPECT_EQ(
        written(writer, row),
        R"({"collectionId":"pbc_1","collectionName":"posts","id":"abcdefghijklmno",)"
        R"("title":"A \"b\"","views":2.5,)"
        R"("ok":true,"meta":{"n":9007199254740993},"tags":["a","b"],"author":"","place":{"lon":1,"lat":2}})");
}

TEST(RecordJson, MembersAndOptions) {
    Collection const collection = sample();
    RecordColumn const columns[] = {
        {.field = 0}, {.field = 1, .shown = false}, {.field = Collection::version_field}};
    Value const row[] = {Value::of("x"), Value::of("y"), Value::of(std::int64_t{7})};
    RecordWriter const bare(collection, columns, {.collection_id = false, .collection_name = false});
    EXPECT_EQ(written(bare, row), R"({"id":"x"})");
    RecordWriter const named(collection, columns, {.collection_id = false});
    EXPECT_EQ(written(named, row), R"({"collectionName":"posts","id":"x"})");
    RecordWriter const none(collection, std::span(columns).subspan(1),
                            {.collection_id = false, .collection_name = false});
    EXPECT_EQ(written(none, std::span(row).subspan(1)), "{}");
    Buffer buffer;
    bare.write_members(row, true, buffer);
    EXPECT_EQ(buffer.view(), R"("id":"x")");
}

TEST(RecordJson, HiddenAndSecretFields) {
    Collection collection;
    collection.name = "users";
    collection.type = CollectionType::auth;
    collection.fields = {make_id_field(), field("password", FieldType::password),
                         field("tokenKey", FieldType::text), field("email", FieldType::email),
                         field("secret", FieldType::text)};
    collection.fields[4].hidden = true;
    Value const row[] = {Value::of("x"), Value::of("$argon2id$"), Value::of("key"), Value::of("a@x.com"),
                         Value::of("s")};
    RecordWriterOptions options{.collection_id = false, .collection_name = false};
    RecordWriter const plain(collection, all_columns(collection), options);
    EXPECT_EQ(written(plain, row), R"({"id":"x","email":"a@x.com"})");
    EXPECT_EQ(written(plain, row, false), R"({"id":"x"})");
    options.superuser = true;
    RecordWriter const super(collection, all_columns(collection), options);
    EXPECT_EQ(written(super, row), R"({"id":"x","email":"a@x.com","secret":"s"})");
}

TEST(RecordJson, TYPE_04_TextStaysText) {
    // Also where the field is a number: what counts is how the value is stored.
    for (std::string const text : {"nan", "inf", "0x1p4", ".5", "+1", "1e5 ", "007", "15E2621", "12"}) {
        EXPECT_EQ(one(field("n", FieldType::number), Value::of(std::string_view(text))), "\"" + text + "\"");
        EXPECT_EQ(one(field("b", FieldType::boolean), Value::of(std::string_view(text))), "\"" + text + "\"");
        EXPECT_EQ(one(field("t", FieldType::text), Value::of(std::string_view(text))), "\"" + text + "\"");
    }
    EXPECT_EQ(one(field("t", FieldType::text), Value::of(std::int64_t{7})), "7");
}

TEST(RecordJson, TYPE_03_NonFiniteIsNull) {
    for (double const number :
         {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::quiet_NaN()}) {
        EXPECT_EQ(one(field("n", FieldType::number), Value::of(number)), "null");
    }
    EXPECT_EQ(one(field("j", FieldType::json), Value::of("1e999")), "null");
    EXPECT_EQ(one(field("j", FieldType::json), Value::of(R"({"a":[1e999]})")), "null");
}

TEST(RecordJson, TYPE_01_IntegersKeepEveryDigit) {
    Field number = field("n", FieldType::number);
    for (std::int64_t const value : {std::int64_t{9007199254740993}, INT64_MAX, INT64_MIN}) {
        EXPECT_EQ(one(number, Value::of(value)), std::to_string(value));
    }
    EXPECT_EQ(one(field("j", FieldType::json), Value::of("[9223372036854775808123]")),
              "[9223372036854775808123]");
}

TEST(RecordJson, TYPE_07_IllFormedBytes) {
    EXPECT_EQ(one(field("t", FieldType::text), Value::of("\xFF\x41")), "\"\uFFFDA\"");
    EXPECT_EQ(one(field("j", FieldType::json), Value::of("\"\xC3\x28\"")), "null");
}

TEST(RecordJson, TYPE_09_BlobsAreNoTexts) {
    auto const blob = [](std::string_view bytes) {
        Value value = Value::of(bytes);
        value.kind = ValueKind::blob;
        return value;
    };
    EXPECT_EQ(one(field("x", FieldType::text), blob("\xFF\xEE\x22")), R"({"$blob":"/+4i"})");
    EXPECT_EQ(one(field("x", FieldType::text), Value::of("/+4i")), R"("/+4i")");
    EXPECT_EQ(one(field("x", FieldType::text), blob("")), R"({"$blob":""})");
    EXPECT_EQ(one(field("x", FieldType::text), blob("a")), R"({"$blob":"YQ=="})");
    EXPECT_EQ(one(field("x", FieldType::json), blob("ab")), R"({"$blob":"YWI="})");
}

TEST(RecordJson, NullsAndBrokenJson) {
    EXPECT_EQ(one(field("t", FieldType::text), {}), "null");
    EXPECT_EQ(one(field("r", FieldType::relation), {}), "\"\"");
    Field nullable = field("r", FieldType::relation);
    nullable.nullable = true;
    EXPECT_EQ(one(nullable, {}), "null");
    Field list = field("r", FieldType::relation);
    list.max_select = 2;
    EXPECT_EQ(one(list, {}), "[]");
    EXPECT_EQ(one(list, Value::of(R"(["a"])")), R"(["a"])");
    for (std::string_view const broken : {"", "{", "nan", "[1,]", "\"", "a"}) {
        EXPECT_EQ(one(field("j", FieldType::json), Value::of(broken)), "null") << broken;
    }
    EXPECT_EQ(one(field("b", FieldType::boolean), Value::of(std::int64_t{0})), "false");
    EXPECT_EQ(one(field("b", FieldType::boolean), Value::of(std::int64_t{2})), "true");
}

TEST(RecordJson, Excerpts) {
    EXPECT_EQ(excerpt("<p>Hello,  <b>world</b>!</p>", 100, true), "Hello, world !");
    EXPECT_EQ(excerpt("Hello world", 5, true), "Hello...");
    EXPECT_EQ(excerpt("Hello world", 5, false), "Hello");
    EXPECT_EQ(excerpt("Hello world", 11, true), "Hello world");
    EXPECT_EQ(excerpt("  a\n\tb  ", 10, true), "a b");
    EXPECT_EQ(excerpt("äöü", 2, false), "äö");
    EXPECT_EQ(excerpt("1 < 2 &amp; 3 &gt; 2&nbsp;&lt;b&gt; &unknown;", 100, false),
              "1 < 2 & 3 > 2 <b> &unknown;");
    EXPECT_EQ(excerpt("a<script>x < 1; alert(\"<p>\")</script>b<STYLE>p{}</style>c", 100, false), "a b c");
    EXPECT_EQ(excerpt("a<script>never closed", 100, true), "a");
    EXPECT_EQ(excerpt("<", 10, true), "<");
    EXPECT_EQ(excerpt("a<b", 10, true), "a");
    EXPECT_EQ(excerpt("", 10, true), "");
}

TEST(RecordJson, ExcerptOfHostileMarkupIsFast) {
    std::string text;
    for (int round = 0; round < 10'000; ++round) text += "<script><style><!--";
    std::clock_t const start = std::clock();  // of this process: the machine may be busy
    EXPECT_EQ(excerpt(text, 100, true), "");
    EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC);
}

TEST(RecordJson, ExcerptOfAColumn) {
    Collection const collection = sample();
    RecordColumn const columns[] = {{.field = 1, .excerpt_chars = 3, .excerpt_ellipsis = true}};
    RecordWriter const writer(collection, columns, {.collection_id = false, .collection_name = false});
    Value const row[] = {Value::of("<i>abcdef</i>")};
    EXPECT_EQ(written(writer, row), R"({"title":"abc..."})");
}

}  // namespace
}  // namespace quern
