// SPDX-License-Identifier: Apache-2.0
#include <quern/timestamp.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include <quern/arena.h>
#include <quern/dump.h>
#include <quern/json.h>

namespace quern {
namespace {

struct Event {
    Timestamp at;
    std::optional<Timestamp> end;
};
QUERN_DESCRIBE(Event, at, end)

TEST(Timestamp, IsADateInJson) {
    std::string text = R"({"at":"2026-01-31T23:59:59.123Z"})";
    std::size_t const size = text.size();
    text.append(64, '\0');
    Arena arena;
    Event event;
    ASSERT_TRUE(read_json(std::string_view(text).substr(0, size), arena, event));
    Buffer written;
    write_json(written, event);
    EXPECT_EQ(written.view(), R"({"at":"2026-01-31 23:59:59.123Z","end":null})");
}

TEST(Timestamp, LiesBetweenTheYears0000And9999) {
    using std::chrono::milliseconds;
    EXPECT_EQ(timestamp_text(timestamp_min - milliseconds(1)), "0000-01-01 00:00:00.000Z");
    EXPECT_EQ(timestamp_text(timestamp_max + milliseconds(1)), "9999-12-31 23:59:59.999Z");
    EXPECT_EQ(parse_timestamp("0000-01-01 00:00:00.000Z"), timestamp_min);
    EXPECT_EQ(parse_timestamp("9999-12-31T23:59:59-00:01"), std::nullopt);
    EXPECT_EQ(parse_timestamp(""), std::nullopt);
}

}  // namespace
}  // namespace quern
