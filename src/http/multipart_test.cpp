// SPDX-License-Identifier: Apache-2.0
#include "http/multipart.h"

#include <gtest/gtest.h>

#include <string>

namespace quern::http {
namespace {

std::string boundary_of(std::string_view content_type) {
    auto const boundary = multipart_boundary(content_type);
    return boundary ? std::string(*boundary) : "-";
}

TEST(Multipart, TheBoundaryIsReadFromTheContentType) {
    EXPECT_EQ(boundary_of("multipart/form-data; boundary=abc"), "abc");
    EXPECT_EQ(boundary_of("Multipart/Form-Data ;charset=utf-8; BOUNDARY=\"a b'c\""), "a b'c");
    EXPECT_EQ(boundary_of("multipart/form-data; boundary=" + std::string(70, 'x')), std::string(70, 'x'));
    for (std::string_view const bad :
         {"", "multipart/form-data", "multipart/mixed; boundary=a", "multipart/form-data; boundary=",
          "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"a",
          "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary=a; boundary=b",
          "multipart/form-data boundary=a", "multipart/form-data; boundary=\"a\\\"b\"",
          "multipart/form-data; boundary=a;", "multipart/form-data; boundary=\"a*b\""})
        EXPECT_EQ(boundary_of(bad), "-") << bad;
    EXPECT_EQ(boundary_of("multipart/form-data; boundary=" + std::string(71, 'x')), "-");
}

// "name|filename|type|bytes" of each part, or the code and what the message says of the place.
std::string read(std::string_view body, MultipartLimits const& limits = {}) {
    Arena arena;
    auto const parts = read_parts(body, "B", limits, arena);
    if (!parts) {
        std::string_view const message = parts.error().message;
        std::size_t const at = message.find("At byte");
        return std::string(name(parts.error().code)) + " " +
               std::string(at == std::string_view::npos ? message : message.substr(at));
    }
    std::string list;
    for (Part const& part : *parts) {
        list += std::string(part.name) + "|" + (part.is_file ? std::string(part.filename) : "-") + "|" +
                std::string(part.content_type) + "|" + std::string(part.bytes) + "\n";
    }
    return list;
}

std::string part(std::string_view disposition, std::string_view bytes) {
    return "--B\r\nContent-Disposition: " + std::string(disposition) + "\r\n\r\n" + std::string(bytes) +
           "\r\n";
}
constexpr std::string_view end = "--B--\r\n";

TEST(Multipart, PartsAreRead) {
    EXPECT_EQ(read("--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
                   "--B  \r\ncontent-type:  text/x \r\nX-Other: y\r\ncontent-disposition: Form-Data; "
                   "filename=\"C:\\dir\\f.txt\"; name=b\r\n\r\n\r\n2\r\n\r\n--B--"),
              "a|-||1\nb|f.txt|text/x|\r\n2\r\n\n");
    EXPECT_EQ(read("\r\n" + part("form-data; name=\"\"; filename=\"\"", "") + "--B-- anything"), "|||\n");
    EXPECT_EQ(
        read(part("form-data; name=\"q\\\"\\\\\"; filename=\"../../ö\"; filename*=x", "") + std::string(end)),
        "q\"\\|ö||\n");
    EXPECT_EQ(read("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n--B--"), "a|-||\n");
}

TEST(Multipart, WhatLooksLikeABoundaryIsContent) {
    for (std::string_view const bytes : {"--B", "x--B--", "\n--B--", "\r--B", "\r\n--Bx", "\r\n--B-",
                                         "\r\n-B", "\r\n--B \n", "\r\n\r\n", "\r\n--", "\r\n--b--"})
        EXPECT_EQ(read(part("form-data; name=a", "1" + std::string(bytes)) + std::string(end)),
                  "a|-||1" + std::string(bytes) + "\n");
}

TEST(Multipart, MalformedFormsAreRefused) {
    EXPECT_EQ(read(""), "body_invalid At byte 0: expected the first boundary.");
    EXPECT_EQ(read("--B--\r\n"), "body_invalid At byte 5: a form has at least one part.");
    EXPECT_EQ(read("preamble\r\n" + part("form-data; name=a", "") + std::string(end)),
              "body_invalid At byte 0: expected the first boundary.");
    for (std::string_view const disposition :
         {"form-data", "attachment; name=a", "form-data; name", "form-data; name=", "form-data; name=\"a",
          "form-data; name=a; name=b", "form-data; name=a; filename=b; filename=c", "form-data name=a",
          "form-data; =a", "form-data; name=\"a\"b", "form-data; name=a\nX: y", "form-data; name=\"\xff\"",
          "form-data; name=a\r\nContent-Disposition: form-data; name=b", "form-data; name=a\r\n folded",
          "form-data; name=a\r\nNo colon", "form-data; name=a\r\n: empty", "form-data; name=a\r\nB : c"})
        EXPECT_EQ(read(part(disposition, "1") + std::string(end)).substr(0, 12), "body_invalid")
            << disposition;
    EXPECT_EQ(read("--B\r\nX: y\r\n\r\n1\r\n--B--").substr(0, 12), "body_invalid");
    EXPECT_EQ(read("--B\nContent-Disposition: form-data; name=a\n\n1\n--B--").substr(0, 12), "body_invalid");
}

TEST(Multipart, LimitsAreKept) {
    std::string const two =
        part("form-data; name=a", "1") + part("form-data; name=b", "2") + std::string(end);
    EXPECT_EQ(read(two, {.parts_max = 2, .header_bytes_max = 64}), "a|-||1\nb|-||2\n");
    EXPECT_EQ(read(two, {.parts_max = 1, .header_bytes_max = 64}), "too_large The form has too many parts.");
    EXPECT_EQ(read(two, {.parts_max = 2, .header_bytes_max = 20}),
              "too_large The headers of a part are too large.");
    std::string many;
    for (int count = 0; count < 100; ++count) many += part("form-data; name=a", std::to_string(count));
    EXPECT_TRUE(read(many + std::string(end)).ends_with("a|-||98\na|-||99\n"));
}

// A form that was cut anywhere is refused, and a changed byte does no harm.
TEST(Multipart, CutAndChangedForms) {
    std::string const whole =
        part("form-data; name=\"a\\\"\"; filename=f", "1\r\n--") + part("form-data; name=b", "-B") + "--B--";
    ASSERT_EQ(read(whole), "a\"|f||1\r\n--\nb|-||-B\n");
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_EQ(read(std::string_view(whole).substr(0, size)).substr(0, 12), "body_invalid") << size;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (char const c : {'\0', '\r', '\n', '-', '"', '\\', ';', '=', ':', '\xff', ' '}) {
            std::string changed = whole;
            changed[at] = c;
            std::string const first = read(changed);
            EXPECT_EQ(first, read(changed));
        }
    }
}

}  // namespace
}  // namespace quern::http
