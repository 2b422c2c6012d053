// SPDX-License-Identifier: Apache-2.0
// Counts allocations of this test program: writer and warm reader must make none. Under AddressSanitizer,
// which has an allocator of its own, there is nothing to count.
#ifndef __SANITIZE_ADDRESS__

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include <quern/json_writer.h>
#include "json/path.h"
#include "json/reader.h"

namespace {
std::atomic<std::size_t> allocations = 0;
}

// NOLINTBEGIN: the replaceable global functions
void* operator new(std::size_t bytes) {
    ++allocations;
    if (void* const place = std::malloc(bytes)) return place;
    throw std::bad_alloc();
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
// NOLINTEND

namespace quern::json {
namespace {

TEST(Allocation, TheCounterCounts) {
    std::size_t const before = allocations;
    // A call of the function itself may not be left out, as a new-expression may.
    operator delete(operator new(1));
    EXPECT_GT(allocations, before);
}

TEST(Allocation, WriterMakesNoneOnceTheBufferIsLargeEnough) {
    Buffer buffer;
    (void)buffer.reserve(4096);
    append_string(buffer, "é");  // simdjson chooses its code for this processor once
    std::size_t const before = allocations;
    for (int round = 0; round < 100; ++round) {
        buffer.clear();
        Writer writer(buffer);
        writer.begin_object();
        writer.member("title", "Some \"text\" with é and more than sixteen bytes");
        writer.member("number", std::int64_t{-5});
        writer.key("real");
        writer.real(0.1);
        writer.end_object();
    }
    EXPECT_EQ(allocations, before);
}

TEST(Allocation, WarmReaderMakesNone) {
    std::string body = R"({"title":"Hello \"you\"","n":42,"tags":["a","b"],"o":{"x":1.5},"long":")" +
                       std::string(300, 'x') + "\"}";
    body.reserve(body.size() + padding_bytes);
    Document document;
    ASSERT_TRUE(document.parse(body));
    std::size_t const before = allocations;
    for (int round = 0; round < 100; ++round) {
        auto const root = document.parse(body);
        ASSERT_TRUE(root);
        ASSERT_EQ(root->find("n")->integer(), 42);
    }
    EXPECT_EQ(allocations, before);
}

TEST(Allocation, PathMakesNoneForTextsWithoutEscapes) {
    std::vector<std::string> const path = {"a", "1", "b"};
    std::string scratch;
    std::size_t const before = allocations;
    EXPECT_EQ(value_at(R"({"x":[1,2],"a":[0,{"b":"found"}]})", path, scratch).text, "found");
    EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace quern::json

#endif
