// SPDX-License-Identifier: Apache-2.0
#include "app/csv.h"

#include <gtest/gtest.h>

namespace quern::app {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

// Each record as "line: [cell][cell]", a quoted cell with its quotes; "line: ! problem" for a bad one.
std::vector<std::string> read(std::string_view text, char separator = ',') {
    std::vector<std::string> result;
    CsvReader reader(text, separator);
    for (;;) {
        auto const outcome = reader.next();
        if (outcome == CsvReader::Outcome::end) return result;
        std::string shown = std::to_string(reader.line()) + ": ";
        if (outcome == CsvReader::Outcome::bad) {
            shown += "! " + reader.problem();
        } else {
            for (CsvCell const& cell : reader.cells()) {
                shown +=
                    cell.quoted ? "[\"" + std::string(cell.text) + "\"]" : "[" + std::string(cell.text) + "]";
            }
        }
        result.push_back(shown);
        if (result.size() > 100) return result;
    }
}

using Lines = std::vector<std::string>;

TEST(Csv, EveryLineEnd) {
    for (std::string_view const end : {"\n"sv, "\r\n"sv, "\r"sv}) {
        std::string text = "a,b";
        text.append(end).append("1,2").append(end).append(end).append("3,4");
        EXPECT_EQ(read(text), (Lines{"1: [a][b]", "2: [1][2]", "4: [3][4]"}));
        text.append(end);
        EXPECT_EQ(read(text), (Lines{"1: [a][b]", "2: [1][2]", "4: [3][4]"}))
            << "a last line end changes nothing";
    }
    EXPECT_EQ(read("a\n\rb"), (Lines{"1: [a]", "3: [b]"}));
}

TEST(Csv, QuotedCells) {
    EXPECT_EQ(read("\"a,b\",\"c\"\"d\",\"\"\n"), (Lines{"1: [\"a,b\"][\"c\"d\"][\"\"]"}));
    EXPECT_EQ(read("\"line1\nline2\",x\ny,\"x\r\ny\"\nz,1"),
              (Lines{"1: [\"line1\nline2\"][x]", "3: [y][\"x\r\ny\"]", "5: [z][1]"}));
    EXPECT_EQ(read("\"\"\"\",\"\"\"\"\"\""), (Lines{"1: [\"\"\"][\"\"\"\"]"}));
    EXPECT_EQ(read("\"a\rb\"\nc"), (Lines{"1: [\"a\rb\"]", "3: [c]"}));
}

TEST(Csv, ManyCopiedCellsStayWhole) {
    std::string text;
    std::string expected = "1: ";
    for (int i = 0; i < 200; ++i) {
        text += "\"x\"\"" + std::to_string(i) + "\",";
        expected += "[\"x\"" + std::to_string(i) + "\"]";
    }
    text += "end";
    EXPECT_EQ(read(text), (Lines{expected + "[end]"}));
    EXPECT_EQ(read(text + "\n" + text), (Lines{expected + "[end]", "2: " + expected.substr(3) + "[end]"}));
}

TEST(Csv, CSV_02_CellsAreKeptAsTheyAre) {
    EXPECT_EQ(read("=SUM(1), trailing ,NULL,9007199254740993,😀\n"),
              (Lines{"1: [=SUM(1)][ trailing ][NULL][9007199254740993][😀]"}));
    EXPECT_EQ(read(",\n,,"), (Lines{"1: [][]", "2: [][][]"}));
    EXPECT_EQ(read("a;\"b;c\"\n", ';'), (Lines{"1: [a][\"b;c\"]"}));
    EXPECT_EQ(read("a\tb", '\t'), (Lines{"1: [a][b]"}));
}

TEST(Csv, CSV_01_AByteOrderMarkIsNoPartOfTheFirstCell) {
    EXPECT_EQ(read("\xef\xbb\xbfname,x\n"), (Lines{"1: [name][x]"}));
    EXPECT_EQ(read("\xef\xbb\xbf\"name\",x\n"), (Lines{"1: [\"name\"][x]"}));
}

TEST(Csv, BadQuotesAreReportedAndReadingGoesOn) {
    EXPECT_EQ(read("a,b\"c\n1,2"),
              (Lines{"1: ! a quote inside a cell that does not begin with one", "2: [1][2]"}));
    EXPECT_EQ(read("\"a\"b,c\n1,2"), (Lines{"1: ! text behind a closing quote", "2: [1][2]"}));
    EXPECT_EQ(read("1,2\n\"a,b\n3,4"),
              (Lines{"1: [1][2]", "2: ! a quote that is never closed", "3: [3][4]"}));
    EXPECT_EQ(read("\""), (Lines{"1: ! a quote that is never closed"}));
}

TEST(Csv, NothingIsNothing) {
    EXPECT_EQ(read(""), Lines{});
    EXPECT_EQ(read("\n\r\n\r"), Lines{});
    EXPECT_EQ(read("\xef\xbb\xbf"), Lines{});
}

TEST(Csv, OtherEncodingsAreSeen) {
    EXPECT_NE(foreign_encoding("\xff\xfe"
                               "a\0,\0"sv),
              "");
    EXPECT_NE(foreign_encoding("\xfe\xff\0a"sv), "");
    EXPECT_NE(foreign_encoding("a\0b\0"sv), "");
    EXPECT_EQ(foreign_encoding("a,b\n"), "");
    EXPECT_EQ(foreign_encoding("\xef\xbb\xbf"
                               "a,b\n"),
              "");
    EXPECT_EQ(foreign_encoding(""), "");
}

}  // namespace
}  // namespace quern::app
