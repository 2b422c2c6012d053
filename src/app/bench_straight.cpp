// SPDX-License-Identifier: Apache-2.0
#include "app/bench_straight.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include <quern/arena.h>
#include <quern/assert.h>
#include "app/bench_loop.h"
#include "engine/sql/ddl.h"
#include "engine/sqlite/straight.h"
#include "schema/date.h"
#include "schema/id.h"

namespace quern::app {

namespace {

namespace sqlite = engine::sqlite;

constexpr std::string_view straight_file = "straight.db";
constexpr std::int64_t us_per_ms = 1000;
constexpr std::string_view columns = "id, title, body, category, owner, rank, views, created, updated";
constexpr std::size_t inserted_values = post_fields + 1;  // and the version

struct Statements {
    std::size_t fill = 0;
    std::size_t create = 0;
    std::size_t read = 0;
    std::size_t list = 0;
    std::size_t update = 0;
    std::size_t count = 0;
};

class Straight final : public BenchStraight {
public:
    Straight(BenchStage& stage, sqlite::Straight connection)
        : stage_(stage), sqlite_(std::move(connection)), best_(best_of_groups(stage.rows(), &category_of)) {
        for (std::size_t category = 0; category < bench_groups; ++category)
            categories_.push_back(category_name(category));
    }

    Result<void> make_tables();
    Result<void> fill();
    Result<BenchFigures> measure(BenchMeasure const& measure, BenchRun const& run) override;

private:
    Result<void> make_table(Collection const& collection);
    Result<void> prepare();
    Result<void> insert(std::size_t statement, std::size_t number, std::string_view id);
    Result<void> create();
    Result<void> read();
    Result<void> list();
    Result<void> update();
    Result<void> ask(BenchKind kind);
    Result<void> check_created();

    BenchStage& stage_;
    sqlite::Straight sqlite_;
    std::vector<std::vector<std::size_t>> best_;
    std::vector<std::string> categories_;
    Statements statements_;
    BenchRandom random_{1};
    Arena arena_;
    std::size_t created_ = 0;
    std::int64_t version_ = 0;
};

// Of a statement that writes.
class NoRows final : public RowSink {
public:
    bool row(std::span<Value const>) override { return true; }
};
constinit NoRows no_rows;

Result<void> Straight::make_table(Collection const& collection) {
    QUERN_CHECK(sqlite_.execute(engine::sql::create_table(collection, *stage_.schema(), collection.name)));
    for (auto const& index : engine::sql::indexes(collection)) QUERN_CHECK(sqlite_.execute(index.sql));
    return {};
}

Result<void> Straight::make_tables() {
    auto const schema = stage_.schema();
    QUERN_CHECK(make_table(*schema->find(accounts_name)));
    QUERN_CHECK(make_table(stage_.collection(PostTable::kept)));
    QUERN_CHECK(make_table(stage_.collection(PostTable::made)));
    return prepare();
}

Result<void> Straight::prepare() {
    constexpr std::string_view insert = "INSERT INTO {} ({}, _v) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    std::string_view const kept = name_of(PostTable::kept);
    std::string_view const made = name_of(PostTable::made);
    QUERN_TRY(statements_.fill, sqlite_.prepare(fmt::format(insert, kept, columns)));
    QUERN_TRY(statements_.create, sqlite_.prepare(fmt::format(insert, made, columns)));
    QUERN_TRY(statements_.read,
              sqlite_.prepare(fmt::format("SELECT {}, _v FROM {} WHERE id = ?", columns, kept)));
    QUERN_TRY(statements_.list,
              sqlite_.prepare(fmt::format(
                  "SELECT {} FROM {} WHERE category = ? ORDER BY rank DESC, id LIMIT ?", columns, kept)));
    QUERN_TRY(statements_.update, sqlite_.prepare(fmt::format(
                                      "UPDATE {} SET views = ?, updated = ?, _v = ? WHERE id = ?", kept)));
    QUERN_TRY(statements_.count, sqlite_.prepare(fmt::format("SELECT count(*) FROM {}", made)));
    return {};
}

// In one transaction: nobody measures it.
Result<void> Straight::fill() {
    QUERN_CHECK(sqlite_.execute("BEGIN"));
    QUERN_TRY(auto const account,
              sqlite_.prepare(fmt::format("INSERT INTO {} (id) VALUES (?)", accounts_name)));
    for (std::string const& id : stage_.account_ids()) {
        Value const values[] = {Value::of(id)};
        QUERN_CHECK(sqlite_.run(account, values, no_rows));
    }
    auto const& ids = stage_.ids(PostTable::kept);
    for (std::size_t number = 0; number < ids.size(); ++number)
        QUERN_CHECK(insert(statements_.fill, number, ids[number]));
    QUERN_CHECK(sqlite_.execute("COMMIT"));
    return sqlite_.execute("PRAGMA wal_checkpoint(TRUNCATE)");
}

Result<void> Straight::insert(std::size_t statement, std::size_t number, std::string_view id) {
    PostRow const post = make_post(number);
    std::string const now = format_date(stage_.clock().realtime_us() / us_per_ms);
    std::array<Value, inserted_values> const values{Value::of(id),
                                                    Value::of(post.title),
                                                    Value::of(post.body),
                                                    Value::of(post.category),
                                                    Value::of(stage_.account_ids()[post.owner]),
                                                    Value::of(post.rank),
                                                    Value::of(std::int64_t{0}),
                                                    Value::of(now),
                                                    Value::of(now),
                                                    Value::of(++version_)};
    QUERN_CHECK(sqlite_.run(statement, values, no_rows));
    return {};
}

Result<void> Straight::create() {
    std::string_view const id = make_record_id(RandomSource(stage_.random()), arena_);
    return insert(statements_.create, created_++, id);
}

Result<void> Straight::read() {
    std::size_t const numbers[] = {random_.below(stage_.rows())};
    auto const& ids = stage_.ids(PostTable::kept);
    ExpectedPosts expected(ids, numbers);
    Value const values[] = {Value::of(ids[numbers[0]])};
    QUERN_CHECK(sqlite_.run(statements_.read, values, expected));
    if (!expected.came()) return fail(ErrorCode::internal, "The probe failed: SQLite read another record.");
    return {};
}

Result<void> Straight::list() {
    std::size_t const category = random_.below(bench_groups);
    ExpectedPosts expected(stage_.ids(PostTable::kept), best_[category]);
    Value const values[] = {Value::of(categories_[category]),
                            Value::of(static_cast<std::int64_t>(bench_list_rows))};
    QUERN_CHECK(sqlite_.run(statements_.list, values, expected));
    if (!expected.came()) return fail(ErrorCode::internal, "The probe failed: SQLite listed other records.");
    return {};
}

Result<void> Straight::update() {
    std::string const& id = stage_.ids(PostTable::kept)[random_.below(stage_.rows())];
    std::string const now = format_date(stage_.clock().realtime_us() / us_per_ms);
    ++version_;
    Value const values[] = {Value::of(version_), Value::of(now), Value::of(version_), Value::of(id)};
    QUERN_CHECK(sqlite_.run(statements_.update, values, no_rows));
    return {};
}

Result<void> Straight::ask(BenchKind kind) {
    arena_.reset();
    switch (kind) {
    case BenchKind::create: return create();
    case BenchKind::read: return read();
    case BenchKind::list: return list();
    case BenchKind::update: return update();
    default: QUERN_ASSERT(false, "a measure that has its like without an engine"); return {};
    }
}

Result<void> Straight::check_created() {
    std::size_t count = 0;
    RowFunction sink([&](std::span<Value const> row) {
        count = static_cast<std::size_t>(row[0].integer);
        return true;
    });
    QUERN_CHECK(sqlite_.run(statements_.count, {}, sink));
    if (count == created_) return {};
    return fail(
        ErrorCode::internal,
        fmt::format("The probe failed: SQLite has {} rows where {} were committed.", count, created_));
}

Result<BenchFigures> Straight::measure(BenchMeasure const& measure, BenchRun const& run) {
    auto const ask_once = [&] { return ask(measure.kind); };
    auto const warm_up = [&]() -> Result<void> {
        for (std::size_t count = 0; count < bench_warm_up_operations; ++count) QUERN_CHECK(ask_once());
        return {};
    };
    QUERN_TRY(auto const loop, run_loop(run, 1, warm_up, ask_once, [] {}));
    if (measure.kind == BenchKind::create) QUERN_CHECK(check_created());
    return figures_of(loop.times, static_cast<double>(loop.end_ns - loop.begin_ns) / 1e9);
}

}  // namespace

Result<std::unique_ptr<BenchStraight>> BenchStraight::open(BenchStage& stage,
                                                           std::filesystem::path const& directory,
                                                           bool relaxed) {
    QUERN_TRY(auto connection,
              sqlite::Straight::open(directory / straight_file,
                                     relaxed ? sqlite::Synchronous::normal : sqlite::Synchronous::full));
    auto made = std::make_unique<Straight>(stage, std::move(connection));
    QUERN_CHECK(made->make_tables());
    QUERN_CHECK(made->fill());
    return made;
}

}  // namespace quern::app
