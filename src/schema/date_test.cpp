// SPDX-License-Identifier: Apache-2.0
#include "schema/date.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace quern {
namespace {

struct Case {
    std::string_view input;
    std::string_view stored;  // empty = refused
};

TEST(Date, NormalisesEveryAcceptedForm) {
    Case const cases[] = {
        {"2023-08-06 05:00:00.000Z", "2023-08-06 05:00:00.000Z"},
        {"2023-08-06T05:00:00Z", "2023-08-06 05:00:00.000Z"},
        {"2023-08-06t05:00:00z", "2023-08-06 05:00:00.000Z"},
        {"2023-08-06T02:04:33+02:00", "2023-08-06 00:04:33.000Z"},
        {"2023-08-06T02:04:33-0230", "2023-08-06 04:34:33.000Z"},
        {"2023-08-06 02:04:33+02", "2023-08-06 00:04:33.000Z"},
        {"2023-08-06T23:59:59.9999Z", "2023-08-06 23:59:59.999Z"},
        {"2023-08-06T23:59:59.1Z", "2023-08-06 23:59:59.100Z"},
        {"2023-08-06T23:59:59,25", "2023-08-06 23:59:59.250Z"},
        {"2023-08-06T23:59:59.123456789012345678901234567890Z", "2023-08-06 23:59:59.123Z"},
        {"2023-08-06 10:30", "2023-08-06 10:30:00.000Z"},
        {"2023-08-06", "2023-08-06 00:00:00.000Z"},
        {"2023-08", "2023-08-01 00:00:00.000Z"},
        {"2023", "2023-01-01 00:00:00.000Z"},
        {"2024-02-29", "2024-02-29 00:00:00.000Z"},
        {"0000-01-01", "0000-01-01 00:00:00.000Z"},
        {"9999-12-31 23:59:59.999Z", "9999-12-31 23:59:59.999Z"},
        {"1969-12-31 23:59:59.999Z", "1969-12-31 23:59:59.999Z"},
    };
    for (auto const& one : cases)
        EXPECT_EQ(normalise_date(one.input).value_or("refused"), one.stored) << one.input;
}

TEST(Date, RefusesWhatIsNoDate) {
    for (std::string_view const input :
         {"", " ", "x", "202", "20233", "2023-", "2023-13", "2023-00", "2023-8", "2023-02-29", "2100-02-29",
          "2023-04-31", "2023-08-00", "2023-08-06T", "2023-08-06 ", "2023-08-06T5:00", "2023-08-06T24:00:00",
          "2023-08-06T10:60", "2023-08-06T10:00:60", "2023-08-06T10:00:00.", "2023-08-06T10:00:00.Z",
          "2023-08-06T10:00:00+", "2023-08-06T10:00:00+2", "2023-08-06T10:00:00+24:00",
          "2023-08-06T10:00:00+02:", "2023-08-06T10:00:00+02:60", "2023-08-06T10:00:00Zx", "2023-08-06Z",
          "2023-08T10:00", "2023T10:00", "-2023-08-06", "+2023-08-06", "2023-08-06T10:00:00 Z", "2023/08/06",
          "06.08.2023", "infinity", "now",
          // outside the years 0000 to 9999 once the offset is off
          "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "٢٠٢٣"}) {
        EXPECT_FALSE(normalise_date(input)) << input;
    }
    EXPECT_FALSE(normalise_date(std::string_view("2023-08-06\0", 11)));
}

TEST(Date, EveryPrefixAndEveryByteIsAcceptedOrRefusedQuietly) {
    std::string const whole = "2023-08-06T02:04:33.123+02:00";
    for (std::size_t length = 0; length <= whole.size(); ++length) {
        auto const stored = normalise_date(std::string_view(whole).substr(0, length));
        if (stored) {
            EXPECT_EQ(stored->size(), date_length);
        }
        for (int byte = 0; byte < 256 && length < whole.size(); ++byte) {
            std::string changed = whole;
            changed[length] = static_cast<char>(byte);
            auto const other = normalise_date(changed);
            if (other) {
                EXPECT_EQ(normalise_date(*other), other) << changed;
            }
        }
    }
}

TEST(Date, TypeFourteenLiteralsCompareAsTimes) {
    std::string const stored = normalise_date("2023-08-06 05:00:00Z").value();
    for (std::string_view const literal :
         {"2023-08-06T00:04:33Z", "2023-08-06 00:04:33Z", "2023-08-06T02:04:33+02:00", "2023-08-06"}) {
        EXPECT_GE(stored, normalise_date(literal).value()) << literal;
    }
}

TEST(Date, FormatsAndReadsBackEveryDay) {
    constexpr std::int64_t step_ms = 86'400'000LL * 97 + 12'345'678;
    for (std::int64_t moment = date_min_ms; moment <= date_max_ms; moment += step_ms) {
        ASSERT_EQ(parse_date(format_date(moment)), moment);
    }
    EXPECT_EQ(format_date(0), "1970-01-01 00:00:00.000Z");
    EXPECT_EQ(format_date(date_min_ms), "0000-01-01 00:00:00.000Z");
    EXPECT_EQ(format_date(date_max_ms), "9999-12-31 23:59:59.999Z");
    EXPECT_EQ(format_date(INT64_MIN), "0000-01-01 00:00:00.000Z");
    EXPECT_EQ(format_date(INT64_MAX), "9999-12-31 23:59:59.999Z");
}

TEST(Date, TheTimeZoneOfTheProcessNeverShows) {
    std::string const before = std::getenv("TZ") == nullptr ? "" : std::getenv("TZ");
    setenv("TZ", "Pacific/Kiritimati", 1);
    tzset();
    EXPECT_EQ(normalise_date("2023-08-06T05:00:00").value(), "2023-08-06 05:00:00.000Z");
    EXPECT_EQ(format_date(0), "1970-01-01 00:00:00.000Z");
    if (before.empty()) {
        unsetenv("TZ");
    } else {
        setenv("TZ", before.c_str(), 1);
    }
    tzset();
}

}  // namespace
}  // namespace quern
