// SPDX-License-Identifier: Apache-2.0
#include "app/log.h"

#include <gtest/gtest.h>

namespace quern::app::log {
namespace {

TEST(Log, NobodyWritesLinesOfTheirOwn) {
    EXPECT_EQ(escape_controls("plain täxt 東京"), "plain täxt 東京");
    EXPECT_EQ(escape_controls("a\nb\r\x1b[31mred"), "a\\x0ab\\x0d\\x1b[31mred");
    EXPECT_EQ(escape_controls("\x7f \xc2\x9b"), "\\x7f \\x9b");
    EXPECT_EQ(escape_controls("\xff"), "\xef\xbf\xbd");
}

TEST(Log, TokensAreNotShown) {
    EXPECT_EQ(shown_target("/api/files/c/r/f.png?token=eyJh.b.c&thumb=1"),
              "/api/files/c/r/f.png?token=...&thumb=1");
    EXPECT_EQ(shown_target("/x?a=1&token=secret"), "/x?a=1&token=...");
    EXPECT_EQ(shown_target("/x?token=a&token=b"), "/x?token=...&token=...");
    EXPECT_EQ(shown_target("/x?mytoken=a"), "/x?mytoken=a");
    EXPECT_EQ(shown_target("/x?token="), "/x?token=...");
    EXPECT_EQ(shown_target("/" + std::string(5000, 'a')).size(), target_bytes_max + 3);
}

TEST(Log, ARequestAsText) {
    EXPECT_EQ(request_text({.method = "GET",
                            .target = "/api/x?filter=\n",
                            .status = 200,
                            .duration_us = 1'234,
                            .bytes = 532,
                            .peer = "127.0.0.1"}),
              "GET /api/x?filter=\\x0a 200 1.2 ms 532 B 127.0.0.1");
}

TEST(Log, ARequestAsJson) {
    EXPECT_EQ(request_members({.method = "GET",
                               .target = "/a\"b\n",
                               .status = 503,
                               .duration_us = 7,
                               .bytes = 0,
                               .peer = "::1"}),
              R"("method":"GET","target":"/a\"b\n","status":503,"durationUs":7,"bytes":0,"peer":"::1")");
}

}  // namespace
}  // namespace quern::app::log
