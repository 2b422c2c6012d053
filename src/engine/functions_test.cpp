// SPDX-License-Identifier: Apache-2.0

#include "engine/functions.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace quern::engine {
namespace {

std::string time_of(std::string_view format, std::vector<Value> const& arguments) {
    return strftime(format, arguments).value_or("(null)");
}

TEST(Strftime, EveryLetter) {
    std::vector<Value> const moment = {Value::of("2024-02-29 15:04:05.678Z")};
    std::pair<char const*, char const*> const expected[] = {
        {"%d", "29"},    {"%e", "29"},         {"%f", "05.678"}, {"%F", "2024-02-29"}, {"%G", "2024"},
        {"%g", "24"},    {"%H", "15"},         {"%I", "03"},     {"%j", "060"},        {"%k", "15"},
        {"%l", " 3"},    {"%m", "02"},         {"%M", "04"},     {"%p", "PM"},         {"%P", "pm"},
        {"%R", "15:04"}, {"%s", "1709219045"}, {"%S", "05"},     {"%T", "15:04:05"},   {"%u", "4"},
        {"%U", "08"},    {"%V", "09"},         {"%w", "4"},      {"%W", "09"},         {"%Y", "2024"},
        {"%%", "%"},     {"a%Yb", "a2024b"},   {"%q", "(null)"}, {"%", "(null)"},      {"", ""}};
    for (auto const& [format, text] : expected) EXPECT_EQ(time_of(format, moment), text) << format;
    EXPECT_EQ(time_of("%J", {Value::of("2000-01-01 12:00:00")}), "2451545");
}

TEST(Strftime, TimeValues) {
    auto const plain = [](Value value) { return time_of("%F %T", {value}); };
    EXPECT_EQ(plain(Value::of("2024-01-02")), "2024-01-02 00:00:00");
    EXPECT_EQ(plain(Value::of("2024-01-02T03:04")), "2024-01-02 03:04:00");
    EXPECT_EQ(plain(Value::of("2024-01-02 03:04:05+02:30")), "2024-01-02 00:34:05");
    EXPECT_EQ(plain(Value::of("10:11:12")), "2000-01-01 10:11:12");
    EXPECT_EQ(plain(Value::of("2023-02-31")), "2023-03-03 00:00:00");
    EXPECT_EQ(plain(Value::of(2451545.0)), "2000-01-01 12:00:00");
    EXPECT_EQ(plain(Value::of("2451545")), "2000-01-01 12:00:00");
    for (auto const* bad :
         {"", "now", "2024-13-01", "2024-00-01", "2024-1-1", "2024-01-02 25:00", "2024-01-02x", "nan"}) {
        EXPECT_EQ(plain(Value::of(bad)), "(null)") << bad;
    }
    EXPECT_EQ(plain({}), "(null)");
    EXPECT_EQ(plain(Value::of(1e30)), "(null)");
    EXPECT_EQ(plain(Value::of(std::numeric_limits<double>::quiet_NaN())), "(null)");
    EXPECT_EQ(time_of("%F", {}), "(null)");
}

TEST(Strftime, Modifiers) {
    auto const modified = [](char const* modifier) {
        return time_of("%F %T", {Value::of("2024-01-31 10:20:30"), Value::of(modifier)});
    };
    EXPECT_EQ(modified("+1 month"), "2024-03-02 10:20:30");
    EXPECT_EQ(modified("-1 years"), "2023-01-31 10:20:30");
    EXPECT_EQ(modified("1.5 days"), "2024-02-01 22:20:30");
    EXPECT_EQ(modified("-3 HOURS"), "2024-01-31 07:20:30");
    EXPECT_EQ(modified("start of month"), "2024-01-01 00:00:00");
    EXPECT_EQ(modified("start of year"), "2024-01-01 00:00:00");
    EXPECT_EQ(modified("start of day"), "2024-01-31 00:00:00");
    EXPECT_EQ(modified("weekday 3"), "2024-01-31 10:20:30");
    EXPECT_EQ(modified("weekday 0"), "2024-02-04 10:20:30");
    for (auto const* bad : {"", "days", "1days", "1 fortnight", "start of week", "weekday 7", "unixepoch",
                            "localtime", "99999999999 years", "9000 years"}) {
        EXPECT_EQ(modified(bad), "(null)") << bad;
    }
    EXPECT_EQ(time_of("%F %T", {Value::of(std::int64_t{86400}), Value::of("unixepoch"), Value::of("1 day")}),
              "1970-01-03 00:00:00");
    EXPECT_EQ(time_of("%s", {Value::of(std::int64_t{-1}), Value::of("unixepoch")}), "-1");
    EXPECT_EQ(time_of("%F", {Value::of("2024-01-01"), Value{}}), "(null)");
}

TEST(GeoDistance, KnownDistances) {
    Value const berlin[] = {Value::of(13.405), Value::of(52.52)};
    Value const paris[] = {Value::of(2.3522), Value::of(48.8566)};
    EXPECT_NEAR(geo_distance(berlin[0], berlin[1], paris[0], paris[1]).real, 877.46, 0.05);
    EXPECT_EQ(geo_distance(berlin[0], berlin[1], berlin[0], berlin[1]).real, 0.0);
    EXPECT_NEAR(
        geo_distance(Value::of(0.0), Value::of(0.0), Value::of(std::int64_t{180}), Value::of(0.0)).real,
        std::acos(-1.0) * 6371.0, 1e-6);
    EXPECT_TRUE(geo_distance(Value::of("0"), Value::of(0.0), Value::of(0.0), Value::of(0.0)).is_null());
    EXPECT_TRUE(geo_distance({}, Value::of(0.0), Value::of(0.0), Value::of(0.0)).is_null());
    EXPECT_TRUE(geo_distance(Value::of(HUGE_VAL), Value::of(0.0), Value::of(0.0), Value::of(0.0)).is_null());
}

TEST(LikeText, NumbersAreTheirJsonText) {
    std::string storage;
    EXPECT_EQ(like_text(Value::of(1.5), storage), "1.5");
    EXPECT_EQ(like_text(Value::of(2.0), storage), "2");
    EXPECT_EQ(like_text(Value::of(std::int64_t{-7}), storage), "-7");
    EXPECT_EQ(like_text(Value::of("x"), storage), "x");
    EXPECT_FALSE(like_text({}, storage));
}

}  // namespace
}  // namespace quern::engine
