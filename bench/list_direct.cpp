// SPDX-License-Identifier: Apache-2.0
// The statement of the list20 leg through SQLite's C API, and nothing else: prepared once, bound, stepped
// over all rows with every column read, in autocommit. It is the cost that an answer cannot avoid. usage:
// bench_list FILE SECONDS      prints {"count", "cpu_us", "seconds"}
#include <sqlite3.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "program.h"

namespace {

constexpr char const* statement_text =
    "SELECT id, title, body, views, score, live, created FROM posts "
    "WHERE live = ?1 AND views > ?2 ORDER BY views, id LIMIT ?3 OFFSET ?4";
constexpr int rows_wanted = 20;

// Runs the statement once; the number of bytes read keeps the compiler from skipping the reading.
long run_once(sqlite3_stmt* statement) {
    long bytes = 0;
    int rows = 0;
    while (sqlite3_step(statement) == SQLITE_ROW) {
        ++rows;
        for (int column : {0, 1, 2, 6}) {
            if (sqlite3_column_text(statement, column) != nullptr)
                bytes += sqlite3_column_bytes(statement, column);
        }
        bytes += static_cast<long>(sqlite3_column_int64(statement, 3)) +
                 static_cast<long>(sqlite3_column_double(statement, 4)) + sqlite3_column_int(statement, 5);
    }
    sqlite3_reset(statement);
    if (rows != rows_wanted) {
        std::fprintf(stderr, "%d rows instead of %d\n", rows, rows_wanted);
        std::exit(1);
    }
    return bytes;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    sqlite3* database = nullptr;
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_open_v2(argv[1], &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr) !=
            SQLITE_OK ||
        sqlite3_prepare_v2(database, statement_text, -1, &statement, nullptr) != SQLITE_OK) {
        std::fprintf(stderr, "%s\n", sqlite3_errmsg(database));
        return 1;
    }
    sqlite3_bind_int(statement, 1, 1);
    sqlite3_bind_int(statement, 2, 5000);
    sqlite3_bind_int(statement, 3, rows_wanted);
    sqlite3_bind_int(statement, 4, 0);
    bench::run_for(std::chrono::seconds(std::atoi(argv[2])), [&] { bench::keep(run_once(statement)); });
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return 0;
}
