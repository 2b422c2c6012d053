// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <quern/json_writer.h>
#include "base/text.h"
#include "json/number.h"
#include "json/path.h"
#include "json/reader.h"

namespace quern::json {
namespace {

std::string to_json(std::string_view text) {
    Buffer buffer;
    append_string(buffer, text);
    return std::string(buffer.view());
}

std::string printed(double number) {
    Buffer buffer;
    append_real(buffer, number);
    return std::string(buffer.view());
}

// The obvious way, to compare with.
std::string expected_string(std::string_view text) {
    std::string result = "\"";
    for (std::size_t offset = 0; offset < text.size();) {
        char const first = text[offset];
        char32_t const code_point = next_code_point(text, offset);
        switch (code_point) {
        case '"': result += "\\\""; break;
        case '\\': result += "\\\\"; break;
        case '\b': result += "\\b"; break;
        case '\f': result += "\\f"; break;
        case '\n': result += "\\n"; break;
        case '\r': result += "\\r"; break;
        case '\t': result += "\\t"; break;
        default:
            if (code_point < 0x20) {
                char digits[8];
                std::snprintf(digits, sizeof digits, "\\u%04x", static_cast<unsigned>(first));
                result += digits;
            } else {
                append_utf8(result, code_point);
            }
        }
    }
    return result + "\"";
}

TEST(Writer, PutsCommasWhereTheyBelong) {
    Buffer buffer;
    Writer writer(buffer);
    writer.begin_object();
    writer.member("a", 1);
    writer.key("b");
    writer.begin_array();
    writer.integer(1);
    writer.begin_array();
    writer.end_array();
    writer.begin_object();
    writer.end_object();
    writer.null();
    writer.boolean(true);
    writer.real(0.5);
    writer.raw("{\"x\":1}");
    writer.end_array();
    writer.raw_members("");
    writer.raw_members("\"m\":1,\"n\":2");
    writer.member("c", "text");
    writer.member("d", false);
    writer.member_raw("e", "[]");
    writer.end_object();
    EXPECT_EQ(buffer.view(),
              R"({"a":1,"b":[1,[],{},null,true,0.5,{"x":1}],"m":1,"n":2,"c":"text","d":false,"e":[]})");
}

TEST(Writer, EscapesWhatMustBeEscaped) {
    EXPECT_EQ(to_json(""), "\"\"");
    EXPECT_EQ(to_json("a\"b\\c/"), R"("a\"b\\c/")");
    EXPECT_EQ(to_json("\b\f\n\r\t"), R"("\b\f\n\r\t")");
    EXPECT_EQ(to_json(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
    EXPECT_EQ(to_json("Zoë 日本 😀 \u2028"), "\"Zoë 日本 😀 \u2028\"");
}

TEST(Writer, TypeSevenReplacesIllFormedBytes) {
    EXPECT_EQ(to_json("\xFF\x41"), "\"\uFFFDA\"");
    EXPECT_EQ(to_json("\xC3\x28"), "\"\uFFFD(\"");
    EXPECT_EQ(to_json("\xED\xA0\x80"), "\"\uFFFD\uFFFD\uFFFD\"");
    EXPECT_EQ(to_json("0123456789abcdef\"\xC3"), "\"0123456789abcdef\\\"\uFFFD\"");
    EXPECT_EQ(to_json("\uFFFD"), "\"\uFFFD\"");
}

TEST(Writer, EveryLengthAndEveryPlaceOfASpecialByte) {
    for (std::size_t length = 0; length < 70; ++length) {
        std::string const plain(length, 'x');
        ASSERT_EQ(to_json(plain), expected_string(plain));
        for (std::size_t place = 0; place < length; ++place) {
            for (char const c : {'"', '\\', '\n', '\x01', '\x7f', '\x80', '\xff'}) {
                std::string text = plain;
                text[place] = c;
                ASSERT_EQ(to_json(text), expected_string(text)) << length << " " << place;
            }
        }
    }
}

TEST(Writer, RandomBytesGiveTheSameAsTheObviousWay) {
    std::mt19937 random(7);
    for (int round = 0; round < 20'000; ++round) {
        std::string text(random() % 80, '\0');
        bool const ascii = random() % 2 == 0;
        for (char& c : text) c = static_cast<char>(random() % (ascii ? 128 : 256));
        std::string const written = to_json(text);
        ASSERT_EQ(written, expected_string(text));
        ASSERT_TRUE(is_json(written));
    }
}

TEST(Writer, PrintsDoublesShortest) {
    EXPECT_EQ(printed(0.0), "0");
    EXPECT_EQ(printed(-0.0), "0");
    EXPECT_EQ(printed(1.0), "1");
    EXPECT_EQ(printed(-12.0), "-12");
    EXPECT_EQ(printed(100000.0), "100000");
    EXPECT_EQ(printed(0.1), "0.1");
    EXPECT_EQ(printed(1e20), "100000000000000000000");
    EXPECT_EQ(printed(1e21), "1e+21");
    EXPECT_EQ(printed(0.000001), "0.000001");
    EXPECT_EQ(printed(1e-7), "1e-07");
    EXPECT_EQ(printed(std::numeric_limits<double>::max()), "1.7976931348623157e+308");
    EXPECT_EQ(printed(9007199254740993.0), "9007199254740992");
}

TEST(Writer, TypeThreeNonFiniteIsNull) {
    EXPECT_EQ(printed(std::numeric_limits<double>::infinity()), "null");
    EXPECT_EQ(printed(-std::numeric_limits<double>::infinity()), "null");
    EXPECT_EQ(printed(std::nan("")), "null");
}

TEST(Writer, DoublesReadBackTheSame) {
    std::mt19937_64 random(11);
    for (int round = 0; round < 50'000; ++round) {
        double const number = std::bit_cast<double>(random());
        if (!std::isfinite(number)) continue;
        ASSERT_EQ(nearest_real(printed(number)), number) << printed(number);
    }
}

TEST(Writer, TypeThirteenLocaleDoesNotMatter) {
    char const* const found = std::setlocale(LC_ALL, "de_DE.UTF-8");
    EXPECT_EQ(printed(0.5), "0.5");
    EXPECT_EQ(nearest_real("0.5"), 0.5);
    std::setlocale(LC_ALL, "C");
    if (found == nullptr) GTEST_SKIP() << "de_DE.UTF-8 is not installed: only the C locale was tried";
}

TEST(Writer, PrintsEveryIntegerExactly) {
    Buffer buffer;
    Writer writer(buffer);
    writer.begin_array();
    for (std::int64_t const number :
         {INT64_MIN, INT64_MAX, std::int64_t{9007199254740993}, std::int64_t{0}}) {
        writer.integer(number);
    }
    writer.end_array();
    EXPECT_EQ(buffer.view(), "[-9223372036854775808,9223372036854775807,9007199254740993,0]");
}

}  // namespace
}  // namespace quern::json
