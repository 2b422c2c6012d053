// SPDX-License-Identifier: Apache-2.0
#pragma once

// A growing run of bytes that keeps its memory: the thing responses are written into.
//
// Unlike std::string it can be grown without being zeroed, and can be cut back to a mark.
// Threads: one at a time. Cost: clear() keeps the memory; shrink() gives back what is above a limit.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace quern {

class Buffer {
public:
    Buffer() = default;
    // The moved-from buffer is empty and may be used again.
    Buffer(Buffer&& other) noexcept
        : bytes_(std::move(other.bytes_)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0)) {}
    Buffer& operator=(Buffer&& other) noexcept {
        bytes_ = std::move(other.bytes_);
        size_ = std::exchange(other.size_, 0);
        capacity_ = std::exchange(other.capacity_, 0);
        return *this;
    }

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }
    [[nodiscard]] char* data() { return bytes_.get(); }
    [[nodiscard]] char const* data() const { return bytes_.get(); }
    [[nodiscard]] std::string_view view() const { return {bytes_.get(), size_}; }

    void clear() { size_ = 0; }
    // Cuts back to an earlier size.
    void truncate(std::size_t size) { size_ = size < size_ ? size : size_; }

    // Room for `bytes` more; the returned place is written by the caller and then taken with advance().
    [[nodiscard]] char* reserve(std::size_t bytes) {
        if (capacity_ - size_ < bytes) [[unlikely]]
            grow(bytes);
        return bytes_.get() + size_;
    }
    void advance(std::size_t bytes) { size_ += bytes; }

    void append(std::string_view text) {
        if (text.empty()) return;
        std::memcpy(reserve(text.size()), text.data(), text.size());
        size_ += text.size();
    }
    void append(char c) {
        *reserve(1) = c;
        ++size_;
    }
    void append_integer(std::int64_t value) {
        char* const place = reserve(24);
        size_ += static_cast<std::size_t>(std::to_chars(place, place + 24, value).ptr - place);
    }

    // Frees the memory when more than `limit` bytes are held; the contents are dropped then.
    void shrink(std::size_t limit) {
        if (capacity_ <= limit) return;
        bytes_.reset();
        size_ = capacity_ = 0;
    }

private:
    void grow(std::size_t bytes) {
        std::size_t capacity = capacity_ < 256 ? 512 : capacity_ * 2;
        while (capacity - size_ < bytes) capacity *= 2;
        auto grown = std::make_unique_for_overwrite<char[]>(capacity);
        if (size_ > 0) std::memcpy(grown.get(), bytes_.get(), size_);
        bytes_ = std::move(grown);
        capacity_ = capacity;
    }

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

}  // namespace quern
