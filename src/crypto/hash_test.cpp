// SPDX-License-Identifier: Apache-2.0
#include "crypto/hash.h"

#include <gtest/gtest.h>

#include "crypto/base64url.h"

namespace quern::crypto {
namespace {

TEST(Sha256, KnownDigests) {  // FIPS 180-4, examples
    EXPECT_EQ(to_hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(to_hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    EXPECT_EQ(to_hex(sha256(std::string(1'000'000, 'a'))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PiecesOfEverySizeGiveTheSameDigest) {
    std::string text;
    for (int i = 0; i < 300; ++i) text += static_cast<char>(i);
    Digest const whole = sha256(text);
    for (std::size_t size = 1; size <= text.size(); ++size) {
        Sha256 hash;
        for (std::size_t at = 0; at < text.size(); at += size)
            hash.update(std::string_view(text).substr(at, size));
        EXPECT_EQ(hash.finish(), whole) << size;
        EXPECT_EQ(hash.finish(), sha256("")) << "the object starts anew";
    }
}

TEST(HmacSha256, Rfc4231) {
    EXPECT_EQ(to_hex(hmac_sha256(std::string(20, '\x0b'), "Hi There")),
              "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    EXPECT_EQ(to_hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    EXPECT_EQ(to_hex(hmac_sha256(std::string(131, '\xaa'),
                                 "Test Using Larger Than Block-Size Key - Hash Key First")),
              "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(HmacSha256, Rfc7515AppendixA1) {
    auto const key = base64url_decode(
        "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow");
    ASSERT_TRUE(key);
    Digest const code =
        hmac_sha256(*key,
                    "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9."
                    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19"
                    "yb290Ijp0cnVlfQ");
    EXPECT_EQ(base64url_encode({reinterpret_cast<char const*>(code.data()), code.size()}),
              "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
}

TEST(HmacSha256, AKeyMayComeInTwoParts) {
    for (std::size_t size : {1U, 63U, 64U, 65U, 100U, 200U}) {
        std::string key;
        for (std::size_t i = 0; i < size; ++i) key += static_cast<char>('a' + i % 26);
        for (std::size_t cut = 0; cut <= size; ++cut) {
            HmacSha256 mac(std::string_view(key).substr(0, cut), std::string_view(key).substr(cut));
            mac.update("mess");
            mac.update("age");
            EXPECT_EQ(mac.finish(), hmac_sha256(key, "message")) << size << " cut at " << cut;
        }
    }
}

TEST(EqualConstantTime, TellsEqualFromDifferent) {
    EXPECT_TRUE(equal_constant_time("", ""));
    EXPECT_TRUE(equal_constant_time("secret", "secret"));
    EXPECT_FALSE(equal_constant_time("secret", "secreT"));
    EXPECT_FALSE(equal_constant_time("secret", "secre"));
    EXPECT_TRUE(equal_constant_time(sha256("a"), sha256("a")));
    EXPECT_FALSE(equal_constant_time(sha256("a"), sha256("b")));
}

}  // namespace
}  // namespace quern::crypto
