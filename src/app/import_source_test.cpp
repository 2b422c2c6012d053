// SPDX-License-Identifier: Apache-2.0
#include "app/import_source.h"

#include <gtest/gtest.h>

namespace quern::app {
namespace {

using namespace std::string_view_literals;

// Reads everything as "place: name=value, …", "place: ! problem" for what is bad, "place: !! problem" at a
// break.
std::vector<std::string> read(std::string text, ImportFormat format, char separator = ',') {
    std::size_t const size = text.size();
    text.append(json::padding_bytes, '\0');
    auto const source = open_source(std::string_view(text).substr(0, size), format, separator);
    if (!source) return {"!! " + source.error().message};
    std::vector<std::string> rows;
    for (;;) {
        RowSource& row = **source;
        switch (row.next()) {
        case RowSource::Outcome::end: EXPECT_LE(row.offset(), size); return rows;
        case RowSource::Outcome::broken:
            rows.push_back(row.place() + ": !! " + std::string(row.problem()));
            EXPECT_EQ(row.next(), RowSource::Outcome::broken) << "it stays broken";
            return rows;
        case RowSource::Outcome::bad: rows.push_back(row.place() + ": !"); break;
        case RowSource::Outcome::row: {
            std::string shown = row.place() + ":";
            row.for_each_name([&](std::string_view name) {
                shown += " " + std::string(name) + "=" + row.find(name)->shown();
            });
            rows.push_back(shown);
        }
        }
    }
}

using Rows = std::vector<std::string>;

TEST(ImportSource, JsonArrays) {
    EXPECT_EQ(read(R"([{"a":1},{"a":"x,]}[{\"","b":[{"c":[1]}]}])", ImportFormat::json),
              (Rows{"element 0 (line 1): a=1", R"(element 1 (line 1): a="x,]}[{\"" b=[{"c":[1]}])"}));
    EXPECT_EQ(read("\n[\n {\"a\":1\n }\n,\r\n{\"a\":2}\r]\n", ImportFormat::json),
              (Rows{"element 0 (line 3): a=1", "element 1 (line 6): a=2"}));
    EXPECT_EQ(read("[]", ImportFormat::json), Rows{});
    EXPECT_EQ(read(" [ ] ", ImportFormat::json), Rows{});
    EXPECT_EQ(read("\xef\xbb\xbf[{}]", ImportFormat::json), Rows{"element 0 (line 1):"});
}

TEST(ImportSource, BadElementsAreReportedAndReadingGoesOn) {
    EXPECT_EQ(read(R"([{"a":1},{"a":007},7,null,{"a":1,"a":2},{"a" 1},{"a":2}])", ImportFormat::json),
              (Rows{"element 0 (line 1): a=1", "element 1 (line 1): !", "element 2 (line 1): !",
                    "element 3 (line 1): !", "element 4 (line 1): !", "element 5 (line 1): !",
                    "element 6 (line 1): a=2"}));
}

TEST(ImportSource, BrokenArraysEndThere) {
    EXPECT_EQ(read("[{\"a\":1},\n{\"a\":", ImportFormat::json),
              (Rows{"element 0 (line 1): a=1", "element 1 (line 2): !! an element is not closed"}));
    EXPECT_EQ(read("[{\"a\":1}", ImportFormat::json).back(),
              "element 0 (line 1): !! an element is not closed");
    EXPECT_EQ(read("[", ImportFormat::json).back(), "element 0 (line 1): !! an element is not closed");
    EXPECT_EQ(read("[{},]", ImportFormat::json).back(), "element 1 (line 1): !! an element is missing");
    EXPECT_EQ(read("[,{}]", ImportFormat::json).back(), "element 0 (line 1): !! an element is missing");
    EXPECT_EQ(read("[{}] x", ImportFormat::json).back(),
              "element 0 (line 1): !! text behind the end of the array");
    EXPECT_EQ(read("[\"", ImportFormat::json).back(), "element 0 (line 1): !! an element is not closed");
    EXPECT_EQ(read("[\"\\", ImportFormat::json).back(), "element 0 (line 1): !! an element is not closed");
    EXPECT_EQ(read("{}", ImportFormat::json), Rows{"!! a JSON file must hold an array of objects"});
    EXPECT_EQ(read("", ImportFormat::json), Rows{"!! a JSON file must hold an array of objects"});
}

TEST(ImportSource, Ndjson) {
    EXPECT_EQ(read("{\"a\":1}\r\n\n{\"a\":2\n[]\n{\"a\":3}", ImportFormat::ndjson),
              (Rows{"line 1: a=1", "line 3: !", "line 4: !", "line 5: a=3"}));
    EXPECT_EQ(read("", ImportFormat::ndjson), Rows{});
}

TEST(ImportSource, Csv) {
    EXPECT_EQ(read("\xef\xbb\xbf name , x\r\nAda,1\r\n\r\nBob\r\nC,\"a\nb\"\r\nd,e,f\n\"x\"y,1\nz,2\n",
                   ImportFormat::csv),
              (Rows{"line 2: name=\"Ada\" x=\"1\"", "line 4: !", "line 5: name=\"C\" x=\"a\nb\"", "line 7: !",
                    "line 8: !", "line 9: name=\"z\" x=\"2\""}));
    EXPECT_EQ(read("a;b\n1;2", ImportFormat::csv, ';'), Rows{"line 2: a=\"1\" b=\"2\""});
    EXPECT_EQ(read("a,b", ImportFormat::csv), Rows{});
}

TEST(ImportSource, HeadersMustBeClear) {
    EXPECT_EQ(read("", ImportFormat::csv), Rows{"!! the file is empty"});
    EXPECT_EQ(read("a,a\n", ImportFormat::csv), Rows{"!! the column 'a' is there twice"});
    EXPECT_EQ(read("a,,b\n", ImportFormat::csv), Rows{"!! column 2 has no name"});
    EXPECT_EQ(read("a,\"b\n", ImportFormat::csv), Rows{"!! line 1: a quote that is never closed"});
}

TEST(ImportSource, Utf16IsRefused) {
    for (ImportFormat const format : {ImportFormat::json, ImportFormat::ndjson, ImportFormat::csv}) {
        EXPECT_TRUE(read(std::string("\xff\xfe"
                                     "a\0"sv),
                         format)
                        .front()
                        .starts_with("!! the file is UTF-16"));
        EXPECT_TRUE(
            read(std::string("[\0]\0"sv), format).front().starts_with("!! the file holds zero bytes"));
    }
}

TEST(ImportSource, PathsLeadInside) {
    std::string text = R"([{"name":{"common":"Norway"},"latlng":[62,10],"a.b":1,"a":{"b":2},"capital":[]}])";
    std::size_t const size = text.size();
    text.append(json::padding_bytes, '\0');
    auto const source = open_source(std::string_view(text).substr(0, size), ImportFormat::json, ',');
    ASSERT_TRUE(source);
    ASSERT_EQ((*source)->next(), RowSource::Outcome::row);
    EXPECT_EQ((*source)->find("name.common")->shown(), "\"Norway\"");
    EXPECT_EQ((*source)->find("latlng.1")->shown(), "10");
    EXPECT_EQ((*source)->find("a.b")->shown(), "1") << "a member of that very name comes first";
    EXPECT_FALSE((*source)->find("capital.0"));
    EXPECT_FALSE((*source)->find("name.native"));
    EXPECT_FALSE((*source)->find("nothing"));
}

TEST(ImportSource, FormatsAreGuessedByContentThenName) {
    EXPECT_EQ(guess_format("x.csv", " [1"), ImportFormat::json);
    EXPECT_EQ(guess_format("x.json", "{\"a\":1}\n{"), ImportFormat::ndjson);
    EXPECT_EQ(guess_format("x", "\xef\xbb\xbf[{"), ImportFormat::json);
    EXPECT_EQ(guess_format("x.json", ""), ImportFormat::json);
    EXPECT_EQ(guess_format("x.jsonl", ""), ImportFormat::ndjson);
    EXPECT_EQ(guess_format("x.csv", "a,b"), ImportFormat::csv);
    EXPECT_EQ(guess_format("x", "a,b"), ImportFormat::csv);
}

}  // namespace
}  // namespace quern::app
