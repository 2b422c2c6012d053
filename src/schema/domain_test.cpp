// SPDX-License-Identifier: Apache-2.0
#include "schema/domain.h"

#include <gtest/gtest.h>

namespace quern {
namespace {

TEST(Domain, Emails) {
    EXPECT_EQ(email_domain("a@x.com"), "x.com");
    EXPECT_EQ(email_domain("first.last+tag@sub.example.org"), "sub.example.org");
    EXPECT_EQ(email_domain("zoë@bücher.example"), "bücher.example");
    EXPECT_EQ(email_domain("o'neil@x.co"), "x.co");
    for (std::string_view const bad :
         {"",          "a",           "@",         "a@",          "@x.com",      "a@x",       "a@@x.com",
          "a b@x.com", "A <a@x.com>", "a@x..com",  ".a@x.com",    "a.@x.com",    "a@-x.com",  "a@x-.com",
          "a@x.com ",  "a@x.com\n",   "a,b@x.com", "\"a\"@x.com", "a@[1.2.3.4]", "a..b@x.com"}) {
        EXPECT_FALSE(email_domain(bad)) << bad;
    }
    EXPECT_FALSE(email_domain(std::string(65, 'a') + "@x.com"));
}

TEST(Domain, Urls) {
    EXPECT_EQ(url_host("http://x.com"), "x.com");
    EXPECT_EQ(url_host("HTTPS://user:pw@sub.x.com:8080/a/b?c=d#e"), "sub.x.com");
    EXPECT_EQ(url_host("y.com"), "y.com");
    EXPECT_EQ(url_host("y.com/a://b"), "y.com");
    EXPECT_EQ(url_host("http://localhost:3000"), "localhost");
    EXPECT_EQ(url_host("http://127.0.0.1/x"), "127.0.0.1");
    EXPECT_EQ(url_host("http://[::1]:80/"), "[::1]");
    EXPECT_EQ(url_host("https://bücher.example/ü"), "bücher.example");
    for (std::string_view const bad :
         {"", "a", "http://", "http:///x", "javascript:alert(1)", "javascript://x.com/%0aalert(1)",
          "data://x.com", "http://x y.com", "http://x.com/a b", "http://x.com:0", "http://x.com:99999",
          "http://x.com:", "http://x..com", "http://-x.com", "http://x.com/<script>", "http://x.com/\n",
          "//x.com", "http://[::1", "http://[zz:]"}) {
        EXPECT_FALSE(url_host(bad)) << bad;
    }
}

TEST(Domain, Lists) {
    EXPECT_TRUE(is_allowed_domain("x.com", {}, {}));
    EXPECT_TRUE(is_allowed_domain("X.com", {"x.com"}, {}));
    EXPECT_FALSE(is_allowed_domain("sub.x.com", {"x.com"}, {}));
    EXPECT_FALSE(is_allowed_domain("x.COM", {}, {"x.com"}));
    EXPECT_TRUE(is_allowed_domain("y.com", {}, {"x.com"}));
}

}  // namespace
}  // namespace quern
