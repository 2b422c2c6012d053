// SPDX-License-Identifier: Apache-2.0
#pragma once

// Randomness as a parameter: whoever needs it is given a Random, so that a test can repeat a run by its seed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

namespace quern::crypto {

// Alphabets for random_text(): of record ids, and of secrets.
inline constexpr std::string_view alphabet_id = "abcdefghijklmnopqrstuvwxyz0123456789";
inline constexpr std::string_view alphabet_secret =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
inline constexpr std::size_t secret_chars = 50;  // 297 bits from alphabet_secret

// Threads: any.
class Random {
public:
    virtual ~Random() = default;
    // Fills `output` with bytes that nobody can foretell. Cannot fail: a system without randomness ends the
    // process.
    virtual void fill(std::span<std::byte> output) = 0;
};

// The operating system's generator. Cost: one system call, about 0.5 µs for up to 256 bytes.
class SystemRandom final : public Random {
public:
    SystemRandom();
    void fill(std::span<std::byte> output) override;
};

// For tests alone: the same seed gives the same bytes. Never for secrets of a running server.
class SeededRandom final : public Random {
public:
    explicit SeededRandom(std::uint64_t seed);
    void fill(std::span<std::byte> output) override;

private:
    std::mutex mutex_;
    std::array<unsigned char, 32> key_{};  // guarded by mutex_
    std::uint64_t drawn_ = 0;              // guarded by mutex_: number of fills so far
};

// Fills `output` with characters of `alphabet`, each equally likely (no modulo bias).
// Limits: the alphabet has 2 to 256 characters. Cost: no allocation; usually one fill() for 64 characters.
void random_text(Random& random, std::string_view alphabet, std::span<char> output);
// The same as a string.
[[nodiscard]] std::string random_text(Random& random, std::string_view alphabet, std::size_t length);

}  // namespace quern::crypto
