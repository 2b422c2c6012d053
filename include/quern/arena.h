// SPDX-License-Identifier: Apache-2.0
#pragma once

// Memory that lives as long as one request.
//
// Allocation moves a pointer; nothing is freed singly. reset() keeps the blocks, so a warm arena never calls
// the allocator. Destructors are not run: only trivially destructible things belong here.
// Threads: one at a time.

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace quern {

class Arena {
public:
    static constexpr std::size_t first_block_bytes = 4 * 1024;
    // Blocks beyond this total are given back by reset(), so that one large request does not keep memory for
    // ever.
    static constexpr std::size_t kept_bytes_max = 64 * 1024;

    Arena() = default;
    Arena(Arena const&) = delete;
    Arena& operator=(Arena const&) = delete;

    [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = alignof(std::max_align_t));

    // An uninitialised array of `count` T.
    template <class T>
    [[nodiscard]] std::span<T> array(std::size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        return {static_cast<T*>(allocate(count * sizeof(T), alignof(T))), count};
    }

    template <class T, class... Arguments>
    [[nodiscard]] T* make(Arguments&&... arguments) {
        static_assert(std::is_trivially_destructible_v<T>);
        return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Arguments>(arguments)...};
    }

    // A copy of `text` that lives until reset().
    [[nodiscard]] std::string_view copy(std::string_view text);

    // Forgets everything that was allocated; views into the arena die.
    void reset();

private:
    struct Block {
        std::unique_ptr<std::byte[]> bytes;
        std::size_t size;
    };
    std::vector<Block> blocks_;
    std::size_t block_ = 0;   // index of the block in use
    std::size_t offset_ = 0;  // next free byte in it
};

}  // namespace quern
