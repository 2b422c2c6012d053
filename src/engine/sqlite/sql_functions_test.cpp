// SPDX-License-Identifier: Apache-2.0

// Our strftime against the one that SQLite has, for what both know.

#include <sqlite3.h>

#include <random>

#include "engine/functions.h"
#include "engine/sqlite/test_database.h"

namespace quern::engine::sqlite {
namespace {

class StrftimeTest : public ::testing::Test {
protected:
    StrftimeTest() { sqlite3_open(":memory:", &raw_); }
    ~StrftimeTest() override { sqlite3_close(raw_); }

    std::string theirs(std::string const& format, std::string const& time, std::string const& modifier) {
        sqlite3_stmt* statement = nullptr;
        char const* const sql = modifier.empty() ? "SELECT strftime(?1, ?2)" : "SELECT strftime(?1, ?2, ?3)";
        sqlite3_prepare_v2(raw_, sql, -1, &statement, nullptr);
        sqlite3_bind_text(statement, 1, format.c_str(), -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, time.c_str(), -1, SQLITE_STATIC);
        if (!modifier.empty()) sqlite3_bind_text(statement, 3, modifier.c_str(), -1, SQLITE_STATIC);
        sqlite3_step(statement);
        auto const* const text = sqlite3_column_text(statement, 0);
        std::string result = text == nullptr ? "(null)" : reinterpret_cast<char const*>(text);
        sqlite3_finalize(statement);
        return result;
    }
    static std::string ours(std::string_view format, std::string const& time, std::string const& modifier) {
        std::vector<Value> arguments = {Value::of(std::string_view(time))};
        if (!modifier.empty()) arguments.push_back(Value::of(std::string_view(modifier)));
        return strftime(format, arguments).value_or("(null)");
    }

    sqlite3* raw_ = nullptr;
    std::mt19937 random_{7};
};

TEST_F(StrftimeTest, AgreesWithSqlite) {
    std::string const formats[] = {
        "%d %e %f %F %G %g %H %I %j %k %l %m %M %p %P %R %s %S %T %u %U %V %w %W %Y"};
    std::string const modifiers[] = {"",
                                     "+1 days",
                                     "-13 months",
                                     "5 years",
                                     "1.5 months",
                                     "-90 minutes",
                                     "12345.678 seconds",
                                     "weekday 3",
                                     "start of month",
                                     "start of year",
                                     "start of day",
                                     "-0.5 years",
                                     "2 hours",
                                     "bad modifier"};
    auto const number = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random_); };
    for (int round = 0; round < 2'000; ++round) {
        // Days that their month has: of others SQLite forgets with some modifiers that they are none.
        int const month = number(1, 12);
        int const days = month == 2 ? 28 : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
        char text[64];
        std::snprintf(text, sizeof text, "%04d-%02d-%02d %02d:%02d:%02d.%03d", number(1, 9998), month,
                      number(1, days), number(0, 23), number(0, 59), number(0, 59), number(0, 999));
        std::string const& modifier = modifiers[static_cast<std::size_t>(round) % std::size(modifiers)];
        std::string const expected = theirs(formats[0], text, modifier);
        // Beyond year 9999 and before year 0 we have no time, SQLite still has some.
        if (expected.starts_with("-") || expected.find(" -") != std::string::npos) continue;
        ASSERT_EQ(ours(formats[0], text, modifier), expected) << text << " " << modifier;
    }
}

}  // namespace
}  // namespace quern::engine::sqlite
