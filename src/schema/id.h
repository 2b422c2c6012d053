// SPDX-License-Identifier: Apache-2.0
#pragma once

// Made-up texts: ids of records and collections, and whatever a field's autogenerate pattern asks for.

#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include <quern/arena.h>

namespace quern {

// Where random bytes come from: anything that has fill(std::span<std::byte>), such as crypto::Random.
// Lifetime: borrows it. Threads: as the thing behind it.
class RandomSource {
public:
    template <class Random>
    requires(!std::same_as<std::remove_const_t<Random>, RandomSource> &&
             requires(Random & random, std::span<std::byte> bytes) { random.fill(bytes); })
        RandomSource(Random& random)  // NOLINT: meant to convert
        : source_(&random),
          fill_([](void* source, std::span<std::byte> bytes) { static_cast<Random*>(source)->fill(bytes); }) {
    }

    void fill(std::span<std::byte> bytes) const { fill_(source_, bytes); }

private:
    void* source_;
    void (*fill_)(void*, std::span<std::byte>);
};

inline constexpr std::size_t record_id_length = 15;
inline constexpr std::string_view record_id_pattern = "^[a-z0-9]+$";
inline constexpr std::string_view record_id_autogenerate = "[a-z0-9]{15}";

// 15 characters of [a-z0-9], each equally likely. Lifetime: the arena's.
[[nodiscard]] std::string_view make_record_id(RandomSource random, Arena& arena);

// "pbc_" and ten digits.
[[nodiscard]] std::string make_collection_id(RandomSource random);

// The id of a new field: its type and a number made of its name, so that the same definition gives the same
// id wherever it is loaded. `taken` says which ids are in use.
[[nodiscard]] std::string make_field_id(std::string_view type_name, std::string_view field_name,
                                        std::span<std::string const> taken);

// A pattern to make texts by: characters, `\` before a character that means something, `\d`, `\w`, classes
// like [a-zA-Z0-9_] (not negated), each with an optional {n} or {n,m}. Limits: generated_chars_max characters
// in all, so a pattern may not ask for more.
inline constexpr std::size_t generated_chars_max = 1000;

// Whether the pattern is one.
[[nodiscard]] bool is_autogenerate_pattern(std::string_view pattern);
// A text by the pattern; nothing if it is none. Lifetime: the arena's.
[[nodiscard]] std::optional<std::string_view> autogenerate(std::string_view pattern, RandomSource random,
                                                           Arena& arena);

}  // namespace quern
