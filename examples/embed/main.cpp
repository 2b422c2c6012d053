// SPDX-License-Identifier: Apache-2.0
//
// A program that is no server: it keeps a ledger in a SQLite file.
//
//     embed FILE add NAME AMOUNT | move FROM TO AMOUNT | list

#include <quern/describe.h>
#include <quern/sqlite.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

namespace {

// [rows]
struct Account {
    std::string name;
    std::int64_t amount = 0;
};
QUERN_DESCRIBE(Account, name, amount)

// A view: good for one step, so it is taken by query_each alone and copies no text.
struct AccountView {
    std::string_view name;
    std::int64_t amount = 0;
};
QUERN_DESCRIBE(AccountView, name, amount)

quern::Result<void> list(quern::Database& database) {
    return database.query_each<"SELECT name, amount FROM accounts ORDER BY name", AccountView>(
        [](AccountView const& account) {
            std::printf("%10lld  %.*s\n", static_cast<long long>(account.amount),
                        static_cast<int>(account.name.size()), account.name.data());
        });
}
// [rows]

quern::Result<void> add(quern::Database& database, std::string_view name, std::int64_t amount) {
    auto const added = database.execute<
        "INSERT INTO accounts VALUES ({name}, {amount}) "
        "ON CONFLICT DO UPDATE SET amount = amount + {amount}">(name, amount);
    if (!added) return quern::fail(added.error());
    return {};
}

// [transaction]
// Both accounts change or none does: an error undoes what the function has written.
quern::Result<void> move(quern::Database& database, std::string_view from, std::string_view to,
                         std::int64_t amount) {
    return database.transaction([&](quern::Transaction& transaction) -> quern::Result<void> {
        for (auto const& [name, change] : {std::pair(from, -amount), std::pair(to, amount)}) {
            auto const changed =
                transaction.execute<"UPDATE accounts SET amount = amount + {change} WHERE name = {name}">(
                    change, name);
            if (!changed) return quern::fail(changed.error());
            if (changed->rows == 0)
                return quern::fail(quern::ErrorCode::not_found, "There is no " + std::string(name) + ".");
        }
        return {};
    });
}
// [transaction]

quern::Result<void> run(quern::Database& database, int count, char** arguments) {
    std::string_view const what = arguments[2];
    std::int64_t amount = 0;
    std::string_view const last = arguments[count - 1];
    std::from_chars(last.data(), last.data() + last.size(), amount);
    if (what == "add" && count == 5) return add(database, arguments[3], amount);
    if (what == "move" && count == 6) return move(database, arguments[3], arguments[4], amount);
    if (what == "list" && count == 3) return list(database);
    return quern::fail(quern::ErrorCode::parameter_invalid, "add NAME AMOUNT, move FROM TO AMOUNT or list");
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) {
        std::fprintf(stderr, "usage: embed FILE add NAME AMOUNT | move FROM TO AMOUNT | list\n");
        return 2;
    }
    auto const database = quern::Database::open(arguments[1]);
    quern::Result<void> done =
        database ? (*database)->migrate({"CREATE TABLE accounts (name TEXT PRIMARY KEY, "
                                         "amount INTEGER NOT NULL CHECK (amount >= 0)) STRICT"})
                 : quern::fail(database.error());
    if (done) done = run(**database, count, arguments);
    if (!done) std::fprintf(stderr, "embed: %s\n", done.error().message.c_str());
    return done ? 0 : 1;
}
