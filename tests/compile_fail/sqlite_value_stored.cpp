// SPDX-License-Identifier: Apache-2.0
// expect: SqlValue: to_sql returns bool, an integer
#include <quern/sqlite.h>

struct Odd {};
template <>
struct quern::SqlValue<Odd> {
    static constexpr std::string_view wanted = "odd";
    static std::uint64_t to_sql(Odd) { return 1; }
    static std::optional<Odd> from_sql(std::uint64_t) { return Odd(); }
};

void fails(quern::Database& db) { (void)db.execute<"DELETE FROM t WHERE a = {a}">(Odd()); }
