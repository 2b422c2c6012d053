// SPDX-License-Identifier: Apache-2.0
#include "json/number.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace quern::json {
namespace {

TEST(Number, KnowsTheGrammar) {
    for (std::string_view const good : {"0", "-0", "7", "-12", "0.5", "1e5", "1E+5", "1e-05",
                                        "123456789012345678901234567890", "1.0e400"}) {
        EXPECT_TRUE(is_number(good)) << good;
    }
    for (std::string_view const bad : {"", "-", "+1", ".5", "1.", "01", "-01", "1e", "1e+", "0x10", " 1",
                                       "1 ", "NaN", "Infinity", "1,5", "١", "1_000", "--1"}) {
        EXPECT_FALSE(is_number(bad)) << bad;
    }
}

TEST(Number, SfortyExactIntegers) {
    constexpr auto max = std::numeric_limits<std::int64_t>::max();
    constexpr auto min = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(exact_integer("9223372036854775807"), max);
    EXPECT_EQ(exact_integer("-9223372036854775808"), min);
    EXPECT_EQ(exact_integer("9223372036854775807.000"), max);
    EXPECT_EQ(exact_integer("-9223372036854775808.0"), min);
    EXPECT_EQ(exact_integer("922337203685477580.7e1"), max);
    EXPECT_EQ(exact_integer("-0"), 0);
    EXPECT_EQ(exact_integer("-0.0e99999999999999999999"), 0);
    EXPECT_EQ(exact_integer("5e2"), 500);
    EXPECT_EQ(exact_integer("1e18"), 1'000'000'000'000'000'000);
    EXPECT_EQ(exact_integer("1500e-2"), 15);
    EXPECT_EQ(exact_integer("0.00012e5"), 12);
    for (std::string_view const bad :
         {"9223372036854775808", "-9223372036854775809", "1.5", "1e400", "1e19", "1e-1", "15e-1", "", "x",
          "1x", "99999999999999999999999999999999999999999999", "1e99999999999999999999",
          "1e-99999999999999999999"}) {
        EXPECT_FALSE(exact_integer(bad)) << bad;
    }
    EXPECT_FALSE(exact_integer(std::string(2000, '9')));
}

TEST(Number, NearestRealIsFiniteOrNothing) {
    EXPECT_EQ(nearest_real("0.1"), 0.1);
    EXPECT_EQ(nearest_real("1e-400"), 0.0);
    EXPECT_EQ(nearest_real("0.0000001e-400"), 0.0);
    EXPECT_EQ(nearest_real("5e-324"), 5e-324);
    EXPECT_EQ(nearest_real("1.7976931348623157e308"), std::numeric_limits<double>::max());
    for (std::string_view const bad :
         {"1e400", "-1e400", "1e309", "nan", "inf", "infinity", "0x10", "", "1 "}) {
        EXPECT_FALSE(nearest_real(bad)) << bad;
    }
    EXPECT_FALSE(nearest_real(std::string(2000, '9')));
    EXPECT_EQ(nearest_real("0." + std::string(2000, '0') + "1"), 0.0);
}

TEST(Number, FaithfulRealRefusesToChangeDigits) {
    EXPECT_EQ(faithful_real("9007199254740992"), 9007199254740992.0);
    EXPECT_FALSE(faithful_real("9007199254740993"));
    EXPECT_FALSE(faithful_real("-9007199254740993"));
    EXPECT_EQ(faithful_real("100000000000000000000"), 1e20);
    EXPECT_EQ(faithful_real("-0"), 0.0);
    EXPECT_EQ(faithful_real("0.1"), 0.1);
    EXPECT_EQ(faithful_real("1e300"), 1e300);
    EXPECT_FALSE(faithful_real("1e400"));
    EXPECT_FALSE(faithful_real(std::string(320, '9')));
}

}  // namespace
}  // namespace quern::json
