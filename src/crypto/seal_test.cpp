// SPDX-License-Identifier: Apache-2.0
#include "crypto/seal.h"

#include <gtest/gtest.h>

#include <string>

namespace quern::crypto {
namespace {

Digest const key = sha256("a key");

std::string sealed(std::string_view text, std::string_view context = "here") {
    std::string output(text.size() + seal_bytes, '\0');
    seal(key, context, text, output);
    return output;
}

TEST(Seal, OpensWhatItHasSealed) {
    for (std::string const& text : {std::string(), std::string("x"), std::string(5000, 'y')}) {
        std::string bytes = sealed(text);
        auto const opened = open_seal(key, "here", bytes);
        ASSERT_TRUE(opened);
        EXPECT_EQ(*opened, text);
    }
}

TEST(Seal, ShowsNothingOfTheText) {
    std::string const bytes = sealed("a salary of 90000");
    EXPECT_EQ(bytes.find("salary"), std::string::npos);
    EXPECT_EQ(bytes.find("90000"), std::string::npos);
    EXPECT_EQ(bytes, sealed("a salary of 90000"));
    // One changed character changes all of it, the nonce too.
    std::string const other = sealed("a salary of 90001");
    EXPECT_NE(bytes.substr(0, seal_nonce_bytes), other.substr(0, seal_nonce_bytes));
    EXPECT_NE(bytes.substr(seal_nonce_bytes, 8), other.substr(seal_nonce_bytes, 8));
}

TEST(Seal, OpensNothingThatWasChanged) {
    std::string const bytes = sealed("text");
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        std::string changed = bytes;
        changed[index] = static_cast<char>(changed[index] ^ 1);
        EXPECT_FALSE(open_seal(key, "here", changed)) << index;
    }
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        std::string cut = bytes.substr(0, size);
        EXPECT_FALSE(open_seal(key, "here", cut)) << size;
    }
}

TEST(Seal, OpensWithTheSameKeyAndContextOnly) {
    std::string bytes = sealed("text");
    EXPECT_FALSE(open_seal(key, "there", bytes));
    bytes = sealed("text");
    EXPECT_FALSE(open_seal(sha256("another key"), "here", bytes));
}

}  // namespace
}  // namespace quern::crypto
