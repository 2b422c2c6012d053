// SPDX-License-Identifier: Apache-2.0
// expect: SqlValue: from_sql takes what to_sql returns
#include <quern/sqlite.h>

struct Odd {};
template <>
struct quern::SqlValue<Odd> {
    static constexpr std::string_view wanted = "odd";
    static std::string to_sql(Odd) { return "odd"; }
    static Odd from_sql(std::string_view) { return Odd(); }
};

void fails(quern::Database& db) { (void)db.query<"SELECT id FROM t", Odd>(); }
