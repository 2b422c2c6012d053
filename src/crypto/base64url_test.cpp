// SPDX-License-Identifier: Apache-2.0
#include "crypto/base64url.h"

#include <gtest/gtest.h>

namespace quern::crypto {
namespace {

TEST(Base64url, KnownTexts) {  // RFC 4648 section 10, without padding; RFC 7515 appendix C
    EXPECT_EQ(base64url_encode(""), "");
    EXPECT_EQ(base64url_encode("f"), "Zg");
    EXPECT_EQ(base64url_encode("fo"), "Zm8");
    EXPECT_EQ(base64url_encode("foo"), "Zm9v");
    EXPECT_EQ(base64url_encode("foob"), "Zm9vYg");
    EXPECT_EQ(base64url_encode("fooba"), "Zm9vYmE");
    EXPECT_EQ(base64url_encode("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64url_encode("\x03\xec\xff\xe0\xc1"), "A-z_4ME");
}

TEST(Base64url, EveryByteAndLengthComesBack) {
    std::string bytes;
    for (int i = 0; i < 400; ++i) {
        std::string const text = base64url_encode(bytes);
        EXPECT_EQ(text.size(), base64url_encoded_size(bytes.size()));
        EXPECT_EQ(base64url_decoded_size(text.size()), bytes.size());
        EXPECT_EQ(base64url_decode(text), bytes);
        bytes += static_cast<char>(i * 7 + i / 256);
    }
}

TEST(Base64url, RefusesWhatIsNotStrict) {
    for (char const* text : {"Z", "Zm9vY", "Zg==", "Zg=", "Zm9v\n", " Zm9v", "Zm 9v", "A+z_4ME", "A-z/4ME",
                             "Zm9v.", "Z\xc3\xa9v"}) {
        EXPECT_FALSE(base64url_decode(text)) << text;
    }
    using std::string_view_literals::operator""sv;
    EXPECT_FALSE(base64url_decode("Zm9\0"sv));
}

TEST(Base64url, OneTextForEachBytes) {
    // "Zg" is "f"; the other texts that end in bits which stand for nothing are refused.
    int accepted = 0;
    for (char const c :
         std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")) {
        accepted += base64url_decode(std::string("Z") + c).has_value() ? 1 : 0;
    }
    EXPECT_EQ(accepted, 4);
    accepted = 0;
    for (char const c :
         std::string_view("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")) {
        accepted += base64url_decode(std::string("Zm") + c).has_value() ? 1 : 0;
    }
    EXPECT_EQ(accepted, 16);
}

}  // namespace
}  // namespace quern::crypto
