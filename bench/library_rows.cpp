// SPDX-License-Identifier: Apache-2.0

// What the library costs above SQLite's C API by hand: a hundred rows written as JSON, and one row by its id.
//
// Both sides read the same file with its locks kept in the process (system calls for locks between processes
// would hide what is measured), keep their statements and write the same bytes. Rounds alternate between the
// two, so that whatever else the machine does hits both; the median of the rounds' ratios is what counts.
//
// usage: bench_library_rows [rounds]

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>
#include <boost/describe/class.hpp>

#include <quern/assert.h>
#include <quern/buffer.h>
#include <quern/sqlite.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr int rows_in_table = 1000;
constexpr int rows_read = 100;
constexpr int lists_a_round = 100;
constexpr int singles_a_round = 5000;

struct Todo {
    std::int64_t id = 0;
    std::string_view title;
    bool done = false;
    double weight = 0;
};
BOOST_DESCRIBE_STRUCT(Todo, (), (id, title, done, weight))

struct Single {
    std::int64_t id = 0;
    bool done = false;
    double weight = 0;
};
BOOST_DESCRIBE_STRUCT(Single, (), (id, done, weight))

void write(quern::Buffer& json, std::int64_t id, std::string_view title, bool done, double weight) {
    json.append(R"({"id":)");
    json.append_integer(id);
    json.append(R"(,"title":")");
    json.append(title);
    json.append(done ? std::string_view(R"(","done":true,"weight":)") : R"(","done":false,"weight":)");
    constexpr std::size_t number_bytes = 32;
    char* const place = json.reserve(number_bytes);
    json.advance(static_cast<std::size_t>(std::to_chars(place, place + number_bytes, weight).ptr - place));
    json.append(std::string_view("},"));
}

// SQLite's C API.
class ByHand {
public:
    explicit ByHand(std::filesystem::path const& path) {
        constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
        QUERN_ASSERT(sqlite3_open_v2(path.c_str(), &connection_, flags, "unix-excl") == SQLITE_OK,
                     "it opens");
        list_ = prepare("SELECT id, title, done, weight FROM todos WHERE id >= ?1 ORDER BY id LIMIT ?2");
        single_ = prepare("SELECT id, done, weight FROM todos WHERE id = ?1");
    }
    ByHand(ByHand const&) = delete;
    ByHand& operator=(ByHand const&) = delete;
    ~ByHand() {
        sqlite3_finalize(list_);
        sqlite3_finalize(single_);
        sqlite3_close(connection_);
    }
    void list(std::int64_t from, quern::Buffer& json) {
        sqlite3_bind_int64(list_, 1, from);
        sqlite3_bind_int64(list_, 2, rows_read);
        while (sqlite3_step(list_) == SQLITE_ROW) {
            auto const* const text = reinterpret_cast<char const*>(sqlite3_column_text(list_, 1));
            std::string_view const title(text, static_cast<std::size_t>(sqlite3_column_bytes(list_, 1)));
            write(json, sqlite3_column_int64(list_, 0), title, sqlite3_column_int(list_, 2) != 0,
                  sqlite3_column_double(list_, 3));
        }
        sqlite3_reset(list_);
    }
    double single(std::int64_t id) {
        sqlite3_bind_int64(single_, 1, id);
        Single row;
        if (sqlite3_step(single_) == SQLITE_ROW) {
            row = {sqlite3_column_int64(single_, 0), sqlite3_column_int(single_, 1) != 0,
                   sqlite3_column_double(single_, 2)};
        }
        sqlite3_reset(single_);
        return row.weight;
    }

private:
    sqlite3_stmt* prepare(char const* sql) {
        sqlite3_stmt* statement = nullptr;
        QUERN_ASSERT(sqlite3_prepare_v3(connection_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement,
                                        nullptr) == SQLITE_OK,
                     "it prepares");
        return statement;
    }
    sqlite3* connection_ = nullptr;
    sqlite3_stmt* list_ = nullptr;
    sqlite3_stmt* single_ = nullptr;
};

class ByLibrary {
public:
    explicit ByLibrary(quern::Database& db) : db_(db) {}
    void list(std::int64_t from, quern::Buffer& json) {
        auto const done = db_.query_each<
            "SELECT id, title, done, weight FROM todos WHERE id >= {from} ORDER BY id LIMIT {count}", Todo>(
            [&](Todo const& todo) { write(json, todo.id, todo.title, todo.done, todo.weight); }, from,
            rows_read);
        QUERN_ASSERT(done, "the list is read");
    }
    double single(std::int64_t id) {
        auto const row = db_.query_one<"SELECT id, done, weight FROM todos WHERE id = {id}", Single>(id);
        QUERN_ASSERT(row && *row, "the row is there");
        return (*row)->weight;
    }

private:
    quern::Database& db_;
};

template <class Work>
double ns_each(int times, Work work) {
    auto const start = Clock::now();
    for (int time = 0; time < times; ++time) work(1 + time % (rows_in_table - rows_read));
    return std::chrono::duration<double, std::nano>(Clock::now() - start).count() / times;
}

double median(std::vector<double> values) {
    std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
    return values[values.size() / 2];
}

template <class Measure>
void compare(char const* what, int rounds, Measure measure) {
    std::vector<double> hand, library, ratios;
    for (int round = 0; round <= rounds; ++round) {
        bool const hand_first = round % 2 == 0;
        double const first = measure(hand_first);
        double const second = measure(!hand_first);
        if (round == 0) continue;  // warms up
        hand.push_back(hand_first ? first : second);
        library.push_back(hand_first ? second : first);
        ratios.push_back(library.back() / hand.back());
    }
    std::printf("%-22s by hand %9.0f ns   library %9.0f ns   ratio %.3f\n", what, median(hand),
                median(library), median(ratios));
}

void fill(quern::Database& db) {
    auto const made =
        db.migrate({"CREATE TABLE todos (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL, "
                    "weight REAL)"});
    QUERN_ASSERT(made, "the table is made");
    auto const filled = db.transaction([](quern::Transaction& writing) -> quern::Result<void> {
        for (int id = 1; id <= rows_in_table; ++id) {
            QUERN_CHECK(writing.execute<"INSERT INTO todos VALUES ({id}, {title}, {done}, {weight})">(
                id, "Write the report of week " + std::to_string(id), id % 3 == 0, id * 0.25));
        }
        return {};
    });
    QUERN_ASSERT(filled, "the table is filled");
}

}  // namespace

int main(int argc, char** argv) {
    int const rounds = argc > 1 ? std::atoi(argv[1]) : 51;
    std::filesystem::path const file =
        std::filesystem::temp_directory_path() /
        ("quern-bench-rows-" + std::to_string(Clock::now().time_since_epoch().count()));
    {
        auto const db =
            *quern::Database::open(file, {.durability = quern::Durability::relaxed, .exclusive = true});
        fill(*db);
        ByHand hand(file);
        ByLibrary library(*db);
        quern::Buffer json;
        auto const bytes = [&](auto& side) {
            json.clear();
            side.list(7, json);
            return std::string(json.view());
        };
        QUERN_ASSERT(bytes(hand) == bytes(library), "both write the same");

        compare("100 rows as JSON", rounds, [&](bool by_hand) {
            return ns_each(lists_a_round, [&](std::int64_t from) {
                json.clear();
                by_hand ? hand.list(from, json) : library.list(from, json);
            });
        });
        double sum = 0;
        compare("one row by id", rounds, [&](bool by_hand) {
            return ns_each(singles_a_round,
                           [&](std::int64_t id) { sum += by_hand ? hand.single(id) : library.single(id); });
        });
        std::printf("(checksum %.0f)\n", sum);
    }
    for (char const* const suffix : {"", "-wal", "-shm"}) std::filesystem::remove(file.string() + suffix);
}
