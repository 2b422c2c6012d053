// SPDX-License-Identifier: Apache-2.0
//
// What a read costs that opens the database for itself, phase by phase, without a server:
// `cold SECONDS DATABASE open|prepare|all FLAG`. `open` opens and closes, `prepare` also prepares and
// finalizes, `all` also binds and steps. FLAG is `private` (SQLITE_OPEN_PRIVATECACHE) or `plain`.
//
// Built twice, with each flavour of SQLite.

#include <sqlite3.h>

#include <chrono>
#include <cstdlib>
#include <string_view>

#include "program.h"

namespace {

constexpr int rows = 10'000;

// Another connection stays open, as in a server: a file that its last user closes loses its WAL each time.
sqlite3* open_file(char const* path, int flags) {
    sqlite3* connection = nullptr;
    bench::require(sqlite3_open_v2(path, &connection, SQLITE_OPEN_READWRITE | flags, nullptr) == SQLITE_OK,
                   "it opens");
    return connection;
}

enum class Phase { open, prepare, all };

void read_one(char const* path, int flags, Phase phase, int id) {
    sqlite3* const connection = open_file(path, flags);
    if (phase != Phase::open) {
        sqlite3_stmt* statement = nullptr;
        bench::require(
            sqlite3_prepare_v2(connection, "SELECT id, name, email, visits FROM users WHERE id = ?1", -1,
                               &statement, nullptr) == SQLITE_OK,
            "it prepares");
        if (phase == Phase::all) {
            sqlite3_bind_int(statement, 1, id);
            bench::require(sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 0) == id,
                           "the row is there");
            bench::keep(sqlite3_column_text(statement, 1));
            bench::keep(sqlite3_column_text(statement, 2));
            bench::keep(sqlite3_column_int64(statement, 3));
        }
        sqlite3_finalize(statement);
    }
    sqlite3_close(connection);
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 5) bench::give_up("usage: SECONDS DATABASE open|prepare|all private|plain");
    char const* const path = arguments[2];
    std::string_view const word = arguments[3];
    Phase const phase = word == "open" ? Phase::open : word == "prepare" ? Phase::prepare : Phase::all;
    int const flags =
        SQLITE_OPEN_NOMUTEX | (std::string_view(arguments[4]) == "private" ? SQLITE_OPEN_PRIVATECACHE : 0);
    sqlite3* const kept = open_file(path, flags);
    bench::require(sqlite3_exec(kept, "SELECT count(*) FROM users", nullptr, nullptr, nullptr) == SQLITE_OK,
                   "the table is there");
    unsigned seed = 1;
    bench::run_for(std::chrono::seconds(std::atoi(arguments[1])), [&] {
        read_one(path, flags, phase, static_cast<int>(static_cast<unsigned>(rand_r(&seed)) % rows) + 1);
    });
    sqlite3_close(kept);
    return 0;
}
