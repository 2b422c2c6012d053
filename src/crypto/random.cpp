// SPDX-License-Identifier: Apache-2.0
#include "crypto/random.h"

#include <sodium.h>

#include <algorithm>
#include <cstring>

#include <quern/assert.h>

namespace quern::crypto {

SystemRandom::SystemRandom() { QUERN_ASSERT(sodium_init() >= 0, "the system has a source of randomness"); }

void SystemRandom::fill(std::span<std::byte> output) { randombytes_buf(output.data(), output.size()); }

SeededRandom::SeededRandom(std::uint64_t seed) {
    QUERN_ASSERT(sodium_init() >= 0, "the system has a source of randomness");
    std::memcpy(key_.data(), &seed, sizeof seed);
}

void SeededRandom::fill(std::span<std::byte> output) {
    std::scoped_lock const lock(mutex_);
    // Each fill draws from a key stream of its own, named by its number.
    std::memcpy(key_.data() + sizeof(std::uint64_t), &drawn_, sizeof drawn_);
    ++drawn_;
    static_assert(sizeof key_ == randombytes_SEEDBYTES);
    randombytes_buf_deterministic(output.data(), output.size(), key_.data());
}

void random_text(Random& random, std::string_view alphabet, std::span<char> output) {
    QUERN_ASSERT(alphabet.size() >= 2 && alphabet.size() <= 256, "an alphabet of 2 to 256 characters");
    // Bytes at or above the largest multiple of the alphabet's size are thrown away: taking them modulo the
    // size would favour the first characters.
    std::size_t const fair_below = 256 - 256 % alphabet.size();
    std::array<std::byte, 96> drawn;
    std::size_t written = 0;
    while (written < output.size()) {
        // A quarter more than needed, so that one draw is usually enough.
        std::size_t const missing = output.size() - written;
        std::span<std::byte> const batch(drawn.data(), std::min(drawn.size(), missing + missing / 4 + 4));
        random.fill(batch);
        for (std::byte const byte : batch) {
            auto const number = std::to_integer<std::size_t>(byte);
            if (number >= fair_below) continue;
            output[written++] = alphabet[number % alphabet.size()];
            if (written == output.size()) break;
        }
    }
    sodium_memzero(drawn.data(), drawn.size());
}

std::string random_text(Random& random, std::string_view alphabet, std::size_t length) {
    std::string text(length, '\0');
    random_text(random, alphabet, text);
    return text;
}

}  // namespace quern::crypto
