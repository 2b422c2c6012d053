// SPDX-License-Identifier: Apache-2.0
#include "crypto/random.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace quern::crypto {
namespace {

TEST(Random, SameSeedSameBytes) {
    SeededRandom first(7);
    SeededRandom second(7);
    SeededRandom other(8);
    std::string const from_first = random_text(first, alphabet_secret, secret_chars);
    EXPECT_EQ(from_first, random_text(second, alphabet_secret, secret_chars));
    EXPECT_NE(from_first, random_text(other, alphabet_secret, secret_chars));
    EXPECT_NE(from_first, random_text(first, alphabet_secret, secret_chars)) << "a second draw goes on";
}

TEST(Random, SystemBytesDiffer) {
    SystemRandom random;
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) seen.insert(random_text(random, alphabet_id, 15));
    EXPECT_EQ(seen.size(), 100U);
}

TEST(Random, TextHasItsLengthAndAlphabet) {
    SeededRandom random(1);
    for (std::size_t length : {0U, 1U, 15U, 50U, 96U, 97U, 1000U}) {
        std::string const text = random_text(random, alphabet_id, length);
        EXPECT_EQ(text.size(), length);
        EXPECT_EQ(text.find_first_not_of(alphabet_id), std::string::npos);
    }
}

TEST(Random, EveryCharacterIsEquallyLikely) {
    // 36 does not divide 256: a plain modulo would make the first four characters 14 % more likely.
    SeededRandom random(2);
    constexpr std::size_t draws = 360'000;
    std::map<char, double> counts;
    for (char const c : random_text(random, alphabet_id, draws)) ++counts[c];
    ASSERT_EQ(counts.size(), alphabet_id.size());
    for (auto const& [c, count] : counts) EXPECT_NEAR(count, 10'000, 500) << c;
}

// Counts draws and gives bytes that no alphabet of 3 characters can use fairly but the last ones.
class HighBytes final : public Random {
public:
    void fill(std::span<std::byte> output) override {
        for (std::byte& byte : output) byte = fills == 0 ? std::byte{255} : std::byte{1};
        ++fills;
    }
    int fills = 0;
};

TEST(Random, UnfairBytesAreThrownAway) {
    HighBytes random;
    EXPECT_EQ(random_text(random, "abc", 4), "bbbb");
    EXPECT_EQ(random.fills, 2);
}

}  // namespace
}  // namespace quern::crypto
