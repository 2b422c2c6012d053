// SPDX-License-Identifier: Apache-2.0
// From a row to JSON: records as the API writes them, and a struct as a program of the library does.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <quern/buffer.h>
#include <quern/describe.h>
#include <quern/dump.h>

#include "engine/sql/test_schema.h"
#include "micro.h"
#include "schema/record_json.h"

namespace bench {

namespace {

using quern::FieldType;
using quern::Value;

constexpr std::size_t list_rows = 20;
constexpr std::string_view title = "How the miller set the stones";
constexpr std::string_view body =
    "The upper stone turns and the lower one lies still; \"grist\" comes between.";

quern::Collection posts() {
    using namespace quern::test;
    return collection("posts",
                      {field("title", FieldType::text), field("body", FieldType::text), integer("views"),
                       field("score", FieldType::number), field("done", FieldType::boolean),
                       relation("author", "c_users"), field("created", FieldType::date)});
}

using Row = std::array<Value, 8>;
Row row() {
    return {Value::of("h4k2m8p1q9z3x7c"),
            Value::of(title),
            Value::of(body),
            Value::of(std::int64_t{1234}),
            Value::of(4.75),
            Value::of(true),
            Value::of("u1a2b3c4d5e6f7g"),
            Value::of("2026-07-01 12:00:00.000Z")};
}

constexpr std::string_view record_json =
    R"({"collectionId":"c_posts","collectionName":"posts","id":"h4k2m8p1q9z3x7c",)"
    R"("title":"How the miller set the stones",)"
    R"("body":"The upper stone turns and the lower one lies still; \"grist\" comes between.",)"
    R"("views":1234,"score":4.75,"done":true,"author":"u1a2b3c4d5e6f7g",)"
    R"("created":"2026-07-01 12:00:00.000Z"})";

void write_records(benchmark::State& state, std::size_t count) {
    quern::Collection const collection = posts();
    std::vector<quern::RecordColumn> columns;
    for (std::uint16_t index = 0; index < Row{}.size(); ++index) columns.push_back({.field = index});
    quern::RecordWriter const writer(collection, columns, {});
    Row const values = row();
    quern::Buffer output;
    auto const write = [&] {
        output.clear();
        for (std::size_t done = 0; done < count; ++done) writer.write(values, true, output);
    };
    write();
    require(output.view().starts_with(record_json), "a record is written wrong");
    require(output.view().size() == count * record_json.size(), "records are missing");
    measure(state, [&] {
        write();
        keep(*output.data());
    });
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(output.view().size()));
}
void write_record(benchmark::State& state) { write_records(state, 1); }
void write_list(benchmark::State& state) { write_records(state, list_rows); }

struct Post {
    std::string id = "h4k2m8p1q9z3x7c";
    std::string title{bench::title};
    std::string body{bench::body};
    std::int64_t views = 1234;
    double score = 4.75;
    bool done = true;
    std::string author = "u1a2b3c4d5e6f7g";
    std::string created = "2026-07-01 12:00:00.000Z";
};
QUERN_DESCRIBE(Post, id, title, body, views, score, done, author, created)

void write_struct(benchmark::State& state) {
    Post const post;
    quern::Buffer output;
    quern::write_json(output, post);
    std::string_view const members = record_json.substr(record_json.find(R"("id")"));
    require(output.view() == "{" + std::string(members), "a struct is written wrong");
    measure(state, [&] {
        output.clear();
        quern::write_json(output, post);
        keep(*output.data());
    });
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(output.view().size()));
}

}  // namespace

void add_rows() {
    benchmark::RegisterBenchmark("row_to_json/record_8_fields", write_record);
    benchmark::RegisterBenchmark("row_to_json/20_records", write_list);
    benchmark::RegisterBenchmark("row_to_json/struct_8_members", write_struct);
}

}  // namespace bench
